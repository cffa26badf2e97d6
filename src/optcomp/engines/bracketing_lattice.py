"""Any number of any losses: two-sided bounds on a grid, both of second order in its step.

*Upper.* What a loss has in a cell between two neighbouring grid values goes to both ends, so that the cell's
probabilities under P and under Q stay what they are. The profile of the result touches the true one at the grid values
and lies above it elsewhere, so the composition U of the results satisfies ``delta <= U``. For the loss of randomized
response that is the mixture of the two neighbouring ones with the same total variation ``tanh(epsilon/2)``.

*Lower.* That multiplies the likelihood ratio by a factor of mean one with two values that are ``e^h`` apart. Such a
factor is below a lognormal of variance ``(pi/8) h^2`` in convex order (proved in the documentation of this engine), so
with ``w = (pi/8) h^2`` times the number of losses off the grid, U lies below the true composition with one Gaussian
mechanism of ``mu^2 = w`` added. Writing D(v) for the true one with a Gaussian of ``mu^2 = v``, for which
``2 D(v) - e^(3v/8) D(4v) <= delta``,

    2 U - e^(3w/8) U_4w <= delta,   U_4w: the same losses on the grid with a Gaussian of ``mu^2 = 4w``,

and the Gaussian's effect on a point of the grid is known in closed form. Both are computed under a tilt, so a tiny
delta is as accurate as a large one; the rounding of the convolution and of the Fourier transform is added on the
unsafe side. Losses without bound are cut where next to nothing lies beyond, and that counts as an infinite loss in the
upper bound and not at all in the lower. When the step divides every loss, nothing is moved and both bounds are the
exact value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from optcomp.errors import UndecidedError
from optcomp.losses import AtomicLoss, DiscreteGaussianLoss, Loss, SampledDiscreteGaussianLoss, TwoPoint
from optcomp.numerics.balls import Ball, ball, enclose, ends, hull, nearest_float, precision
from optcomp.numerics.connect_dots import Dots, Points, dots_of_tails, dots_of_values, range_of
from optcomp.numerics.gaussian_sums import gaussian_sum
from optcomp.numerics.long_sums import sum_of_many
from optcomp.numerics.saddle import tail_at, tail_for
from optcomp.numerics.symmetric_pairs import Pair, sum_of_pairs
from optcomp.numerics.tilt import spread, tilt_at, tilt_for
from optcomp.numerics.two_sided import TwoSided
from optcomp.quantities import Enclosure, Logarithm, Real, common_step
from optcomp.sources import MV16, states

__all__ = ["BracketingLattice"]

Floats = npt.NDArray[np.float64]

_BITS = 128
_ROUGH_BITS = (64, 192)  # the second for growths that are rare huge losses in part
_ENOUGH_BITS = 40
_DIGITS = 40
_SPLIT = Fraction(39269908169872416, 10**17)  # at least pi/8
_DEVIATIONS = 13.0
_MOST_CELLS = 4e6
_MOST_MIXED_CELLS = 1e6  # where the sums are long and transformed again and again
_MOST_EXACT_CELLS = 2e5
_MOST_WORK = 4e9
_MOST_BALLS = 1.2e5  # cells whose probabilities are balls: some ten seconds
_SURE = 0.6  # of the estimated width is aimed at, so that the first grid is usually fine enough
_RETRIES = 4
_LEAVE_OUT = 9.0  # what is left out is at most e^-9 of the wanted width
_LARGEST_SHARE = 1e-2
_LEAVE_BELOW = 45.0  # the same below the grid, where it costs little
_OFFSETS = tuple(Fraction(n, 64) for n in (21, 43, 27, 37))  # in steps, to avoid points with mass of their own


@dataclass(frozen=True)
class BracketingLattice:
    """Any losses.

    Args:
        losses: Different losses with their counts.
        width: The wanted relative width of an answer.
        step: The grid's step in nats; None chooses it from the wanted width.
    """

    name: ClassVar[str] = "bracketing_lattice"
    precision: ClassVar[str] = "double precision, every rounding counted"
    losses: tuple[tuple[Loss, int], ...]
    width: float = 1e-6
    step: Fraction | None = None

    @property
    def cost(self) -> str:
        """What an answer costs, in words."""
        return f"grids fine enough for a relative width of {self.width:g}; half the width costs 1.4 times the cells"

    def with_width(self, width: float) -> Self:
        """The same engine for another wanted width."""
        return replace(self, width=width)

    @states(MV16, "Theorem 1.5, from both sides on a grid")
    def delta(self, epsilon: Real) -> Enclosure:
        """The composed delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``, with the wanted relative width.

        Raises:
            UndecidedError: When no affordable grid gives that width.
        """
        low, high = _bounds(epsilon)
        if low >= sum(_largest(loss) * count for loss, count in self.losses):
            return Enclosure.exactly(0)
        if self._simple:
            tilt, log_delta = tail_at(*self._floats, float(low)).tilt, 0.0
        else:
            tilt, log_delta = tilt_at(self._cumulant, float(low))
        aim = _Aim(tilt, _SURE * self.width / (2 * tilt * (tilt + 1) + 2), log_delta + self._log_width)

        def answer(tilted: TwoSided) -> Enclosure:
            return tilted.at((low, high))

        return self._refined(answer, aim, "delta")

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``, with the wanted relative width.

        Raises:
            UndecidedError: When no affordable grid gives that width.
        """
        with precision(_BITS):
            log_target = nearest_float(hull(target).log())
        if self._simple:
            guess = tail_for(*self._floats, log_target)
            tilt, x = guess.tilt, max(guess.x, 1e-300)
        else:
            tilt, x = tilt_for(self._cumulant, log_target)
            x = max(x, min(spread(self._cumulant, tilt), 1.0) / 100)
        aim = _Aim(tilt, _SURE * self.width * x / (2 * (tilt + 1)), log_target + self._log_width)

        def answer(tilted: TwoSided) -> Enclosure | None:
            return tilted.falls_to(target)

        return self._refined(answer, aim, "epsilon")

    def _refined(self, answer: Callable[[TwoSided], Enclosure | None], aim: _Aim, what: str) -> Enclosure:
        """The first answer that is narrow enough, on finer and finer grids."""
        found: Enclosure | None = None
        for _ in range(_RETRIES):
            grid = self._grid(aim)
            if grid is None:
                break
            found = answer(_tilted(grid, aim.tilt))
            if found is not None and found.relative_width <= self.width:
                return found.rounded(_DIGITS)
            if self.step is not None or (grid.split_variance == 0 and self._simple):
                break
            reached = 8.0 if found is None else min(found.relative_width / self.width, 1e3)
            aim = _Aim(aim.tilt, aim.variance / (2 * reached), aim.log_share - _LEAVE_OUT)
        raise UndecidedError(
            field=what,
            value=f"no grid of at most {_MOST_CELLS:.0e} cells" if found is None else str(found),
            condition=f"could not be enclosed to a relative width of {self.width:g} on an affordable grid",
            remedy="Ask for a larger width.",
        )

    @property
    def _log_width(self) -> float:
        """The logarithm of the share of an answer that matters: of the width, however large that may be."""
        return math.log(min(self.width, _LARGEST_SHARE))

    @cached_property
    def _simple(self) -> bool:
        """Whether all losses have two points only."""
        return all(isinstance(loss, TwoPoint) for loss, _ in self.losses)

    @cached_property
    def _two_point(self) -> tuple[tuple[TwoPoint, int], ...]:
        return tuple((loss, count) for loss, count in self.losses if isinstance(loss, TwoPoint))

    @cached_property
    def _others(self) -> tuple[tuple[Loss, int], ...]:
        return tuple((loss, count) for loss, count in self.losses if not isinstance(loss, TwoPoint))

    @cached_property
    def _floats(self) -> tuple[Floats, Floats]:
        values = [float(_bounds(loss.epsilon)[1]) for loss, _ in self._two_point]
        return np.array(values), np.array([float(count) for _, count in self._two_point])

    def _cumulant(self, tilt: float) -> float:
        """The cumulant function of the sum, about."""
        if tilt not in self._known:
            epsilons, counts = self._floats
            total = float(counts @ (_log_cosh((tilt + 0.5) * epsilons) - _log_cosh(epsilons / 2)))
            self._known[tilt] = total + sum(count * _log_growth(loss, tilt) for loss, count in self._others)
        return self._known[tilt]

    @cached_property
    def _known(self) -> dict[float, float]:
        return {}

    def _grid(self, aim: _Aim) -> _Grid | None:
        """A grid on which all splits together add at most the given variance; None when it would be too fine."""
        size = sum(count for _, count in self.losses)
        shapes = self._shapes(aim, size)
        if shapes is None:
            return None
        reach = self._reach(aim.tilt, shapes)
        grids = [loss.grid for loss, _ in self._others]
        steps = [loss.epsilon for loss, _ in self._two_point] + [each.step for each in grids if each]
        exact = common_step(steps) if steps else None
        common = exact[0] if exact is not None and isinstance(exact[0], Fraction) and exact[0] > 0 else None
        step = self.step or _short(math.sqrt(aim.variance / (float(_SPLIT) * size)))
        if self.step is None and common is not None:
            free = sum(count for (_, count), each in zip(self._others, grids, strict=True) if each is None)
            if free == 0:
                cells = reach / float(common) if common > 1e-200 else math.inf
                if cells <= _MOST_EXACT_CELLS or common >= step:  # cheaper, or cheap enough, and nothing is split
                    step = common
            else:
                wanted = math.sqrt(aim.variance / (float(_SPLIT) * free))
                if common >= wanted > 0:
                    step = common / math.ceil(common / Fraction(wanted))
        most = _MOST_MIXED_CELLS if self._others else _MOST_CELLS
        if step <= 0 or reach / float(step) > most or not _affordable(reach / float(step), size):
            return None
        cells = sum((shape.high - shape.low) / float(step) for shape in shapes if shape.values is None)
        return _Grid(self._two_point, self._others, shapes, step) if cells <= _MOST_BALLS else None

    def _shapes(self, aim: _Aim, size: int) -> tuple[_Shape, ...] | None:
        """The other losses' values, or the range that holds all of them but the share that may be left out."""
        log_share = aim.log_share - _LEAVE_OUT - math.log(size)
        found = []
        with precision(_BITS):
            for loss, _ in self._others:
                shape = _shape(loss, log_share, self._log_width - math.log(size) - _LEAVE_BELOW, aim.tilt)
                if shape is None:
                    return None
                found.append(shape)
        return tuple(found)

    def _reach(self, tilt: float, shapes: tuple[_Shape, ...]) -> float:
        """About how far the sum spreads under the tilt, in nats."""
        epsilons, counts = self._floats
        longest = 2 * float(epsilons.max()) if len(epsilons) else 0.0
        longest = max([longest, *(shape.high - shape.low for shape in shapes)])
        whole = 2 * float(counts @ epsilons)
        whole += sum(count * (shape.high - shape.low) for (_, count), shape in zip(self._others, shapes, strict=True))
        if self._simple:
            with np.errstate(under="ignore"):
                factors = epsilons / np.cosh(np.minimum((tilt + 0.5) * epsilons, 300.0))
            deviation = math.sqrt(float(counts @ factors**2))
        else:
            deviation = spread(self._cumulant, tilt)
        return min(2 * _DEVIATIONS * deviation + 2 * longest, whole)


@dataclass(frozen=True)
class _Aim:
    """What a grid is made for.

    Args:
        tilt: Under which tilt it is used.
        variance: What all splits together may add.
        log_share: The logarithm of the probability that matters.
    """

    tilt: float
    variance: float
    log_share: float


@dataclass(frozen=True)
class _Shape:
    """A loss with few values, or one that is known by its tails.

    Args:
        low: Below nearly all of it.
        high: Above nearly all of it.
        values: The values with their probabilities, or None.
        beyond: A bound on the probability of other values, on either side.
    """

    low: float
    high: float
    values: list[tuple[Ball, Ball]] | None
    beyond: Ball


def _shape(loss: Loss, log_share: float, log_below: float, tilt: float) -> _Shape | None:
    if isinstance(loss, AtomicLoss):
        values, beyond = [(atom.loss, atom.likely) for atom in loss.atoms()], ball(0)
    elif isinstance(loss, DiscreteGaussianLoss | SampledDiscreteGaussianLoss):
        share = min(log_share, log_below)
        base = loss if isinstance(loss, DiscreteGaussianLoss) else loss.base
        reach = math.ceil(math.sqrt(2 * float(base.variance) * (5 - share))) + 1
        if 2 * reach + base.sensitivity > _MOST_BALLS:
            return None
        values, beyond = _normal_values(loss, base, reach)
    else:
        found = range_of(loss.above, log_above=log_share, log_below=log_below, tilt=tilt)
        return None if found is None else _Shape(*found, values=None, beyond=ball(0))
    places = [nearest_float(value) for value, _ in values]
    return _Shape(min(places), max(places), values, beyond)


def _normal_values(
    loss: DiscreteGaussianLoss | SampledDiscreteGaussianLoss, base: DiscreteGaussianLoss, reach: int
) -> tuple[list[tuple[Ball, Ball]], Ball]:
    """The values for noise up to ``reach`` from the middle of either law, and a bound on all others, on either side."""
    variance, sensitivity = ball(base.variance), base.sensitivity
    total = gaussian_sum(variance, ball(0)).real
    unit = Fraction(sensitivity, 2) / base.variance
    values = []
    for x in range(-reach, reach + sensitivity + 1):
        value = ball(unit * (sensitivity - 2 * x))
        if isinstance(loss, DiscreteGaussianLoss):
            values.append((value, (-(ball(x) ** 2) / (2 * variance)).exp() / total))
            continue
        without = (-(ball(x - sensitivity) ** 2) / (2 * variance)).exp() / total
        ratio = 1 - ball(loss.share) + ball(loss.share) * value.exp()
        remove = loss.direction == "remove"
        values.append((ratio.log(), without * ratio) if remove else (-ratio.log(), without))
    start = ball(reach)
    return values, (-(start**2) / (2 * variance)).exp() / (1 - (-start / variance).exp()) / total


def _log_growth(loss: Loss, tilt: float) -> float:
    """About the cumulant function of one loss; no number where few bits do not tell."""
    for bits in _ROUGH_BITS:
        with precision(bits):
            found = loss.growth(ball(tilt))
            if found > 0 and found.rel_accuracy_bits() >= _ENOUGH_BITS:
                return nearest_float(found.log())
    return math.nan


def _log_cosh(y: Floats) -> Floats:
    near = np.log1p(2 * np.sinh(np.minimum(y, 30.0) / 2) ** 2)
    return np.where(y < 30.0, near, y - math.log(2))


def _largest(loss: Loss) -> Fraction | float:
    """At least the largest loss; infinite when there is none."""
    if loss.largest is not None:
        return _bounds(loss.largest)[1]
    with precision(_BITS):
        return ends(loss.largest_ball())[1]


def _affordable(cells: float, size: int) -> bool:
    return cells <= _MOST_CELLS and cells * (math.log2(size + 1) + 4) * 40 + size * 1e4 <= _MOST_WORK * 4


def _short(value: float) -> Fraction:
    """A little below the value, with few bits."""
    if not math.isfinite(value):
        return Fraction(0)
    mantissa, exponent = math.frexp(value)
    return Fraction(math.floor(mantissa * 64), 64) * Fraction(2) ** exponent


def _bounds(value: Real) -> tuple[Fraction, Fraction]:
    """Two rationals around a real number, equal when it is rational."""
    if not isinstance(value, Logarithm):
        return value, value
    with precision(2 * _BITS):
        found = enclose(ball(value))
    return Fraction(found.lower), Fraction(found.upper)


@dataclass(frozen=True)
class _Other:
    """A loss with more than two points.

    Args:
        loss: The loss.
        count: How many there are.
        shape: Its values or range.
        offset: Its points are this and multiples of the step.
        exact: Whether all its values are points.
    """

    loss: Loss
    count: int
    shape: _Shape
    offset: Fraction
    exact: bool


class _Grid:
    """The losses on one grid."""

    def __init__(
        self,
        two_point: tuple[tuple[TwoPoint, int], ...],
        others: tuple[tuple[Loss, int], ...],
        shapes: tuple[_Shape, ...],
        step: Fraction,
    ) -> None:
        self.step = step
        self.pairs = tuple(_pair(loss.epsilon, count, step) for loss, count in two_point)
        self.others = tuple(
            _other(loss, count, shape, step) for (loss, count), shape in zip(others, shapes, strict=True)
        )
        self.moved = sum(pair.count for pair in self.pairs if not pair.exact)
        self.moved += sum(other.count for other in self.others if not other.exact)
        self.split_variance = _SPLIT * step**2 * self.moved


def _other(loss: Loss, count: int, shape: _Shape, step: Fraction) -> _Other:
    grid = loss.grid
    if grid is not None and isinstance(grid.step, Fraction) and (grid.step / step).denominator == 1:
        return _Other(loss, count, shape, grid.halves * grid.step / 2, exact=True)
    return _Other(loss, count, shape, Fraction(0), exact=False)


def _pair(epsilon: Real, count: int, step: Fraction) -> Pair:
    low, high = _bounds(epsilon)
    place = math.ceil(high / step)
    return Pair(epsilon, place, count, exact=low == high == place * step)


def _tilted(grid: _Grid, aim: float) -> TwoSided:
    """The law of the sum on the grid, under about that tilt."""
    mantissa, exponent = math.frexp(aim)
    tilt = Fraction(math.ldexp(round(mantissa * 4096), exponent - 12))
    places, shift = sum(pair.high * pair.count for pair in grid.pairs), Fraction(0)
    with precision(_BITS):
        law, cumulant = sum_of_pairs(grid.pairs, grid.step, tilt)
        lost = ball(0)
        dotted = []
        for other in grid.others:
            dots = _dots(other, grid.step, tilt)
            dotted.append((dots.law, other.count))
            places += other.count * dots.top
            shift += other.count * dots.points.offset
            cumulant += other.count * dots.cumulant
            lost += other.count * dots.lost
        if dotted:
            law = sum_of_many([(law, 1), *dotted])
    return TwoSided(
        law=law,
        step=grid.step,
        top=shift + places * grid.step,
        tilt=tilt,
        cumulant=cumulant,
        lost=lost,
        variance=grid.split_variance,
    )


def _dots(other: _Other, step: Fraction, tilt: Fraction) -> Dots:
    """One loss on its points."""
    shape = other.shape
    if shape.values is not None:
        points = Points(step, other.offset, tilt)
        return dots_of_values(shape.values, points, on_points=other.exact, beyond=shape.beyond)
    for share in _OFFSETS:
        offset = share * step
        first, last = ((Fraction(end) - offset) / step for end in (shape.low, shape.high))
        points = Points(step, offset, tilt)
        dots = dots_of_tails(other.loss.above, points, first=math.floor(first), last=math.ceil(last))
        if dots is not None:
            return dots
    raise UndecidedError(
        field="losses",
        value=type(other.loss).__name__,
        condition="could not be put on a grid",
        remedy="Ask for another width.",
    )

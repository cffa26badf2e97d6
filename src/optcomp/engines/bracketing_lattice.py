"""Any number of any epsilons: two-sided bounds on a grid, both of second order in its step.

*Upper.* An epsilon between two neighbouring grid values is replaced by their mixture with the same total variation
``tanh(epsilon/2)``, the choice revealed. The mixture's profile touches the true one on ``[-low, low]`` and lies above
it elsewhere, so the composition U of the mixtures satisfies ``delta <= U``.

*Lower.* The mixture splits each atom of the likelihood ratio by a factor of mean one with two values that are ``e^h``
apart. Such a factor is below a lognormal of variance ``(pi/8) h^2`` in convex order (proved in the documentation of
this engine), so with ``w = (pi/8) h^2`` times the number of split losses, U lies below the true composition with one
Gaussian mechanism of ``mu^2 = w`` added. Writing D(v) for the true one with a Gaussian of ``mu^2 = v``, for which ``2
D(v) - e^(3v/8) D(4v) <= delta``,

    2 U - e^(3w/8) U_4w <= delta,   U_4w: the mixtures with a Gaussian of ``mu^2 = 4w``,

and the Gaussian's effect on a point of the grid is known in closed form. Both are computed under a tilt, so a tiny
delta is as accurate as a large one; the rounding of the convolution and of the Fourier transform is added on the
unsafe side. When the step divides every epsilon, nothing is split and both bounds are the exact value.
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
from optcomp.losses import TwoPoint
from optcomp.numerics.balls import Ball, ball, enclose, ends, hull, nearest_float, precision
from optcomp.numerics.binomial import binomial
from optcomp.numerics.bracket import Guess, enclose_inverse
from optcomp.numerics.gaussian_kernel import bump
from optcomp.numerics.lattice import Measure, add_atoms, convolve, convolve_all, point
from optcomp.numerics.saddle import tail_at, tail_for
from optcomp.numerics.tail import Tail, weighted_sum
from optcomp.quantities import Enclosure, Logarithm, Real, common_step
from optcomp.sources import MV16, states

__all__ = ["BracketingLattice"]

Floats = npt.NDArray[np.float64]

_BITS = 128
_DIGITS = 40
_SPLIT = Fraction(39269908169872416, 10**17)  # at least pi/8
_DEVIATIONS = 13.0
_MOST_CELLS = 4e6
_MOST_EXACT_CELLS = 2e5
_MOST_WORK = 4e9
_SURE = 0.6  # of the estimated width is aimed at, so that the first grid is usually fine enough
_RETRIES = 4
_LARGEST_WEIGHT = 1e100
_TOGETHER = 8  # losses whose four atoms are added one after the other before the large convolutions


@dataclass(frozen=True)
class BracketingLattice:
    """Any two-point losses.

    Args:
        losses: Different epsilons with their counts.
        width: The wanted relative width of an answer.
        step: The grid's step in nats; None chooses it from the wanted width.
    """

    name: ClassVar[str] = "bracketing_lattice"
    precision: ClassVar[str] = "double precision, every rounding counted"
    losses: tuple[tuple[TwoPoint, int], ...]
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
        if _bounds(epsilon)[0] >= sum(_bounds(loss.epsilon)[1] * count for loss, count in self.losses):
            return Enclosure.exactly(0)
        tilt = tail_at(*self._floats, float(_bounds(epsilon)[0])).tilt
        variance = _SURE * self.width / (2 * tilt * (tilt + 1) + 2)

        def answer(grid: _Grid) -> Enclosure:
            return _Tilted(grid, tilt).delta(_bounds(epsilon))

        return self._refined(answer, tilt, variance, "delta")

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``, with the wanted relative width.

        Raises:
            UndecidedError: When no affordable grid gives that width.
        """
        with precision(_BITS):
            guess = tail_for(*self._floats, nearest_float(hull(target).log()))
        variance = _SURE * self.width * max(guess.x, 1e-300) / (2 * (guess.tilt + 1))

        def answer(grid: _Grid) -> Enclosure | None:
            return _Tilted(grid, guess.tilt).epsilon(target)

        return self._refined(answer, guess.tilt, variance, "epsilon")

    def _refined(
        self, answer: Callable[[_Grid], Enclosure | None], tilt: float, variance: float, what: str
    ) -> Enclosure:
        """The first answer that is narrow enough, on finer and finer grids."""
        found: Enclosure | None = None
        for _ in range(_RETRIES):
            grid = self._grid(tilt, variance)
            if grid is None:
                break
            found = answer(grid)
            if found is not None and found.relative_width <= self.width:
                return found.rounded(_DIGITS)
            if self.step is not None or grid.split_variance == 0:
                break
            reached = 8.0 if found is None else min(found.relative_width / self.width, 1e3)
            variance /= 2 * reached
        raise UndecidedError(
            field=what,
            value=f"no grid of at most {_MOST_CELLS:.0e} cells" if found is None else str(found),
            condition=f"could not be enclosed to a relative width of {self.width:g} on an affordable grid",
            remedy="Ask for a larger width.",
        )

    @cached_property
    def _floats(self) -> tuple[Floats, Floats]:
        values = [float(_bounds(loss.epsilon)[1]) for loss, _ in self.losses]
        return np.array(values), np.array([float(count) for _, count in self.losses])

    def _grid(self, tilt: float, variance: float) -> _Grid | None:
        """A grid on which all splits together add at most the given variance; None when it would be too fine."""
        size = sum(count for _, count in self.losses)
        epsilons, counts = self._floats
        with np.errstate(under="ignore"):
            spread = math.sqrt(float(counts @ (epsilons / np.cosh(np.minimum((tilt + 0.5) * epsilons, 300.0))) ** 2))
        reach = min(2 * _DEVIATIONS * spread + 4 * float(epsilons.max()), 2 * float(counts @ epsilons))
        exact = common_step(loss.epsilon for loss, _ in self.losses)
        step = self.step or _short(math.sqrt(variance / (float(_SPLIT) * size)))
        if self.step is None and exact is not None and isinstance(exact[0], Fraction):
            cells = reach / float(exact[0]) if exact[0] > 1e-200 else math.inf
            if cells <= _MOST_EXACT_CELLS or exact[0] >= step:  # cheaper, or cheap enough, and nothing is split
                step = exact[0]
        return _Grid(self.losses, step) if step > 0 and _affordable(reach / float(step), size) else None


def _affordable(cells: float, size: int) -> bool:
    return cells <= _MOST_CELLS and cells * (math.log2(size + 1) + 4) * 40 + size * 1e4 <= _MOST_WORK * 4


def _short(value: float) -> Fraction:
    """A little below the value, with few bits."""
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
class _Split:
    """A loss between the grid values ``high - 1`` and ``high``.

    Args:
        epsilon: The loss.
        high: The least grid value, in steps, that is at least epsilon.
        count: How many there are.
        exact: Whether epsilon is that grid value.
    """

    epsilon: Real
    high: int
    count: int
    exact: bool


class _Grid:
    """The losses on one grid."""

    def __init__(self, losses: tuple[tuple[TwoPoint, int], ...], step: Fraction) -> None:
        self.step = step
        self.splits = tuple(_split(loss.epsilon, count, step) for loss, count in losses)
        self.top = sum(split.high * split.count for split in self.splits)
        moved = sum(split.count for split in self.splits if not split.exact)
        self.split_variance = _SPLIT * step**2 * moved


def _split(epsilon: Real, count: int, step: Fraction) -> _Split:
    low, high = _bounds(epsilon)
    place = math.ceil(high / step)
    return _Split(epsilon, place, count, exact=low == high == place * step)


class _Tilted:
    """The law of the mixtures' sum under one tilt, and what can be read from it."""

    def __init__(self, grid: _Grid, tilt: float) -> None:
        mantissa, exponent = math.frexp(tilt)
        self.grid, self.tilt = grid, Fraction(math.ldexp(round(mantissa * 4096), exponent - 12))
        exact: list[tuple[_Split, _Atoms]] = []
        moved: list[tuple[_Split, _Atoms]] = []
        with precision(_BITS):
            self.step = ball(grid.step)
            self.cumulant = ball(0)
            for split in grid.splits:
                atoms, cumulant = _atoms(split, grid.step, self.tilt)
                self.cumulant += split.count * cumulant
                (exact if split.exact else moved).append((split, atoms))
            laws = [_power_of_exact(split, atoms) for split, atoms in exact] + _laws_of_moved(moved)
            self.tail = Tail(convolve_all(laws), unit=self.step, tilt=ball(self.tilt))

    def delta(self, point: tuple[Fraction, Fraction]) -> Enclosure:
        """Delta at a real number between two rationals."""
        low, high = point
        with precision(_BITS):
            upper = self._upper(low)[0]
            lower = self._lower(high, self._upper(high)[0] if high != low else upper)
            bottom, top = ends(lower)[0], ends(upper)[1]
        top = min(max(top, Fraction(0)), Fraction(1))
        return Enclosure(min(max(bottom, Fraction(0)), top), top)

    def _upper(self, x: Fraction) -> tuple[Ball, Ball]:
        """U at x, and the size of its slope."""
        if x >= self.grid.top * self.grid.step:
            return ball(0), ball(0)
        place, gap = self._place(x)
        falling, border = self.tail.sums(place)
        scale = self._scale(place)
        return scale * (falling - gap.expm1() * border), scale * gap.exp() * border

    def _lower(self, x: Fraction, upper: Ball) -> Ball:
        """``2 U - e^(3w/8) U_4w`` at x, given U there."""
        variance = self.grid.split_variance
        if variance == 0:
            return upper
        bumps = self._bumps(x, 4 * variance, ends(upper)[1])
        if bumps is None:
            return ball(0)
        growth = (3 * ball(variance) / 8).exp()
        return (2 - growth) * upper - growth * bumps

    def _bumps(self, x: Fraction, variance: Fraction, value: Fraction | float) -> Ball | None:
        """What a Gaussian of that variance adds to U at x, as a ball that contains it.

        Points within so many cells of x are summed; all others together have probability at most 1 and a bump of at
        most that at the border. None when the tilt makes the weights of the near points too large for floats.
        """
        size = -math.log(max(float(min(value, Fraction(1))), 1e-320)) + 30.0
        cells = math.ceil(math.sqrt(2 * size * float(variance)) / float(self.grid.step)) + 1
        largest_weight = (ball(self.tilt) * cells * self.step).exp()
        if not largest_weight < _LARGEST_WEIGHT:
            return None
        place, gap = self._place(x)
        law = self.tail.law
        first = min(max(place - cells - law.start, 0), len(law.masses))
        last = min(max(place + cells + 1 - law.start, 0), len(law.masses))
        offsets = range(place - law.start - first, place - law.start - last, -1)  # of the points from l, in steps
        weights = [
            nearest_float((-ball(self.tilt) * n * self.step).exp() * bump(n * self.step - gap, variance))
            for n in offsets
        ]
        near = weighted_sum(law, law.masses[first:last], np.array(weights), roundings=4) if weights else ball(0)
        dropped = (largest_weight * ball(law.dropped)).union(ball(0))
        beyond = bump(-(cells - 1) * self.step, variance).union(ball(0))
        return self._scale(place) * (near + dropped) + beyond

    def _place(self, x: Fraction) -> tuple[int, Ball]:
        """The place of the least grid point ``l >= x``, and ``x - l``."""
        place = math.floor(self.grid.top - x / self.grid.step)
        return place, ball(x - (self.grid.top - place) * self.grid.step)

    def _scale(self, place: int) -> Ball:
        return (self.cumulant - ball(self.tilt * (self.grid.top - place) * self.grid.step)).exp()

    def epsilon(self, target: Enclosure) -> Enclosure | None:
        """Two points with certified deltas on either side of the target."""
        largest = self.grid.top * self.grid.step
        guess, slope = self._search(target)
        with precision(_BITS):
            at_guess = self.delta((guess, guess))
            middle = Fraction(at_guess.upper)
            below = Fraction((middle - Fraction(at_guess.lower)) / slope) * Fraction(17, 16)
            above = abs(middle - Fraction(target.lower)) / slope + guess / 2**44
        return enclose_inverse(lambda x: self.delta((x, x)), target, Guess(guess, below, above), largest=largest)

    def _search(self, target: Enclosure) -> tuple[Fraction, Fraction]:
        """About where U meets the target, at least 0, and the size of its slope there."""
        with precision(_BITS):
            place, below = self.tail.crossing(self._scale, hull(target), last=self.grid.top)
            x = max((self.grid.top - place) * self.grid.step - Fraction(below), Fraction(0))
            slope = ends(self._upper(x)[1].mid())[0]
        return x, max(Fraction(slope), Fraction(1, 2**1000))


_Atoms = list[tuple[int, float]]


def _atoms(split: _Split, step: Fraction, tilt: Fraction) -> tuple[_Atoms, Ball]:
    """The places and tilted probabilities of one loss's atoms, counted from the top, and its cumulant."""
    high, low = ball(split.high * step), ball((split.high - 1) * step)
    if split.exact:
        sides = [(high, ball(1), 0, 2 * split.high)]
    else:
        aim, upper, lower = ((value / 2).tanh() for value in (ball(split.epsilon), high, low))
        share = (upper - aim) / (upper - lower)
        sides = [(high, 1 - share, 0, 2 * split.high), (low, share, 1, 2 * split.high - 1)]
    power = ball(tilt) + ball(Fraction(1, 2))
    atoms: list[tuple[int, Ball]] = []
    for value, weight, above, below in sides:
        part = weight / (2 * (value / 2).cosh())
        atoms += [(above, part * (power * value).exp()), (below, part * (-power * value).exp())]
    whole = sum((weight for _, weight in atoms), start=ball(0))
    return [(place, max(nearest_float(weight / whole), 0.0)) for place, weight in atoms], whole.log()


def _power_of_exact(split: _Split, atoms: _Atoms) -> Measure:
    """The law of the sum of equal losses that lie on the grid."""
    (_, likely), (_, unlikely) = atoms
    return convolve(point(), binomial(split.count, unlikely / likely), 2 * split.high)


def _laws_of_moved(moved: list[tuple[_Split, _Atoms]]) -> list[Measure]:
    """The laws of sums of losses off the grid: few single ones together, repeated ones by repeated squaring."""
    laws = []
    single = [atoms for split, atoms in moved if split.count == 1]
    for start in range(0, len(single), _TOGETHER):
        law = point()
        for atoms in single[start : start + _TOGETHER]:
            law = add_atoms(law, atoms, roundings=2)
        laws.append(law)
    for split, atoms in moved:
        if split.count > 1:
            laws.append(_power(add_atoms(point(), atoms, roundings=2), split.count))
    return laws


def _power(law: Measure, count: int) -> Measure:
    """The law of the sum of ``count`` independent copies."""
    whole: Measure | None = None
    while count:
        if count & 1:
            whole = law if whole is None else convolve(whole, law, 1)
        count >>= 1
        if count:
            law = convolve(law, law, 1)
    return whole or point()

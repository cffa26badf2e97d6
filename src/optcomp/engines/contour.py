"""Everything, fast: a short sum of waves on a vertical line (`optcomp.numerics.contour`), in floats or in balls.

What ends the sum is proven, never a look at small terms:

* *smooth*: some losses damp the waves by a known amount beyond any height (Gaussian, sampled Gaussian, sampled Laplace
  in number, bounded range);
* *grid*: all losses lie on a common grid; the nodes of one period are all there are, and those that are left out were
  bounded one by one;
* *dithered*: nothing damps the waves. With D(v) for the composition with one Gaussian of ``mu^2 = v`` added,

      2 D(v) - e^(3v/8) D(4v) <= delta(x) <= D(v),

  and the added Gaussian ends the sum; the width is of second order in the noise that it adds.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from optcomp.errors import UndecidedError
from optcomp.losses import Loss, SampledAtoms, SampledGaussianLoss, TwoPoint, TwoPointColumn
from optcomp.losses.ripples import Followed, has_ripple
from optcomp.numerics.balls import Ball, ball, ends, hull, nearest_float, precision, with_error
from optcomp.numerics.bracket import Guess, enclose_inverse
from optcomp.numerics.contour import (
    BallSpectrum,
    GridPoint,
    Line,
    Spectrum,
    complex_node,
    left_aliases,
    right_aliases,
)
from optcomp.numerics.ripples import Swing, TwoPointRipple
from optcomp.numerics.sampled_ripples import SampledNormalRipple
from optcomp.quantities import Enclosure, Real, common_step
from optcomp.sources import ZDW22, states

__all__ = ["BallContour", "Contour"]

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Losses = tuple[tuple[Loss, int], ...]

_DIGITS = 40
_FLOAT_LOSS = 30.0  # e^-30 of delta may be lost by each of aliases and ends in floats
_BITS = 128
_EPSILON_WIDTH, _DELTA_WIDTH = 1e-9, 1e-8
_MOST_SMOOTH = 60_000
_MOST_SAMPLED = 150_000  # where one node is an integral
_MOST_NODES = 6_000_000
_MOST_WORK = 3e8  # nodes times different losses
_MOST_PERIOD = 20_000_000
_CHUNK = 1 << 17
_CARELESS, _CAREFUL = 2.5, 0.1  # how much larger, in logarithms, the first wave may be than the least possible
_LONG = 4096
_MANY = 160  # different epsilons, from which on whole intervals of heights are bounded
_MOST_BALLS, _MOST_BALL_NODES = 2e6, 20_000
_TRIES = 4


class _Narrower(Exception):  # noqa: N818  # a signal, not an error
    """The answer is wider than wanted by this factor."""


@dataclass(frozen=True)
class Contour:
    """Losses that can be followed along a line.

    Args:
        losses: Different losses with their counts.
        width: The wanted relative width; None takes 1e-9 for an epsilon and 1e-8 for a delta.
    """

    name: ClassVar[str] = "contour"
    precision: ClassVar[str] = "double precision, every rounding counted, elementary functions to 4 ulp"
    losses: Losses
    width: float | None = None

    @classmethod
    def of(cls, losses: Losses) -> Self | None:
        """The engine for these losses, or None when one of them cannot be followed."""
        return cls(losses) if losses and all(has_ripple(kind) for kind in {type(loss) for loss, _ in losses}) else None

    @property
    def cost(self) -> str:
        """What an answer costs, in words."""
        return f"a sum of waves over {len(self.losses)} different losses, whatever their counts"

    def with_width(self, width: float) -> Self:
        """The same engine for another wanted width."""
        return replace(self, width=width)

    @states(ZDW22, "the profile from the characteristic function")
    def delta(self, epsilon: Real) -> Enclosure:
        """The composed delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``, relative width at most the wanted one.

        Raises:
            UndecidedError: When that width is out of reach.
        """
        return self._problem.delta(epsilon, self.width or _DELTA_WIDTH)

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``, relative width at most the wanted one.

        Raises:
            UndecidedError: When that width is out of reach.
        """
        return self._problem.epsilon(target, self.width or _EPSILON_WIDTH)

    @cached_property
    def _problem(self) -> _Problem:
        return _Problem(self.losses, in_balls=False)


@dataclass(frozen=True)
class BallContour:
    """The same sums in ball arithmetic; floats only choose the nodes, and bound the rest with room to spare.

    Args:
        losses: Different losses with their counts.
        width: The wanted relative width; None takes 1e-13.
    """

    name: ClassVar[str] = "contour_balls"
    precision: ClassVar[str] = "balls of 128 bits and more"
    losses: Losses
    width: float | None = None

    @classmethod
    def of(cls, losses: Losses) -> Self | None:
        """The engine for these losses, or None when one of them cannot be followed."""
        return cls(losses) if losses and all(has_ripple(kind) for kind in {type(loss) for loss, _ in losses}) else None

    @property
    def cost(self) -> str:
        """What an answer costs, in words."""
        return f"a sum of waves over {len(self.losses)} different losses in balls, whatever their counts"

    def with_width(self, width: float) -> Self:
        """The same engine for another wanted width."""
        return replace(self, width=width)

    @states(ZDW22, "the profile from the characteristic function")
    def delta(self, epsilon: Real) -> Enclosure:
        """The composed delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``, relative width at most the wanted one.

        Raises:
            UndecidedError: When that width is out of reach.
        """
        return self._problem.delta(epsilon, self.width or _BALL_WIDTH)

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``, relative width at most the wanted one.

        Raises:
            UndecidedError: When that width is out of reach.
        """
        return self._problem.epsilon(target, self.width or _BALL_WIDTH)

    @cached_property
    def _problem(self) -> _Problem:
        return _Problem(self.losses, in_balls=True)


_BALL_WIDTH = 1e-13


@dataclass(frozen=True)
class _Grid:
    """All sums of losses are ``offset + n step``."""

    step: Real
    half_offset: int  # in half steps

    def point(self, x: Ball) -> list[GridPoint]:
        """The least grid point at or above x; two when x is too close to one to tell."""
        step = ball(self.step)
        offset = step * self.half_offset / 2
        low, high = ends((x - offset) / step)
        found = []
        for place in range(math.ceil(low), math.ceil(high) + 1):
            point = offset + place * step
            found.append(GridPoint(point, (point - x).max(ball(0)).min(step), step))
        return found


class _Problem:
    """One composition, and the way its answers are found."""

    def __init__(self, losses: Losses, *, in_balls: bool) -> None:
        self.losses = losses
        self.followed = Followed(losses)
        self.in_balls = in_balls
        self.loss = 46.0 if in_balls else _FLOAT_LOSS
        self._known: dict[float, float] = {}
        self._last: _Waves | None = None  # of the latest question: often good enough for the next
        with precision(_BITS):
            pairs = math.fsum(self.followed.epsilons * self.followed.counts)
            exact = len(self.followed.epsilons) <= _MOST_ON_GRID and not any(
                isinstance(loss, TwoPointColumn) for loss, _ in losses
            )
            self.top = sum(
                (count * loss.largest_ball() for loss, count in (losses if exact else self.followed.others)),
                start=ball(0),
            )
            if not exact:
                self.top += with_error(pairs, relative=_PAIR_ERROR, absolute=0.0)
            self.shrink = ball(1)
            for loss, count in losses:
                if isinstance(loss, SampledAtoms) and loss.failure:
                    self.shrink *= loss.growth(ball(-1)) ** count

    def growth(self, tilt: float) -> float:
        """K(tilt), about; infinite beyond floats."""
        if tilt not in self._known:
            with np.errstate(all="ignore"):
                try:
                    value = self.followed.rough_log_growth(tilt)
                except OverflowError:
                    value = math.inf
            self._known[tilt] = value if math.isfinite(value) else math.inf
        return self._known[tilt]

    @cached_property
    def grid(self) -> _Grid | None:
        """The common grid, if there is one."""
        if len(self.losses) > _MOST_ON_GRID:
            return None
        grids = [loss.grid for loss, _ in self.losses]
        known = [grid for grid in grids if grid is not None]
        if len(known) < len(grids):
            return None
        found = common_step(grid.step for grid in known)
        if found is None:
            return None
        step, multiples = found
        halves = sum(
            grid.halves * multiple * count
            for grid, multiple, (_, count) in zip(known, multiples, self.losses, strict=True)
        )
        return _Grid(step, halves % 2)

    # ------------------------------------------------------------------------------------------------ questions

    def delta(self, x: Real, width: float) -> Enclosure:
        """Delta at a point."""
        with precision(_BITS):
            if ball(x) >= self.top:
                return Enclosure.exactly(0)
            point = nearest_float(ball(x))
        tilt, log_delta = self._saddle_at(point)
        noise = 0.45 * width / (1.5 * tilt * (tilt + 1) + 1)
        if self._last is not None and abs(self._last.line.tilt - tilt) < 0.5 * tilt:
            again = self._last.delta(x)
            if again.relative_width <= width:
                return again.rounded(_DIGITS)
        found: Enclosure | None = None
        for attempt in range(_TRIES):
            waves = _Waves.build(self, tilt, point, log_delta, noise, attempt)
            if waves is None:
                break
            found = waves.delta(x)
            if found.relative_width <= width:
                self._last = waves
                return found.rounded(_DIGITS)
            smaller = _log(Fraction(found.upper)) - 1.0 if found.upper > 0 else 2 * log_delta - 10
            if not waves.noise and smaller > log_delta - 1.0:
                break
            log_delta = min(log_delta, smaller)
            if not waves.noise:
                continue
            noise /= min(max(2 * found.relative_width / width, 2.0), 1e4)
        raise self._undecided("delta", found, width)

    def epsilon(self, target: Enclosure, width: float) -> Enclosure:
        """The inverse."""
        with precision(_BITS):
            log_target = nearest_float(hull(target).log())
        tilt, x = self._saddle_for(log_target)
        noise = 0.45 * width * max(x, 1e-300) / (1.5 * (tilt + 1))
        if self._last is not None and abs(self._last.line.tilt - tilt) < 0.5 * tilt:
            again = self._last.epsilon(target, x)
            if again is not None and (again.is_exact or again.relative_width <= width):
                return again.rounded(_DIGITS)
        found: Enclosure | None = None
        for attempt in range(_TRIES):
            waves = _Waves.build(self, tilt, x, log_target, noise, attempt)
            if waves is None:
                break
            found = waves.epsilon(target, x)
            if found is not None and (found.is_exact or found.relative_width <= width):
                self._last = waves
                return found.rounded(_DIGITS)
            if found is not None and found.upper > 0:
                moved = float(found.upper)
                tilt = self._saddle_at(moved)[0] if abs(moved - x) > 0.05 * abs(x) else tilt
                x = moved
            if found is not None and waves.noise:
                noise /= min(max(2 * found.relative_width / width, 2.0), 1e4)
            elif found is not None and attempt and abs(float(found.upper) - x) <= 0.05 * abs(x):
                break
        raise self._undecided("epsilon", found, width)

    def _undecided(self, what: str, found: Enclosure | None, width: float) -> UndecidedError:
        return UndecidedError(
            field=what,
            value="nothing" if found is None else str(found),
            condition=f"could not be enclosed to a relative width of {width:g} with this method",
            remedy="Ask for a larger width.",
            reached=found,
        )

    # ------------------------------------------------------------------------------------------------ the line

    def _parts(self, tilt: float) -> tuple[float, float, float]:
        """K and its first two derivatives, about."""
        off = 1e-3 * tilt
        low, middle, high = self.growth(tilt - off), self.growth(tilt), self.growth(tilt + off)
        return middle, (high - low) / (2 * off), max((high - 2 * middle + low) / off**2, 1e-300)

    def _log_delta(self, tilt: float) -> tuple[float, float]:
        """The point x whose saddle lies at a tilt, and about ln delta there."""
        k, slope, curve = self._parts(tilt)
        x = slope - 1 / tilt - 1 / (1 + tilt)
        bend = curve + 1 / tilt**2 + 1 / (1 + tilt) ** 2
        return x, k - tilt * x - math.log(tilt * (1 + tilt)) - 0.5 * math.log(2 * math.pi * bend)

    def _saddle_for(self, log_delta: float) -> tuple[float, float]:
        """The tilt and the x for a delta, about: ln delta falls along the saddles."""
        low, high = -60.0, 60.0  # of ln tilt
        for _ in range(60):
            middle = (low + high) / 2
            x, found = self._safely(math.exp(middle))
            if found > log_delta:
                low = middle
            else:
                high = middle
            if high - low < 1e-3:
                break
        tilt = math.exp(low)
        x, found = self._safely(tilt)
        x = x + (found - log_delta) / tilt if math.isfinite(found) else 0.0
        bound, other = self._chernoff(log_delta, tilt)
        if x > bound:  # the saddle is a bad guide where rare losses are large
            tilt, x = 0.7 * other, bound
        if x <= 0:
            x = 0.0
            tilt = self._saddle_at(0.0)[0]
        return tilt, x

    def _chernoff(self, log_delta: float, near: float) -> tuple[float, float]:
        """An upper bound of x, about, and the tilt that gives it."""
        best, tilt = math.inf, near
        for place in range(-12, 13):
            theta = near * 1.25**place
            k = self.growth(theta)
            c = theta * math.log(theta) - (1 + theta) * math.log1p(theta)
            x = (k + c - log_delta) / theta
            if x < best:
                best, tilt = x, theta
        return best, tilt

    def _safely(self, tilt: float) -> tuple[float, float]:
        with np.errstate(all="ignore"):
            x, found = self._log_delta(tilt)
        return (x, found) if math.isfinite(found) and math.isfinite(x) else (math.inf, -math.inf)

    def _saddle_at(self, x: float) -> tuple[float, float]:
        """The tilt and about ln delta at an x: x rises along the saddles."""
        low, high = -60.0, 60.0
        for _ in range(60):
            middle = (low + high) / 2
            if self._safely(math.exp(middle))[0] < x:
                low = middle
            else:
                high = middle
            if high - low < 1e-3:
                break
        tilt = math.exp(low)
        at, found = self._safely(tilt)
        log_delta = found - tilt * (x - at) if math.isfinite(found) else -700.0
        return tilt, min(log_delta, 0.0)

    def window(self, tilt: float, x: float, log_delta: float) -> tuple[float, float]:
        """The window W for a tilt, and the theta2 that bounds the right aliases best."""
        left = (self.loss - log_delta + x) / (tilt + 1)
        if x < 0:
            left = max(left, (self.loss - log_delta) / (tilt + 1))
        best, second = math.inf, 2 * tilt
        top = nearest_float(self.top) if self.top.is_finite() else math.inf
        for factor in (1.05, 1.1, 1.2, 1.35, 1.6, 2.0, 3.0, 5.0, 10.0, 30.0):
            other = tilt * factor
            k = self.growth(other)
            if k == math.inf:
                break
            c = other * math.log(other) - (1 + other) * math.log1p(other)
            wide = (k - other * x + c - log_delta + self.loss) / (other - tilt)
            if wide < best:
                best, second = wide, other
        return max(left, min(best, top - x), 1e-300), second


@dataclass(frozen=True)
class _Waves:
    """One line with its nodes, ready to be asked at any x near the one it was built for."""

    problem: _Problem
    line: Line
    spectrum: Spectrum | BallSpectrum
    grid: _Grid | None
    second: tuple[tuple[float, Ball], ...]
    noise: float

    @staticmethod
    def build(
        problem: _Problem, tilt: float, x: float, log_delta: float, noise: float, attempt: int = 0
    ) -> _Waves | None:
        """The cheapest line: smooth where waves end by themselves, else a period, else dithered."""
        with precision(_BITS), np.errstate(all="ignore"):
            careful = _Builder(problem, x, log_delta, noise, _CAREFUL).build(tilt) if attempt else None
            return careful or _Builder(problem, x, log_delta, noise, _CARELESS).build(tilt)

    def sum_at(self, x: Ball, noise: float) -> Ball:
        """Delta at x of the losses with a Gaussian of that variance."""
        points: list[GridPoint | None] = [None] if self.grid is None else [*self.grid.point(x)]
        total = self.spectrum.value(x, points[0], noise)
        for point in points[1:]:
            total = total.union(self.spectrum.value(x, point, noise))
        aliases = left_aliases(self.line, x, self.problem.shrink)
        found = total - aliases.lower.union(aliases.upper)
        if noise == 0 and x + self.line.window >= self.problem.top:
            return found
        grown = [(tilt, k + ball(noise) * ball(tilt) * (ball(tilt) + 1) / 2) for tilt, k in self.second]
        right = right_aliases(self.line, x, grown)
        return found - right.union(ball(0))

    def bounds(self, x: Real) -> tuple[Fraction | float, Fraction | float]:
        """Two numbers around delta at x, not clipped."""
        with precision(_BITS), np.errstate(all="ignore"):
            point = ball(x)
            upper = self.sum_at(point, self.noise)
            if not self.noise:
                return ends(upper)
            lower = 2 * upper - (3 * ball(self.noise) / 8).exp() * self.sum_at(point, 4 * self.noise)
            return ends(lower)[0], ends(upper)[1]

    def delta(self, x: Real) -> Enclosure:
        """Delta at x."""
        low, high = self.bounds(x)
        high = min(max(high, Fraction(0)), Fraction(1))
        return Enclosure(min(max(low, Fraction(0)), high), high)

    def epsilon(self, target: Enclosure, x: float) -> Enclosure | None:
        """The inverse, from secants on ln delta."""
        with precision(_BITS):
            wanted = nearest_float(hull(target).log())
            top = ends(self.problem.top)[1]
        slope = self.line.tilt
        guess, value = max(x, 0.0), None
        previous: tuple[float, float] | None = None
        for _ in range(12):
            value = self.delta(Fraction(guess))
            middle = (value.lower + value.upper) / 2
            if middle <= 0:
                return None
            off = _log(Fraction(middle)) - wanted
            if previous is not None and guess != previous[0]:
                found = -(off - previous[1]) / (guess - previous[0])
                slope = found if 0.05 * self.line.tilt < found < 100 * (self.line.tilt + 1) else slope
            previous = (guess, off)
            moved = max(guess + off / slope, 0.0)
            if abs(moved - guess) <= 1e-15 * guess or moved == guess:
                break
            small = abs(off) < 0.02 * float(value.relative_width)
            guess = moved
            if small:
                break
        if value is None:
            return None
        spread = (
            Fraction(value.relative_width) / Fraction(slope) if math.isfinite(value.relative_width) else Fraction(1)
        )
        rounding = Fraction(guess) / 2**52
        high = Fraction(guess) + Fraction(guess) + 1000 if not isinstance(top, Fraction) else top
        return enclose_inverse(
            self.delta,
            target,
            Guess(Fraction(guess), spread * Fraction(11, 20) + rounding, spread * Fraction(11, 20) + rounding),
            largest=high if isinstance(top, Fraction) else high * 2**60,
        )


def _log(value: Fraction) -> float:
    with precision(64):
        return nearest_float(ball(value).log())


@dataclass(frozen=True)
class _Nodes:
    """Some nodes, in order, and what is known of the ratios of randomized response there; nan where nothing is."""

    places: Places
    swing: Swing | None

    @staticmethod
    def joined(parts: list[_Nodes]) -> _Nodes:
        """All of them, without repetition."""
        places = np.concatenate([part.places for part in parts])
        first = np.argsort(places, kind="stable")
        first = first[np.concatenate([[True], np.diff(places[first]) > 0])]
        places = places[first]
        if all(part.swing is None for part in parts):
            return _Nodes(places, None)
        filled = [part.swing or Swing(*(np.full(len(part.places), np.nan) for _ in range(3))) for part in parts]
        modulus, angle, error = (
            np.concatenate(part)[first]
            for part in zip(*((each.modulus, each.angle, each.error) for each in filled), strict=True)
        )
        return _Nodes(places, Swing(modulus, angle, error))


class _Builder:
    """Chooses a line and its nodes for one x."""

    def __init__(self, problem: _Problem, x: float, log_delta: float, noise: float, cancelled: float) -> None:
        self.problem, self.x, self.log_delta, self.noise, self.cancelled = problem, x, log_delta, noise, cancelled

    def build(self, tilt: float) -> _Waves | None:
        """See `_Waves.build`."""
        best: tuple[float, float, float] | None = None
        least = math.inf
        for factor in (1.0, 0.85, 0.7, 0.6, 0.5, 0.4, 0.3):
            theta = _short(tilt * factor)
            window, second = self.problem.window(theta, self.x, self.log_delta)
            height = self.problem.growth(theta) - theta * self.x - math.log(theta * (1 + theta))
            least = min(least, height)
            if not math.isfinite(window) or height > least + self.cancelled:
                continue
            if best is None or window < 0.9 * best[1]:
                best = (theta, window, second)
        if best is None:
            return None
        self.tilt, self.wide, self.second = best
        self.budget = self._budget()
        for height in (200.0, 3000.0, 40_000.0):
            self.ripples = self.problem.followed.ripples(self.tilt, height)
            end = self._smooth_end()
            if end is not None and end <= height * 1.01:
                return self._finished(_Nodes(self._places_up_to(end), None), self._beyond(end), grid=None, noise=0.0)
            if end is None:
                break
        if self.problem.grid is not None:
            made = self._period(self.problem.grid)
            if made is not None:
                return made
        return self._dithered()

    def _budget(self) -> float:
        """ln of what may be left out of the sum of ``2 |M/M(theta)| |kernel|``."""
        k = self.problem.growth(self.tilt)
        return self.log_delta - self.problem.loss + math.log(self.wide) - (k - self.tilt * self.x)

    def _unit(self) -> float:
        return 2 * math.pi / self.wide

    def _smooth_end(self) -> float | None:
        """The height where the waves have ended, if that is not too far."""
        costly = any(isinstance(each, SampledNormalRipple) for each in self.ripples)
        most = (_MOST_SAMPLED if costly else _MOST_SMOOTH) * self._unit()

        def ended(height: float) -> bool:
            return self._log_beyond(height) <= self.budget

        high = 8 * self._unit()
        while not ended(high):
            if high >= most:
                return None
            high = min(2 * high, most)
        low = high / 2
        for _ in range(3):
            middle = (low + high) / 2
            low, high = (low, middle) if ended(middle) else (middle, high)
        return high

    def _log_beyond(self, height: float, noise: float = 0.0) -> float:
        """ln of a bound on the sum of ``2 rho/t^2`` over all nodes beyond a height."""
        total = sum(each.beyond(height) for each in self.ripples) - 0.4999 * noise * height**2
        return total + math.log(2 / (self._unit() * height))

    def _beyond(self, height: float, noise: float = 0.0) -> float:
        return math.exp(min(self._log_beyond(height, noise), 700.0)) * 1.01

    def _places_up_to(self, height: float) -> Places:
        return np.arange(math.ceil(height / self._unit()) + 1, dtype=np.int64)

    def _period(self, grid: _Grid) -> _Waves | None:
        """One period of a grid."""
        step = nearest_float(ball(grid.step))
        nodes = math.ceil(self.wide / step) | 1
        if nodes > _MOST_PERIOD:
            return None
        self.wide = nodes * step
        window = nodes * ball(grid.step)
        kernel = step * -math.expm1(-step) / (math.expm1(-self.tilt * step) * math.expm1(-(self.tilt + 1) * step))
        cut = self.budget - math.log(2 * nodes * max(kernel, 1e-300))
        last = (nodes - 1) // 2
        kept = self._kept(last, cut, level=True, noise=0.0)
        if kept is None:
            return None
        lost = 2 * nodes * kernel * math.exp(min(cut, 700.0)) * 1.01
        return self._finished(kept, lost, grid=grid, noise=0.0, window=window)

    def _dithered(self) -> _Waves | None:
        """All nodes up to where the added Gaussian ends them."""
        if self.noise <= 0:
            return None
        end = math.sqrt(2 * max(-self.budget + 5, 5.0) / self.noise)
        while self._log_beyond(end, self.noise) > self.budget:
            end *= 1.1
        last = math.ceil(end / self._unit())
        cut = self.budget - math.log(2 * (last + 1))
        slow = any(isinstance(each, SampledNormalRipple) for each in self.ripples)
        if slow and last > _MOST_SAMPLED:
            return None
        kept = self._kept(last, cut, level=False, noise=self.noise)
        if kept is None:
            return None
        lost = 2 * (last + 1) * math.exp(min(cut, 700.0)) + self._beyond(end, self.noise)
        return self._finished(kept, lost, grid=None, noise=self.noise)

    # ------------------------------------------------------------------------------------------------ the nodes

    def _kept(self, last: int, cut: float, *, level: bool, noise: float) -> _Nodes | None:
        """The nodes up to ``last`` whose bound, kernel included unless ``level``, exceeds ``cut``; None: too many."""
        found = [_Nodes(np.zeros(1, dtype=np.int64), None)]
        total, work = 0, 0.0
        for places in self._candidates(last, cut):
            nodes, cost = self._sifted(places, cut, level=level, noise=noise)
            work += len(places) * cost
            total += len(nodes.places)
            if total > _MOST_NODES or work > _MOST_WORK:
                return None
            found.append(nodes)
        return _Nodes.joined(found)

    def _sifted(self, places: Places, cut: float, *, level: bool, noise: float) -> tuple[_Nodes, float]:
        """Those of some nodes that matter, and the cost of one in units of a wave of one loss."""
        heights = places * self._unit()
        bound = np.zeros(len(places)) if level else -2 * np.log(heights) - 0.4999 * noise * heights**2
        pairs = next((each for each in self.ripples if isinstance(each, TwoPointRipple)), None)
        swing: Swing | None = None
        if pairs is not None and pairs.runs_fast and len(places) > _LONG and places[-1] - places[0] + 1 == len(places):
            swing = pairs.run(self._unit(), int(places[0]), len(places))
            bound += np.minimum(swing.modulus + swing.error, 0.0)
        alive = np.flatnonzero(bound > cut)
        for ripple in self.ripples:
            if not len(alive):
                break
            if ripple is not pairs or swing is None:
                bound[alive] += ripple.screen(heights[alive], np.zeros(len(alive)), cut - bound[alive])
                alive = alive[bound[alive] > cut]
        cost = 0.1 * pairs.size if swing is not None and pairs is not None else min(len(self.problem.losses), 64)
        kept = None if swing is None else Swing(swing.modulus[alive], swing.angle[alive], swing.error[alive])
        return _Nodes(places[alive], kept), cost + len(alive) / max(len(places), 1) * len(self.problem.losses)

    def _candidates(self, last: int, cut: float):  # type: ignore[no-untyped-def]  # arrays of places, in order
        """Runs of nodes that cover all that may matter."""
        periods = [each.period for each in self.ripples]
        known = [(near / period, period, near) for period, near in (each for each in periods if each is not None)]
        many = [each for each in self.ripples if isinstance(each, TwoPointRipple) and each.size > _MANY]
        unit = self._unit()
        if known and min(known)[0] < 0.25 and cut > -75:
            _, period, near = min(known)
            turns = np.arange(math.floor((last * unit + near) / period) + 1)
            for start in range(0, len(turns), 1 << 14):
                middle = turns[start : start + (1 << 14)] * period / unit
                slack = 1 + 1e-9 * middle
                first = np.maximum(np.ceil(middle - near / unit - slack), 1).astype(np.int64)
                final = np.minimum(np.floor(middle + near / unit + slack), last).astype(np.int64)
                yield _runs(first, final)
        elif many and last * unit > 4 / many[0].largest:
            yield from self._from_intervals(many[0], last, cut)
        else:
            if last > _MOST_NODES * 4:
                last = _MOST_NODES * 4 + 1
            starts = [1, *range(_LONG, last + 1, _CHUNK), last + 1]  # the first nodes are the most important ones
            for start, end in itertools.pairwise(sorted({min(each, last + 1) for each in starts})):
                yield np.arange(start, end, dtype=np.int64)

    def _from_intervals(self, ripple: TwoPointRipple, last: int, cut: float):  # type: ignore[no-untyped-def]
        """Whole intervals of heights are dropped first."""
        unit = self._unit()
        wide = 0.5 / ripple.largest
        borders = [0.5 * unit]
        while 0.1 * borders[-1] < wide and borders[-1] < last * unit:
            borders.append(borders[-1] * 1.1)
        start = borders[-1]
        rest = start + wide * np.arange(1, math.ceil((last * unit - start) / wide) + 2)
        edges = np.concatenate([borders, rest])
        for begin in range(0, len(edges) - 1, _CHUNK):
            low, high = edges[begin : begin + _CHUNK + 1][:-1], edges[begin : begin + _CHUNK + 1][1:]
            middle, half = (low + high) / 2, (high - low) / 2 * 1.000001
            enough = cut + 2 * np.log(low)
            alive = ripple.screen(middle, half, enough) > enough
            first = np.maximum(np.ceil(low[alive] / unit - 1e-6), 1).astype(np.int64)
            final = np.minimum(np.floor(high[alive] / unit + 1e-6), last).astype(np.int64)
            if alive.any():
                yield _distinct(_runs(first, final))

    def _finished(
        self, nodes: _Nodes, lost: float, *, grid: _Grid | None, noise: float, window: Ball | None = None
    ) -> _Waves | None:
        line = Line(self.tilt, ball(self.wide) if window is None else window)
        places = nodes.places
        log_growth = self.problem.followed.rough_log_growth(self.second, careful=True)
        tilts = [(self.second, ball(log_growth + 1e-8 * (1 + abs(log_growth))))]
        spectrum: Spectrum | BallSpectrum
        if self.problem.in_balls:
            if len(places) * len(self.problem.losses) > _MOST_BALLS or len(places) > _MOST_BALL_NODES:
                return None
            s = [complex_node(self.tilt, int(place), line.window) for place in places]
            growths = tuple((each, self._ball_growth(each)) for each in s)
            spectrum = BallSpectrum(line, growths, ball(lost) * growths[0][1].real)
        else:
            spectrum = Spectrum(line, self._exact_growth(), line.heights(places), self._swing(line, nodes), lost)
        return _Waves(self.problem, line, spectrum, grid, tuple(tilts), noise)

    def _swing(self, line: Line, nodes: _Nodes) -> Swing:
        """The ratios at all nodes; those of randomized response may be known already."""
        heights = line.heights(nodes.places)
        total = nodes.swing or Swing(*(np.zeros(len(heights)) for _ in range(3)))
        known = np.zeros(len(heights), dtype=bool) if nodes.swing is None else np.isfinite(nodes.swing.modulus)
        for ripple in self.ripples:
            if isinstance(ripple, TwoPointRipple) and known.any():
                rest = ripple.swing(heights[~known])
                for whole, part in zip(
                    (total.modulus, total.angle, total.error), (rest.modulus, rest.angle, rest.error), strict=True
                ):
                    whole[~known] = part
        for ripple in self.ripples:
            if not (isinstance(ripple, TwoPointRipple) and known.any()):
                total = total + ripple.swing(heights)
        for part in (total.modulus, total.angle, total.error):
            part[0] = 0.0  # the first node is the tilt itself
        return Swing(total.modulus, total.angle, np.where(np.isfinite(total.error), total.error, 1e3))

    def _exact_growth(self) -> Ball:
        """K(theta)."""
        total = ball(0)
        columns = any(isinstance(loss, TwoPointColumn) for loss, _ in self.problem.losses)
        many = columns or len(self.problem.followed.epsilons) > _FEW_PAIRS
        if many:
            value, error = self.problem.followed.pair_log_growth(self.tilt)
            total += with_error(value, relative=0.0, absolute=error)
        others = [each for each in self.ripples if isinstance(each, SampledNormalRipple)]
        for ripple in others:
            value, error = ripple.log_growth
            total += with_error(value, relative=0.0, absolute=error)
        for loss, count in self.problem.losses:
            if isinstance(loss, TwoPointColumn) or (many and isinstance(loss, TwoPoint)):
                continue
            if isinstance(loss, SampledGaussianLoss):
                continue
            total += count * loss.growth(ball(self.tilt)).log()
        return total

    def _ball_growth(self, s):  # type: ignore[no-untyped-def]
        total = 1 + 0 * s
        for loss, count in self.problem.losses:
            total *= loss.growth(s) ** count
        return total


_PAIR_ERROR = 400 * 2.0**-53
_FEW_PAIRS = 64
_MOST_ON_GRID = 500  # different losses; more of them are answered sooner without looking for a grid


def _runs(first: Places, final: Places) -> Places:
    """All whole numbers of several runs."""
    sizes = np.maximum(final - first + 1, 0)
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    return starts + np.arange(int(sizes.sum()))


def _distinct(ordered: Places) -> Places:
    """Sorted numbers without repetition."""
    return ordered[np.concatenate([[True], np.diff(ordered) > 0])] if len(ordered) else ordered


def _short(value: float) -> float:
    """The value rounded to 12 bits."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(mantissa * 4096), exponent - 12)

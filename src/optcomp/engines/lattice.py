"""Epsilons with a common step: the exact law of the sum on a lattice, convolved in positive numbers.

With ``epsilon_i = m_i h`` and integers m_i, the sum of the losses is ``L = (M - 2 D) h``, M the sum of all ``m_i`` and
D the sum of the ``m_i`` whose loss is negative. Equal losses enter as one binomial. The law of D is computed under a
tilt: for any ``theta >= 0`` and any lattice point ``l``,

    delta(x) = e^(K(theta) - theta l) (D_l + (1 - e^(x - l)) B_l)     for l - 2h < x <= l,
    D_l = E_theta[e^(-theta (L-l)) (1 - e^(-(L-l)))_+],   B_l = E_theta[e^(-(theta+1) (L-l)); L >= l],

where under the tilt each loss is negative with odds ``e^(-(1+2 theta) epsilon_i)``. All terms are positive, and the
tilt puts the terms that matter where the masses are large, so the relative error stays at the level of rounding for a
delta of 0.1 as for one of 1e-300. The inverse is searched in floats; what is returned are two points whose deltas are
certified on either side of the target.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from optcomp.errors import UndecidedError
from optcomp.losses import TwoPoint
from optcomp.numerics.balls import Ball, ball, enclose, ends, hull, nearest_float, precision
from optcomp.numerics.binomial import LARGEST_COUNT, binomial
from optcomp.numerics.bracket import Guess, enclose_inverse
from optcomp.numerics.lattice import convolve, point
from optcomp.numerics.saddle import tail_at, tail_for
from optcomp.numerics.tail import Tail
from optcomp.quantities import Enclosure, Real, common_step, exact_text, ratio
from optcomp.sources import MV16, states

__all__ = ["Lattice"]

Floats = npt.NDArray[np.float64]

_BITS = 128
_MOST_COST = 4e9
_MOST_CELLS = 2e7
_MOST_STEPS = 8e5  # numbers of negative losses in all groups: each costs five roundings on its way
_SHARP = 1e-12  # a relative width that needs no better tilt
_TRIES = 4
_DIGITS = 40
_WIDEST = 1e-9


@dataclass(frozen=True)
class _Group:
    """``count`` losses of ``multiple`` lattice steps."""

    epsilon: Real
    multiple: int
    count: int


@dataclass(frozen=True)
class Lattice:
    """Two-point losses whose epsilons are integer multiples of one step.

    Args:
        step: The largest common step h, in nats.
        groups: The losses, equal ones together.
    """

    name: ClassVar[str] = "lattice"
    precision: ClassVar[str] = "double precision, every rounding counted"
    step: Real
    groups: tuple[_Group, ...]

    @classmethod
    def of(cls, losses: tuple[tuple[TwoPoint, int], ...]) -> Self | None:
        """The engine for these losses, or None when they have no common step that it can afford."""
        found = common_step(loss.epsilon for loss, _ in losses)
        if found is None:
            return None
        step, multiples = found
        groups = tuple(
            _Group(loss.epsilon, multiple, count) for multiple, (loss, count) in zip(multiples, losses, strict=True)
        )
        made = cls(step, groups)
        return made if made.is_affordable else None

    @property
    def is_affordable(self) -> bool:
        """Whether the law fits in memory and its convolution in about ten seconds."""
        if any(group.count > LARGEST_COUNT for group in self.groups) or sum(self._windows) > _MOST_STEPS:
            return False
        additions = sum(min(size, 400.0) for size in self._windows)
        return self._cells <= _MOST_CELLS and self._cells * additions <= _MOST_COST

    @property
    def _windows(self) -> list[float]:
        """How many numbers of negative losses are likely, group by group."""
        return [min(group.count, 13 * math.sqrt(group.count) + 200) for group in self.groups]

    @property
    def _cells(self) -> float:
        """About how many values of the sum are likely."""
        reach = [size * group.multiple for size, group in zip(self._windows, self.groups, strict=True)]
        spread = 13 * math.sqrt(sum(group.count * float(group.multiple) ** 2 for group in self.groups)) + 200
        return min(sum(reach), spread + max(reach))

    @property
    def cost(self) -> str:
        """What an answer costs, in words."""
        return f"the law of a sum with about {self._cells:.0e} likely values, step {exact_text(self.step)}"

    @cached_property
    def total(self) -> int:
        """M, the largest loss in lattice steps."""
        return sum(group.multiple * group.count for group in self.groups)

    @states(MV16, "Theorem 1.5, on a lattice")
    def delta(self, epsilon: Real) -> Enclosure:
        """The composed delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``. The relative width is about 4 u times the number of losses,
        u = 1.1e-16; above 1e-9 is a failure.

        Raises:
            UndecidedError: When the relative width would exceed 1e-9.
        """
        tilted = _Tilted(self, tail_at(*self._floats, self._nearest(epsilon)).tilt)
        found = tilted.delta(epsilon)
        return _checked(found, "delta")

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``.

        Raises:
            UndecidedError: When the relative width would exceed 1e-9.
        """
        with precision(_BITS):
            log_target = nearest_float(hull(target).log())
        tilt = tail_for(*self._floats, log_target).tilt
        found: Enclosure | None = None
        for _ in range(_TRIES):
            tilted = _Tilted(self, tilt)
            x = tilted.search(target)
            found = tilted.certify(x, target)
            if found is not None and found.relative_width <= _SHARP:
                break
            tilt = tail_at(*self._floats, float(x)).tilt
        return _checked(found, "epsilon")

    @cached_property
    def _floats(self) -> tuple[Floats, Floats]:
        return np.array([self._nearest(g.epsilon) for g in self.groups]), np.array(
            [float(g.count) for g in self.groups]
        )

    @staticmethod
    def _nearest(value: Real) -> float:
        with precision(_BITS):
            return nearest_float(ball(value))


def _checked(found: Enclosure | None, what: str) -> Enclosure:
    if found is None or found.relative_width > _WIDEST:
        raise UndecidedError(
            field=what,
            value=None if found is None else str(found),
            condition="could not be computed to a relative width of 1e-9 on this lattice",
            remedy="Round the epsilons up to a coarser common step.",
        )
    return found


class _Tilted:
    """The law of D under one tilt, and what can be read from it."""

    def __init__(self, problem: Lattice, tilt: float) -> None:
        self.problem = problem
        self.tilt = Fraction(_short(tilt))
        law = point()
        with precision(_BITS):
            self.step = ball(problem.step)
            odds = [nearest_float((-(1 + 2 * ball(self.tilt)) * ball(g.epsilon)).exp()) for g in problem.groups]
            self.cumulant = sum(
                (g.count * _log_cosh_ratio(ball(g.epsilon), ball(self.tilt)) for g in problem.groups), ball(0)
            )
        for group, odd in zip(problem.groups, odds, strict=True):
            law = convolve(law, binomial(group.count, odd), group.multiple)
        with precision(_BITS):
            self.tail = Tail(law, unit=2 * self.step, tilt=ball(self.tilt))

    def delta(self, epsilon: Real) -> Enclosure:
        """Delta at one point."""
        with precision(_BITS):
            if self._beyond_every_loss(epsilon):
                return Enclosure.exactly(0)
            found = [self._value(place, gap) for place, gap in self._places(epsilon)]
            return enclose(found[0].union(found[-1]), least=Fraction(0), most=Fraction(1))

    def _beyond_every_loss(self, epsilon: Real) -> bool:
        steps = ratio(epsilon, self.problem.step)
        if steps is not None:
            return steps >= self.problem.total
        return bool(ball(epsilon) > self.problem.total * self.step)

    def _places(self, epsilon: Real) -> list[tuple[int, Ball]]:
        """The place of the least lattice point ``l >= x``, and ``x - l``.

        Two places when x is closer to a lattice point than the precision tells: delta is continuous there, so both
        formulas contain it.
        """
        steps = ratio(epsilon, self.problem.step)
        if steps is not None:
            low = high = (self.problem.total - steps) / 2
        else:
            around = ends((self.problem.total - ball(epsilon) / self.step) / 2)
            low, high = Fraction(around[0]), Fraction(around[1])
        places = range(math.floor(low), math.floor(high) + 1)
        return [(place, ball(epsilon) - (self.problem.total - 2 * place) * self.step) for place in places]

    def _value(self, place: int, gap: Ball) -> Ball:
        falling, border = self.tail.sums(place)
        return self._scale(place) * (falling - gap.expm1() * border)

    def _scale(self, place: int) -> Ball:
        return (self.cumulant - ball(self.tilt) * (self.problem.total - 2 * place) * self.step).exp()

    def search(self, target: Enclosure) -> Fraction:
        """About the x whose delta is the target, at least 0."""
        with precision(_BITS):
            place, below = self.tail.crossing(self._scale, hull(target), last=self.problem.total // 2)
            found = ends((self.problem.total - 2 * place) * self.step - ball(below))[0]
            return max(Fraction(found), Fraction(0))

    def certify(self, x: Fraction, target: Enclosure) -> Enclosure | None:
        """Two points close to x with certified deltas on either side of the target; None when that fails."""
        with precision(_BITS):
            place, gap = self._places(x)[0]
            value, slope = self._value(place, gap), self._scale(place) * self.tail.sums(place)[1] * gap.exp()
            off = (value - hull(target)) / slope
            reach = 2 * Fraction(ends(off.rad())[1]) if off.is_finite() else x / 2**60
            move = Fraction(ends(off.mid())[0]) if off.is_finite() else Fraction(0)
            largest = Fraction(ends(self.problem.total * self.step)[1])
        x = min(max(x + move, Fraction(0)), largest) if abs(move) < 1 else x  # one more step of Newton's method
        found = enclose_inverse(self.delta, target, Guess(x, reach, reach), largest=largest)
        return None if found is None else found.rounded(_DIGITS)


def _log_cosh_ratio(epsilon: Ball, tilt: Ball) -> Ball:
    """The cumulant of one loss at the tilt: ``ln(cosh((tilt + 1/2) epsilon) / cosh(epsilon/2))``."""
    rise = 2 * ((tilt + 1) * epsilon / 2).sinh() * (tilt * epsilon / 2).sinh() / (epsilon / 2).cosh()
    return rise.log1p()


def _short(tilt: float) -> float:
    """The tilt rounded to a few bits: any tilt is valid, and short ones keep exact arithmetic cheap."""
    mantissa, exponent = math.frexp(tilt)
    return math.ldexp(round(mantissa * 4096), exponent - 12)

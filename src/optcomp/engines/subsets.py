"""Arbitrary different epsilons: Murtagh and Vadhan's optimum exactly, by meet in the middle.

Write E for the sum of all epsilons and s for the sum of those whose loss is negative, so that the composed loss is
``E - 2 s``. Under a tilt ``theta >= 0`` each loss is negative with odds ``e^(-(1 + 2 theta) epsilon_i)``; let w(s) be
the tilted probability of s. Then, with K the cumulant function and ``T = (E - x)/2``,

    delta(x) = e^(K(theta) - theta x) sum over s < T of w(s) e^(-2 theta (T - s)) (1 - e^(-2 (T - s))).

The losses are split in two halves; each half's sums are listed once, in order, as integers over one denominator. For a
sum a of the first half let b be the largest sum of the second with ``a + b < T``, and ``t = 2 (T - a - b)``. All of the
second half's smaller sums together contribute

    e^(-theta t) ((1 - e^-t) mass_b + e^-t lag_b)

with the running sums of `optcomp.numerics.running`. Nothing is ever subtracted, so tiny epsilons beside huge ones keep
all their digits; the exact integers keep the order and the gaps right. Equal losses enter as one binomial. Up to 400
losses need no tilt, so one list serves every question; beyond, each question is tilted to where its answer lies.

Epsilons that have no common denominator of 60 bits (or are logarithms) are rounded down to a fine grid by amounts that
add up to c. Raising epsilons by c in all raises delta(x) by at most the factor ``e^(c/2)`` and a shift of x by c, so
``delta'(x) <= delta(x) <= e^(c/2) delta'(x - c)`` with the rounded values' delta'.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from optcomp.errors import UndecidedError
from optcomp.losses import TwoPoint
from optcomp.numerics.balls import Ball, ball, enclose, ends, hull, nearest_float, precision, with_error
from optcomp.numerics.binomial import LARGEST_COUNT, binomial
from optcomp.numerics.bracket import Guess, enclose_inverse
from optcomp.numerics.directed import ROUNDING, compound_up
from optcomp.numerics.elementary import RISE_ROUNDINGS
from optcomp.numerics.lattice import Measure
from optcomp.numerics.running import Keys, Running, carry, running_sums
from optcomp.numerics.saddle import tail_at, tail_for
from optcomp.numerics.sums import blocked_sum
from optcomp.quantities import Enclosure, Logarithm, Real
from optcomp.sources import MV16, states

__all__ = ["Subsets"]

Floats = npt.NDArray[np.float64]

_BITS = 256
_DIGITS = 40
_LARGEST_HALF = 2**22
_LARGEST_HALF_OF_BIG_INTEGERS = 2**13
_MACHINE_BITS = 60  # twice a sum, and a border, still fit in 64 bits
_FINE_BITS = 240
_SEARCH_STEPS = 80
_FEW = 400  # losses, whose least probability is still far above the smallest float
_WIDEST = 1e-9


@dataclass(frozen=True)
class _Group:
    """``count`` losses of ``multiple`` grid steps."""

    multiple: int
    count: int


@dataclass(frozen=True)
class Subsets:
    """Any two-point losses, as long as each half has at most 2^22 likely sums (44 arbitrary epsilons).

    Args:
        step: The grid, in nats.
        groups: The losses in grid steps, equal ones together.
        rounded_off: c, what all epsilons together lost when they were put on the grid; 0 when they lie on it.
    """

    name: ClassVar[str] = "subsets"
    precision: ClassVar[str] = "exact integers, and double precision with every rounding counted"
    step: Fraction
    groups: tuple[_Group, ...]
    rounded_off: Fraction

    @classmethod
    def of(cls, losses: tuple[tuple[TwoPoint, int], ...]) -> Self | None:
        """The engine for these losses, or None when a half would have too many sums."""
        largest = max(math.prod(_window(count) for _, count in half) for half in _halves(losses, lambda item: item[1]))
        if largest > _LARGEST_HALF or max(count for _, count in losses) > LARGEST_COUNT:
            return None
        known = [(loss.epsilon, count) for loss, count in losses]
        total = sum((_bounds(epsilon)[1] * count for epsilon, count in known), start=Fraction(0))
        denominators = [epsilon.denominator for epsilon, _ in known if isinstance(epsilon, Fraction)]
        exact = len(denominators) == len(known)
        step = Fraction(1, math.lcm(*denominators))
        small = largest <= _LARGEST_HALF_OF_BIG_INTEGERS
        if not exact or (total / step >= 2**_MACHINE_BITS and not small):
            step = total / 2 ** (_FINE_BITS if small else _MACHINE_BITS)
        groups = tuple(_Group(math.floor(_bounds(epsilon)[0] / step), count) for epsilon, count in known)
        held = sum((group.multiple * group.count for group in groups), start=0) * step
        return cls(step, tuple(g for g in groups if g.multiple), total - held)

    @property
    def cost(self) -> str:
        """What an answer costs, in words."""
        sizes = [math.prod(_window(g.count) for g in half) for half in _halves(self.groups, lambda g: g.count)]
        return f"two lists of about {sizes[0]:.0e} and {sizes[1]:.0e} sums, made once"

    @states(MV16, "Theorem 1.5")
    def delta(self, epsilon: Real) -> Enclosure:
        """The composed delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``. The relative width is at most 1e-12 for 36 different
        epsilons and about 2e-12 for 44.

        Raises:
            UndecidedError: When the relative width would exceed 1e-9.
        """
        return _checked(self._delta(epsilon), "delta")

    def _delta(self, epsilon: Real) -> Enclosure:
        """Delta at a point, as narrow as it comes."""
        low, high = _bounds(epsilon)
        with precision(_BITS):
            lower = self._value(high)[0]
            upper = self._value(low - self.rounded_off)[0] * (ball(self.rounded_off) / 2).exp()
            bottom, top = ends(lower)[0], ends(upper)[1]
        return Enclosure(max(bottom, Fraction(0)), min(top, Fraction(1))).rounded(_DIGITS)

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``.

        Raises:
            UndecidedError: When the relative width would exceed 1e-9.
        """
        largest = self._total * self.step + self.rounded_off
        direct = self._epsilon_at_the_top(target)
        if direct is not None:
            return direct
        guess, reach = self._search(target)
        found = enclose_inverse(self._delta, target, Guess(guess, reach, reach), largest=largest)
        return _checked(found, "epsilon").rounded(_DIGITS)

    @cached_property
    def _total(self) -> int:
        return sum(group.multiple * group.count for group in self.groups)

    @cached_property
    def _plain(self) -> _Lists | None:
        """The lists without a tilt, where they serve every question."""
        few = sum(group.count for group in self.groups) <= _FEW
        return _lists(self.groups, self.step, Fraction(0)) if few else None

    def _value(self, x: Fraction) -> tuple[Ball, float]:
        """Delta of the values on the grid, and the size of its slope."""
        border = (self._total - x / self.step) / 2
        if border <= 0:
            return ball(0), 0.0
        whole = math.ceil(border) - 1
        if whole < min((group.multiple for group in self.groups), default=whole + 1):
            return self._at_the_top(border * self.step)
        lists = self._plain or _lists(self.groups, self.step, self._tilt(x))
        found, slope = lists.pairs(whole, border - whole)
        scale = (lists.cumulant - ball(lists.tilt * x)).exp()
        return scale * found, nearest_float(scale) * slope

    def _top(self) -> Ball:
        """The probability that no loss is negative."""
        log = sum((g.count * (-ball(g.multiple * self.step)).exp().log1p() for g in self.groups), start=ball(0))
        return (-log).exp()

    def _at_the_top(self, half_gap: Fraction) -> tuple[Ball, float]:
        """Delta above the second largest loss: ``P(no loss is negative) (1 - e^-2T)``."""
        fall = (-2 * ball(half_gap)).expm1()
        return -self._top() * fall, nearest_float(self._top() * (1 + fall))

    def _epsilon_at_the_top(self, target: Enclosure) -> Enclosure | None:
        """The answer when it lies above the second largest loss, in closed form; else None."""
        if not self.groups:
            return Enclosure(Fraction(0), self.rounded_off)
        with precision(_BITS):
            least = min(group.multiple for group in self.groups) * self.step
            if not hull(target) < -self._top() * ball(-2 * least).expm1():
                return None
            wanted = hull(target) / self._top()
            largest, shift = ball(self._total * self.step), ball(self.rounded_off)
            low = largest + (-wanted).log1p()
            high = largest + (-wanted * (-shift / 2).exp()).log1p() + shift
            return enclose(low.union(high), least=Fraction(0))

    def _floats(self) -> tuple[Floats, Floats]:
        values = np.array([float(group.multiple * self.step) for group in self.groups])
        return values, np.array([float(group.count) for group in self.groups])

    def _tilt(self, x: Fraction) -> Fraction:
        mantissa, exponent = math.frexp(tail_at(*self._floats(), float(x)).tilt)
        return Fraction(math.ldexp(round(mantissa * 4096), exponent - 12))  # short, so that arithmetic with it is cheap

    def _search(self, target: Enclosure) -> tuple[Fraction, Fraction]:
        """About the answer, and about how far off that is: Newton's method in ``e^x``, kept inside a bracket."""
        low, high = 0.0, float(self._total * self.step)
        with precision(_BITS):
            wanted = hull(target)
            x = min(max(tail_for(*self._floats(), nearest_float(wanted.log())).x, low), high)
            reach = high
            for _ in range(_SEARCH_STEPS):
                value, slope = self._value(Fraction(x))
                error = nearest_float(value - wanted)
                low, high = (x, high) if error > 0 else (low, x)
                if slope > 0:
                    reach = (nearest_float(value.rad()) + abs(error)) / slope
                    following = x + math.log1p(min(max(error / slope, -0.999), 1e300))
                else:
                    following = low
                if not low < following < high:
                    following = (low + high) / 2
                if abs(following - x) <= x * 1e-13:
                    break
                x = following
        return Fraction(x), Fraction(min(reach, high + 1e-300)) * 2


def _window(count: int) -> float:
    """At most how many numbers of negative losses among ``count`` equal ones are listed."""
    return min(count + 1.0, 12.5 * math.sqrt(count) + 182)


_Item = TypeVar("_Item")


def _halves(items: Iterable[_Item], count: Callable[[_Item], int]) -> tuple[tuple[_Item, ...], tuple[_Item, ...]]:
    """Split so that both halves have about as many sums."""
    halves: tuple[list[_Item], list[_Item]] = ([], [])
    sizes = [1.0, 1.0]
    for item in sorted(items, key=count, reverse=True):
        smaller = 0 if sizes[0] <= sizes[1] else 1
        halves[smaller].append(item)
        sizes[smaller] *= _window(count(item))
    return tuple(halves[0]), tuple(halves[1])


@dataclass(frozen=True)
class _Lists:
    """Both halves' sums under one tilt.

    Args:
        tilt: theta.
        cumulant: K(theta).
        double_step: 2 h in floats.
        first: One half.
        second: The other.
        relative: Bound on the relative error of a product of two weights.
        dropped: Bound on the tilted probability of the sums that are not listed.
    """

    tilt: Fraction
    cumulant: Ball
    double_step: float
    first: Running
    second: Running
    relative: float
    dropped: float

    def pairs(self, whole: int, part: Fraction) -> tuple[Ball, float]:
        """The double sum for ``T = (whole + part) step`` with its error, and the one for the slope."""
        count = int(np.searchsorted(self.first.keys, whole, side="right"))
        room = whole - self.first.keys[:count]
        place = np.searchsorted(self.second.keys, room, side="right") - 1
        some = int(np.searchsorted(-place, 1))  # beyond, not even the least sum of the second half fits
        room, place, weights = room[:some], place[:some], self.first.weights[:some]
        gaps = (room - self.second.keys[place]).astype(np.float64) + float(part)
        fade, decays, rises = carry(gaps * self.double_step, float(self.tilt))
        masses, lags = self.second.masses[place], self.second.lags[place]
        terms = weights * (fade * (rises * masses + decays * lags))
        total, roundings = blocked_sum(terms)
        exponent = min(float(self.tilt) * self.double_step * float(gaps.max(initial=0.0)), 745.0)
        errors = compound_up(self.second.roundings + roundings + RISE_ROUNDINGS + 24 + 4 * exponent)
        relative = (1 + self.relative) * (1 + errors) - 1
        around = with_error(total, relative=relative + 4 * ROUNDING, absolute=1e-280)
        slope = float(self.tilt) * total + float((weights * fade * decays * (masses - lags)).sum())
        return around + with_error(self.dropped / 2, relative=0.0, absolute=self.dropped / 2), slope


def _lists(groups: tuple[_Group, ...], step: Fraction, tilt: Fraction) -> _Lists:
    with precision(_BITS):
        cumulant = sum((g.count * _log_cosh_ratio(g.multiple * step, tilt) for g in groups), start=ball(0))
        odds = {g: nearest_float((-ball((1 + 2 * tilt) * g.multiple * step)).exp()) for g in groups}
    laws = {group: binomial(group.count, odds[group]) for group in groups}
    double_step = float(2 * step)
    first, second = (_half(half, laws, double_step, float(tilt)) for half in _halves(groups, lambda g: g.count))
    relative = math.prod(1 + law.relative for law in laws.values()) * (1 + 2 * len(laws) * ROUNDING) - 1
    dropped = sum(law.dropped for law in laws.values()) * (1 + 1e-9)
    return _Lists(tilt, cumulant, double_step, first, second, relative * (1 + 1e-9) + 4 * ROUNDING, dropped)


def _half(groups: tuple[_Group, ...], laws: dict[_Group, Measure], double_step: float, tilt: float) -> Running:
    """All sums of one half, in order, with their tilted probabilities and running sums."""
    whole = sum(group.multiple * group.count for group in groups)
    kind: type = np.int64 if whole < 2**62 else np.object_
    keys: Keys = np.zeros(1, dtype=kind)
    weights = np.ones(1)
    for group in groups:
        law = laws[group]
        numbers = range(law.start, law.start + len(law.masses))
        keys = np.add.outer(keys, np.array([group.multiple * n for n in numbers], dtype=kind)).ravel()
        weights = np.multiply.outer(weights, law.masses).ravel()
    return running_sums(keys, weights, double_step=double_step, tilt=tilt)


def _log_cosh_ratio(epsilon: Fraction, tilt: Fraction) -> Ball:
    """The cumulant of one loss at the tilt: ``ln(cosh((tilt + 1/2) epsilon) / cosh(epsilon/2))``."""
    rise = 2 * ball((tilt + 1) * epsilon / 2).sinh() * ball(tilt * epsilon / 2).sinh() / ball(epsilon / 2).cosh()
    return rise.log1p()


def _checked(found: Enclosure | None, what: str) -> Enclosure:
    if found is None or found.relative_width > _WIDEST:
        raise UndecidedError(
            field=what,
            value=None if found is None else str(found),
            condition="could not be computed to a relative width of 1e-9",
            remedy="Ask for a nearby value.",
        )
    return found


def _bounds(value: Real) -> tuple[Fraction, Fraction]:
    """Two rationals around a real number, equal when it is rational."""
    if not isinstance(value, Logarithm):
        return value, value
    with precision(2 * _FINE_BITS):
        found = enclose(ball(value))
    return Fraction(found.lower), Fraction(found.upper)

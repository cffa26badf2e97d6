"""Theorem 1.5 of Murtagh and Vadhan by plain enumeration of all outcomes.

A list of (epsilon, delta) has ``2**k`` outcomes; outcomes with the same loss are counted together. An epsilon is
``a + ln(b)`` with rationals a and b > 0, so every loss is kept exactly in that form. Two such losses are the same
number only when both parts agree, because no rational but 0 is the logarithm of a rational. Sums are made of positive
terms in `mpmath` numbers of at least `DIGITS` digits; where every e^epsilon is rational, `exact_delta` and
`exact_exponential` work in Fractions throughout.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import mpmath

DIGITS = 60
_GUARD = 60


@dataclass(frozen=True)
class Exponent:
    """The real number ``rational + ln(argument)``."""

    rational: Fraction = Fraction(0)
    argument: Fraction = Fraction(1)

    def plus(self, other: Exponent, times: int = 1) -> Exponent:
        return Exponent(self.rational + times * other.rational, self.argument * other.argument**times)

    @property
    def is_zero(self) -> bool:
        return self.rational == 0 and self.argument == 1

    def value(self) -> Any:
        """The number, to the working precision even where the two parts nearly cancel or the argument is near 1."""
        if self.argument == 1:
            return _mpf(self.rational)
        if self.rational == 0:
            return _ln(self.argument)
        extra = _GUARD
        while True:  # the sum is never 0, so some precision shows it
            with mpmath.workprec(mpmath.mp.prec + extra):
                logarithm = _ln(self.argument)
                total = _mpf(self.rational) + logarithm
            if total != 0 and mpmath.mag(logarithm) - mpmath.mag(total) < extra:
                return +total
            extra *= 2


def _ln(argument: Fraction) -> Any:
    if Fraction(1, 2) < argument < 2:
        return mpmath.log1p(_mpf(argument - 1))
    return mpmath.log(_mpf(argument))


def ln(argument: Fraction | int) -> Exponent:
    return Exponent(argument=Fraction(argument))


def plain(rational: Fraction | int) -> Exponent:
    return Exponent(rational=Fraction(rational))


def _mpf(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def to_fraction(value: Any) -> Fraction:
    """The rational number that an mpf is."""
    sign, mantissa, exponent, _ = value._mpf_  # reading the parts; mpf(value) would round to the working precision
    return (-1 if sign else 1) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


class BruteForce:
    """The exact composition of a short list of (epsilon, delta).

    Args:
        parts: The guarantees, each epsilon at least 0, each delta a rational in [0, 1].
    """

    def __init__(self, parts: Iterable[tuple[Exponent, Fraction]]) -> None:
        self.parts = tuple(parts)
        self.survival = math.prod((1 - delta for _, delta in self.parts), start=Fraction(1))
        self.failure = 1 - self.survival
        self.sum = Exponent()
        groups: dict[Exponent, int] = {}
        for epsilon, _ in self.parts:
            if not epsilon.is_zero:
                groups[epsilon] = groups.get(epsilon, 0) + 1
                self.sum = self.sum.plus(epsilon)
        lost: dict[Exponent, int] = {Exponent(): 1}
        for epsilon, count in groups.items():
            step: dict[Exponent, int] = {}
            for so_far, ways in lost.items():
                for times in range(count + 1):
                    here = so_far.plus(epsilon, times)
                    step[here] = step.get(here, 0) + ways * math.comb(count, times)
            lost = step
        self.lost = lost
        self.groups = groups

    def _digits(self, *others: Exponent) -> int:
        """Enough digits that a difference of the given sizes keeps `DIGITS` of its own."""
        with mpmath.workdps(30):
            sizes = [mpmath.mag(each.value()) for each in (*self.groups, *others) if not each.is_zero]
        spread = (max(sizes) - min(sizes)) if sizes else 0
        return DIGITS + _GUARD + int(spread * 0.302) + 20

    @cached_property
    def knots(self) -> list[Exponent]:
        """The possible losses, from the largest to the smallest."""
        with mpmath.workdps(self._digits()):
            return sorted(
                (self.sum.plus(lost, -2) for lost in self.lost),
                key=lambda knot: to_fraction(knot.value()),
                reverse=True,
            )

    @cached_property
    def _law(self) -> list[tuple[Exponent, Any]]:
        """Each loss with its probability under P, in the order of `knots`; at the precision of the first call."""
        weights = {self.sum.plus(lost, -2): (ways, lost) for lost, ways in self.lost.items()}
        normaliser = mpmath.mpf(1)
        for epsilon, count in self.groups.items():
            normaliser *= (1 + mpmath.exp(-epsilon.value())) ** count
        return [(knot, weights[knot][0] * mpmath.exp(-weights[knot][1].value()) / normaliser) for knot in self.knots]

    def _precise_law(self, digits: int) -> list[tuple[Exponent, Any]]:
        with mpmath.workdps(digits):
            if digits > getattr(self, "_law_digits", 0):
                self.__dict__.pop("_law", None)
                self._law_digits = digits
            return self._law

    def finite_delta(self, x: Exponent) -> Any:
        """``E[(1 - e^(x - L))_+]`` for the finite part, to `DIGITS` digits at least."""
        digits = self._digits(x)
        law = self._precise_law(digits)
        with mpmath.workdps(digits):
            total = mpmath.mpf(0)
            for knot, mass in law:
                gap = x.plus(knot, -1).value()
                if gap >= 0:
                    break
                total -= mass * mpmath.expm1(gap)
            return total if law else mpmath.mpf(0)

    def finite_slope(self, x: Exponent) -> Any:
        """How fast the finite part's delta falls at x, ``e^x Q(L > x)``, roughly: for condition numbers only."""
        law = self._precise_law(self._digits(x))
        with mpmath.workdps(30):
            total = mpmath.mpf(0)
            for knot, mass in law:
                gap = x.plus(knot, -1).value()
                if gap >= 0:
                    break
                total += mass * mpmath.exp(gap)
            return total

    def delta(self, x: Exponent) -> Any:
        """The composed delta at any real x, to `DIGITS` digits at least."""
        digits = self._digits(x)
        with mpmath.workdps(digits):
            return _mpf(self.failure) + _mpf(self.survival) * self.finite_delta(x)

    def epsilon(self, delta: Fraction) -> Any:
        """The least x >= 0 with ``delta(x) <= delta``; mpmath's infinity when there is none."""
        if delta == 1 or not self.parts:
            return mpmath.mpf(0)
        if delta < self.failure or self.survival == 0:
            return mpmath.inf
        left = (1 - delta) / self.survival
        digits = self._digits() + left.denominator.bit_length() - left.numerator.bit_length()  # a target may be near 1
        law = self._precise_law(digits)
        with mpmath.workdps(digits):
            if delta == self.failure:
                return self.sum.value()
            target = _mpf(1 - left)
            return max(self._on_segment(law, target), mpmath.mpf(0))

    def _on_segment(self, law: list[tuple[Exponent, Any]], target: Any) -> Any:
        """Where the line in e^x through the right segment meets the target.

        Left of a knot l, down to the next one, ``delta(l + y) = delta(l) + B (1 - e^y)`` with
        ``B = sum P(L) e^(l - L)`` over all losses L >= l.
        """
        value, slope = mpmath.mpf(0), mpmath.mpf(0)
        for place, (knot, mass) in enumerate(law):
            if place:
                down = knot.plus(law[place - 1][0], -1).value()
                following = value - slope * mpmath.expm1(down)
                if following > target:
                    return law[place - 1][0].value() + mpmath.log1p((value - target) / slope)
                value, slope = following, slope * mpmath.exp(down)
            slope += mass
        return law[-1][0].value() + mpmath.log1p((value - target) / slope)

    # ------------------------------------------------------------ all in rationals

    @property
    def is_rational(self) -> bool:
        """Whether every e^epsilon is rational."""
        return all(epsilon.rational == 0 for epsilon in self.groups)

    def _exact_law(self) -> list[tuple[Fraction, Fraction]]:
        """``e^loss`` and its probability, from the largest to the smallest."""
        normaliser = math.prod(
            ((1 + 1 / each.argument) ** count for each, count in self.groups.items()), start=Fraction(1)
        )
        law = [
            (self.sum.plus(lost, -2).argument, ways / lost.argument / normaliser) for lost, ways in self.lost.items()
        ]
        return sorted(law, reverse=True)

    def exact_delta(self, exponential: Fraction) -> Fraction:
        """The composed delta at ``x = ln(exponential)``."""
        finite = sum(
            (mass * (1 - exponential / ratio) for ratio, mass in self._exact_law() if ratio > exponential),
            start=Fraction(0),
        )
        return self.failure + self.survival * finite

    def exact_exponential(self, delta: Fraction) -> Fraction | None:
        """``e^x`` for the least x >= 0 with ``delta(x) <= delta``; None when there is none."""
        if delta == 1:
            return Fraction(1)
        if delta < self.failure or self.survival == 0:
            return None
        target = 1 - (1 - delta) / self.survival
        likely = unlikely = Fraction(0)
        law = self._exact_law()
        for place, (ratio, mass) in enumerate(law):
            likely, unlikely = likely + mass, unlikely + mass / ratio
            left = law[place + 1][0] if place + 1 < len(law) else Fraction(0)
            if likely - left * unlikely >= target:
                root = min((likely - target) / unlikely, ratio)
                return max(root, Fraction(1))
        return Fraction(1)

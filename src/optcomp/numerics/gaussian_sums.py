"""Sums of Gaussian bells over the whole numbers, in balls."""

from __future__ import annotations

import math
from fractions import Fraction

from optcomp.numerics.balls import Ball, ComplexBall, Either, ball, complex_ball, ends, nearest_float, present_precision

__all__ = ["gaussian_sum", "gaussian_sum_above"]

_NARROW = 0.3  # up to this variance the bells themselves are summed, beyond it their Fourier transforms
_MOST_TERMS = 200_000


def gaussian_sum(variance: Ball, shift: Either) -> Either:
    """The sum of ``e^(-(x + shift)^2/(2 variance))`` over all whole numbers x; real when the shift is.

    **Guarantee**: the ball contains it.
    """
    if isinstance(shift, ComplexBall):
        return _complex_sum(variance, shift)
    return _complex_sum(variance, complex_ball(shift, ball(0))).real


def _complex_sum(variance: Ball, shift: ComplexBall) -> ComplexBall:
    real, imaginary = shift.real, shift.imag
    height = (imaginary**2 / (2 * variance)).exp()  # of the largest possible term, for a real part of 0
    enough = present_precision() * math.log(2) + 40
    if variance < _NARROW:
        middle = -round(nearest_float(real))
        reach = math.ceil(math.sqrt(2 * enough * nearest_float(variance))) + 2
        found = sum(
            ((-((x + shift) ** 2) / (2 * variance)).exp() for x in range(middle - reach, middle + reach + 1)),
            start=complex_ball(ball(0), ball(0)),
        )
        last = ball(reach) - (ball(middle) + real)
        nearest = last.min(2 * reach - last)  # from either end to the bell's middle
        rest = height * 2 * (-(nearest**2) / (2 * variance)).exp() / (1 - (-nearest / variance).exp())
    else:
        pi = ball(1).atan() * 4
        middle = -round(nearest_float(imaginary / (2 * pi * variance)))
        reach = math.ceil(math.sqrt(enough / (2 * math.pi**2 * nearest_float(variance)))) + 2
        unit = complex_ball(ball(0), 2 * pi)
        scale = (2 * pi * variance).sqrt()
        found = scale * sum(
            (
                (-2 * pi**2 * m**2 * variance + m * unit * shift).exp()
                for m in range(middle - reach, middle + reach + 1)
            ),
            start=complex_ball(ball(0), ball(0)),
        )
        nearest = ball(reach) - abs(ball(middle) + imaginary / (2 * pi * variance))
        spread = 2 * pi**2 * variance
        rest = scale * height * 2 * (-spread * nearest**2).exp() / (1 - (-2 * spread * nearest).exp())
    around = ball(0).union(rest).union(-rest)
    return found + complex_ball(around, around)


def gaussian_sum_above(variance: Ball, level: Ball, shift: int) -> Ball:
    """The sum of ``e^(-(x + shift)^2/(2 variance))`` over the whole numbers ``x > level``.

    **Guarantee**: the ball contains it.
    """
    low, high = ends(level)
    first, surely = math.floor(Fraction(low)) + 1, math.floor(Fraction(high)) + 1
    reach = math.ceil(math.sqrt(2 * (present_precision() * math.log(2) + 40) * nearest_float(variance))) + 2
    begin, end = max(first + shift, -reach), max(surely + shift, reach)
    if first + shift > reach:  # far out: start at the level itself, so that the relative accuracy stays
        begin, end = first + shift, surely + shift + _terms(first + shift, nearest_float(variance))
    if end - begin > _MOST_TERMS:
        return ball(0).union(gaussian_sum(variance, ball(0)))
    total = ball(0)
    for y in range(begin, end + 1):
        term = (-(ball(y) ** 2) / (2 * variance)).exp()
        total += term if y >= surely + shift else term.union(ball(0))
    after = _beyond(variance, end + 1)
    before = _beyond(variance, -begin + 1) if begin > first + shift else ball(0)
    return total + (after + before).union(ball(0))


def _terms(start: int, variance: float) -> int:
    """How many terms from a far start matter: each is ``e^(-start/variance)`` times the one before, or less."""
    return math.ceil((present_precision() * math.log(2) + 40) * variance / start) + 2


def _beyond(variance: Ball, start: int) -> Ball:
    """At least the sum of the bells at start and beyond, start at least 1."""
    return (-(ball(start) ** 2) / (2 * variance)).exp() / (1 - (-ball(start) / variance).exp())

"""Uniform numbers and coins, exact, with whole numbers only."""

from __future__ import annotations

from fractions import Fraction

from optcomp.noise.source import RandomSource
from optcomp.noise.thresholds import Threshold
from optcomp.numerics.balls import Ball, ball
from optcomp.quantities import Logarithm, Real, scaled

__all__ = ["coin", "exponential_coin", "ratio_coin", "uniform_below"]


def uniform_below(bound: int, source: RandomSource) -> int:
    """A whole number from 0 to ``bound - 1``, each equally likely; the bound is at least 1.

    Invariant: given the past, ``value`` is uniform on ``0 .. size - 1``. When size reaches the bound, a value below
    it is returned, and is then uniform; otherwise ``value - bound`` is uniform on ``0 .. size - bound - 1``, and a bit
    doubles the range. So no randomness is thrown away.

    **Guarantee**: exact; after n bits, fewer than ``bound`` of the ``2^n`` values that they can have are undecided.
    """
    length = (bound - 1).bit_length()
    size, value = 1 << length, source.bits(length)
    while True:
        if size >= bound:
            if value < bound:
                return value
            size, value = size - bound, value - bound
        size, value = size << 1, value << 1 | source.bits(1)


def ratio_coin(top: int, bottom: int, source: RandomSource) -> bool:
    """True with probability ``top/bottom``, for whole numbers with ``0 <= top`` and ``0 < bottom``; 1 at most.

    The bits of a uniform number are compared with the binary digits of the ratio, one after the other; the first that
    differ decide. When all digits that are left are 0, the uniform number is not below the ratio.

    **Guarantee**: exact; after n bits, one of the ``2^n`` values that they can have is undecided.
    """
    if top >= bottom:
        return True
    while top:
        top <<= 1
        digit = top >= bottom
        if digit:
            top -= bottom
        if source.bits(1) != digit:
            return digit
    return False


def coin(probability: Fraction, source: RandomSource) -> bool:
    """True with exactly this probability."""
    return ratio_coin(probability.numerator, probability.denominator, source)


def exponential_coin(exponent: Real, source: RandomSource) -> bool:
    """True with probability ``e^-exponent``, exactly, for an exponent of at least 0.

    *A rational x up to 1.* Toss coins with probabilities x/1, x/2, x/3, ... until the first that fails. Coin number k
    is the first to fail with probability ``x^(k-1)/(k-1)! - x^k/k!``. Summed over the odd k this is
    ``1 - x + x^2/2! - x^3/3! + ... = e^-x``.

    *A larger x.* All of ``floor(x)`` coins for ``e^-1`` and one for the rest have to succeed; the first that fails
    ends it, so a huge x takes no longer.

    *A logarithm* ``m ln b``. All of ``floor(m)`` coins of probability ``1/b`` have to succeed, and one for what is left
    of m, for which random bits are compared with certified digits of ``b^-m``.

    Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", Algorithm 1.
    """
    if isinstance(exponent, Logarithm):
        return _power_coin(exponent, source)
    whole, rest = divmod(exponent.numerator, exponent.denominator)
    for _ in range(whole):
        if not _small_exponential_coin(1, 1, source):
            return False
    return _small_exponential_coin(rest, exponent.denominator, source)


def _small_exponential_coin(top: int, bottom: int, source: RandomSource) -> bool:
    place = 1
    while ratio_coin(top, bottom * place, source):
        place += 1
    return place % 2 == 1


def _power_coin(exponent: Logarithm, source: RandomSource) -> bool:
    whole, rest = divmod(exponent.multiple.numerator, exponent.multiple.denominator)
    for _ in range(whole):
        if not ratio_coin(exponent.base.denominator, exponent.base.numerator, source):
            return False
    if rest == 0:
        return True
    part = scaled(exponent, Fraction(rest, exponent.multiple.denominator) / exponent.multiple)

    def chance() -> Ball:
        return (-ball(part)).exp()

    return Threshold(chance).is_above(source)

"""Exact comparison of products of powers, without multiplying them out."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd

__all__ = ["product_is_one"]


def product_is_one(powers: Iterable[tuple[Fraction, int]]) -> bool:
    """Whether the product of ``base**exponent`` over positive rational bases is exactly 1.

    The integers involved are split into pairwise coprime factors by gcds alone, so exponents of any size cost nothing.
    """
    exponents: dict[int, int] = {}
    for base, exponent in powers:
        _insert(exponents, base.numerator, exponent)
        _insert(exponents, base.denominator, -exponent)
    return not any(exponents.values())


def _insert(exponents: dict[int, int], number: int, exponent: int) -> None:
    """Multiply ``number**exponent`` into a product kept over pairwise coprime factors."""
    if number == 1 or exponent == 0:
        return
    for factor in exponents:
        common = gcd(factor, number)
        if common > 1:
            held = exponents.pop(factor)
            _insert(exponents, common, held + exponent)
            _insert(exponents, factor // common, held)
            _insert(exponents, number // common, exponent)
            return
    exponents[number] = exponent

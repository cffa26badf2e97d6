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
    waiting: list[tuple[int, int]] = []
    for base, exponent in powers:
        waiting += [(base.numerator, exponent), (base.denominator, -exponent)]
    while waiting:
        _insert(exponents, *waiting.pop(), waiting)
    return not any(exponents.values())


def _insert(exponents: dict[int, int], number: int, exponent: int, waiting: list[tuple[int, int]]) -> None:
    """Multiply ``number**exponent`` into a product kept over pairwise coprime factors, or leave parts for later."""
    if exponent == 0:
        return
    for factor in exponents:
        times, number = _divided_out(number, factor)
        exponents[factor] += times * exponent
        common = gcd(factor, number)
        if common > 1:  # the factor itself has to be split
            held = exponents.pop(factor)
            waiting += [(common, held), (factor // common, held), (number, exponent)]
            return
    if number > 1:
        exponents[number] = exponent


def _divided_out(number: int, factor: int) -> tuple[int, int]:
    """The largest n for which ``factor**n`` divides the number, and what is left; by squares, since n may be large."""
    squares = [factor]
    while number % squares[-1] == 0 and squares[-1] <= number:
        squares.append(squares[-1] ** 2)
    times = 0
    for place in range(len(squares) - 1, -1, -1):
        if number % squares[place] == 0:
            number //= squares[place]
            times += 1 << place
    return times, number

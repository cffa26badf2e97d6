"""Brackets: searches that end with a certified point on each side."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

__all__ = ["least_true", "sign_change"]


def least_true(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least integer in ``low..high`` where a monotone condition holds; ``high`` is taken on trust.

    **Guarantee**: when ``holds`` is false up to some integer and true after it, the result is the first true one.
    """
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high


def sign_change(
    sign: Callable[[Fraction], int | None], low: Fraction, high: Fraction, *, steps: int
) -> tuple[Fraction, Fraction]:
    """Halve a bracket in which an increasing function goes from negative to positive.

    Args:
        sign: The function's certified sign at a point; None stops the search, since no more can be told.
        low: A point where the function is negative.
        high: A point where the function is positive.
        steps: The most halvings.

    **Guarantee**: the function is at most 0 at the first and at least 0 at the second result.
    """
    for _ in range(steps):
        middle = (low + high) / 2
        found = sign(middle)
        if found is None:
            break
        if found <= 0:
            low = middle
        if found >= 0:
            high = middle
        if low == high:
            break
    return low, high

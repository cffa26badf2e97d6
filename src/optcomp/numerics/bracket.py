"""Brackets: searches that end with a certified point on each side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.quantities import Enclosure

__all__ = ["Guess", "enclose_inverse", "least_true", "sign_change"]

_DOUBLINGS = 90
_LARGE = Fraction(1, 100)  # only a target above this is likely to be met at 0
_LEAST_REACH = Fraction(1, 2**90)


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


@dataclass(frozen=True)
class Guess:
    """Where a search believes the answer to be.

    Args:
        point: About the answer, at least 0.
        below: About how far below it a proof is possible.
        above: The same above it.
    """

    point: Fraction
    below: Fraction
    above: Fraction


def enclose_inverse(
    value: Callable[[Fraction], Enclosure], target: Enclosure, guess: Guess, *, largest: Fraction
) -> Enclosure | None:
    """The least ``x >= 0`` where a decreasing function falls to a target, between two points that prove it.

    Args:
        value: Encloses the function at a point; it is known to be 0 at ``largest`` and beyond.
        target: Contains the target, which is above 0.
        guess: Where to look; its distances are doubled until the points prove what they should.
        largest: Where the function has come to 0.

    **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``, because the function is certainly at least t at
    ``lower`` (or ``lower`` is 0) and certainly at most t at ``upper``. None when 90 doublings prove nothing.
    """
    if target.lower > _LARGE and value(Fraction(0)).upper <= target.lower:
        return Enclosure.exactly(0)
    least = guess.point * _LEAST_REACH
    upper = _point_above(value, target, guess.point, max(guess.above, least), largest)
    lower = Fraction(0) if upper == 0 else _point_below(value, target, guess.point, max(guess.below, least))
    return None if lower is None or upper is None else Enclosure(lower, upper)


def _point_below(
    value: Callable[[Fraction], Enclosure], target: Enclosure, guess: Fraction, reach: Fraction
) -> Fraction | None:
    for _ in range(_DOUBLINGS):
        if guess <= reach:
            return Fraction(0)
        if value(guess - reach).lower >= target.upper:
            return guess - reach
        reach *= 2
    return None


def _point_above(
    value: Callable[[Fraction], Enclosure], target: Enclosure, guess: Fraction, reach: Fraction, largest: Fraction
) -> Fraction | None:
    if guess <= reach and value(Fraction(0)).upper <= target.lower:
        return Fraction(0)
    for _ in range(_DOUBLINGS):
        if guess + reach >= largest:
            return largest
        if value(guess + reach).upper <= target.lower:
            return guess + reach
        reach *= 2
    return None

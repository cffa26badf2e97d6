"""Random bits against a real number that is known through balls.

Let U be uniform on [0, 1), its binary digits being random bits, and p a real number. Its first n digits, read as a
whole number k, say that ``k <= 2^n U < k + 1``. With whole numbers ``low <= floor(2^n p) <= high``, proven in balls:

- ``k < low`` gives ``2^n U < k + 1 <= low <= 2^n p``, so U is below p;
- ``k > high`` gives ``2^n U >= k >= high + 1 > 2^n p``, so U is above p;
- otherwise more digits are drawn.

So the decision is exact, and as soon as ``high - low <= 1`` at most two of the ``2^n`` values of k are undecided.
"""

from __future__ import annotations

from collections.abc import Callable

from optcomp.noise.source import RandomSource
from optcomp.numerics.balls import Ball, precision

__all__ = ["Threshold", "floors", "floors_of"]

_FIRST_BITS = 64
_GUARD = 64


def floors_of(value: Ball, bits: int) -> tuple[int, int]:
    """Whole numbers at most and at least ``floor(2^bits p)`` for every p of a ball, at the present precision."""
    scaled = value * 2**bits
    return int(scaled.lower().floor().unique_fmpz()), int(scaled.upper().floor().unique_fmpz())


def floors(compute: Callable[[], Ball], bits: int) -> tuple[int, int]:
    """Whole numbers ``low <= floor(2^bits p) <= high <= low + 1``, for a p between 0 and 1.

    Args:
        compute: A ball around p, at the present precision.
        bits: How many binary digits of p matter.
    """
    guard = _GUARD
    while True:
        with precision(bits + guard):
            value = compute()
            if value.is_finite():
                low, high = floors_of(value, bits)
                if high - low <= 1:
                    return low, high
        guard *= 2


class Threshold:
    """A probability, known through balls, that random digits are compared with.

    Args:
        compute: A ball around the probability, at the present precision.
    """

    def __init__(self, compute: Callable[[], Ball]) -> None:
        self._compute = compute
        self._known: dict[int, tuple[int, int]] = {}

    def floors(self, bits: int) -> tuple[int, int]:
        """Whole numbers at most and at least ``floor(2^bits p)``, at most 1 apart."""
        level = _FIRST_BITS
        while level < bits:
            level *= 2
        if level not in self._known:
            self._known[level] = floors(self._compute, level)
        low, high = self._known[level]
        return low >> (level - bits), high >> (level - bits)

    def is_above(self, source: RandomSource) -> bool:
        """Whether a fresh uniform number lies below this probability: true with exactly this probability.

        **Guarantee**: after n bits the decision is open for at most two of the ``2^n`` values that they can have.
        """
        drawn = count = 0
        while True:
            drawn, count = drawn << 1 | source.bits(1), count + 1
            low, high = self.floors(count)
            if drawn < low:
                return True
            if drawn > high:
                return False

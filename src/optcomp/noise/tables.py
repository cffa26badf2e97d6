"""Many draws at once from a law on the whole numbers from 0 on: the inverse of its distribution function, exactly.

With ``F_i = P(Y <= i)``, Y is the first i with ``U < F_i`` for a uniform U. A random word w holds the first 64 digits
of U. The table holds whole numbers ``low_i <= floor(2^64 F_i) <= high_i``, proven in balls. By the argument in
`optcomp.noise.thresholds`, ``w < low_i`` says ``U < F_i`` and ``w > high_i`` says ``U > F_i``. Words for which one F_i
stays open, and words beyond the table, get 64 more digits and digits of F_i that are as many, until all is decided.
So every draw has exactly the law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from optcomp.noise.source import RandomSource
from optcomp.noise.thresholds import floors, floors_of
from optcomp.numerics.balls import Ball, precision

__all__ = ["Integers", "Table"]

Integers = npt.NDArray[np.int64] | npt.NDArray[np.object_]
"""Whole numbers: 64-bit where all fit, else Python's."""

_WORD = 64
_LARGEST_WORD = 2**64 - 1
_LARGEST_INTEGER = 2**63 - 1
_TABLE_BITS = 192


class Table:
    """A law on the whole numbers from 0 on, for many draws.

    Args:
        distribution: From i to a ball around ``P(Y <= i)`` at the present precision, for every i that can be asked.
        first: Balls for i = 0, 1, ... that are put into the table; made once, at a precision set here.
        last: The largest value of Y, with the table reaching up to ``last - 1``; None when there is none.
    """

    def __init__(
        self, *, distribution: Callable[[int], Ball], first: Callable[[], Iterable[Ball]], last: int | None
    ) -> None:
        self._distribution, self._last = distribution, last
        with precision(_TABLE_BITS):
            pairs = [floors_of(value, _WORD) for value in first()]
        lows = [min(max(low, 0), _LARGEST_WORD) for low, _ in pairs]
        # Beyond a table that does not end, everything is open: the sentinel 0 sends it to be decided one by one.
        lows.append(_LARGEST_WORD if last is not None else 0)
        self.low = np.array(lows, dtype=np.uint64)
        highs = np.array([min(high, _LARGEST_WORD) for _, high in pairs], dtype=np.uint64)
        self.high = np.maximum.accumulate(highs)  # F_i grows with i, so larger numbers before are right here too

    def draw(self, count: int, source: RandomSource) -> Integers:
        """Independent draws."""
        words = source.words(count)
        places = np.searchsorted(self.high, words, side="left")
        found = places.astype(np.int64)
        for spot in np.flatnonzero(words >= self.low[places]):
            value = self._decided(int(words[spot]), int(places[spot]), source)
            if value > _LARGEST_INTEGER:
                found = found.astype(np.object_)
            found[spot] = value
        return found

    def _decided(self, digits: int, place: int, source: RandomSource) -> int:
        """The draw whose first digits are known, and which is known to be at least ``place``."""
        bits = _WORD
        while True:
            bits, digits = bits + _WORD, digits << _WORD | source.bits(_WORD)
            while place != self._last:
                low, high = floors(lambda at=place: self._distribution(at), bits)  # type: ignore[misc]  # a default
                if digits < low:
                    return place
                if digits <= high:
                    break
                place += 1
            else:
                return place

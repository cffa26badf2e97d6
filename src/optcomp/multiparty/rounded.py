"""Sums of non-negative floats with a count of their roundings, as enclosures."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from optcomp.quantities import Enclosure

__all__ = ["Floats", "between", "enclosed"]

Floats = npt.NDArray[np.float64]

_UNIT = Fraction(1, 2**53)
_LOST = Fraction(1, 10**290)  # more than everything that is too small for a float


def between(value: float, roundings: int) -> tuple[Fraction, Fraction]:
    """A non-negative number that was computed by sums and products of non-negative ones, from below and above.

    Args:
        value: The float.
        roundings: How many roundings stand between each of its terms and the truth, at most.
    """
    exact = Fraction(value)
    error = exact * roundings * _UNIT * 2 + _LOST
    return max(exact - error, Fraction(0)), exact + error


def enclosed(terms: Floats, roundings: int, *, over: int, shift: Fraction) -> Enclosure:
    """``shift`` plus the sum of the terms over a whole number."""
    low, high = between(math.fsum(terms.ravel()), roundings + 1)
    return Enclosure(shift + low / over, shift + high / over)

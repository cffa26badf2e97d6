"""Sums of long vectors with few roundings on the way."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["blocked_sum", "norm_up"]

Floats = npt.NDArray[np.float64]

_BLOCK = 32


def blocked_sum(values: Floats) -> tuple[float, float]:
    """The sum of a vector, and a bound on the roundings on the way to it, whatever order the hardware adds in.

    Blocks of 32 are added, then blocks of their sums, and so on: a number takes part in at most 31 additions a level.

    **Guarantee**: ``|sum - exact| <= compound_up(roundings) * sum |values|``.
    """
    roundings = 0
    while len(values) > 1:
        padded = np.zeros(-(-len(values) // _BLOCK) * _BLOCK)
        padded[: len(values)] = values
        values = padded.reshape(-1, _BLOCK).sum(axis=1)
        roundings += _BLOCK - 1
    return float(values[0]) if len(values) else 0.0, float(roundings)


def norm_up(values: Floats) -> float:
    """At least the 2-norm of a vector, without a linear algebra library: its threads cost more than they save."""
    total, roundings = blocked_sum(np.square(values))
    return math.sqrt(total) * (1 + (roundings + 4) * 2.0**-53) + 1e-160

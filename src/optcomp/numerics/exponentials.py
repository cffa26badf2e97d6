"""Tables of ``e^(-rate n)`` and ``1 - e^(-rate n)`` for n = 0, 1, 2, ..., within five roundings, from few balls."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from optcomp.numerics.balls import Ball, ball, nearest_float, precision

__all__ = ["TABLE_ROUNDINGS", "decay_and_rise"]

Floats = npt.NDArray[np.float64]

TABLE_ROUNDINGS = 5
"""Every entry of a table is within this many roundings of the truth, or below 1e-300."""

_BITS = 96


def decay_and_rise(rate: Ball, size: int) -> tuple[Floats, Floats]:
    """The two tables, for a rate of at least 0.

    Entries are split as ``n = a block + b``, since ``e^-(A+B) = e^-A e^-B`` and
    ``1 - e^-(A+B) = (1 - e^-A) + e^-A (1 - e^-B)``
    need sums and products of positive numbers only, so the relative error stays at a few roundings.
    """
    block = math.isqrt(size) + 1
    with precision(_BITS):
        fine = [-rate * ball(float(n)) for n in range(block)]
        coarse = [-rate * ball(float(n * block)) for n in range(block)]
        fine_decay, coarse_decay = (np.array([nearest_float(x.exp()) for x in part]) for part in (fine, coarse))
        fine_rise, coarse_rise = (np.array([nearest_float(-x.expm1()) for x in part]) for part in (fine, coarse))
    decay = np.multiply.outer(coarse_decay, fine_decay).ravel()[:size]
    rise = (coarse_rise[:, None] + np.multiply.outer(coarse_decay, fine_rise)).ravel()[:size]
    return decay, rise

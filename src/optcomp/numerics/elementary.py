"""``e^-t`` and ``1 - e^-t`` for arrays of t >= 0, with a proven error and no trust in a mathematical library.

Only IEEE additions and multiplications are used, and two tables that balls made. With ``t = n/64 + b``, ``0 <= b <
1/64`` (an exact split, since both parts are multiples of t's last bit),

    e^-t = e^(-n/64) e^-b,     1 - e^-t = (1 - e^(-n/64)) + e^(-n/64) (1 - e^-b),

sums and products of positive numbers. The tables are within 5 u. The Taylor series of ``(1 - e^-b)/b`` to degree 7
leaves less than ``(1/64)^8/8! < 2e-19``, and Horner's rule on it costs less than 1.1 u because each step's error is
multiplied by ``b/2 <= 1/128`` in the next. So ``1 - e^-b`` is within 2.2 u, ``e^-b`` within 1.1 u, and in all
``e^-t`` is within 5 + 1.1 + 1 < 8 u and ``1 - e^-t`` within 5 + 2.2 + 2 < 10 u.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import numpy.typing as npt

from optcomp.numerics.balls import ball, precision
from optcomp.numerics.exponentials import decay_and_rise

__all__ = ["DECAY_ROUNDINGS", "RISE_ROUNDINGS", "decay_rise"]

Floats = npt.NDArray[np.float64]

DECAY_ROUNDINGS = 8
"""``e^-t`` is within this many roundings wherever it is at least 1e-300."""

RISE_ROUNDINGS = 10
"""``1 - e^-t`` is within this many roundings."""

_CELLS = 64  # per unit of t
_LARGEST = 744.0  # beyond it e^-t is below 1e-322
_DEGREE = 7
_CHUNK = 1 << 14  # elements that are worked on together, so that they stay in the cache


@cache
def _tables() -> tuple[Floats, Floats]:
    with precision(96):
        rate = ball(Fraction(1, _CELLS))
    return decay_and_rise(rate, int(_LARGEST * _CELLS) + 1)


def decay_rise(t: Floats) -> tuple[Floats, Floats]:
    """``e^-t`` and ``1 - e^-t``.

    **Guarantee**: ``|decay - e^-t| <= 8 u e^-t + 1e-300`` and ``|rise - (1 - e^-t)| <= 10 u (1 - e^-t)``, u = 2^-53.
    """
    decays, rises = np.empty_like(t), np.empty_like(t)
    for start in range(0, len(t), _CHUNK):
        part = slice(start, start + _CHUNK)
        decays[part], rises[part] = _chunk(t[part])
    return decays, rises


def _chunk(t: Floats) -> tuple[Floats, Floats]:
    decay_table, rise_table = _tables()
    capped = np.minimum(t, _LARGEST)
    cells = (capped * _CELLS).astype(np.int64)
    rest = capped - cells / _CELLS
    series = np.full_like(rest, 1.0)
    for degree in range(_DEGREE, 1, -1):
        series *= rest
        series *= -1.0 / degree
        series += 1.0
    fine_rise = rest * series
    coarse = decay_table[cells]
    return coarse * (1.0 - fine_rise), rise_table[cells] + coarse * fine_rise

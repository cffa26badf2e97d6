"""Binomial weights in floats, with their error."""

from __future__ import annotations

import math

import numpy as np

from optcomp.numerics.directed import ROUNDING, compound_up
from optcomp.numerics.lattice import Measure
from optcomp.numerics.sums import blocked_sum

__all__ = ["LARGEST_COUNT", "binomial"]

LARGEST_COUNT = 2**52
"""Counts up to here are exact floats, with room for a product of roundings."""

_DEVIATIONS = 12.5  # the window reaches this far from the mode: the tails beyond are about 1e-34
_EXTRA = 90  # and so many steps more, for small means where the tail is Poisson's
_PER_STEP = 5  # roundings: the quotient, the odds (2), their product, the running product
_TINY = 1e-300
_LOST = 1e-290  # more than all weights together that are too small for a float


def binomial(count: int, odds: float) -> Measure:
    """The law of the number of successes among ``count`` trials with the given odds.

    Args:
        count: At most `LARGEST_COUNT`.
        odds: Between 0 and 1, within two roundings of the true odds; below 1e-300 it is taken for 0.

    **Guarantee**: that of `Measure`.
    """
    if odds < _TINY:
        return Measure(start=0, masses=np.ones(1), relative=compound_up(4), noise=_TINY, dropped=count * 2 * _TINY)
    mode = min(count, math.floor((count + 1) * (odds / (1 + odds))))
    deviation = math.sqrt(count * odds) / (1 + odds)
    reach = math.ceil(_DEVIATIONS * deviation) + _EXTRA
    up = np.arange(min(reach, count - mode), dtype=np.float64)
    down = np.arange(min(reach, mode), dtype=np.float64)
    rising = np.cumprod((count - mode - up) / (mode + up + 1) * odds)
    falling = np.cumprod((mode - down) / (count - mode + down + 1) / odds)
    weights = np.concatenate([falling[::-1], np.ones(1), rising])
    first, last = mode - len(down), mode + len(up)
    above = _tail(weights[-1], (count - last) / (last + 1) * odds) if last < count else 0.0
    below = _tail(weights[0], first / (count - first + 1) / odds) if first > 0 else 0.0
    total, roundings = blocked_sum(weights)
    outside = (above + below) / total * (1 + 1e-9)
    steps = max(len(up), len(down))
    return Measure(
        start=first,
        masses=weights / total,
        relative=compound_up(2 * _PER_STEP * (steps + 1) + roundings + 4) + outside + ROUNDING,
        noise=_TINY * len(weights),
        dropped=outside + _LOST,
    )


def _tail(weight: float, ratio: float) -> float:
    """A bound on the weights beyond one: their ratios only fall, so a geometric series dominates them."""
    grown = ratio * (1 + 1e-9)
    return weight * grown / (1 - grown) * (1 + 1e-6) if grown < 1 else math.inf

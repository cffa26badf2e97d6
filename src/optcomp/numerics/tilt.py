"""Where to look: the tilt that makes Chernoff's bound smallest, by a search in plain floats.

For a sum with the cumulant function K, and every tilt theta > 0,

    E[(1 - e^(x - L))_+] <= e^(K(theta) - theta x) theta^theta/(1 + theta)^(1 + theta).

Nothing here is certified. Who uses it chooses a tilt or a first guess, and certifies what is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["spread", "tilt_at", "tilt_for"]

Cumulant = Callable[[float], float]

_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 8
_GAIN = 0.7  # in the logarithm of the bound
_LEAST, _MOST = 2.0**-20, 2.0**50


def tilt_at(cumulant: Cumulant, x: float) -> tuple[float, float]:
    """The best tilt for a point x, and the logarithm of the bound there, at most 0."""

    def bound(tilt: float) -> float:
        return cumulant(tilt) - tilt * x + _entropy(tilt)

    tilt = _lowest(bound, lambda _tilt, _value: _GAIN)
    return tilt, min(bound(tilt), 0.0)


def tilt_for(cumulant: Cumulant, log_value: float) -> tuple[float, float]:
    """The best tilt for a value of the bound, and the point x where it has that value."""

    def point(tilt: float) -> float:
        return (cumulant(tilt) + _entropy(tilt) - log_value) / tilt

    tilt = _lowest(point, lambda tilt, value: max(_GAIN / tilt, abs(value) / 64))
    return tilt, point(tilt)


def spread(cumulant: Cumulant, tilt: float) -> float:
    """About the standard deviation under the tilt."""
    step = tilt / 8
    first, second, third = (cumulant(tilt + side * step) for side in (-1, 0, 1))
    if not math.isfinite(third):  # the tilt is the largest one where the function is known
        first, second, third = (cumulant(tilt + side * step) for side in (-2, -1, 0))
    curve = (third - 2 * second + first) / step**2
    return math.sqrt(max(curve, 0.0)) if math.isfinite(curve) else math.inf


def _entropy(tilt: float) -> float:
    """``theta ln theta - (1 + theta) ln(1 + theta)``."""
    return -math.log1p(tilt) - tilt * math.log1p(1 / tilt)


def _lowest(value: Callable[[float], float], gain: Callable[[float, float], float]) -> float:
    """About where a function with one valley is lowest: by doubling, then by golden sections of the logarithm.

    Args:
        value: The function.
        gain: By how much a doubling must lower it, from the tilt and the value: large tilts cost more than small ones.
    """
    known: dict[float, float] = {}

    def at(tilt: float) -> float:
        if tilt not in known:
            found = value(tilt)
            known[tilt] = found if math.isfinite(found) else math.inf
        return known[tilt]

    middle = 1.0
    while middle < _MOST and at(2 * middle) < at(middle) - gain(middle, at(middle)):
        middle *= 2
    while middle > _LEAST and at(middle / 2) <= at(middle):
        middle /= 2
    low, high = math.log(middle / 2), math.log(2 * middle)
    for _ in range(_STEPS):
        first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if at(math.exp(first)) <= at(math.exp(second)):
            high = second
        else:
            low = first
    return math.exp((low + high) / 2)

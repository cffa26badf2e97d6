"""Where to look: the saddlepoint approximation of a sum of two-point losses, in plain floats.

Nothing here is certified. Engines use it to choose a tilt or a first guess, and certify what they find.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["TailPoint", "tail_at", "tail_for"]

Floats = npt.NDArray[np.float64]

_STEPS = 90
_LARGE = 30.0  # where cosh is an exponential to double precision
_LEAST_TILT, _MOST_TILT = 1e-9, 1e18
_SMALL = 1e-4


@dataclass(frozen=True)
class TailPoint:
    """A point of the tail: the loss ``x``, and the tilt under which the tilted mean of the sum is ``x``."""

    x: float
    tilt: float


def _cumulants(epsilons: Floats, counts: Floats, tilt: float) -> tuple[float, float, float]:
    """``K(tilt) - tilt K'(tilt)``, ``K'(tilt)`` and ``K''(tilt)`` of the sum, K the cumulant function under P."""
    half = (tilt + 0.5) * epsilons
    slope = epsilons * np.tanh(half)
    curve = epsilons**2 * np.exp(-2 * _log_cosh(half))
    near = half < _LARGE
    small = np.where(near, epsilons, 0.0)
    rise = np.log1p(2 * np.sinh((tilt + 1) * small / 2) * np.sinh(tilt * small / 2) / np.cosh(small / 2))
    cumulant = np.where(near, rise, _log_cosh(half) - _log_cosh(epsilons / 2))
    excess = np.where(
        near, cumulant - tilt * slope, cumulant - tilt * epsilons + tilt * epsilons * _one_minus_tanh(half)
    )
    return float(counts @ excess), float(counts @ slope), float(counts @ curve)


def _log_cosh(y: Floats) -> Floats:
    result: Floats = y - math.log(2) + np.log1p(np.exp(-2 * y))
    return result


def _one_minus_tanh(y: Floats) -> Floats:
    decay: Floats = np.exp(-2 * y)
    return 2 * decay / (1 + decay)


def _mills(a: float) -> float:
    """``e^(a^2/2) Phi(-a)`` for a >= 0."""
    if a < 25:  # beyond it the series is exact to double precision, and the product overflows
        return 0.5 * math.exp(a * a / 2) * math.erfc(a / math.sqrt(2))
    inverse = 1 / (a * a)
    return (1 - inverse * (1 - 3 * inverse)) / (a * math.sqrt(2 * math.pi))


def _log_hockey(tilt: float, deviation: float) -> float:
    """``ln E[e^(-tilt Y) (1 - e^-Y)_+]`` for a centred normal Y."""
    if deviation < _SMALL:
        middle = (tilt + 0.5) * deviation
        if middle > 25:  # as above
            return math.log(deviation / (middle * middle * math.sqrt(2 * math.pi)))
        return math.log(deviation * (1 / math.sqrt(2 * math.pi) - middle * _mills(middle)))
    left, right = _mills(tilt * deviation), _mills((tilt + 1) * deviation)
    return math.log(left - right) if left > right else math.log(left) - math.log1p(tilt)


def _log_delta(epsilons: Floats, counts: Floats, tilt: float) -> tuple[float, float]:
    """About ``ln delta(x)`` at the x that belongs to the tilt, and that x."""
    excess, mean, variance = _cumulants(epsilons, counts, tilt)
    if variance <= 0:
        return -math.inf, mean
    return excess + _log_hockey(tilt, math.sqrt(variance)), mean


def tail_for(epsilons: Floats, counts: Floats, log_delta: float) -> TailPoint:
    """About where delta has the given logarithm; tilt 0 when that is left of the mean."""
    centre, mean = _log_delta(epsilons, counts, 0.0)
    if log_delta >= centre:
        return TailPoint(x=_left_of_mean(mean, _cumulants(epsilons, counts, 0.0)[2], log_delta), tilt=0.0)
    low, high = math.log(_LEAST_TILT), math.log(_MOST_TILT)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _log_delta(epsilons, counts, math.exp(middle))[0] > log_delta:
            low = middle
        else:
            high = middle
    tilt = math.exp(low)
    return TailPoint(x=_log_delta(epsilons, counts, tilt)[1], tilt=tilt)


def _left_of_mean(mean: float, variance: float, log_delta: float) -> float:
    """About where delta has a large value: the normal approximation, solved between 0 and the mean."""
    deviation = math.sqrt(variance)
    if deviation == 0:
        return 0.0
    low, high = 0.0, mean
    for _ in range(_STEPS):
        middle = (low + high) / 2
        gap = (mean - middle) / deviation
        upper = math.erfc(-gap / math.sqrt(2)) / 2
        lower = math.exp(min(middle - mean + variance / 2, 700.0)) * math.erfc((deviation - gap) / math.sqrt(2)) / 2
        if upper - lower > math.exp(log_delta):
            low = middle
        else:
            high = middle
    return low


def tail_at(epsilons: Floats, counts: Floats, x: float) -> TailPoint:
    """The tilt that centres the sum at x; 0 when x is at most the mean, and the largest one beyond every loss."""
    if x <= _cumulants(epsilons, counts, 0.0)[1]:
        return TailPoint(x=x, tilt=0.0)
    low, high = math.log(_LEAST_TILT), math.log(_MOST_TILT)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _cumulants(epsilons, counts, math.exp(middle))[1] < x:
            low = middle
        else:
            high = middle
    return TailPoint(x=x, tilt=math.exp(low))

"""``E[w^a]`` for ``w = 1 - q + q e^l`` and a Laplace loss l under the law without the record, in balls.

The loss is ``-r`` with probability 1/2, ``r`` with probability ``e^-r/2``, and ``2 z - r`` with density ``e^-z/2`` for
z between 0 and r. The integral is taken by Gauss and Legendre's rule on short panels; on the ellipse around a panel
whose points have ``|Im z| <= d < pi/4``, ``|w| <= w(Re z)``, ``|w| >= w(Re z) cos d`` and ``|arg w| <= 2 d min(1, q
e^l/(1 - q))``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from optcomp.numerics.balls import (
    Ball,
    ComplexBall,
    Either,
    ball,
    complex_ball,
    legendre,
    nearest_float,
    present_precision,
)

__all__ = ["sampled_laplace_growth"]

_RATIO = 4  # of the ellipse: the sum of its semi-axes over half a panel
_HALF_PANEL = 0.25
_MOST_PANELS = 200
_LAST = 64 / (15 * (1 - _RATIO**-2))  # Trefethen, "Approximation Theory and Approximation Practice", Theorem 19.3


def sampled_laplace_growth(ratio: Ball, share: Ball, power: Either) -> Either:
    """The expectation, real when the power is real.

    **Guarantee**: the ball contains it.
    """
    complex_power = power if isinstance(power, ComplexBall) else complex_ball(power, ball(0))
    real, imaginary = complex_power.real, abs(complex_power.imag)
    low, high = (1 - share + share * (side * ratio).exp() for side in (-1, 1))
    total = (complex_power * low.log()).exp() / 2 + (complex_power * high.log() - ratio).exp() / 2
    turning = (share * (ratio + 1).exp() / (1 - share)).min(ball(1))  # of w for one unit of the imaginary part
    swing = 1.0 + abs(nearest_float(imaginary)) + abs(nearest_float(real))
    panels = max(1, math.ceil(nearest_float(ratio) / 2 / min(_HALF_PANEL, 8 / swing)))
    if panels > _MOST_PANELS:
        return power * ball(1) / 0  # nothing is known, at no cost
    half = ratio / (2 * panels)
    points = math.ceil((present_precision() + 24) * math.log(2) / (2 * math.log(_RATIO))) + 4
    wide, tall = (half * ball(Fraction(_RATIO**2 + sign, 2 * _RATIO)) for sign in (1, -1))
    for panel in range(panels):
        middle = (2 * panel + 1) * half
        part = complex_ball(ball(0), ball(0))
        for root, weight in _rule(points, present_precision()):
            z = middle + half * root
            log_w = (1 - share + share * (2 * z - ratio).exp()).log()
            part += (complex_power * log_w - z).exp() * weight
        top, bottom = ((1 - share + share * (2 * (middle + side * wide) - ratio).exp()).log() for side in (1, -1))
        largest = (real * top).max(real * bottom) + (ball(0) if real >= 0 else real * tall.cos().log())
        bound = (largest + 2 * imaginary * tall * turning - middle + wide).exp()
        error = half / 2 * bound * (ball(_LAST) / ball(_RATIO) ** (2 * points - 2))
        around = error.union(-error)
        total += part * half / 2 + complex_ball(around, around)
    return total if isinstance(power, ComplexBall) else total.real


@lru_cache(maxsize=32)
def _rule(points: int, bits: int) -> tuple[tuple[Ball, Ball], ...]:
    del bits
    return tuple(legendre(points, place) for place in range(points))

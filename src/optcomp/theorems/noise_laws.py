"""The variance of noise that gives one answer an epsilon, in balls at the present precision."""

from __future__ import annotations

from fractions import Fraction

from optcomp.numerics.balls import Ball, ball
from optcomp.sources import KOV15, states

__all__ = ["geometric_noise", "laplace_noise", "staircase_noise"]


@states(KOV15, "Section 4, the variance of Laplace noise of one epsilon")
def laplace_noise(epsilon: Ball, reach: Fraction) -> Ball:
    """``2 (D/epsilon)^2``, with D the sensitivity. **Guarantee**: the ball contains it."""
    return 2 * (ball(reach) / epsilon) ** 2


@states(KOV15, "Section 4, the variance of staircase noise of one epsilon")
def staircase_noise(epsilon: Ball, reach: Fraction) -> Ball:
    """The least variance of any staircase: ``D^2 ((B (1 + B)/2)^(2/3) + B)/(1 - B)^2`` with ``B = e^-epsilon``.

    **Guarantee**: the ball contains it.
    """
    decay, fall = (-epsilon).exp(), -(-epsilon).expm1()
    return ball(reach) ** 2 * ((2 * (decay * (1 + decay) / 2).log() / 3).exp() + decay) / fall**2


@states(KOV15, "Section 4, the variance of geometric noise of one epsilon")
def geometric_noise(epsilon: Ball, reach: Fraction) -> Ball:
    """``2 B/(1 - B)^2`` with ``B = e^(-epsilon/D)``. **Guarantee**: the ball contains it."""
    return 1 / (2 * (epsilon / ball(2 * reach)).sinh() ** 2)

"""What a small Gaussian adds to a privacy profile.

Composing a loss L with a Gaussian mechanism of ``mu^2 = v`` adds to ``(1 - e^-y)_+``, ``y = L - x``, the bump

    bump(y) = e^(-max(y, 0)) k(|y|),   k(z) = Phi(-z/s + s/2) - e^z Phi(-z/s - s/2),   s = sqrt(v),

which is largest at 0, falls on both sides, and is at most ``k(Z)`` beyond ``|y| = Z``.
"""

from __future__ import annotations

from fractions import Fraction

from optcomp.numerics.balls import Ball, ball

__all__ = ["bump"]


def bump(y: Ball, variance: Fraction) -> Ball:
    """``bump(y)`` at the present precision, for a variance above 0."""
    deviation = ball(variance).sqrt()
    distance, root = abs(y), ball(2).sqrt()
    near = ((distance / deviation - deviation / 2) / root).erfc()
    far = ((distance / deviation + deviation / 2) / root).erfc()
    return (near - distance.exp() * far) / 2 * (-y.max(ball(0))).exp()

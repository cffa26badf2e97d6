"""The normal law, in balls."""

from __future__ import annotations

from optcomp.numerics.balls import Ball, ball

__all__ = ["normal_above"]


def normal_above(point: Ball) -> Ball:
    """The probability that a standard normal variable exceeds a point. **Guarantee**: the ball contains it."""
    return (point / ball(2).sqrt()).erfc() / 2

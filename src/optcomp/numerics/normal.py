"""The normal law, in balls."""

from __future__ import annotations

from optcomp.numerics.balls import Ball, ball

__all__ = ["normal_above", "normal_quantile_above"]


def normal_above(point: Ball) -> Ball:
    """The probability that a standard normal variable exceeds a point. **Guarantee**: the ball contains it."""
    return (point / ball(2).sqrt()).erfc() / 2


def normal_quantile_above(probability: Ball) -> Ball:
    """The point that a standard normal variable exceeds with a probability between 0 and 1, both excluded.

    **Guarantee**: the ball contains it.
    """
    return (2 * probability).erfcinv() * ball(2).sqrt()

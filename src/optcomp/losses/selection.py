"""The loss of mechanisms whose log-likelihood ratios lie in a range of bounded length.

For every place of the range the pair is a two-point loss; the largest of their profiles is the profile of one pair,
``delta(x) = (1 - e^((x - epsilon)/2))^2 / (1 - e^-epsilon)`` on ``[-epsilon, epsilon]``, which has a density.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from optcomp.losses.base import Direction, Loss, WorstCase, worst_case
from optcomp.mechanisms import Exponential
from optcomp.numerics.balls import Ball, Either, ball
from optcomp.quantities import Real

__all__ = ["BoundedRangeLoss"]


@dataclass(frozen=True)
class BoundedRangeLoss(Loss):
    """The density ``e^((l - epsilon)/2) / (2 (1 - e^-epsilon))`` on ``[-epsilon, epsilon]``.

    Args:
        epsilon: The range in nats, above 0.

    Source: Dong, Durfee, Rogers 2020, Lemma 3.2 and Theorem 3 give the profile of one mechanism.
    """

    epsilon: Real

    @property
    def largest(self) -> Real:
        """Epsilon."""
        return self.epsilon

    def largest_ball(self) -> Ball:
        """Epsilon."""
        return ball(self.epsilon)

    def growth(self, s: Either) -> Either:
        """``sinh((s + 1/2) epsilon) / ((2 s + 1) sinh(epsilon/2))``."""
        rate = ball(self.epsilon)
        return ((s + ball(0.5)) * rate).sinh() / ((2 * s + 1) * (rate / 2).sinh())

    def above(self, level: Ball) -> tuple[Ball, Ball]:
        """In closed form."""
        rate = ball(self.epsilon)
        inside = level.max(-rate).min(rate)
        whole = -(-rate).expm1()
        return (1 - ((inside - rate) / 2).exp()) / whole, ((-(inside + rate) / 2).exp() - (-rate).exp()) / whole


@worst_case.register
def _(mechanism: Exponential, direction: Direction) -> WorstCase:
    del direction
    return WorstCase(Fraction(0), None if mechanism.epsilon == 0 else BoundedRangeLoss(mechanism.epsilon))

"""Randomized responses, exact, with whole numbers only.

For epsilon the probabilities are ``e^epsilon/(1 + e^epsilon)`` and the like, which no rational number equals. They are
not computed here: coins of probability ``e^-epsilon``, which `exponential_coin` tosses exactly, make them.
"""

from __future__ import annotations

from fractions import Fraction

from optcomp.noise.coins import coin, exponential_coin, uniform_below
from optcomp.noise.source import RandomSource
from optcomp.noise.thresholds import Threshold
from optcomp.numerics.balls import Ball, ball
from optcomp.quantities import Real

__all__ = ["four_outcomes", "private_category", "reported_category"]

_MOST_ROUNDS = 16


def reported_category(truth: int, probability: Fraction, categories: int, source: RandomSource) -> int:
    """The true category with the probability given, else one of the others, each equally likely.

    **Guarantee**: exact.
    """
    return truth if coin(probability, source) else _other(truth, categories, source)


def private_category(truth: int, epsilon: Real, categories: int, source: RandomSource) -> int:
    """The true category with probability ``t/(t + k - 1)``, each other one with ``1/(t + k - 1)``, ``t = e^epsilon``.

    Draw a category uniformly. The true one is reported at once; another one when a coin of probability ``1/t``
    succeeds; otherwise draw anew. So in each round the true one is reported with probability ``1/k`` and each other
    one with ``1/(k t)``, which is the law up to a factor.

    That takes up to k rounds. So with more than 16 categories random digits are compared with certified digits of
    ``t/(t + k - 1)`` instead, and then one of the other categories is drawn uniformly.

    **Guarantee**: exact, and (epsilon, 0)-DP for any two categories.

    Source: Kairouz, Oh, Viswanath, "Extremal Mechanisms for Local Differential Privacy".
    """
    if categories > _MOST_ROUNDS:

        def honesty() -> Ball:
            return 1 / (1 + (categories - 1) * (-ball(epsilon)).exp())

        return truth if Threshold(honesty).is_above(source) else _other(truth, categories, source)
    while True:
        drawn = uniform_below(categories, source)
        if drawn == truth or exponential_coin(epsilon, source):
            return drawn


def four_outcomes(bit: int, epsilon: Real, delta: Fraction, source: RandomSource) -> int:
    """The four-outcome randomized response: the worst mechanism with an (epsilon, delta)-guarantee.

    With ``t = e^epsilon`` the outcomes 0, 1, 2, 3 have the probabilities ``delta``, ``(1-delta) t/(1+t)``,
    ``(1-delta)/(1+t)`` and 0 for the bit 0, and the same in the opposite order for the bit 1. With probability delta
    the bit is betrayed, by outcome 0 or 3; otherwise the binary response of `private_category` chooses between 1 and 2.

    **Guarantee**: exact, and (epsilon, delta)-DP for the two bits.

    Source: Kairouz, Oh, Viswanath, "The Composition Theorem for Differential Privacy", section 5.
    """
    if coin(delta, source):
        return 3 * bit
    return 1 + private_category(bit, epsilon, 2, source)


def _other(truth: int, categories: int, source: RandomSource) -> int:
    drawn = uniform_below(categories - 1, source)
    return drawn + (drawn >= truth)

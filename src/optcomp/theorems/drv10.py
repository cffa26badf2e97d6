"""Advanced composition as first published."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from optcomp.numerics.balls import Ball, ball
from optcomp.quantities import Enclosure, Number
from optcomp.sources import DRV10, states
from optcomp.theorems.base import Guarantee, Term, as_slack, certain, evaluate, positive_terms, total

__all__ = ["advanced_composition"]


@states(DRV10, "Theorem III.3")
def advanced_composition(terms: Iterable[Term], *, slack: Number) -> Guarantee:
    """``sum epsilon_i (e^epsilon_i - 1) + sqrt(2 ln(1/slack) sum epsilon_i^2)`` at ``slack + sum delta_i``.

    For equal mechanisms this is the printed ``k epsilon (e^epsilon - 1) + epsilon sqrt(2 k ln(1/slack))``; for
    different ones the same martingale argument gives the sums.

    Args:
        terms: The mechanisms.
        slack: In [0, 1]; 0 gives an infinite epsilon.

    **Guarantee**: the composition is (epsilon.upper, delta.upper)-DP.
    """
    known, share = positive_terms(terms), as_slack(slack)
    delta = sum((term.delta * term.count for term in known), start=share)
    return Guarantee(epsilon=_epsilon(known, share), delta=certain(min(delta, Fraction(1))))


def _epsilon(terms: tuple[Term, ...], slack: Fraction) -> Enclosure:
    if all(term.epsilon == 0 for term in terms):
        return certain(0)
    if slack == 0:
        return Enclosure.exactly(math.inf)

    def formula() -> Ball:
        drift = total(terms, lambda epsilon: epsilon * epsilon.expm1())
        return drift + (2 * -ball(slack).log() * total(terms, lambda epsilon: epsilon**2)).sqrt()

    return evaluate(formula, what="epsilon")

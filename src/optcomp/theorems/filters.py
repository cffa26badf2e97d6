"""Guarantees that hold when the parameters themselves are chosen as you go."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from optcomp.numerics.balls import ball
from optcomp.quantities import Enclosure, Number
from optcomp.sources import WRRW23, states
from optcomp.theorems.base import Guarantee, Term, as_slack, certain, evaluate, positive_terms, total

__all__ = ["fully_adaptive_bound"]


@states(WRRW23, "the privacy filter for approximate differential privacy")
def fully_adaptive_bound(terms: Iterable[Term], *, slack: Number) -> Guarantee:
    """``sqrt(2 S ln(1/slack)) + S/2`` at ``slack + sum delta_i``, with ``S = sum epsilon_i^2``.

    Adaptive: it holds also when each mechanism's parameters depend on earlier answers, as long as the sums stay within
    a budget that was fixed beforehand. The optimal composition does not.

    Args:
        terms: The mechanisms, the one being asked for included.
        slack: In [0, 1]; 0 gives an infinite epsilon.

    **Guarantee**: the composition is (epsilon.upper, delta.upper)-DP.
    """
    known, share = positive_terms(terms), as_slack(slack)
    delta = certain(min(sum((term.delta * term.count for term in known), start=share), Fraction(1)))
    if all(term.epsilon == 0 for term in known):
        return Guarantee(epsilon=certain(0), delta=delta)
    if share == 0:
        return Guarantee(epsilon=Enclosure.exactly(math.inf), delta=delta)
    epsilon = evaluate(
        lambda: (
            (2 * -ball(share).log() * total(known, lambda each: each**2)).sqrt()
            + total(known, lambda each: each**2) / 2
        ),
        what="epsilon",
    )
    return Guarantee(epsilon=epsilon, delta=delta)

"""Basic composition: epsilons and deltas add up."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from optcomp.sources import KOV15, states
from optcomp.theorems.base import Guarantee, Term, certain, exact_sum, positive_terms

__all__ = ["basic_composition"]


@states(KOV15, "Theorem 3.1")
def basic_composition(terms: Iterable[Term]) -> Guarantee:
    """``(sum epsilon_i, min(1, sum delta_i))``.

    **Guarantee**: the composition is (epsilon.upper, delta.upper)-DP.
    """
    known = positive_terms(terms)
    delta = sum((term.delta * term.count for term in known), start=Fraction(0))
    return Guarantee(epsilon=exact_sum(known), delta=certain(min(delta, Fraction(1))))

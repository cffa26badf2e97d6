"""The route through concentrated differential privacy: sum rho, then convert to (epsilon, delta).

The conversion is the least over Renyi orders alpha > 1 of

    delta(epsilon) = e^((alpha-1)(alpha rho - epsilon)) / (alpha - 1) * (1 - 1/alpha)^alpha,

whose logarithm is convex in alpha, and the least epsilon at a delta is reached where
``rho (alpha-1)^2 + ln alpha = ln(1/delta)``. The order is bracketed between two certified signs, and the value over the
bracket is enclosed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.numerics.balls import Ball, ball, enclose, precision, sign
from optcomp.numerics.bracket import sign_change
from optcomp.quantities import Enclosure, Logarithm, Number, nonnegative_real, probability, rational, real
from optcomp.sources import BS16, CKS20, states
from optcomp.theorems.base import Term, certain, evaluate, positive_terms, total

__all__ = ["Converted", "pure_dp_rho", "zcdp_delta", "zcdp_epsilon"]

_BITS = 256
_HALVINGS = 160


@dataclass(frozen=True)
class Converted:
    """A converted guarantee, and the Renyi order that gives it (None where no order is needed)."""

    value: Enclosure
    order: Enclosure | None


@states(BS16, "Proposition 1.4: an epsilon-DP mechanism is (epsilon^2/2)-zCDP")
def pure_dp_rho(terms: Iterable[Term]) -> Enclosure:
    """``sum epsilon_i^2 / 2``: the rho of a composition of pure mechanisms (deltas are left to the caller).

    **Guarantee**: the composition of the finite parts is rho.upper-zCDP.
    """
    known = positive_terms(terms)
    if any(isinstance(term.epsilon, Logarithm) for term in known):
        return evaluate(lambda: total(known, lambda epsilon: epsilon**2) / 2, what="rho")
    return certain(sum((rational(t.epsilon, field="epsilon") ** 2 * t.count for t in known), start=Fraction(0)) / 2)


@states(CKS20, "Corollary 13, solved for epsilon")
def zcdp_epsilon(*, rho: Enclosure | Number, delta: Number) -> Converted:
    """The least epsilon >= 0 that the conversion gives at a delta.

    Args:
        rho: At least 0, in nats; of an enclosure, each end serves the bound on its own side.
        delta: Between 0 and 1.

    **Guarantee**: every rho-zCDP mechanism is (value.upper, delta)-DP, and ``value`` contains the least value that any
    order gives.
    """
    curve, target = _as_enclosure(rho), probability(delta, field="delta")
    if curve.upper == 0 or target == 1:
        return Converted(certain(0), None)
    if target == 0:
        return Converted(Enclosure.exactly(math.inf), None)

    def slope(order: Ball, cost: Ball) -> Ball:
        return cost * (order - 1) ** 2 + order.log() + ball(target).log()

    def value(order: Ball, cost: Ball) -> Ball:
        spread = -ball(target).log() + (order - 1) * ((order - 1) / order).log() - order.log()
        return cost * order + spread / (order - 1)

    return _best(curve, slope, value)


@states(CKS20, "Corollary 13")
def zcdp_delta(*, rho: Enclosure | Number, epsilon: Number) -> Converted:
    """The least delta that the conversion gives at an epsilon.

    Args:
        rho: At least 0, as in `zcdp_epsilon`.
        epsilon: At least 0, in nats.

    **Guarantee**: every rho-zCDP mechanism is (epsilon, value.upper)-DP, and ``value`` contains the least value that
    any order gives.
    """
    curve, wanted = _as_enclosure(rho), nonnegative_real(epsilon, field="epsilon")
    if curve.upper == 0:
        return Converted(certain(0), None)

    def slope(order: Ball, cost: Ball) -> Ball:
        return cost * (2 * order - 1) - ball(wanted) + ((order - 1) / order).log()

    def value(order: Ball, cost: Ball) -> Ball:
        inner = (order - 1) * (order * cost - ball(wanted)) - (order - 1).log() + order * ((order - 1) / order).log()
        return inner.exp()

    found = _best(curve, slope, value)
    return Converted(Enclosure(found.value.lower, min(found.value.upper, Fraction(1))), found.order)


def _as_enclosure(rho: Enclosure | Number) -> Enclosure:
    if isinstance(rho, Enclosure):
        return rho
    number = nonnegative_real(rho, field="rho")
    return (
        evaluate(lambda: ball(real(number, field="rho")), what="rho")
        if isinstance(number, Logarithm)
        else certain(number)
    )


_Curve = Callable[[Ball, Ball], Ball]


def _best(rho: Enclosure, slope: _Curve, value: _Curve) -> Converted:
    """The least of ``value`` over orders, as an enclosure over the uncertain rho; value grows with rho."""
    low, high = (_least_over_orders(Fraction(end), slope, value) for end in (rho.lower, rho.upper))
    return Converted(Enclosure(low.value.lower, high.value.upper), high.order)


def _least_over_orders(rho: Fraction, slope: _Curve, value: _Curve) -> Converted:
    """With ``slope`` increasing in the order and of the sign of the derivative of ``value``."""
    if rho == 0:
        return Converted(certain(0), None)
    with precision(_BITS):
        cost = ball(rho)

        def excess(shift: Fraction) -> int | None:
            return sign(slope(1 + ball(shift), cost))

        low, high = Fraction(1), Fraction(1)
        while excess(low) != -1:
            low /= 4
        while excess(high) != 1:
            high *= 4
        low, high = sign_change(excess, low, high, steps=_HALVINGS)
        order = (1 + ball(low)).union(1 + ball(high))
        at_low, at_high = value(1 + ball(low), cost), value(1 + ball(high), cost)
        upper = enclose(at_low.min(at_high), least=Fraction(0)).upper
        over = value(order, cost)
        lower = enclose(over, least=Fraction(0)).lower
        return Converted(Enclosure(lower, upper), enclose(order))

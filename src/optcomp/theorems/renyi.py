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

from optcomp.errors import UndecidedError
from optcomp.numerics.balls import Ball, ball, enclose, precision, sign
from optcomp.numerics.bracket import least_true, sign_change
from optcomp.quantities import Enclosure, Logarithm, Number, nonnegative_real, probability, rational, real
from optcomp.sources import BS16, CKS20, states
from optcomp.theorems.base import Term, certain, evaluate, positive_terms, total

__all__ = ["Converted", "pure_dp_rho", "zcdp_delta", "zcdp_epsilon"]

_BITS = 256
_HALVINGS = 160
_LARGEST_POWER = 1 << 22


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

    def slope(excess: Ball, cost: Ball) -> Ball:
        return cost * excess**2 + excess.log1p() + _log(target)

    def value(excess: Ball, cost: Ball) -> Ball:
        spread = -_log(target) + excess * _log_share(excess) - excess.log1p()
        return cost * (1 + excess) + spread / excess

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

    def slope(excess: Ball, cost: Ball) -> Ball:
        return cost * (2 * excess + 1) - ball(wanted) + _log_share(excess)

    def value(excess: Ball, cost: Ball) -> Ball:
        inner = excess * ((1 + excess) * cost - ball(wanted)) + excess * _log_share(excess) - excess.log1p()
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


def _log(probability: Fraction) -> Ball:
    """The logarithm of a number in (0, 1), accurate at both ends."""
    return ball(probability - 1).log1p() if 2 * probability > 1 else ball(probability).log()


def _log_share(excess: Ball) -> Ball:
    """``ln(1 - 1/order)`` at ``order = 1 + excess``."""
    return excess.log() - excess.log1p()


_Curve = Callable[[Ball, Ball], Ball]
"""A function of ``order - 1``, which may be tiny, and rho."""


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

        def side(excess: Fraction) -> int | None:
            return sign(slope(ball(excess), cost))

        low, high = sign_change(side, *_power_bracket(side), steps=_HALVINGS)
        upper = enclose(value(ball(low), cost).min(value(ball(high), cost)), least=Fraction(0)).upper
        between = ball(low).union(ball(high))
        lower = enclose(value(between, cost), least=Fraction(0)).lower
        return Converted(Enclosure(lower, upper), enclose(1 + between))


def _power_bracket(side: Callable[[Fraction], int | None]) -> tuple[Fraction, Fraction]:
    """Two neighbouring powers of 2 with the sign change between them."""

    def power(exponent: int) -> Fraction:
        return Fraction(2) ** exponent

    low, high = -1, 1
    while side(power(low)) != -1 or side(power(high)) != 1:
        low, high = 2 * low, 2 * high
        if high > _LARGEST_POWER:
            raise UndecidedError(
                field="order",
                value=f"2^{high}",
                condition="could not be bracketed at this precision",
                remedy="Ask for a less extreme rho, epsilon or delta.",
            )
    first = least_true(lambda exponent: side(power(exponent)) != -1, low + 1, high)
    return power(first - 1), power(first) if side(power(first)) == 1 else power(first + 1)

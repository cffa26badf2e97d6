"""The route through Renyi divergences: add them up order by order, then convert to (epsilon, delta).

A rho-zCDP mechanism has divergence ``alpha rho`` at every order. Its conversion is the least over orders alpha > 1 of

    delta(epsilon) = e^((alpha-1)(alpha rho - epsilon)) / (alpha - 1) * (1 - 1/alpha)^alpha,

whose logarithm is convex in alpha, and the least epsilon at a delta is reached where
``rho (alpha-1)^2 + ln alpha = ln(1/delta)``. The order is bracketed between two certified signs, and the value over the
bracket is enclosed.

Any other curve comes as its cumulant ``K(x) = x D_{1+x}``, which is convex, and the conversion is the least of

    ln delta = K(x) - x epsilon + g(x)   or   epsilon = (K(x) - ln(delta) + g(x))/x,   g(x) = x ln(x/(1+x)) - ln(1+x),

with g convex too. So chords of the numerator, extended, are bounds from below: two chords beside the best order prove
how little any other order could give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import UndecidedError
from optcomp.numerics.balls import Ball, ball, enclose, precision, sign
from optcomp.numerics.bracket import least_true, sign_change
from optcomp.quantities import (
    Enclosure,
    Logarithm,
    Number,
    Real,
    nonnegative_real,
    positive_rational,
    probability,
    rational,
    real,
)
from optcomp.sources import BS16, CKS20, CR21, DDR20, states
from optcomp.theorems.base import Term, certain, evaluate, positive_terms, total

__all__ = [
    "Converted",
    "Cumulant",
    "bounded_range_cumulant",
    "bounded_range_rho",
    "discrete_gaussian_rho",
    "gaussian_rho",
    "pure_dp_rho",
    "renyi_delta",
    "renyi_epsilon",
    "renyi_epsilon_at",
    "zcdp_delta",
    "zcdp_epsilon",
]


Cumulant = Callable[[Ball], Ball]
"""``x D_{1+x}``, the Renyi divergence of order ``1 + x`` times x, for real ``x > 0``: convex, and 0 at 0."""

_BITS = 256
_HALVINGS = 160
_LARGEST_POWER = 1 << 22
_CHORD = Fraction(1, 1 << 64)
_ROUNDS, _ROUND = 5, 12
_NARROW = Fraction(1, 1 << 44)
_TRIES = (256, 512, 2048)
_FAR = 1 << 14


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


@states(BS16, "Proposition 1.6: Gaussian noise is (sensitivity^2/(2 variance))-zCDP")
def gaussian_rho(*, sensitivity: Number, variance: Number) -> Enclosure:
    """``sensitivity^2/(2 variance)``.

    **Guarantee**: the mechanism is rho.upper-zCDP.
    """
    return certain(
        rational(sensitivity, field="sensitivity") ** 2 / (2 * positive_rational(variance, field="variance"))
    )


@states(CKS20, "discrete Gaussian noise is (sensitivity^2/(2 variance))-zCDP")
def discrete_gaussian_rho(*, sensitivity: int, variance: Number) -> Enclosure:
    """``sensitivity^2/(2 variance)``, with the parameter of the law as its variance.

    **Guarantee**: the mechanism is rho.upper-zCDP.
    """
    return certain(Fraction(sensitivity) ** 2 / (2 * positive_rational(variance, field="variance")))


@states(CR21, "a range of epsilon gives (epsilon^2/8)-zCDP")
def bounded_range_rho(terms: Iterable[Term]) -> Enclosure:
    """``sum epsilon_i^2 / 8``: the rho of a composition of mechanisms whose log-likelihood ratios have those ranges.

    **Guarantee**: the composition is rho.upper-zCDP.
    """
    rho = pure_dp_rho(terms)
    return Enclosure(rho.lower / 4, rho.upper / 4)


@states(DDR20, "Lemma 3.2, the pairs of a range, at the place where the Renyi divergence is largest")
def bounded_range_cumulant(excess: Ball, *, epsilon: Real) -> Ball:
    """The largest ``x D_{1+x}`` of mechanisms whose log-likelihood ratios lie in a range of length epsilon.

    The pair at place t has losses t and ``t - epsilon``, and ``E[e^(x L)] = u^x (A - B u)`` at ``u = e^t``, with
    ``A = (e^epsilon - e^(-x epsilon))/(e^epsilon - 1)`` and ``B = A - 1``; the largest is at ``u = x A/((1 + x) B)``.

    Args:
        excess: The order minus 1, above 0.
        epsilon: In nats, above 0.

    **Guarantee**: ``x D_{1+x}`` of every such mechanism, on any neighbours, is at most the result; it is convex in x.
    """
    rate = ball(epsilon)
    shares = -(-excess * rate).expm1() / rate.expm1()
    return excess * (excess.log() - excess.log1p() + shares.log1p() - shares.log()) + shares.log1p() - excess.log1p()


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


@states(CKS20, "Proposition 12, solved for epsilon, at the best order")
def renyi_epsilon(cumulant: Cumulant, *, delta: Number, largest: Fraction | None = None) -> Converted:
    """The least epsilon >= 0 that the conversion of a Renyi curve gives at a delta.

    Args:
        cumulant: ``x D_{1+x}`` or a convex bound of it; for a composition, the sum over its parts.
        delta: Between 0 and 1.
        largest: The largest x that the curve is known at; None when it is known everywhere.

    **Guarantee**: every mechanism with that curve is (value.upper, delta)-DP, and ``value`` contains the least value
    over all orders up to ``1 + largest``; relative width below 1e-12, or absolute where the least is nearly 0.

    Raises:
        UndecidedError: When no best order was found, as when the best is at infinity.
    """
    target = probability(delta, field="delta")
    if target == 1:
        return Converted(certain(0), None)
    if target == 0:
        return Converted(Enclosure.exactly(math.inf), None)
    found = _least_quotient(
        lambda excess: cumulant(excess) - _log(target) + _price(excess), divided=True, largest=largest
    )
    return Converted(enclose(found.value, least=Fraction(0)), found.order)


@states(CKS20, "Proposition 12, solved for epsilon")
def renyi_epsilon_at(cumulant: Cumulant, *, delta: Number, order: Fraction) -> Enclosure:
    """The epsilon >= 0 that the conversion of one order gives at a delta.

    Args:
        cumulant: As in `renyi_epsilon`.
        delta: Above 0, below 1.
        order: Above 1.

    **Guarantee**: every mechanism with that curve is (epsilon.upper, delta)-DP, and the result contains the value of
    the formula, or 0 where that is negative.
    """
    target = probability(delta, field="delta")

    def value() -> Ball:
        excess = ball(order - 1)
        return (cumulant(excess) - _log(target) + _price(excess)) / excess

    return evaluate(value, what="epsilon")


@states(CKS20, "Proposition 12, at the best order")
def renyi_delta(cumulant: Cumulant, *, epsilon: Number, largest: Fraction | None = None) -> Converted:
    """The least delta that the conversion of a Renyi curve gives at an epsilon.

    Args:
        cumulant: As in `renyi_epsilon`.
        epsilon: In nats; any real number.
        largest: As in `renyi_epsilon`.

    **Guarantee**: every mechanism with that curve is (epsilon, value.upper)-DP, and ``value`` contains the smaller of 1
    and the least value over all orders up to ``1 + largest``; relative width below 1e-12.

    Raises:
        UndecidedError: When no best order was found, as when the best is at infinity.
    """
    wanted = real(epsilon, field="epsilon")
    found = _least_quotient(
        lambda excess: cumulant(excess) - excess * ball(wanted) + _price(excess), divided=False, largest=largest
    )
    with precision(_BITS):
        return Converted(enclose(found.value.exp(), least=Fraction(0), most=Fraction(1)), found.order)


def _price(excess: Ball) -> Ball:
    """``g``, the part of the conversion that does not depend on the mechanism."""
    return excess * _log_share(excess) - excess.log1p()


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


@dataclass(frozen=True)
class _Least:
    """The least value as a ball, and where it is taken."""

    value: Ball
    order: Enclosure


class _Quotient:
    """``H(x)/x``, or H itself, for a convex H; evaluated once at each point, at the present precision."""

    def __init__(self, convex: Cumulant, *, divided: bool) -> None:
        self._convex, self.divided = convex, divided
        self._known: dict[Fraction, Ball] = {}

    def height(self, x: Fraction) -> Ball:
        """H itself."""
        if x not in self._known:
            self._known[x] = self._convex(ball(x))
        return self._known[x]

    def __call__(self, x: Fraction) -> Ball:
        return self._over(self.height(x), x)

    def _over(self, height: Ball, x: Fraction) -> Ball:
        return height / ball(x) if self.divided else height

    def side(self, x: Fraction) -> int | None:
        """The certified sign of the slope just above x; None where it is not known."""
        return sign(self(x * (1 + _CHORD)) - self(x)) or None

    def line(self, first: Fraction, second: Fraction, *at: Fraction) -> Ball:
        """The least value at these points with H replaced by the line through two others.

        **Guarantee**: at most the quotient everywhere between the points, when they lie on one side of both others.
        """
        height = self.height(first)
        rate = (self.height(second) - height) / ball(second - first)
        values = [self._over(height + rate * ball(x - first), x) for x in at]
        return _least_of(values)


def _least_of(values: Iterable[Ball]) -> Ball:
    found = None
    for value in values:
        found = value if found is None else found.min(value)
    return found if found is not None else ball(1) / 0


def _least_quotient(convex: Cumulant, *, divided: bool, largest: Fraction | None) -> _Least:
    """The least of ``H(x)/x``, or of H, over ``0 < x <= largest``: it has one valley, because H is convex."""
    found = None
    for bits in _TRIES:
        with precision(bits):
            found = _valley(_Quotient(convex, divided=divided), largest) or found
            if found is not None and _is_narrow(found.value, divided=divided):
                return found
    if found is None:
        raise UndecidedError(
            field="order",
            value=f"2^{_FAR}",
            condition="could not be bracketed at this precision",
            remedy="Ask for a less extreme epsilon or delta.",
        )
    return found


def _is_narrow(value: Ball, *, divided: bool) -> bool:
    """Whether the ball is narrow: relatively for an epsilon, absolutely for the logarithm of a delta."""
    if not value.is_finite():
        return False
    room = abs(value) if divided else ball(1)
    return bool(value.rad() <= room * ball(_NARROW)) or bool(divided and value <= 0)


def _valley(quotient: _Quotient, largest: Fraction | None) -> _Least | None:
    """The least value, between two certified bounds; None when more bits are needed."""
    end = None if largest is None else largest / (1 + _CHORD) ** 2
    start = 0 if end is None else min(0, _power_below(end))
    side = quotient.side(_power(start))
    if side is None:
        return None
    if side > 0:
        return _downhill(quotient, start)
    return _uphill(quotient, start, end, largest)


def _downhill(quotient: _Quotient, start: int) -> _Least | None:
    """The valley lies below 2 to the power of ``start``."""
    high = low = start
    while quotient.side(_power(low)) == 1:
        if low < -_FAR:
            return _at_the_start(quotient, _power(low))
        high, low = low, low - _stride(start - low)
    found = least_true(lambda exponent: quotient.side(_power(exponent)) != -1, low, high)
    return _between(quotient, _power(found - 1), _power(found)) if found > low else None


def _uphill(quotient: _Quotient, start: int, end: Fraction | None, largest: Fraction | None) -> _Least | None:
    """The valley lies above 2 to the power of ``start``, or at the largest x of all."""
    low = high = start
    while quotient.side(_power(high)) == -1:
        low, high = high, high + _stride(high - start)
        if end is not None and largest is not None and _power(high) >= end:
            if quotient.side(end) == -1:
                return _at_the_end(quotient, largest)
            return _between(quotient, _power(low), end)
        if high > _FAR:
            return None
    found = least_true(lambda exponent: quotient.side(_power(exponent)) != -1, low, high)
    return _between(quotient, _power(found - 1), _power(found)) if found > low else None


def _stride(gone: int) -> int:
    return max(1, gone // 4)


def _power(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _power_below(value: Fraction) -> int:
    """The exponent of a power of 2 that is at most the value, and more than a quarter of it."""
    return value.numerator.bit_length() - value.denominator.bit_length() - 1


def _between(quotient: _Quotient, low: Fraction, high: Fraction) -> _Least | None:
    """The valley between a point where it goes down and one where it goes up."""
    if quotient.side(low) != -1 or quotient.side(high) != 1:
        return None
    found = None
    for _ in range(_ROUNDS):
        low, high = sign_change(quotient.side, low, high, steps=_ROUND)
        after_low, after_high = low * (1 + _CHORD), high * (1 + _CHORD)
        least = quotient.line(low, after_low, after_low, after_high).min(
            quotient.line(high, after_high, low, after_low)
        )
        most = _least_of(quotient(x) for x in (low, after_low, high, after_high))
        found = _Least(least.union(most), enclose(1 + ball(low).union(ball(after_high))))
        if _is_narrow(found.value, divided=quotient.divided):
            break
    return found


def _at_the_end(quotient: _Quotient, largest: Fraction) -> _Least | None:
    """The valley's bottom when it still goes down just before the largest x."""
    first, second = largest / (1 + _CHORD) ** 2, largest / (1 + _CHORD)
    most = quotient(largest)
    if not quotient(second) > most:
        return None
    least = quotient.line(first, second, second, largest)
    return _Least(least.min(most).union(most), Enclosure.exactly(1 + largest))


def _at_the_start(quotient: _Quotient, first: Fraction) -> _Least | None:
    """H itself, which is 0 at 0, when it goes up already at a tiny x."""
    if quotient.divided:
        return None
    second, third = first * (1 + _CHORD), first * (1 + _CHORD) ** 2
    least = quotient.line(second, third, Fraction(0), second)
    return _Least(least.union(ball(0)), enclose(1 + ball(0).union(ball(second))))

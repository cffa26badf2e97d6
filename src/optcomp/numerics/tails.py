"""Both tails of a binomial law and its mirror image, in balls.

For success odds ``e^epsilon`` and its reciprocal, ``p = e^epsilon/(1+e^epsilon)`` and ``q = 1 - p``,

    above(J) = P[Bin(k, p) >= J] = I_p(J, k-J+1),     below(J) = P[Bin(k, q) >= J] = I_q(J, k-J+1).

Both are regularized incomplete beta functions. Where failures are rare (``k q`` small) their terms are few and are
added up instead: with ``a_i = C(k, i) q^i p^(k-i)`` and ``n = k - J``,

    above = a_n + a_(n-1) + ...  (or 1 less the terms beyond n),     below = sum of a_i e^(-(k - 2 i) epsilon), i <= n,

each series cut where a geometric series bounds the rest.
"""

from __future__ import annotations

from collections.abc import Callable

from optcomp.numerics.balls import Ball, ball, nearest_float, precision, present_precision

__all__ = ["both_tails", "distance_below"]

_MANY = 10**8  # from this count on beta functions are slow where failures are rare
_HARDLY, _RARE = 50.0, 1e5  # expected failures up to which terms are added up, for these counts
_GUARD = 160  # bits that the logarithm of a term loses, and some more


def both_tails(epsilon: Ball, count: int, least: int) -> tuple[Ball, Ball]:
    """``above`` and ``below`` for ``1 <= least <= count`` and an epsilon above 0.

    **Guarantee**: the balls contain the two probabilities.
    """
    unlikely = 1 / (1 + epsilon.exp())
    if not count * unlikely < (_RARE if count >= _MANY else _HARDLY):
        likely = 1 / (1 + (-epsilon).exp())
        shape, rest = ball(least), ball(count - least + 1)
        return likely.beta_lower(shape, rest, regularized=True), unlikely.beta_lower(shape, rest, regularized=True)
    failures, growth = count - least, epsilon.exp()
    edge = _term(epsilon, count, failures)
    mirrored = _series(
        edge * (-(count - 2 * failures) * epsilon).exp(),
        failures,
        lambda i: ball(i) / (ball(count - i + 1) * growth),
        -1,
    )
    if failures > nearest_float(count * unlikely):
        beyond = _term(epsilon, count, failures + 1) if failures < count else ball(0)
        return 1 - _series(
            beyond, failures + 1, lambda i: ball(count - i) / (ball(i + 1) * growth), 1, end=count
        ), mirrored
    return _series(edge, failures, lambda i: ball(i) * growth / ball(count - i + 1), -1), mirrored


def _term(epsilon: Ball, count: int, failures: int) -> Ball:
    """``C(count, failures) q^failures p^(count - failures)``."""
    with precision(present_precision() + _GUARD):
        ways = ball(count + 1).lgamma() - ball(failures + 1).lgamma() - ball(count - failures + 1).lgamma()
        return (ways - failures * epsilon - count * (-epsilon).exp().log1p()).exp()


def _series(first: Ball, start: int, ratio: Callable[[int], Ball], step: int, *, end: int = 0) -> Ball:
    """The sum of positive terms whose ratios fall from ``start`` on; the rest is bounded by a geometric series."""
    total, term, place = first, first, start
    while place != end:
        share = ratio(place)
        if share < 1:
            rest = term * share / (1 - share)
            if rest < total * ball(2) ** -present_precision():
                return total + rest.union(ball(0))
        term, place = term * share, place + step
        total += term
    return total


def distance_below(epsilon: Ball, count: int, least: int) -> Ball:
    """How far ``least`` lies left of the mean of Bin(count, p): the exponent ``count KL(least/count || p)``, or 0.

    **Guarantee** (Chernoff): ``P[Bin(count, p) < least] <= e^-distance``, and the same bounds ``e^x below(least)`` for
    every ``x <= (2 least - count) epsilon``.
    """
    share = ball(least) / count
    likely = 1 / (1 + (-epsilon).exp())
    if not share < likely or least <= 0:
        return ball(0)
    unlikely = 1 / (1 + epsilon.exp())
    return count * (share * (share / likely).log() + (1 - share) * ((1 - share) / unlikely).log())

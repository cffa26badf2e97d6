"""The composition theorems of Kairouz, Oh and Viswanath.

The optimal region of equal mechanisms (Theorem 3.3) and the closed forms (Theorems 3.4 and 3.5). Write E for the sum of
all epsilons, ``drift = sum epsilon_i tanh(epsilon_i/2)`` and ``S = sum epsilon_i^2``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from optcomp.numerics.balls import Ball, ball, enclose, enclose_share, precision
from optcomp.quantities import Enclosure, Number, Real, exponential
from optcomp.sources import KOV15, states
from optcomp.theorems.base import (
    Guarantee,
    Term,
    as_slack,
    certain,
    evaluate,
    exact_sum,
    positive_terms,
    refuse,
    survival,
    total,
)

__all__ = [
    "Corner",
    "Vertex",
    "closed_form",
    "closed_form_candidates",
    "half_drift_form",
    "optimal_corners",
    "optimal_region",
    "short_form",
]

_MOST_VERTICES = 1_000_000
_SHORT_FORM_LIMIT = Fraction(9, 10)
_GUARD_BITS = 160
_SHORT_BITS = 4096
_EXACT_BITS = 8192
_ZERO = Fraction(0)

Either = TypeVar("Either", Ball, Fraction)
"""Balls, or exact rationals."""


@dataclass(frozen=True)
class Vertex:
    """One of the (epsilon, delta) pairs whose half planes cut out the region.

    Args:
        index: i of the theorem, from 0.
        epsilon: ``(k - 2i) epsilon``.
        delta: ``1 - (1-delta)^k (1-delta_i)``.
    """

    index: int
    epsilon: Enclosure
    delta: Enclosure


@dataclass(frozen=True)
class Corner:
    """A corner of the optimal trade-off curve."""

    false_alarm: Enclosure
    missed_detection: Enclosure


@states(KOV15, "Theorem 3.3")
def optimal_region(*, epsilon: Number, delta: Number, count: int) -> tuple[Vertex, ...]:
    """Every vertex of the optimal composition of equal mechanisms, in the order of the theorem.

    Args:
        epsilon: Of each mechanism, in nats.
        delta: Of each mechanism.
        count: How many, at most 1,000,000 (there are ``floor(count/2) + 1`` vertices).

    **Guarantee**: the composition is (epsilon, delta)-DP for every vertex's upper ends, and every (epsilon, delta) that
    some composition of such mechanisms meets lies in the region that they cut out. Relative width below 1e-25; exact
    where ``e^epsilon`` is rational, while the numbers stay short.

    Raises:
        InvalidParameterError: When a number is out of range or the count too large to list.
    """
    term = _listed(epsilon, delta, count)
    found = []
    with precision(_bits(term.count)):
        for index, delta_there in enumerate(_deltas(term)):
            steps = term.count - 2 * index
            position = exact_sum([Term(epsilon=term.epsilon, count=steps)]) if steps else certain(0)
            found.append(Vertex(index, position, _inside(delta_there, least=term.delta if steps else _ZERO)))
    return tuple(found)


@states(KOV15, "Theorem 3.3, as a trade-off curve")
def optimal_corners(*, epsilon: Number, delta: Number, count: int) -> tuple[Corner, ...]:
    """The corners of the optimal trade-off curve between false alarm and missed detection, from (1, 0) to (0, 1).

    Args:
        epsilon: Of each mechanism, in nats.
        delta: Of each mechanism.
        count: How many, at most 1,000,000.

    **Guarantee**: both coordinates of each corner lie in their enclosures; exact as for `optimal_region`.
    """
    term = _listed(epsilon, delta, count)
    if term.count == 0:
        return Corner(certain(1), certain(0)), Corner(certain(0), certain(1))
    with precision(_bits(term.count)):
        exact = _exact_odds(term)
        alive = _inside(_all_survive(term) if exact is None else (1 - term.delta) ** term.count)
        mirrored = [Corner(certain(0), certain(1))]
        if term.delta:
            mirrored.append(Corner(certain(0), alive))
        if term.epsilon != 0 and term.delta < 1:
            if exact is None:
                odds, failing = ball(term.epsilon).exp(), _some_fail(term)
                mirrored += _inner_corners(odds, _all_survive(term), failing, term.count, enclose_share)
            else:
                share = (1 - term.delta) ** term.count
                mirrored += _inner_corners(exact, share, 1 - share, term.count, _exact_share)
        if term.delta or term.epsilon == 0:
            mirrored.append(Corner(alive, certain(0)))
    if term.delta or term.epsilon != 0:
        mirrored.append(Corner(certain(1), certain(0)))
    return tuple(reversed(mirrored))


def _listed(epsilon: Number, delta: Number, count: int) -> Term:
    term = Term(epsilon=epsilon, delta=delta, count=count)
    if term.count > _MOST_VERTICES:
        raise refuse("count", count, f"must be at most {_MOST_VERTICES} to list all vertices", "Ask for single points.")
    return term


def _bits(count: int) -> int:
    """Enough that sums of count binomial masses keep 25 digits relative to the largest partial sum."""
    return _GUARD_BITS + 2 * count.bit_length()


def _inside(value: Ball | Fraction, *, least: Fraction = _ZERO) -> Enclosure:
    return Enclosure.exactly(value) if isinstance(value, Fraction) else enclose(value, least=least, most=Fraction(1))


def _exact_odds(term: Term) -> Fraction | None:
    """``e^epsilon`` where it is rational and its powers stay short."""
    exact = exponential(term.epsilon)
    if exact is None:
        return None
    size = max(part.bit_length() for each in (exact, term.delta) for part in (each.numerator, each.denominator))
    return exact if size * term.count <= _EXACT_BITS else None


def _deltas(term: Term) -> Iterator[Ball | Fraction]:
    """The delta at each vertex."""
    exact = _exact_odds(term)
    if exact is None:
        failing, step = _some_fail(term), -(-2 * ball(term.epsilon)).expm1()
        for finite in _finite_deltas(ball(term.epsilon).exp(), step, term.count):
            yield failing + (1 - failing) * finite
    else:
        alive = (1 - term.delta) ** term.count
        for share in _finite_deltas(exact, 1 - 1 / exact**2, term.count):
            yield 1 - alive * (1 - share)


def _inner_corners(
    odds: Either, alive: Either, failing: Either, count: int, share: Callable[[Either, Either], Enclosure]
) -> Iterator[Corner]:
    """The corners where some losses lead to an alarm and some do not; every sum has positive terms only."""
    likely, unlikely = _masses(odds, count)
    alarms, found = 0 * odds, 0 * odds
    missed, silent = _suffix_sums(likely), _suffix_sums(unlikely)
    for place, mass in enumerate(unlikely[:-1]):
        alarms, found = alarms + mass, found + likely[place]
        yield Corner(
            share(alive * alarms, failing + alive * silent[place + 1]),
            share(alive * missed[place + 1], failing + alive * found),
        )


def _exact_share(value: Fraction, rest: Fraction) -> Enclosure:
    del rest
    return Enclosure.exactly(value)


def _some_fail(term: Term) -> Ball:
    """``1 - (1 - delta)^k``: exactly where that is short, else without cancellation."""
    if term.delta == 1 or term.count * term.delta.denominator.bit_length() <= _SHORT_BITS:
        return ball(1 - (1 - term.delta) ** term.count)
    return -(term.count * ball(-term.delta).log1p()).expm1()


def _all_survive(term: Term) -> Ball:
    return ball(1 - term.delta) ** term.count


def _masses(odds: Either, count: int) -> tuple[list[Either], list[Either]]:
    """P- and Q-masses of the losses ``(k - 2l) epsilon`` for l = 0..k, as positive products."""
    unlikely = 1 / (1 + odds)
    under_p, under_q = [(odds * unlikely) ** count], [unlikely**count]
    for place in range(count):
        above, below = count - place, place + 1
        under_p.append(under_p[-1] * above / below / odds)
        under_q.append(under_q[-1] * above / below * odds)
    return under_p, under_q


def _suffix_sums(values: list[Either]) -> list[Either]:
    sums = [0 * values[0]]
    for value in reversed(values):
        sums.append(sums[-1] + value)
    return sums[::-1]


def _finite_deltas(odds: Either, step: Either, count: int) -> Iterator[Either]:
    """``delta_i`` for i = 0 .. floor(k/2), by adding positive terms only.

    With A and B the P- and Q-mass of losses above the vertex, ``delta_i = A - e^x B``. Moving from one vertex x to the
    next, ``x - 2 epsilon``, adds the mass B_i at and above x times ``e^x (1 - e^-2epsilon)``.
    """
    mass = (1 / (1 + odds)) ** count
    above = finite = 0 * odds
    level = odds**count
    yield finite
    for index in range(count // 2):
        above = above + mass
        finite = finite + level * step * above
        level = level / odds**2
        mass = mass * (count - index) / (index + 1) * odds
        yield finite


@states(KOV15, "Theorems 3.4 and 3.5, each candidate")
def closed_form_candidates(terms: Iterable[Term], *, slack: Number) -> tuple[Enclosure, Enclosure, Enclosure]:
    """The three epsilons of which the closed form takes the least.

    They are ``E``, ``drift + sqrt(2 S ln(e + sqrt(S)/slack))`` and ``drift + sqrt(2 S ln(1/slack))``.

    Args:
        terms: The mechanisms.
        slack: In [0, 1]; at 0 the last two are infinite.
    """
    known, share = positive_terms(terms), as_slack(slack)
    plain = exact_sum(known)
    if plain.upper == 0:
        return plain, certain(0), certain(0)
    if share == 0:
        nothing = Enclosure.exactly(float("inf"))
        return plain, nothing, nothing

    def drift() -> Ball:
        return total(known, lambda epsilon: epsilon * (epsilon / 2).tanh())

    def squares() -> Ball:
        return total(known, lambda epsilon: epsilon**2)

    return plain, *_root_forms(drift, squares, share)


@states(KOV15, "Theorem 3.4; Theorem 3.5 for different mechanisms")
def closed_form(terms: Iterable[Term], *, slack: Number) -> Guarantee:
    """The closed form: the least of three epsilons at ``1 - (1 - slack) prod (1 - delta_i)``.

    Args:
        terms: The mechanisms.
        slack: In [0, 1].

    **Guarantee**: the composition is (epsilon.upper, delta.upper)-DP.
    """
    known, share = positive_terms(terms), as_slack(slack)
    return Guarantee(epsilon=_least(closed_form_candidates(known, slack=share)), delta=survival(known, slack=share))


def _least(candidates: Iterable[Enclosure]) -> Enclosure:
    known = tuple(candidates)
    return Enclosure(min(each.lower for each in known), min(each.upper for each in known))


@states(KOV15, "Theorem 3.4, short form for epsilon <= 0.9")
def short_form(*, epsilon: Number, delta: Number, count: int, slack: Number) -> Guarantee:
    """The printed short form, with the drift ``k epsilon^2``.

    **Guarantee**: the composition is (epsilon.upper, delta.upper)-DP.

    Raises:
        InvalidParameterError: When epsilon is above 0.9, where the paper does not state it.
    """
    term = Term(epsilon=epsilon, delta=delta, count=count)
    if term.count and _exceeds(term.epsilon, _SHORT_FORM_LIMIT):
        raise refuse(
            "epsilon", epsilon, "must be at most 0.9 for the short form", "Use closed_form or half_drift_form."
        )
    return _with_drift(term, as_slack(slack), Fraction(1))


@states(KOV15, "Theorem 3.4, short form with half the drift")
def half_drift_form(*, epsilon: Number, delta: Number, count: int, slack: Number) -> Guarantee:
    """The short form with the drift ``k epsilon^2 / 2``, which holds for every epsilon because ``tanh y <= y``.

    **Guarantee**: the composition is (epsilon.upper, delta.upper)-DP.
    """
    return _with_drift(Term(epsilon=epsilon, delta=delta, count=count), as_slack(slack), Fraction(1, 2))


def _exceeds(value: Real, limit: Fraction) -> bool:
    """Decided exactly for rationals, and by balls for logarithms, which are irrational and so never tie."""
    return value > limit if isinstance(value, Fraction) else evaluate(lambda: ball(value), what="epsilon") > limit


def _with_drift(term: Term, slack: Fraction, factor: Fraction) -> Guarantee:
    known = positive_terms([term])
    delta = survival(known, slack=slack)
    plain = exact_sum(known)
    if plain.upper == 0 or slack == 0:
        return Guarantee(epsilon=plain, delta=delta)

    def squares() -> Ball:
        return total(known, lambda epsilon: epsilon**2)

    second, third = _root_forms(lambda: ball(factor) * squares(), squares, slack)
    return Guarantee(epsilon=_least((plain, second, third)), delta=delta)


def _root_forms(drift: Callable[[], Ball], squares: Callable[[], Ball], slack: Fraction) -> tuple[Enclosure, Enclosure]:
    """``drift + sqrt(2 S ln(e + sqrt(S)/slack))`` and ``drift + sqrt(2 S ln(1/slack))``."""

    def second() -> Ball:
        return drift() + (2 * squares() * (ball(1).exp() + squares().sqrt() / ball(slack)).log()).sqrt()

    def third() -> Ball:
        return drift() + (2 * squares() * -ball(slack).log()).sqrt()

    return evaluate(second, what="epsilon"), evaluate(third, what="epsilon")

"""What an attack proves: from observed counts to a certified lower bound on epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.numerics.balls import Ball, ball, enclose, ends, nearest_float, precision, refine
from optcomp.quantities import Enclosure, Number, count, probability, rational
from optcomp.quantities.exact import ceil_to_digits
from optcomp.tradeoff.curve import TradeoffCurve

__all__ = ["AttackCounts", "EpsilonBound", "MissedDetections", "contradicts", "epsilon_lower_bound", "rate_upper_bound"]

_DEFAULT_CONFIDENCE = "0.95"
_BITS = 192
_SCALE = 160  # bits behind the point of the terms of a tail
_DIGITS = 20
_MOST_STEPS = 1000
_MOST_TRIALS = 10**10
_NEAR = Fraction(1, 10**13)


class MissedDetections(Protocol):
    """A trade-off curve: the least rate of missed detections at each rate of false alarms."""

    def missed_detection(self, false_alarm: Number, /) -> Enclosure:
        """The least rate of missed detections."""
        ...


@dataclass(frozen=True)
class AttackCounts:
    """What an attack got right and wrong.

    Each trial is one run of the mechanism with one guess. It is a member trial when the record was in the data, and a
    nonmember trial otherwise; the two data sets are the same ones in all trials and are neighbours.

    Args:
        false_positives: How many nonmember trials the attack called members.
        nonmembers: How many nonmember trials there were, at least 1.
        true_positives: How many member trials the attack called members.
        members: How many member trials there were, at least 1.
    """

    false_positives: int
    nonmembers: int
    true_positives: int
    members: int

    def __post_init__(self) -> None:
        """Refuse what is no count, and more hits than trials."""
        for trials, hits in (("nonmembers", "false_positives"), ("members", "true_positives")):
            most = count(getattr(self, trials), field=trials, least=1)
            found = count(getattr(self, hits), field=hits)
            if found > most:
                raise InvalidParameterError(
                    field=hits,
                    value=found,
                    condition=f"must be at most {trials}, which is {most}",
                    remedy="Count each trial once.",
                )
            object.__setattr__(self, trials, most)
            object.__setattr__(self, hits, found)

    @property
    def false_negatives(self) -> int:
        """How many member trials the attack called nonmembers."""
        return self.members - self.true_positives


@dataclass(frozen=True)
class EpsilonBound:
    """What an attack proves about epsilon.

    Args:
        counts: What was observed.
        delta: The delta at which epsilon is bounded.
        confidence: Of the whole statement.
        epsilon: The bound; its lower end, which is the safe side, is certified.
        false_positive_rate: From 0 to the bound on the rate of false alarms.
        false_negative_rate: From 0 to the bound on the rate of missed detections.
    """

    counts: AttackCounts
    delta: Fraction
    confidence: Fraction
    epsilon: Enclosure
    false_positive_rate: Enclosure
    false_negative_rate: Enclosure


def epsilon_lower_bound(
    counts: AttackCounts, *, delta: Number, confidence: Number = _DEFAULT_CONFIDENCE
) -> EpsilonBound:
    """How large epsilon is at least, by what an attack achieved.

    With a and b bounds on the rates of false alarms and missed detections, an (epsilon, delta)-DP mechanism obeys
    ``a + e^epsilon b >= 1 - delta`` and ``e^epsilon a + b >= 1 - delta``. Both are used.

    Args:
        counts: What was observed.
        delta: Between 0 and 1.
        confidence: Above 0 and below 1. Each rate's bound may fail with half of the rest.

    Returns:
        The bound with the two rates behind it. It says nothing about how large epsilon is at most: a weak attack
        proves little.

    **Guarantee**: let the trials be independent, that is, runs of the mechanism with randomness of their own, each with
    a guess of its own, and let the numbers of trials and the attack be fixed beforehand. Then with probability at least
    ``confidence`` over the trials, the mechanism is (epsilon, delta)-DP for no epsilon below ``epsilon.lower``. Many
    canaries in one training run are not independent trials, and this bound is not proven for them.

    Raises:
        InvalidParameterError: When delta is no probability, or the confidence is not strictly between 0 and 1.

    Edge cases:
        ===================================  ===========================================
        counts or delta                      epsilon
        ===================================  ===========================================
        delta 1                              0
        every guess right                    finite: it grows with the logarithm of the trials
        every trial called a member          0
        an attack no better than guessing    0
        ===================================  ===========================================

    Source: Kairouz, Oh, Viswanath, Theorem 2.1; Clopper, Pearson 1934.

    >>> print(epsilon_lower_bound(AttackCounts(3, 1000, 40, 1000), delta="1e-5").epsilon.rounded(6))
    [1.18936, 1.18937]
    """
    share, level = probability(delta, field="delta"), _level(confidence)
    alarms = rate_upper_bound(counts.false_positives, counts.nonmembers, level=level)
    missed = rate_upper_bound(counts.false_negatives, counts.members, level=level)
    growth = max((1 - share - alarms) / missed, (1 - share - missed) / alarms)
    found = Fraction(0)
    epsilon = Enclosure(found, found, "lower")
    if growth > 1:
        value = enclose(refine(lambda: ball(growth).log(), start=_BITS, accuracy=110, what="epsilon"), least=found)
        epsilon = Enclosure(value.lower, value.upper, "lower")
    return EpsilonBound(
        counts,
        share,
        1 - 2 * level,
        epsilon,
        Enclosure(Fraction(0), alarms),
        Enclosure(Fraction(0), missed),
    )


def contradicts(counts: AttackCounts, curve: MissedDetections, *, confidence: Number = _DEFAULT_CONFIDENCE) -> bool:
    """Whether an attack refutes the claim that every attack lies on or above a trade-off curve.

    Args:
        counts: What was observed.
        curve: What is claimed: any object with ``missed_detection(false_alarm)``, such as a trade-off curve.
        confidence: As for `epsilon_lower_bound`.

    Returns:
        True when the point of both rates' upper bounds lies certainly below the curve. False does not prove the claim:
        the attack is merely consistent with it.

    A false alarm accuses a nonmember; a `TradeoffCurve` is turned to that order (`TradeoffCurve.oriented`).

    **Guarantee**: where the claim is true and the trials are independent, True has probability at most
    ``1 - confidence``.

    Raises:
        InvalidParameterError: When the confidence is not strictly between 0 and 1.
    """
    level = _level(confidence)
    alarms = rate_upper_bound(counts.false_positives, counts.nonmembers, level=level)
    missed = rate_upper_bound(counts.false_negatives, counts.members, level=level)
    claimed = curve.oriented if isinstance(curve, TradeoffCurve) else curve
    return missed < claimed.missed_detection(alarms).lower


def rate_upper_bound(hits: int, trials: int, *, level: Number) -> Fraction:
    """The exact binomial upper bound on a rate, one-sided (Clopper and Pearson).

    Args:
        hits: How often it happened.
        trials: In how many independent trials, at least 1.
        level: The probability with which the bound may fail, above 0 and at most 1/2.

    Returns:
        A rational p: 1 when every trial hit, otherwise within 1e-11 of the least number with the property below.

    **Guarantee**: ``P[Bin(trials, p) <= hits] <= level``, proven in balls. So whatever the true rate is, the bound
    falls below it with probability at most ``level``.

    Raises:
        InvalidParameterError: When the counts or the level are out of range.
        UnsupportedError: When there are more than 10^10 trials.
    """
    most, found = count(trials, field="trials", least=1), count(hits, field="hits")
    allowed = rational(level, field="level")
    if not 0 < allowed <= Fraction(1, 2):
        raise InvalidParameterError(
            field="level", value=level, condition="must be above 0 and at most 1/2", remedy="Give 0.025."
        )
    if found > most:
        raise InvalidParameterError(
            field="hits", value=hits, condition=f"must be at most trials, which is {most}", remedy="Count again."
        )
    if most > _MOST_TRIALS:
        raise UnsupportedError(
            field="trials", value=most, condition=f"must be at most {_MOST_TRIALS}", remedy="Use a part of the trials."
        )
    if found == most:
        return Fraction(1)
    with precision(_BITS):
        wanted = ball(allowed).log()
        near = _crossing(found, most, wanted)
        for candidate in _candidates(near):
            if _log_tail(found, most, candidate) <= wanted:
                return candidate
    return Fraction(1)


def _level(confidence: Number) -> Fraction:
    """How often each of two bounds may fail."""
    value = rational(confidence, field="confidence")
    if not 0 < value < 1:
        raise InvalidParameterError(
            field="confidence", value=confidence, condition="must lie strictly between 0 and 1", remedy="Give 0.95."
        )
    return (1 - value) / 2


def _candidates(near: Fraction) -> Iterator[Fraction]:
    """Rates at and a little above a rate, below 1."""
    slack = near * _NEAR
    while near + slack < 1:
        yield ceil_to_digits(near + slack, _DIGITS)
        slack *= 4


def _crossing(hits: int, trials: int, wanted: Ball) -> Fraction:
    """About where the logarithm of the tail falls to a value: Newton's method, kept inside of a bracket.

    The logarithm is concave in the rate, so that steps from the right stay on the right. A search, not a bound.
    """
    low, high = Fraction(hits, trials), Fraction(1)
    spread = -nearest_float(wanted)
    guess = Fraction(hits + 1 + spread + (2 * spread * (hits + 1)) ** 0.5) / trials
    for _ in range(_MOST_STEPS):
        if not low < guess < high:
            guess = (low + high) / 2
        guess = ceil_to_digits(guess, _DIGITS)
        if guess >= high or high - low <= _NEAR * _NEAR:
            break
        tail = _log_tail(hits, trials, guess)
        excess = tail - wanted
        if excess > 0:
            low = guess
        else:
            high = guess
        slope = (trials - hits) * (_log_term(hits, trials, guess) - tail).exp() / ball(1 - guess)
        step = _middle(excess / slope)
        guess += step
        if abs(step) <= guess * _NEAR * _NEAR:
            break
    return min(max(guess, low), high)


def _middle(value: Ball) -> Fraction:
    """The middle of a ball, as a search wants it."""
    low, high = ends(value)
    return (Fraction(low) + Fraction(high)) / 2


def _log_term(hits: int, trials: int, rate: Fraction) -> Ball:
    """The logarithm of ``P[Bin(trials, rate) = hits]``, for a rate strictly between 0 and 1."""
    chosen = ball(trials + 1).lgamma() - ball(hits + 1).lgamma() - ball(trials - hits + 1).lgamma()
    return chosen + hits * ball(rate).log() + (trials - hits) * ball(-rate).log1p()


def _log_tail(hits: int, trials: int, rate: Fraction) -> Ball:
    """The logarithm of ``P[Bin(trials, rate) <= hits]``, for a rate above ``hits/trials`` and below 1.

    Terms are added from the largest one down, as whole numbers rounded down. Their ratios fall, so that each is off by
    less than its place, and a geometric series bounds what is left out.
    """
    top, bottom = rate.denominator - rate.numerator, rate.numerator
    one = 1 << _SCALE
    term = total = one
    places = 0
    for left in range(hits, 0, -1):
        term = term * (left * top) // ((trials - left + 1) * bottom)
        total += term
        places += 1
        if term < 2:
            break
    left = hits - places
    over, under = (left * top), (trials - left + 1) * bottom  # the next ratio, below 1
    rest = (term + places) * over // (under - over) + 1 if left > 0 else 0
    lost = places * (places + 1) // 2 + rest
    series = ball(Fraction(total, one)).union(ball(Fraction(total + lost, one)))
    return _log_term(hits, trials, rate) + series.log()

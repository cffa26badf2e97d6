"""What was true, from what was released: unbiased estimates and exact confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.mechanisms import ApproxDP, Mechanism, PureDP, RandomizedResponse
from optcomp.noise.radius import noise_radius
from optcomp.noise.staircase import GridStaircase
from optcomp.numerics.balls import Ball, ball, enclose, refine
from optcomp.quantities import Enclosure, Number, count, rational
from optcomp.tradeoff.attacks import rate_upper_bound

__all__ = ["Estimate", "estimate_count", "estimate_prevalence", "estimate_shares"]

_DEFAULT_CONFIDENCE = "0.95"
_BITS = 192
_ACCURACY = 110
_FLOOR = 128


@dataclass(frozen=True)
class Estimate:
    """An unbiased estimate with a confidence interval.

    Args:
        value: The estimate. It is exact where the probabilities are rational, and may lie outside of the possible
            range: cutting it off would bias it.
        interval: The confidence interval, cut to the possible range.
        confidence: With at least which probability the interval contains the truth.
    """

    value: Enclosure
    interval: Enclosure
    confidence: Fraction


def estimate_count(
    mechanism: Mechanism | GridStaircase, observed: int, *, confidence: Number = _DEFAULT_CONFIDENCE
) -> Estimate:
    """The exact answer, from the answer with noise.

    Args:
        mechanism: The noise that was added, as for `optcomp.noise.draw`.
        observed: The whole number that was released; for a `GridStaircase` in grid steps.
        confidence: Above 0 and below 1.

    Returns:
        What was observed, which is unbiased as the noise is symmetric, and an interval of the same size on both sides.

    **Guarantee**: whatever the exact answer is, the interval contains it with probability at least ``confidence``,
    over the noise. Its radius is the least whole number with that property, except for discrete Gaussian noise of a
    variance above 10^6, where it may be 1 larger, and where two numbers could not be told apart.

    Raises:
        InvalidParameterError: When the confidence is not strictly between 0 and 1, or ``observed`` is no whole number.
        UnsupportedError: For noise that cannot be drawn here.
    """
    level = 1 - _confidence(confidence)
    answer = _integer(observed)
    radius = noise_radius(mechanism, level)
    interval = Enclosure(Fraction(answer - radius), Fraction(answer + radius))
    return Estimate(Enclosure.exactly(answer), interval, 1 - level)


def estimate_shares(
    mechanism: Mechanism,
    counts: Sequence[int],
    *,
    confidence: Number = _DEFAULT_CONFIDENCE,
    simultaneous: bool = False,
) -> tuple[Estimate, ...]:
    """The share of each category, from how often each was reported.

    With q the probability that a category is reported by somebody of another one, and p by somebody of its own, a
    category with share s is reported at the rate ``q + (p - q) s``.

    Args:
        mechanism: The `RandomizedResponse` or `PureDP` that made the reports; an `ApproxDP` for the four-outcome
            response of bits, where the result is for the bits 0 and 1.
        counts: How often each category was reported; for an `ApproxDP` how often each of the four outcomes.
        confidence: Above 0 and below 1.
        simultaneous: Whether all intervals hold together with that confidence; otherwise each does by itself.

    Returns:
        One estimate for each category. The unbiased values sum to 1.

    **Guarantee**: when the people were drawn independently from a population in which the category has the share s, the
    interval contains s with probability at least ``confidence``, over who was drawn and over the responses. It is the
    two-sided interval of Clopper and Pearson for the rate of reports, each side with half of the risk, mapped to the
    share. The estimate's expectation is s, also for people who were not drawn at random, where s is their own share.

    Raises:
        InvalidParameterError: When counts are negative, all 0, or not as many as categories; when the confidence is not
            strictly between 0 and 1; when reports do not depend on the truth.
        UnsupportedError: When the mechanism is no response.

    Source: Warner 1965, "Randomized response"; Clopper, Pearson 1934.
    """
    reported = tuple(count(each, field="counts") for each in counts)
    known, odds = _odds(mechanism, len(reported))
    if isinstance(mechanism, ApproxDP):
        reported = (reported[0] + reported[1], reported[2] + reported[3])
    total = sum(reported)
    if total == 0:
        raise InvalidParameterError(
            field="counts", value=counts, condition="must not all be 0", remedy="Give the counts of at least 1 report."
        )
    level = 1 - _confidence(confidence)
    each_level = level / known if simultaneous and known > 2 else level  # the intervals of 2 shares mirror each other
    return tuple(_share(hits, total, odds, level=each_level, confidence=1 - level) for hits in reported)


def estimate_prevalence(
    mechanism: Mechanism, positives: int, reports: int, *, confidence: Number = _DEFAULT_CONFIDENCE
) -> Estimate:
    """The share of people with the bit 1, from how many reported 1.

    Args:
        mechanism: A `RandomizedResponse` with 2 categories, or a `PureDP`.
        positives: How many reported 1.
        reports: How many reported at all, at least 1.
        confidence: Above 0 and below 1.

    **Guarantee**: as for `estimate_shares`.
    """
    found, all_ = count(positives, field="positives"), count(reports, field="reports", least=1)
    if found > all_:
        raise InvalidParameterError(
            field="positives",
            value=positives,
            condition=f"must be at most reports, which is {all_}",
            remedy="Count again.",
        )
    if isinstance(mechanism, ApproxDP):
        raise UnsupportedError(
            field="mechanism",
            value=mechanism,
            condition="must have two answers",
            remedy="Give the counts of all four outcomes to estimate_shares.",
        )
    return estimate_shares(mechanism, (all_ - found, found), confidence=confidence)[1]


_Chance: TypeAlias = Fraction | Callable[[], Ball]
_Odds: TypeAlias = tuple[_Chance, _Chance]


def _odds(mechanism: Mechanism, answers: int) -> tuple[int, _Odds]:
    """The number of categories, and the probabilities p and q."""
    if isinstance(mechanism, RandomizedResponse):
        _check_length(answers, mechanism.categories)
        own = mechanism.probability
        other = (1 - own) / (mechanism.categories - 1)
        if own == other:
            raise _silent(mechanism)
        return mechanism.categories, (own, other)
    if isinstance(mechanism, PureDP | ApproxDP):
        lost = mechanism.delta if isinstance(mechanism, ApproxDP) else Fraction(0)
        known = answers if isinstance(mechanism, PureDP) else 2
        if isinstance(mechanism, ApproxDP):
            _check_length(answers, 4)
        elif known < 2:
            _check_length(known, 2)
        if mechanism.epsilon == 0 and lost == 0:
            raise _silent(mechanism)

        def small() -> Ball:
            decay = (-ball(mechanism.epsilon)).exp()
            return (1 - ball(lost)) * decay / (1 + (known - 1) * decay)

        return known, (lambda: 1 - (known - 1) * small(), small)
    raise UnsupportedError(
        field="mechanism",
        value=mechanism,
        condition="must be a response",
        remedy="Give a RandomizedResponse, a PureDP or an ApproxDP; for noise use estimate_count.",
    )


def _share(hits: int, total: int, odds: _Odds, *, level: Fraction, confidence: Fraction) -> Estimate:
    high = rate_upper_bound(hits, total, level=level / 2)
    low = 1 - rate_upper_bound(total - hits, total, level=level / 2)
    ends = [_mapped(rate, odds) for rate in (low, high)]
    lower, upper = min(end.lower for end in ends), max(end.upper for end in ends)
    zero, one = Fraction(0), Fraction(1)
    interval = Enclosure(min(max(lower, zero), one), max(min(upper, one), zero))
    return Estimate(_mapped(Fraction(hits, total), odds), interval, confidence)


def _mapped(rate: Fraction, odds: _Odds) -> Enclosure:
    """The share that belongs to a rate of reports."""
    own, other = odds
    if isinstance(own, Fraction) and isinstance(other, Fraction):
        return Enclosure.exactly((rate - other) / (own - other))

    def share() -> Ball:
        low = _ball(other)
        return (ball(rate) - low) / (_ball(own) - low)

    return enclose(refine(share, start=_BITS, accuracy=_ACCURACY, floor=_FLOOR, what="share"))


def _ball(chance: _Chance) -> Ball:
    return ball(chance) if isinstance(chance, Fraction) else chance()


def _check_length(answers: int, known: int) -> None:
    if answers != known:
        raise InvalidParameterError(
            field="counts",
            value=answers,
            condition=f"must be {known} numbers",
            remedy="Give 0 for what nobody reported.",
        )


def _silent(mechanism: Mechanism) -> InvalidParameterError:
    return InvalidParameterError(
        field="mechanism",
        value=mechanism,
        condition="must report the truth more or less often than the rest: these reports say nothing",
        remedy="No estimate is possible.",
    )


def _confidence(confidence: Number) -> Fraction:
    value = rational(confidence, field="confidence")
    if not 0 < value < 1:
        raise InvalidParameterError(
            field="confidence", value=confidence, condition="must lie strictly between 0 and 1", remedy="Give 0.95."
        )
    return value


def _integer(observed: object) -> int:
    if isinstance(observed, int) and not isinstance(observed, bool):
        return observed
    number = getattr(observed, "__index__", None)
    if number is None or isinstance(observed, bool):
        raise InvalidParameterError(
            field="observed", value=observed, condition="must be a whole number", remedy="Give what was released."
        )
    return int(number())

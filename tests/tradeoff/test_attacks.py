"""What attacks prove: the exact binomial bound, its coverage, and the epsilon that follows."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.mechanisms import ApproxDP, PureDP
from optcomp.quantities import Enclosure, probability
from optcomp.tradeoff.attacks import AttackCounts, contradicts, epsilon_lower_bound, rate_upper_bound
from optcomp.tradeoff.tests import OptimalTest

LEVELS = ["0.025", "1/2", "1e-3", "1e-9", "0.4999"]


def tail(hits: int, trials: int, rate: Fraction) -> Fraction:
    return sum((term(place, trials, rate) for place in range(hits + 1)), start=Fraction(0))


def term(hits: int, trials: int, rate: Fraction) -> Fraction:
    return math.comb(trials, hits) * rate**hits * (1 - rate) ** (trials - hits)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trials", [1, 2, 7, 40])
def test_the_bound_holds_and_is_tight_in_exact_rationals(trials: int, level: str) -> None:
    for hits in range(trials):
        bound = rate_upper_bound(hits, trials, level=level)
        assert tail(hits, trials, bound) <= Fraction(level)
        assert tail(hits, trials, bound - Fraction(1, 10**11)) > Fraction(level)
    assert rate_upper_bound(trials, trials, level=level) == 1


@settings(max_examples=80)
@given(trials=st.integers(1, 10**6), share=st.floats(0, 1), level=st.sampled_from(LEVELS))
def test_it_agrees_with_scipy(trials: int, share: float, level: str) -> None:
    hits = min(trials - 1, int(share * trials))
    bound = rate_upper_bound(hits, trials, level=level)
    expected = beta.isf(float(Fraction(level)), hits + 1, trials - hits)
    assert float(bound) == pytest.approx(expected, abs=1e-9, rel=1e-8)


@pytest.mark.parametrize(("hits", "trials"), [(0, 10**7), (3, 10**7), (40, 1000), (999, 1000)])
@pytest.mark.parametrize("level", ["0.025", "1e-30", "1e-300"])
def test_it_agrees_with_mpmath_at_any_level(hits: int, trials: int, level: str) -> None:
    bound = rate_upper_bound(hits, trials, level=level)
    if bound == 1:  # nothing below 1 within 1e-11 will do
        assert hits > trials / 2
        bound = 1 - Fraction(1, 10**11)
        least, most = Fraction(1), Fraction(2**4096)
    else:
        least, most = Fraction(999, 1000), Fraction(1)
    with mpmath.workdps(400):
        rate = mpmath.mpf(bound.numerator) / bound.denominator
        found = mpmath.fsum(
            mpmath.binomial(trials, place) * rate**place * (1 - rate) ** (trials - place) for place in range(hits + 1)
        )
        ratio = found / mpmath.mpf(level)
        assert least.numerator <= ratio * least.denominator
        assert ratio <= most.numerator


@pytest.mark.parametrize("hits", [0, 1, 10**3, 5 * 10**6, 9_999_000, 9_999_999, 10**7])
def test_ten_million_trials_take_less_than_a_second(hits: int) -> None:
    before = time.perf_counter()
    bound = rate_upper_bound(hits, 10**7, level="0.025")
    assert time.perf_counter() - before < 1
    assert bound == 1 if hits == 10**7 else hits / 10**7 < bound < hits / 10**7 + 1e-3


@pytest.mark.parametrize("level", ["0.05", "0.3"])
@pytest.mark.parametrize("trials", [1, 5, 12])
def test_the_bound_falls_below_the_truth_no_more_often_than_allowed(trials: int, level: str) -> None:
    bounds = [rate_upper_bound(hits, trials, level=level) for hits in range(trials + 1)]
    for rate in [Fraction(place, 97) for place in range(98)] + [bound + Fraction(1, 10**12) for bound in bounds[:-1]]:
        failing = sum(
            (term(hits, trials, rate) for hits in range(trials + 1) if bounds[hits] < rate), start=Fraction(0)
        )
        assert failing <= Fraction(level)


@pytest.mark.parametrize("delta", ["0", "0.1"])
@pytest.mark.parametrize("alarm", ["1/20", "1/3", "2/3"])
def test_epsilon_exceeds_the_truth_no_more_often_than_allowed(alarm: str, delta: str) -> None:
    trials, confidence = 9, Fraction(4, 5)
    test = OptimalTest.of(ApproxDP(epsilon="ln(3)", delta=delta), false_alarm=alarm)  # the strongest attack there is
    rates = Fraction(test.false_alarm.upper), 1 - Fraction(test.missed_detection.upper)
    wrong = Fraction(0)
    for false in range(trials + 1):
        for true in range(trials + 1):
            counts = AttackCounts(false, trials, true, trials)
            found = epsilon_lower_bound(counts, delta=delta, confidence=confidence)
            if found.epsilon.lower > Fraction(math.log(3)):
                wrong += term(false, trials, rates[0]) * term(true, trials, rates[1])
    assert 0 <= wrong <= 1 - confidence


@pytest.mark.parametrize(
    ("counts", "delta", "is_zero"),
    [
        (AttackCounts(0, 100, 100, 100), "1e-5", False),
        (AttackCounts(0, 100, 100, 100), 1, True),
        (AttackCounts(0, 100, 100, 100), "0.97", True),
        (AttackCounts(100, 100, 100, 100), 0, True),
        (AttackCounts(0, 100, 0, 100), 0, True),
        (AttackCounts(100, 100, 0, 100), 0, True),
        (AttackCounts(50, 100, 50, 100), 0, True),
        (AttackCounts(0, 1, 1, 1), 0, True),
        (AttackCounts(500, 1000, 1000, 1000), 0, False),  # the second inequality
        (AttackCounts(0, 1000, 500, 1000), 0, False),  # and the first
    ],
)
def test_extreme_counts(counts: AttackCounts, delta: str, is_zero: bool) -> None:
    found = epsilon_lower_bound(counts, delta=delta)
    assert (found.epsilon == Enclosure(Fraction(0), Fraction(0), "lower")) is is_zero
    rates = (
        (1 - found.delta - found.false_positive_rate.upper) / found.false_negative_rate.upper,
        (1 - found.delta - found.false_negative_rate.upper) / found.false_positive_rate.upper,
    )
    assert float(found.epsilon) == pytest.approx(math.log(max(1, *rates)), abs=1e-12)
    assert float(found.epsilon) <= found.epsilon.lower  # one float is the safe side


def test_both_orders_are_treated_alike() -> None:
    first = epsilon_lower_bound(AttackCounts(3, 1000, 40, 500), delta="1e-5")
    mirrored = epsilon_lower_bound(AttackCounts(460, 500, 997, 1000), delta="1e-5")
    assert first.epsilon == mirrored.epsilon


def test_more_confidence_proves_less() -> None:
    found = [
        epsilon_lower_bound(AttackCounts(3, 1000, 400, 1000), delta=0, confidence=each).epsilon.lower
        for each in ("0.5", "0.9", "0.999", "0.999999999")
    ]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("counts", "field"),
    [
        ((-1, 10, 1, 10), "false_positives"),
        ((11, 10, 1, 10), "false_positives"),
        ((1, 0, 1, 10), "nonmembers"),
        ((1, 10, 11, 10), "true_positives"),
        ((1, 10, 1, 0), "members"),
        ((True, 10, 1, 10), "false_positives"),
        ((1, 10.0, 1, 10), "nonmembers"),
        ((1, 10, "1", 10), "true_positives"),
    ],
)
def test_wrong_counts_are_refused(counts: tuple[Any, Any, Any, Any], field: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        AttackCounts(*counts)
    assert caught.value.field == field


@pytest.mark.parametrize("confidence", [0, 1, "1.5", "-0.1", "nan"])
def test_a_confidence_lies_strictly_between_0_and_1(confidence: str) -> None:
    counts = AttackCounts(1, 2, 1, 2)
    for ask in (
        lambda: epsilon_lower_bound(counts, delta=0, confidence=confidence),
        lambda: contradicts(counts, Line(Fraction(0)), confidence=confidence),
    ):
        with pytest.raises(InvalidParameterError) as caught:
            ask()
        assert caught.value.field == "confidence"


@pytest.mark.parametrize(
    ("hits", "trials", "level", "field"),
    [(1, 0, "0.1", "trials"), (3, 2, "0.1", "hits"), (1, 2, "0", "level"), (1, 2, "1", "level")],
)
def test_wrong_rates_are_refused(hits: int, trials: int, level: str, field: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        rate_upper_bound(hits, trials, level=level)
    assert caught.value.field == field


def test_too_many_trials_are_refused() -> None:
    with pytest.raises(UnsupportedError):
        rate_upper_bound(1, 10**11, level="0.1")


@dataclass(frozen=True)
class Line:
    """Perfect privacy up to a delta, with some uncertainty."""

    delta: Fraction
    width: Fraction = Fraction(0)

    def missed_detection(self, false_alarm: object, /) -> Enclosure:
        value = max(Fraction(0), 1 - self.delta - probability(false_alarm, field="false_alarm"))  # type: ignore[arg-type]
        return Enclosure(max(Fraction(0), value - self.width), value)


def test_a_point_certainly_below_the_curve_refutes_it() -> None:
    strong, weak = AttackCounts(3, 1000, 400, 1000), AttackCounts(300, 1000, 320, 1000)
    assert contradicts(strong, Line(Fraction(1, 10)))
    assert not contradicts(strong, Line(Fraction(1, 10), Fraction(1, 2)))
    assert not contradicts(strong, Line(Fraction(1, 2)))
    assert not contradicts(weak, Line(Fraction(0)))
    assert not contradicts(strong, Line(Fraction(1, 10)), confidence=1 - Fraction(1, 10**200))


@dataclass(frozen=True)
class Optimal:
    """The optimal tests of a mechanism."""

    mechanism: PureDP

    def missed_detection(self, false_alarm: object, /) -> Enclosure:
        return OptimalTest.of(self.mechanism, false_alarm=false_alarm).missed_detection  # type: ignore[arg-type]


def test_the_best_attack_on_randomized_response_meets_the_bound_from_below() -> None:
    generator, trials, epsilon = np.random.default_rng(7), 10**6, 1.0
    rate = 1 / (1 + math.exp(epsilon))
    false, missed = (int(generator.binomial(trials, rate)) for _ in range(2))
    counts = AttackCounts(false, trials, trials - missed, trials)
    found = epsilon_lower_bound(counts, delta=0, confidence="0.999999")
    assert 0.98 < found.epsilon.lower <= 1
    assert not contradicts(counts, Optimal(PureDP(epsilon=1)), confidence="0.999999")
    assert contradicts(counts, Optimal(PureDP(epsilon="0.98")), confidence="0.999999")

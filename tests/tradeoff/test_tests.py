"""Optimal tests: against all deterministic tests, against the theorem's corners, and against drawn transcripts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import optcomp as oc
from optcomp.errors import InvalidParameterError, UndecidedError, UnsupportedError
from optcomp.mechanisms import ApproxDP, Laplace, Mechanism, PureDP, RandomizedResponse, Repeated
from optcomp.mechanisms import Sequence as Parts
from optcomp.quantities import Enclosure, Logarithm
from optcomp.theorems.kov15 import optimal_corners
from optcomp.tradeoff.attacks import rate_upper_bound
from optcomp.tradeoff.evidence import EvidenceLaw, Units, ways
from optcomp.tradeoff.tests import OptimalTest

Law = dict[tuple[int, ...], tuple[Fraction, Fraction]]
RATES = [Fraction(each, 12) for each in range(13)] + [Fraction(1, 100), Fraction(7, 50), Fraction(99, 100)]


def one(growth: Fraction, delta: Fraction) -> list[tuple[Fraction, Fraction]]:
    """P and Q of the four outcomes, from the theory."""
    high, low = (1 - delta) * growth / (1 + growth), (1 - delta) / (1 + growth)
    return [(delta, Fraction(0)), (high, low), (low, high), (Fraction(0), delta)]


def whole(parts: Sequence[tuple[Fraction, Fraction]]) -> Law:
    laws = [one(*part) for part in parts]
    found: Law = {}
    for transcript in itertools.product(range(4), repeat=len(parts)):
        p = math.prod((laws[place][outcome][0] for place, outcome in enumerate(transcript)), start=Fraction(1))
        q = math.prod((laws[place][outcome][1] for place, outcome in enumerate(transcript)), start=Fraction(1))
        if p or q:
            found[transcript] = (p, q)
    return found


def best_missed(law: Law, alarm: Fraction) -> Fraction:
    """The least missed detection at a false alarm, by the greedy filling of the fractional knapsack."""
    left, caught = alarm, Fraction(0)
    for p, q in sorted(law.values(), key=lambda pair: pair[1] / pair[0] if pair[0] else math.inf, reverse=True):
        share = Fraction(1) if p <= left else left / p
        left, caught = left - share * p, caught + share * q
    return 1 - caught


def as_mechanism(growth: Fraction, delta: Fraction) -> ApproxDP:
    return ApproxDP(epsilon=Logarithm.of(growth), delta=delta)


SMALL = [
    [],
    [(Fraction(3), Fraction(0))],
    [(Fraction(3), Fraction(1, 7))] * 2,
    [(Fraction(2), Fraction(0)), (Fraction(3), Fraction(0)), (Fraction(6), Fraction(0))],
    [(Fraction(3, 2), Fraction(1, 10)), (Fraction(9, 4), Fraction(0)), (Fraction(5, 2), Fraction(1, 3))],
    [(Fraction(1), Fraction(1, 5)), (Fraction(4), Fraction(0)), (Fraction(1), Fraction(0))],
    [(Fraction(1), Fraction(0))] * 2,
    [(Fraction(2), Fraction(1)), (Fraction(2), Fraction(0))],
]


@pytest.mark.parametrize("alarm", RATES, ids=str)
@pytest.mark.parametrize("parts", SMALL, ids=str)
def test_the_test_is_the_optimum_exactly_and_decides_as_it_says(
    parts: list[tuple[Fraction, Fraction]], alarm: Fraction
) -> None:
    law = whole(parts)
    test = OptimalTest.of([as_mechanism(*part) for part in parts], false_alarm=alarm)
    assert test.false_alarm == Enclosure.exactly(alarm)
    assert test.missed_detection == Enclosure.exactly(best_missed(law, alarm))
    chances = {transcript: test.decide(transcript) for transcript in law}
    assert all(chance.is_exact for chance in chances.values())
    assert sum(p * Fraction(chances[transcript].upper) for transcript, (p, _) in law.items()) == alarm
    kept = sum(q * (1 - Fraction(chances[transcript].upper)) for transcript, (_, q) in law.items())
    assert kept == test.missed_detection.upper


PARTS = st.tuples(
    st.sampled_from([Fraction(each) for each in ("1", "2", "3", "4", "6", "12", "3/2", "9/4", "27/8", "5/2")]),
    st.sampled_from([Fraction(each) for each in ("0", "1/10", "1/3", "1")]),
)


@settings(max_examples=40)
@given(parts=st.lists(PARTS, max_size=4), alarm=st.fractions(0, 1, max_denominator=60))
def test_the_optimum_of_any_mixture_is_that_of_all_transcripts(
    parts: list[tuple[Fraction, Fraction]], alarm: Fraction
) -> None:
    test = OptimalTest.of([as_mechanism(*part) for part in parts], false_alarm=alarm)
    assert test.missed_detection == Enclosure.exactly(best_missed(whole(parts), alarm))


@pytest.mark.parametrize("parts", [each for each in SMALL if 0 < len(whole(each)) <= 12], ids=str)
def test_no_deterministic_test_beats_it(parts: list[tuple[Fraction, Fraction]]) -> None:
    pairs = list(whole(parts).values())
    mechanisms = [as_mechanism(*part) for part in parts]
    points: dict[Fraction, Fraction] = {}
    for rejected in itertools.product((False, True), repeat=len(pairs)):
        alarm = sum((p for (p, _), reject in zip(pairs, rejected, strict=True) if reject), start=Fraction(0))
        missed = sum((q for (_, q), reject in zip(pairs, rejected, strict=True) if not reject), start=Fraction(0))
        points[alarm] = min(missed, points.get(alarm, Fraction(1)))
    for alarm, missed in list(points.items())[:60]:
        assert OptimalTest.of(mechanisms, false_alarm=alarm).missed_detection.upper <= missed


@pytest.mark.parametrize(
    ("epsilon", "delta", "count"), [("0.3", "0", 1), ("0.1", "0.01", 10), ("1", "1e-6", 7), ("ln(3)", "0.1", 4)]
)
def test_the_corners_are_those_of_the_theorem(epsilon: str, delta: str, count: int) -> None:
    mechanism = ApproxDP(epsilon=epsilon, delta=delta).repeated(count)
    corners = optimal_corners(epsilon=epsilon, delta=delta, count=count)
    upright = sum(corner.false_alarm.upper == 0 for corner in corners) - 1  # corners above the curve's first point
    for corner in corners[: len(corners) - upright]:
        for alarm in {corner.false_alarm.lower, corner.false_alarm.upper}:
            found = OptimalTest.of(mechanism, false_alarm=Fraction(alarm)).missed_detection
            slack = Fraction(1, 10**24)  # the corner's own width, times a slope of at most e^10
            assert found.lower - slack <= corner.missed_detection.upper
            assert found.upper + slack >= corner.missed_detection.lower


MECHANISMS = st.lists(
    st.one_of(
        st.sampled_from(["0.1", "0.25", "0.5", "ln(2)", "ln(3)", "ln(6)", "ln(3/2)", "1/2*ln(2)", "0"]).map(
            lambda epsilon: PureDP(epsilon=epsilon)
        ),
        st.sampled_from(["1/4", "0.9", "1/2"]).map(lambda share: RandomizedResponse(probability=share)),
        st.just(ApproxDP(epsilon="0.5", delta="0.01")),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60)
@given(
    mechanisms=MECHANISMS, alarm=st.fractions(0, 1, max_denominator=50), x=st.sampled_from(["ln(1/3)", "0", "ln(2)"])
)
def test_the_error_pair_never_crosses_the_profile(mechanisms: list[Mechanism], alarm: Fraction, x: str) -> None:
    missed = OptimalTest.of(mechanisms, false_alarm=alarm).missed_detection
    growth = {"ln(1/3)": Fraction(1, 3), "0": Fraction(1), "ln(2)": Fraction(2)}[x]
    delta = oc.compose(mechanisms).delta(x)
    assert alarm * growth + missed.upper >= 1 - Fraction(delta.upper)
    assert missed.upper <= 1 - alarm + Fraction(1, 10**30)
    assert missed.relative_width < 1e-25


def test_the_error_pair_touches_the_profile_at_its_threshold() -> None:
    mechanisms = [PureDP(epsilon="0.3").repeated(5), ApproxDP(epsilon="0.2", delta="0.01")]
    for alarm in ("0.001", "0.1", "0.5", "0.9"):
        test = OptimalTest.of(mechanisms, false_alarm=alarm)
        assert isinstance(test.threshold, Fraction)
        delta = oc.compose(mechanisms).delta(test.threshold)  # the tangent of the curve has the slope -e^threshold
        assert float(1 - delta.upper) == pytest.approx(
            float(test.missed_detection) + float(alarm) * math.exp(float(test.threshold)), abs=1e-12
        )


@settings(max_examples=40)
@given(mechanisms=MECHANISMS, alarm=st.fractions(0, 1, max_denominator=20), data=st.data())
def test_the_decision_does_not_depend_on_the_order(
    mechanisms: list[Mechanism], alarm: Fraction, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(mechanisms))))
    transcript = [data.draw(st.sampled_from([1, 2])) for _ in mechanisms]
    first = OptimalTest.of(mechanisms, false_alarm=alarm)
    second = OptimalTest.of([mechanisms[place] for place in order], false_alarm=alarm)
    assert first.decide(transcript) == second.decide([transcript[place] for place in order])
    raised = [2 if place == 0 else outcome for place, outcome in enumerate(transcript)]
    assert first.decide(raised).upper >= first.decide(transcript).lower


def draw(mechanisms: list[tuple[float, float]], second: bool, generator: np.random.Generator) -> list[int]:
    found = []
    for epsilon, delta in mechanisms:
        likely = (1 - delta) / (1 + math.exp(-epsilon))
        weights = [delta, likely, 1 - delta - likely, 0.0]
        found.append(int(generator.choice(4, p=weights[::-1] if second else weights)))
    return found


@pytest.mark.parametrize(
    ("parts", "alarm"),
    [
        ([(0.5, 0.0)] * 6, "0.1"),
        ([(0.5, 0.02)] * 4, "0.3"),
        ([(0.25, 0.0), (0.5, 0.1), (1.0, 0.0), (0.0, 0.05)], "0.2"),
        ([(0.3, 0.1), (0.7, 0.1)], "0.95"),
    ],
)
def test_drawn_transcripts_agree_with_the_certified_error_pair(parts: list[tuple[float, float]], alarm: str) -> None:
    mechanisms = [ApproxDP(epsilon=epsilon, delta=delta) for epsilon, delta in parts]
    test, generator, trials = OptimalTest.of(mechanisms, false_alarm=alarm), np.random.default_rng(20240607), 4000
    for second, rate in ((False, test.false_alarm), (True, test.missed_detection)):
        rejections = sum(
            test.decide(draw(parts, second, generator), coin=float(generator.random())) for _ in range(trials)
        )
        hits = trials - rejections if second else rejections
        low = 1 - rate_upper_bound(trials - hits, trials, level="1e-9")
        high = rate_upper_bound(hits, trials, level="1e-9")
        assert low <= rate.upper
        assert rate.lower <= high


@pytest.mark.parametrize(
    ("mechanism", "threshold"),
    [
        (PureDP(epsilon="0.1").repeated(3), Fraction(-1, 10)),
        ([PureDP(epsilon="ln(2)"), PureDP(epsilon="ln(3)")], Logarithm.of(Fraction(2, 3))),
        (PureDP(epsilon=0).repeated(9), Fraction(0)),
        ([], Fraction(0)),
        ([ApproxDP(epsilon="0.1", delta=1)], -math.inf),
    ],
)
def test_the_threshold_is_exact(mechanism: object, threshold: object) -> None:
    assert OptimalTest.of(mechanism, false_alarm="1/2").threshold == threshold  # type: ignore[arg-type]


def test_a_threshold_of_mixed_kinds_is_an_enclosure() -> None:
    test = OptimalTest.of([PureDP(epsilon="0.1"), PureDP(epsilon="ln(2)")], false_alarm="0.5")
    assert isinstance(test.threshold, Enclosure)
    assert float(test.threshold) == pytest.approx(0.1 - math.log(2))
    assert test.decide([2, 1]) == test.at_threshold
    assert test.decide([1, 2]) == Enclosure.exactly(1)


def test_equal_evidences_of_different_logarithms_are_merged() -> None:
    test = OptimalTest.of([PureDP(epsilon=f"ln({each})") for each in (2, 3, 6)], false_alarm="0.1")
    assert test.threshold == Fraction(0)
    assert test.decide([1, 1, 2]) == test.decide([2, 2, 1]) == test.at_threshold
    units, steps = Units.of(PureDP(epsilon=f"ln({each})").epsilon for each in (2, 3, 6))
    assert len(units.values) == 2
    assert sorted(number for _, number in ways(dict.fromkeys(steps.values(), 1))) == [1, 1, 1, 1, 1, 1, 2]


@pytest.mark.parametrize(("epsilon", "balanced"), [("0.01", 0), ("ln(3)", 1)])
def test_ten_thousand_releases(epsilon: str, balanced: int) -> None:
    test = OptimalTest.of(ApproxDP(epsilon=epsilon, delta="1e-6").repeated(10_000), false_alarm="0.05")
    assert test.length == 10_000
    assert test.missed_detection.relative_width < 1e-25
    assert test.decide([1, 2] * 5_000) == Enclosure.exactly(balanced)
    assert test.decide([1] * 10_000) == Enclosure.exactly(0)
    assert test.decide([1] * 9_999 + [3]) == Enclosure.exactly(1)


@pytest.mark.parametrize(
    ("transcript", "value"),
    [
        ([1], 1),
        ([1, 2, 1], 3),
        ([1, 4], 4),
        ([1, -1], -1),
        ([1, True], True),
        ([1, 1.0], 1.0),
        ([1, "2"], "2"),
        ([0, 1], 0),
        ([3, 1], 3),
    ],
)
def test_a_wrong_transcript_is_refused(transcript: list[object], value: object) -> None:
    test = OptimalTest.of([PureDP(epsilon=1), ApproxDP(epsilon=1, delta="0.1")], false_alarm="0.1")
    with pytest.raises(InvalidParameterError) as caught:
        test.decide(transcript)  # type: ignore[arg-type]
    assert (caught.value.field, caught.value.value) == ("transcript", value)


def test_outcomes_that_exclude_each_other_are_refused() -> None:
    test = OptimalTest.of(ApproxDP(epsilon=1, delta="0.1").repeated(2), false_alarm="0.1")
    with pytest.raises(InvalidParameterError, match="no hypothesis gives both"):
        test.decide([0, 3])
    with pytest.raises(InvalidParameterError, match="must be possible"):
        OptimalTest.of(ApproxDP(epsilon=1, delta=1), false_alarm="0.1").decide([1])


@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace(scale=1, sensitivity=1),
        RandomizedResponse(probability="0.5", categories=3),
        [PureDP(epsilon=Fraction(1, 3**each)) for each in range(40)],
        PureDP(epsilon=1).repeated(10**6),
        Repeated(mechanism=Parts(parts=[PureDP(epsilon=1), PureDP(epsilon=2)]), count=10**6),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_is_out_of_reach_is_said_clearly(mechanism: Mechanism | list[Mechanism]) -> None:
    with pytest.raises(UnsupportedError) as caught:
        OptimalTest.of(mechanism, false_alarm="0.1")
    assert caught.value.field == "mechanism"


def test_a_structure_is_read_in_the_order_of_its_runs() -> None:
    nested = Parts(parts=[PureDP(epsilon=1), Parts(parts=[PureDP(epsilon=2), PureDP(epsilon=3)]).repeated(2)])
    test = OptimalTest.of(nested, false_alarm="0.1")
    assert [run.epsilon for run in test.runs] == [1, 2, 3, 2, 3]


def test_very_many_failures_need_no_long_numbers() -> None:
    test = OptimalTest.of(ApproxDP(epsilon=0, delta="1e-9").repeated(10**9), false_alarm="1/4")
    assert float(test.missed_detection) == pytest.approx(math.exp(-1) - 0.25)
    late = OptimalTest.of(ApproxDP(epsilon=0, delta="1e-9").repeated(10**9), false_alarm="1/2")
    assert late.missed_detection == Enclosure.exactly(0)
    assert float(late.at_threshold) == pytest.approx((0.5 - math.exp(-1)) / (1 - math.exp(-1)))


@settings(max_examples=40)
@given(parts=st.lists(PARTS, min_size=1, max_size=6), alarm=st.fractions(0, 1, max_denominator=60))
def test_balls_contain_what_exact_numbers_give(parts: list[tuple[Fraction, Fraction]], alarm: Fraction) -> None:
    known = [Logarithm.of(growth) for growth, _ in parts if growth > 1]
    units, steps = Units.of(known)
    law = EvidenceLaw.of(units, {steps[each]: known.count(each) for each in known})
    failures = {delta: 1 for _, delta in parts if 0 < delta < 1}
    if alarm >= math.prod((1 - delta for delta in failures), start=Fraction(1)):
        return
    place, share, missed = law.split(alarm, failures)
    assert share.is_exact
    assert missed.is_exact
    try:
        found = law._split_in_balls(alarm, failures)
    except UndecidedError:
        assert share.lower == 1  # the rate is used up exactly at an evidence, which balls cannot tell
        return
    assert found[0] == place
    assert share.lower in found[1]
    assert missed.lower in found[2]


def test_a_coin_inside_of_the_enclosure_is_not_judged() -> None:
    test = OptimalTest.of(PureDP(epsilon="0.1").repeated(2), false_alarm="0.5")
    middle = (Fraction(test.at_threshold.lower) + Fraction(test.at_threshold.upper)) / 2
    assert test.decide([2, 2], coin=middle) is True
    with pytest.raises(UndecidedError):
        test.decide([1, 2], coin=middle)
    with pytest.raises(InvalidParameterError):
        test.decide([1, 2], coin=2)


@pytest.mark.parametrize("transcript", [None, 2])
def test_what_is_no_list_is_no_transcript(transcript: object) -> None:
    with pytest.raises(InvalidParameterError, match="must be a list"):
        OptimalTest.of(PureDP(epsilon=1), false_alarm="0.1").decide(transcript)  # type: ignore[call-overload]


def test_a_transcript_may_be_an_array() -> None:
    test = OptimalTest.of(PureDP(epsilon="0.1").repeated(2), false_alarm="0.5")
    assert test.decide(np.array([2, 2])) == Enclosure.exactly(1)  # type: ignore[call-overload]  # it behaves like a sequence

"""Finite pairs against all subsets of outcomes, plain enumeration, and 60 digits."""

from __future__ import annotations

import random
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from math import comb
from typing import Any

import mpmath
import pytest

from optcomp import FinitePair, InvalidParameterError, Logarithm
from tests.theorems.formulas import contains, mpf
from tests.tradeoff.oracles import best_missed, brute_delta, pair, speaks, subset_masses

ODDS = [Fraction(each) for each in ("1/9", "1/2", "99/100", "1", "4/3", "2", "5", "1000")]


def samples(seed: int, count: int, most: int = 6) -> list[FinitePair]:
    source = random.Random(seed)
    return [pair(source, source.randint(1, most)) for _ in range(count)]


def test_profile_against_all_subsets() -> None:
    for found in samples(1, 150):
        for odds in (*ODDS, *(knot.exp_epsilon for knot in found.profile)):
            truth = brute_delta(found, odds)
            assert found.delta_at(odds) == truth
            if odds > 0:
                answer = found.delta(Logarithm.of(odds))
                assert answer.is_exact
                assert answer.lower == truth
        for knot in found.profile:
            assert knot.delta == brute_delta(found, knot.exp_epsilon)
        last = found.profile[-1].exp_epsilon
        assert found.profile[0].exp_epsilon == 0
        assert found.profile[0].delta == 1
        assert brute_delta(found, last + 1) == brute_delta(found, 10 * last + 100) == found.failure
        assert found.total_variation == brute_delta(found, Fraction(1))


def test_profile_is_linear_between_its_knots() -> None:
    for found in samples(2, 150):
        knots = found.profile
        for one, other in pairwise(knots):
            assert one.exp_epsilon < other.exp_epsilon
            for share in (Fraction(1, 3), Fraction(6, 7)):
                odds = one.exp_epsilon + share * (other.exp_epsilon - one.exp_epsilon)
                assert found.delta_at(odds) == one.delta + share * (other.delta - one.delta)


def test_tradeoff_against_all_tests() -> None:
    for found in samples(3, 120, most=5):
        tests = [(p, 1 - q) for p, q in subset_masses(found)]
        corners = [(point.false_alarm, point.missed_detection) for point in found.tradeoff]
        assert corners[0] == (Fraction(0), Fraction(1))
        assert corners[-1] == (Fraction(1), Fraction(0))
        for place in range(13):
            alarm = Fraction(place, 12)
            assert best_missed(corners, alarm) == best_missed(tests, alarm)
        for alarm, missed in corners[1:-1]:
            assert (alarm, missed) in tests


def test_irrational_epsilons_against_60_digits() -> None:
    with mpmath.workdps(60):
        for found in samples(4, 150):
            for epsilon in ("-3.7", "-0.01", "0.3", "1", "2.25", "700"):
                exact = mpf(epsilon)
                truth = sum(
                    max(mpf(p) - mpmath.exp(exact) * mpf(q), mpmath.mpf(0))
                    for p, q in zip(found.first, found.second, strict=True)
                )
                answer = found.delta(epsilon)
                assert contains(answer, truth)
                assert answer.width <= Fraction(1, 10**38)


def test_negative_epsilons_by_the_identity() -> None:
    for found in samples(5, 300):
        for odds in ODDS:
            assert found.delta_at(1 / odds) == 1 - 1 / odds + found.swapped.delta_at(odds) / odds


def enumerated(pairs: list[FinitePair]) -> dict[Fraction | None, Fraction]:
    """P mass by the ratio P/Q over the plain product of all outcomes; None stands for infinity."""
    masses: dict[Fraction | None, Fraction] = defaultdict(Fraction)
    for chosen in product(*(list(zip(each.first, each.second, strict=True)) for each in pairs)):
        p, q = Fraction(1), Fraction(1)
        for one, other in chosen:
            p, q = p * one, q * other
        if p or q:
            masses[p / q if q else None] += p
    return masses


def test_products_against_plain_enumeration() -> None:
    source = random.Random(6)
    for _ in range(60):
        one, other = (pair(source, source.randint(1, 4)) for _ in range(2))
        both = one.product(other)
        for odds in ODDS:
            truth = sum(
                (
                    max(p * r - odds * q * s, Fraction(0))
                    for p, q in zip(one.first, one.second, strict=True)
                    for r, s in zip(other.first, other.second, strict=True)
                ),
                start=Fraction(0),
            )
            assert both.delta_at(odds) == truth
    for _ in range(40):
        base, times = pair(source, source.randint(1, 3)), source.randint(0, 5)
        power = base.repeated(times)
        found = {(p / q if q else None): p for p, q in zip(power.first, power.second, strict=True)}
        assert found == enumerated([base] * times)
        assert power.size == len(found)


def test_merging_keeps_profile_and_tradeoff() -> None:
    for found in samples(7, 200, most=7):
        small = found.reduced
        assert small.profile == found.profile
        assert small.tradeoff == found.tradeoff
        ratios = [p / (p + q) for p, q in zip(small.first, small.second, strict=True)]
        assert ratios == sorted(set(ratios), reverse=True)


@pytest.mark.parametrize(("odds", "delta"), [("3", "0"), ("3/2", "1/10"), ("1", "1/4"), ("7", "1"), ("1", "0")])
def test_randomized_response_has_its_own_region(odds: str, delta: str) -> None:
    t, failing = Fraction(odds), Fraction(delta)
    found = FinitePair.randomized_response(epsilon=f"ln({odds})" if t > 1 else 0, delta=delta)
    assert found.delta_at(t) == found.swapped.delta_at(t) == failing
    for point in found.tradeoff:
        a, b = point.false_alarm, point.missed_detection
        assert b == max(0, 1 - failing - t * a, (1 - failing - a) / t) or a == 0
    for times in (0, 1, 5):
        power = found.repeated(times)
        alive = (1 - failing) ** times
        assert power.failure == 1 - alive
        truth = alive * sum(
            (comb(times, j) * max(t**j - t ** (times - j), Fraction(0)) / (1 + t) ** times for j in range(times + 1)),
            start=Fraction(0),
        )
        assert power.total_variation == 1 - alive + truth


def test_numbers_of_any_exact_kind() -> None:
    found = FinitePair(first=[Fraction(1, 4), "0.75"], second=(Decimal("0.5"), 0.5))
    assert found.first == (Fraction(1, 4), Fraction(3, 4))
    assert found.swapped.swapped == found
    assert hash(found) == hash(FinitePair(first=["0.25", "3/4"], second=["1/2", "1/2"]))


@pytest.mark.parametrize(
    ("first", "second", "field"),
    [
        (["1/2", "1/3"], ["1/2", "1/2"], "first"),
        (["1/2", "1/2"], ["1/2", "1/3"], "second"),
        (["1/2", "1/2"], ["1"], "second"),
        ([], [], "first"),
        (["3/2", "-1/2"], ["1/2", "1/2"], "first"),
        (["1/2", "1/2"], ["-1/2", "3/2"], "second"),
        ([True, False], ["1/2", "1/2"], "first"),
        ([float("nan"), 1], ["1/2", "1/2"], "first"),
        ([float("inf"), 1], ["1/2", "1/2"], "first"),
        (["half", "1/2"], ["1/2", "1/2"], "first"),
        ([None, 1], ["1/2", "1/2"], "first"),
        ([0.1, 0.8], ["1/2", "1/2"], "first"),
        (["0.333", "0.667"], ["0.333", "0.666"], "second"),
    ],
)
def test_refusals(first: Any, second: Any, field: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        FinitePair(first=first, second=second)
    assert caught.value.field == field
    assert speaks(caught.value)


@pytest.mark.parametrize("epsilon", ["1", "0.5", "-0.5", "ln(1/2)", True, float("nan"), float("inf"), "x", None])
def test_randomized_response_needs_rational_odds(epsilon: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        FinitePair.randomized_response(epsilon=epsilon)
    assert caught.value.field == "epsilon"
    assert speaks(caught.value)


@pytest.mark.parametrize("delta", ["-0.1", "1.1", True, float("nan"), None])
def test_randomized_response_needs_a_probability(delta: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        FinitePair.randomized_response(epsilon="ln(2)", delta=delta)
    assert caught.value.field == "delta"
    assert speaks(caught.value)


@pytest.mark.parametrize("times", [-1, True, 1.5, "2", None])
def test_repeated_needs_a_count(times: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        FinitePair(first=[1], second=[1]).repeated(times)
    assert caught.value.field == "times"
    assert speaks(caught.value)


@pytest.mark.parametrize("epsilon", [True, float("nan"), float("inf"), "x", None])
def test_delta_needs_a_number(epsilon: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        FinitePair(first=[1], second=[1]).delta(epsilon)
    assert caught.value.field == "epsilon"
    assert speaks(caught.value)

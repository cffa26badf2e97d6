"""Every finite mechanism from randomized response, exactly."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from optcomp import FinitePair, InvalidParameterError, Logarithm, simulate, simulate_in_two_stages
from optcomp.quantities import Real
from tests.tradeoff.oracles import Row, brute_delta, carries, pair, speaks

ODDS = [Fraction(each) for each in ("1", "101/100", "3/2", "2", "3", "100")]


def four_outcomes(t: Fraction, delta: Fraction) -> FinitePair:
    """The randomized response of the papers, written out."""
    unit = (1 - delta) / (1 + t)
    first: Row = (delta, unit * t, unit, Fraction(0))
    return FinitePair(first=first, second=first[::-1])


def settings(source: random.Random) -> tuple[FinitePair, Fraction, Fraction]:
    """A mechanism, an ``e^epsilon``, and a delta that is enough: often the least one."""
    found, t = pair(source, source.randint(1, 7)), source.choice(ODDS)
    if source.random() < 0.25:  # one with delta 0 or close
        t = max((p / q for p, q in zip(found.first, found.second, strict=True) if p and q), default=t)
        t = max(t, 1 / t)
    least = max(brute_delta(found, t), brute_delta(found.swapped, t))
    return found, t, source.choice([least, least, least + (1 - least) / 3, Fraction(1)])


def check(found: FinitePair, t: Fraction, delta: Fraction) -> None:
    epsilon: Real = Logarithm.of(t)
    base = four_outcomes(t, delta)
    assert FinitePair.randomized_response(epsilon=epsilon, delta=delta) == base
    assert carries(simulate(found, epsilon=epsilon, delta=delta).rows, base, found)
    stages = simulate_in_two_stages(found, epsilon=epsilon, delta=delta)
    middle = stages.generalised
    assert middle.size == 4
    assert middle.first[3] == middle.second[0] == 0
    assert brute_delta(middle, t) == brute_delta(found, t)
    assert brute_delta(middle.swapped, t) == brute_delta(found.swapped, t)
    assert carries(stages.first.rows, base, middle)
    assert carries(stages.second.rows, middle, found)
    assert carries(stages.combined.rows, base, found)


def test_every_mechanism_is_simulated() -> None:
    source = random.Random(21)
    seen = {"delta 0": 0, "delta 1": 0, "epsilon 0": 0, "uneven": 0}
    for _ in range(500):
        found, t, delta = settings(source)
        check(found, t, delta)
        seen["delta 0"] += delta == 0
        seen["delta 1"] += delta == 1
        seen["epsilon 0"] += t == 1
        seen["uneven"] += brute_delta(found, t) != brute_delta(found.swapped, t)
    assert min(seen.values()) > 20


@pytest.mark.nightly
def test_every_mechanism_is_simulated_for_long() -> None:
    source = random.Random()
    for _ in range(6_000):
        check(*settings(source))


def test_the_example_of_the_theory_sheet() -> None:
    found = FinitePair(first=["1/2", "1/4", "1/4"], second=["1/4", "1/2", "1/4"])
    rows = simulate(found, epsilon="ln(3/2)", delta="1/8").rows
    one, zero = Fraction(1), Fraction(0)
    expected = (
        (one, zero, zero),
        (Fraction(5, 7), zero, Fraction(2, 7)),
        (zero, Fraction(5, 7), Fraction(2, 7)),
        (zero, one, zero),
    )
    assert rows == expected


@pytest.mark.parametrize("simulator", [simulate, simulate_in_two_stages])
def test_a_delta_that_is_too_small_is_refused(simulator: Any) -> None:
    source, refused = random.Random(22), 0
    for _ in range(60):
        found, t, _ = settings(source)
        least = max(brute_delta(found, t), brute_delta(found.swapped, t))
        for delta in (least - Fraction(1, 10**30), least / 2, Fraction(0)):
            if not 0 <= delta < least:
                continue
            with pytest.raises(InvalidParameterError) as caught:
                simulator(found, epsilon=Logarithm.of(t), delta=delta)
            assert caught.value.field == "delta"
            assert speaks(caught.value)
            refused += 1
    assert refused > 50


@pytest.mark.parametrize("simulator", [simulate, simulate_in_two_stages])
@pytest.mark.parametrize("epsilon", ["1", "0.1", "-1", "ln(1/2)", True, float("nan"), float("inf"), None, "e"])
def test_odds_that_are_not_rational_are_refused(simulator: Any, epsilon: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        simulator(FinitePair(first=[1], second=[1]), epsilon=epsilon, delta="0.5")
    assert caught.value.field == "epsilon"
    assert speaks(caught.value)


@pytest.mark.parametrize("simulator", [simulate, simulate_in_two_stages])
@pytest.mark.parametrize("delta", ["-0.1", "1.5", True, float("nan"), None])
def test_deltas_that_are_no_probabilities_are_refused(simulator: Any, delta: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        simulator(FinitePair(first=[1], second=[1]), epsilon="ln(2)", delta=delta)
    assert caught.value.field == "delta"
    assert speaks(caught.value)

"""What an attacker achieves, against all attacks on finite mechanisms."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import pytest

from optcomp import (
    AttackRisk,
    Enclosure,
    FinitePair,
    Gaussian,
    InvalidParameterError,
    Laplace,
    PoissonSampled,
    PureDP,
    TradeoffCurve,
)
from tests.theorems.formulas import contains, mpf
from tests.tradeoff.oracles import best_missed, brute_delta, pair, speaks, subset_masses

PRIORS = [Fraction(each) for each in ("1/1000", "1/10", "1/3", "1/2", "2/3", "99/100")]


def least_error(found: FinitePair, used: Fraction) -> Fraction:
    """Guess after each outcome, in every way; the second data set is the one with the person's data."""
    return min(
        sum(
            (
                (1 - used) * p if guess else used * q
                for guess, p, q in zip(guesses, found.first, found.second, strict=True)
            ),
            start=Fraction(0),
        )
        for guesses in product((False, True), repeat=found.size)
    )


def test_every_attack_on_finite_mechanisms() -> None:
    source = random.Random(91)
    for _ in range(120):
        found = pair(source, source.randint(1, 6))
        risk = AttackRisk(TradeoffCurve.of(found))
        variation = brute_delta(found, Fraction(1))
        assert (risk.advantage.lower, risk.advantage.upper) == (variation, variation)
        for used in PRIORS:
            error = risk.bayes_error(used)
            truth = least_error(found, used)
            assert (error.lower, error.upper, error.safe_side) == (truth, truth, "lower")
        tests = [(p, 1 - q) for p, q in subset_masses(found)]
        for rate in (Fraction(0), Fraction(1, 20), Fraction(1, 2), Fraction(1)):
            success = 1 - best_missed(tests, rate)
            answer = risk.true_positive_rate(rate)
            assert (answer.lower, answer.upper) == (success, success)


def test_certain_priors_leave_no_error() -> None:
    for curve in (TradeoffCurve.of(PureDP(epsilon=1)), TradeoffCurve.of(Laplace(scale=1))):
        for prior in (0, 1):
            assert AttackRisk(curve).bayes_error(prior) == Enclosure(Fraction(0), Fraction(0), "lower")


def test_normal_noise() -> None:
    risk = AttackRisk(TradeoffCurve.of(Gaussian(mu="1.5")))
    with mpmath.workdps(60):
        mu = mpf("1.5")
        assert contains(risk.advantage, 2 * mpmath.ncdf(mu / 2) - 1)
        for prior in ("0.001", "0.3", "0.5", "0.9"):
            used = mpf(prior)
            threshold = mu / 2 + mpmath.log((1 - used) / used) / mu
            truth = (1 - used) * mpmath.ncdf(-threshold) + used * mpmath.ncdf(threshold - mu)
            answer = risk.bayes_error(prior)
            assert answer.lower <= Fraction(str(truth)) + Fraction(1, 10**38)
            assert answer.upper >= Fraction(str(truth)) - Fraction(1, 10**38)
            assert answer.width <= Fraction(1, 10**25)


def test_laplace_noise_has_the_advantage_of_its_variation() -> None:
    risk = AttackRisk(TradeoffCurve.of(Laplace(scale=1)))
    with mpmath.workdps(60):
        assert contains(risk.advantage, 1 - mpmath.exp(mpf("-1/2")))
        assert contains(risk.bayes_error("1/2"), mpmath.exp(mpf("-1/2")) / 2)


@pytest.mark.parametrize(
    ("rate", "people", "accused", "found"),
    [("0.05", 100, 5, 15), ("0.001", 1000, 1, 3), ("0", 100, 0, 0), ("1", 100, 100, 100)],
)
def test_words(rate: str, people: int, accused: int, found: int) -> None:
    words = AttackRisk(TradeoffCurve.of(PureDP(epsilon="ln(3)"))).in_words(false_positive_rate=rate)
    assert words == (
        f"Of {people} people whose data were not used, the attack may accuse {accused}. "
        f"Then of {people} people whose data were used, it finds at most {found}."
    )


def test_words_round_to_the_safe_side() -> None:
    for epsilon in ("0.1", "1", "2.5"):
        risk = AttackRisk(TradeoffCurve.of(PureDP(epsilon=epsilon)))
        for rate in ("0.01", "0.07", "1/3", "0.0007", "1e-9"):
            words = risk.in_words(false_positive_rate=rate)
            people, found = int(words.split()[1]), int(words.rstrip(".").split()[-1])
            assert found >= Fraction(risk.true_positive_rate(rate).upper) * people > found - 1
            assert Fraction(rate) * people >= 1


@pytest.mark.parametrize("value", ["-0.1", "1.1", True, float("nan"), None, "x"])
def test_refusals(value: Any) -> None:
    risk = AttackRisk(TradeoffCurve.of(PureDP(epsilon=1)))
    for field, ask in (
        ("false_positive_rate", lambda: risk.true_positive_rate(value)),
        ("prior", lambda: risk.bayes_error(value)),
        ("false_positive_rate", lambda: risk.in_words(false_positive_rate=value)),
    ):
        with pytest.raises(InvalidParameterError) as caught:
            ask()
        assert caught.value.field == field
        assert speaks(caught.value)


def test_adding_a_record_is_no_other_attack_than_removing_it() -> None:
    """Under ``add_one`` the profile speaks of the data set without the record first; the attack does not turn round."""
    sampled = PoissonSampled(mechanism=PureDP(epsilon="ln(3)"), sampling_probability="1/4")
    pair = FinitePair(first=["1/4", "3/4"], second=["3/8", "5/8"])  # without and with the record
    truth = 1 - TradeoffCurve.of(pair).missed_detection("1/4").upper
    for adjacency in ("add_one", "remove_one"):
        risk = AttackRisk(TradeoffCurve.of(sampled, adjacency=adjacency))
        found = risk.true_positive_rate("1/4")
        assert found.lower <= truth <= found.upper
        assert found.width < Fraction(1, 10**6)
        prior = risk.bayes_error("2/3")
        best = min(point.false_alarm / 3 + 2 * point.missed_detection / 3 for point in pair.tradeoff)
        assert prior.lower <= best <= prior.upper
        both = TradeoffCurve.of(sampled, adjacency=adjacency).symmetrised
        worst = TradeoffCurve.of(sampled, adjacency="add_or_remove_one")
        assert both.missed_detection("0.1").intersects(worst.missed_detection("0.1"))


@pytest.mark.parametrize(
    ("rate", "people"), [("0.05", 100), ("0.001", 1000), ("1/3", 3), ("0.0474", 10000), ("0", 100)]
)
def test_the_accused_are_whole_people(rate: str, people: int) -> None:
    words = AttackRisk(TradeoffCurve.of(PureDP(epsilon="1"))).in_words(false_positive_rate=rate)
    assert words.startswith(f"Of {people} people")

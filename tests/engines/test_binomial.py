"""Limits of the engine for equal mechanisms."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest

import optcomp as oc
from optcomp.engines.auto import build
from optcomp.engines.binomial import Binomial
from optcomp.losses import lower
from tests.engines.limited import ask
from tests.oracles.brute_force import BruteForce, ln, plain, to_fraction
from tests.oracles.inversion import lattice_delta

WIDEST = 1e-12
SLACK = Fraction(1, 10**50)
SLACK_OF_INVERSION = Fraction(1, 10**21)


def equal(epsilon: oc.Logarithm | Fraction | str | int, count: int) -> oc.Profile:
    return oc.compose(oc.PureDP(epsilon=epsilon).repeated(count), engine="binomial")


def assert_holds(answer: oc.Enclosure, truth: Any, slack: Fraction = SLACK) -> None:
    true = to_fraction(truth)
    assert answer.lower <= true + true * slack
    assert true - true * slack <= answer.upper
    assert answer.relative_width <= WIDEST


@pytest.mark.parametrize(
    "epsilon", [Fraction(10) ** -400, Fraction(10) ** -12, Fraction(1), Fraction(10**4), Fraction(10**6)]
)
@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_extreme_epsilons(epsilon: Fraction, count: int) -> None:
    oracle, profile = BruteForce([(plain(epsilon), Fraction(0))] * count), equal(epsilon, count)
    for share in (Fraction(0), Fraction(1, 3), Fraction(1, 2), count - Fraction(1, 10**9), Fraction(-1, 2)):
        x = share * epsilon
        assert_holds(profile.delta(x), oracle.delta(plain(x)))
    assert profile.delta(count * epsilon) == oc.Enclosure.exactly(0)
    assert profile.delta(count * epsilon + 1) == oc.Enclosure.exactly(0)


@pytest.mark.parametrize("epsilon", [Fraction(10) ** -12, Fraction(1, 10), Fraction(1), Fraction(10**4)])
@pytest.mark.parametrize("count", [1, 2, 3, 8])
@pytest.mark.parametrize("share", ["0.9", "0.5", "1e-3", "1e-40", "1e-300", "1e-4000"])
def test_targets_down_to_the_smallest(epsilon: Fraction, count: int, share: str) -> None:
    oracle, profile = BruteForce([(plain(epsilon), Fraction(0))] * count), equal(epsilon, count)
    target = Fraction(share) * to_fraction(oracle.delta(plain(0)))
    assert_holds(profile.epsilon(target), oracle.epsilon(target))


@pytest.mark.parametrize("share", ["1e-3", "0.5", "0.999", "1.0"])
def test_an_epsilon_too_small_for_a_float(share: str) -> None:
    epsilon = Fraction(10) ** -400
    oracle, profile = BruteForce([(plain(epsilon), Fraction(0))] * 5), equal(epsilon, 5)
    target = Fraction(share) * to_fraction(oracle.delta(plain(0))) * Fraction(999, 1000)
    assert_holds(profile.epsilon(target), oracle.epsilon(target))


@pytest.mark.parametrize("epsilon", ["1e155", "1e300", "1e400"])
@pytest.mark.parametrize("target", ["0.5", "1e-3", "1e-40"])
def test_an_epsilon_too_large_for_a_float(epsilon: str, target: str) -> None:
    """e^-epsilon is nothing, so ``delta(x) = 1 - e^(x - 3 epsilon)`` near the largest loss."""
    found = equal(epsilon, 3).epsilon(target)
    assert isinstance(found.upper, Fraction)
    assert 3 * Fraction(epsilon) * (1 - Fraction(1, 10**15)) <= found.upper
    assert found.lower <= 3 * Fraction(epsilon)
    assert found.relative_width <= WIDEST


@pytest.mark.parametrize(
    ("epsilon", "count", "x"),
    [
        ("1e-6", 10**12, "5"),
        ("1", 10**12, "462118000000"),
        ("0.1", 100, "4"),
        ("0.01", 10**4, "9"),
        ("0.001", 10**6, "20"),
    ],
)
def test_large_counts(epsilon: str, count: int, x: str) -> None:
    truth = lattice_delta(Fraction(epsilon), [(1, count)], Fraction(x))
    assert_holds(equal(epsilon, count).delta(x), truth, SLACK_OF_INVERSION)


@pytest.mark.parametrize(
    ("epsilon", "count", "target"),
    [("1e-6", 10**12, "1e-6"), ("1e-6", 10**12, "1e-300"), ("1", 10**12, "1e-4000"), ("0.1", 10**6, "1e-10")],
)
def test_large_counts_the_other_way(epsilon: str, count: int, target: str) -> None:
    """The judge knows delta only: it must be at least the target at the lower end, at most the target at the upper."""
    profile = equal(epsilon, count)
    found = profile.epsilon(target)
    assert found.relative_width <= WIDEST
    below, above = (
        to_fraction(lattice_delta(Fraction(epsilon), [(1, count)], Fraction(end))) for end in (found.lower, found.upper)
    )
    assert below * (1 + SLACK_OF_INVERSION) >= Fraction(target)
    assert above * (1 - SLACK_OF_INVERSION) <= Fraction(target)


@pytest.mark.parametrize(
    ("epsilon", "count", "question", "value"),
    [
        ("1e-12", 10**12, "epsilon", "1e-300"),
        ("1e-12", 10**12, "delta", "1e-5"),
        ("20", 10**12, "epsilon", "0.5"),
        ("10000", 10**6, "epsilon", "1e-300"),
        ("10000", 10**12, "epsilon", "1e-6"),
        ("10000", 10**12, "delta", "1e15"),
        ("100", 10**12, "epsilon", "1e-6"),
    ],
)
def test_extreme_epsilons_with_large_counts_are_answered_in_time(
    epsilon: str, count: int, question: str, value: str
) -> None:
    assert ask(epsilon, count, question, value).relative_width <= WIDEST


@pytest.mark.parametrize("count", [1, 2, 7, 8])
def test_knots(count: int) -> None:
    """At a possible loss the two neighbouring formulas meet; the question is exact, so the answer is sharp."""
    step = Fraction(1, 7)
    oracle, profile = BruteForce([(plain(step), Fraction(0))] * count), equal(step, count)
    for knot in range(-count, count + 1, 2):
        assert_holds_or_is_zero(profile.delta(knot * step), oracle.delta(plain(knot * step)))


def assert_holds_or_is_zero(answer: oc.Enclosure, truth: Any) -> None:
    if truth == 0:
        assert answer == oc.Enclosure.exactly(0)
    else:
        assert_holds(answer, truth)


def test_logarithms_meet_their_knots_exactly() -> None:
    oracle, profile = BruteForce([(ln(Fraction(3, 2)), Fraction(0))] * 4), equal("ln(3/2)", 4)
    for exponential in (Fraction(81, 16), Fraction(9, 4), Fraction(1), Fraction(4, 9), Fraction(2)):
        exact = oracle.exact_delta(exponential)
        found = profile.delta(f"ln({exponential})")
        assert found.lower <= exact <= found.upper
        assert found.relative_width <= WIDEST


@pytest.mark.parametrize("power", [1, 3, -1, -3])
def test_a_rational_point_within_a_hair_of_a_logarithmic_knot(power: int) -> None:
    """The point is no knot, but 25 digits do not show it: both neighbouring formulas are taken."""
    with mpmath.workdps(40):
        knot = to_fraction(power * mpmath.log(mpmath.mpf(3) / 2))
    for x in (knot, knot + Fraction(1, 10**30), knot - Fraction(1, 10**30)):
        truth = BruteForce([(ln(Fraction(3, 2)), Fraction(0))] * 3).delta(plain(x))
        answer = equal("ln(3/2)", 3).delta(x)
        true = to_fraction(truth)
        assert answer.lower <= true + true * SLACK
        assert true - true * SLACK <= answer.upper


def test_the_target_at_zero_is_exact() -> None:
    """Ln 2 once: delta(0) is exactly 1/3, so epsilon(1/3) is 0."""
    found = equal("ln(2)", 1).epsilon(Fraction(1, 3))
    assert found.lower == 0
    assert found.upper < Fraction(1, 10**100)


def test_the_target_at_zero_is_exact_with_a_failure_too() -> None:
    """(ln 2, 1/10): delta(0) = 1 - 9/10 * 2/3 = 4/10 exactly, so epsilon(0.4) is 0."""
    found = oc.compose(oc.ApproxDP(epsilon="ln(2)", delta="0.1")).epsilon("0.4")
    assert found.lower == 0
    assert found.upper < Fraction(1, 10**25)


@pytest.mark.parametrize("failure", ["0.1", "1e-6", "0.5"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_targets_exactly_at_the_delta_of_a_knot(failure: str, count: int) -> None:
    oracle = BruteForce([(ln(3), Fraction(failure))] * count)
    profile = oc.compose(oc.ApproxDP(epsilon="ln(3)", delta=failure).repeated(count))
    for knot in range(count, -1, -2):
        found = profile.epsilon(oracle.exact_delta(Fraction(3) ** knot))
        true = to_fraction(oracle.epsilon(oracle.exact_delta(Fraction(3) ** knot)))
        assert found.lower <= true + Fraction(1, 10**50)
        assert true - Fraction(1, 10**50) <= found.upper
        assert found.width <= Fraction(1, 10**17)


def test_no_mechanism_at_all_is_not_for_this_engine() -> None:
    with pytest.raises(oc.UnsupportedError) as caught:
        build(lower(oc.PureDP(epsilon=1).repeated(0)), "binomial")
    assert caught.value.field == "engine"


def test_two_different_epsilons_are_refused() -> None:
    with pytest.raises(oc.UnsupportedError) as caught:
        _ = oc.compose([oc.PureDP(epsilon=1), oc.PureDP(epsilon=2)], engine="binomial").choice
    assert caught.value.field == "engine"
    assert caught.value.value == "binomial"


def test_the_engine_knows_its_name() -> None:
    assert equal(1, 2).choice.name == Binomial.name == "binomial"

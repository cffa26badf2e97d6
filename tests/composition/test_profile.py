"""The table of edge cases, and what a profile carries."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import optcomp as oc
from optcomp.composition import ADJACENCIES

NOTHING: list[Any] = [
    [],
    oc.Sequence(parts=[]),
    oc.PureDP(epsilon=5).repeated(0),
    oc.PureDP(epsilon=0),
    oc.RandomizedResponse(probability="0.5"),
    [oc.Sequence(parts=[oc.ApproxDP(epsilon=1, delta=1).repeated(0)]).repeated(7)],
]
ZERO, INFINITE = oc.Enclosure.exactly(0), oc.Enclosure.exactly(math.inf)


@pytest.mark.parametrize("mechanisms", NOTHING, ids=range(len(NOTHING)))
def test_nothing_at_all_costs_nothing(mechanisms: Any) -> None:
    profile = oc.compose(mechanisms)
    for delta in (0, "1e-300", 0.5, 1):
        assert profile.epsilon(delta) == ZERO
    for epsilon in (0, "1e-300", 5, "ln(2)"):
        assert profile.delta(epsilon) == ZERO
    assert profile.failure == ZERO
    assert profile.largest_epsilon == ZERO


def test_a_negative_epsilon_costs_even_where_nothing_ran() -> None:
    found = oc.compose([]).delta("-ln(2)")
    assert found.lower <= Fraction(1, 2) <= found.upper
    assert found.relative_width < 1e-12


PARTS = [oc.ApproxDP(epsilon="0.5", delta="0.1"), oc.ApproxDP(epsilon="0.25", delta="0.1"), oc.PureDP(epsilon="ln(2)")]
MASS = Fraction(19, 100)
TINY = Fraction(1, 10**300)


def test_delta_one_needs_no_epsilon() -> None:
    for given in (1, 1.0, "1", "1.000", Decimal(1), Fraction(1)):
        assert oc.compose(PARTS).epsilon(given) == ZERO
        assert oc.compose(oc.ApproxDP(epsilon=7, delta=1)).epsilon(given) == ZERO


def test_below_the_failure_mass_no_epsilon_is_finite() -> None:
    for given in (0, "0.18999999999999999999", MASS - TINY):
        assert oc.compose(PARTS).epsilon(given) == INFINITE


def test_at_the_failure_mass_the_sum_of_epsilons() -> None:
    """Floating point says 1 - 0.9 * 0.9 = 0.18999999999999995, and would answer with infinity or a little less."""
    found = oc.compose(PARTS).epsilon("0.19")
    assert found == oc.compose(PARTS).largest_epsilon
    printed = Fraction("1.443147180559945309417232121458")  # 0.75 + ln 2, cut
    assert printed < found.lower < found.upper < printed + Fraction(1, 10**30)
    assert found.relative_width < 1e-30
    assert oc.compose(PARTS[:2]).epsilon(0.19) == oc.Enclosure.exactly(Fraction(3, 4))


def test_just_above_the_failure_mass_a_little_less() -> None:
    profile = oc.compose([oc.ApproxDP(epsilon="0.5", delta="0.1").repeated(2)])
    found = profile.epsilon(MASS + TINY)
    assert found.lower < 1
    assert found.upper <= 1 + Fraction(1, 10**17)


def test_pure_mechanisms_at_delta_zero() -> None:
    assert oc.compose([oc.PureDP(epsilon="0.1").repeated(7)]).epsilon(0) == oc.Enclosure.exactly(Fraction(7, 10))


def test_at_least_delta_of_zero_needs_no_epsilon() -> None:
    profile = oc.compose(oc.PureDP(epsilon="0.5").repeated(3))
    at_zero = profile.delta(0)
    assert isinstance(at_zero.upper, Fraction)
    assert isinstance(at_zero.lower, Fraction)
    assert profile.epsilon(at_zero.upper) == ZERO
    assert profile.epsilon("0.9999999") == ZERO
    assert profile.epsilon(at_zero.lower * (1 - Fraction(1, 10**9))).lower > 0


def test_a_mechanism_that_fails_for_certain() -> None:
    profile = oc.compose([oc.ApproxDP(epsilon="0.5", delta=1), oc.PureDP(epsilon=3)])
    assert profile.epsilon(1 - TINY) == INFINITE
    assert profile.epsilon(1) == ZERO
    for epsilon in (-5, 0, 100, "ln(7)"):
        assert profile.delta(epsilon) == oc.Enclosure.exactly(1)
    assert profile.failure == oc.Enclosure.exactly(1)
    assert oc.compose(oc.RandomizedResponse(probability=1)).delta(9) == oc.Enclosure.exactly(1)
    assert oc.compose(oc.RandomizedResponse(probability=0)).delta(9) == oc.Enclosure.exactly(1)


def test_beyond_all_losses_the_failure_mass_remains() -> None:
    profile = oc.compose([oc.ApproxDP(epsilon="0.5", delta="0.1").repeated(2)])
    for epsilon in (1, "1.0000001", 10**9):
        assert profile.delta(epsilon).lower <= MASS <= profile.delta(epsilon).upper
        assert profile.delta(epsilon).relative_width < 1e-30


def test_epsilon_zero_drops_out_but_its_delta_stays() -> None:
    profile = oc.compose([oc.ApproxDP(epsilon=0, delta="0.1"), oc.PureDP(epsilon=1)])
    alone = oc.compose([oc.ApproxDP(epsilon=1, delta="0.1")])
    for epsilon in ("-1", "0", "0.5", "2"):
        assert profile.delta(epsilon) == alone.delta(epsilon)
    assert profile.epsilon("0.2") == alone.epsilon("0.2")


@pytest.mark.parametrize(
    "delta", [-1, "-1e-300", "1.0000000000000000000001", 2, math.nan, math.inf, True, None, "x", "ln(2)"]
)
def test_a_delta_that_is_no_probability(delta: Any) -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.compose(PARTS).epsilon(delta)
    assert caught.value.field == "delta"


@pytest.mark.parametrize("epsilon", [math.nan, math.inf, -math.inf, False, None, "x", "ln(0)"])
def test_an_epsilon_that_is_no_number(epsilon: Any) -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.compose(PARTS).delta(epsilon)
    assert caught.value.field == "epsilon"


def test_randomized_response_is_pure_dp_with_a_logarithm() -> None:
    by_mechanism = oc.compose(oc.RandomizedResponse(probability="0.75").repeated(5))
    by_guarantee = oc.compose(oc.PureDP(epsilon="ln(3)").repeated(5))
    for epsilon in (0, 1, "ln(3)"):
        assert by_mechanism.delta(epsilon) == by_guarantee.delta(epsilon)
    flipped = oc.compose(oc.RandomizedResponse(probability="0.25").repeated(5))
    assert flipped.epsilon("1e-3") == by_guarantee.epsilon("1e-3")


def test_more_categories_leak_less_than_their_epsilon_allows() -> None:
    """Truth 1/2, either lie 1/4: the epsilon is ln 2, and the total variation 1/4 is below that of two answers."""
    profile = oc.compose(oc.RandomizedResponse(probability="0.5", categories=3))
    assert profile.largest_epsilon.intersects(oc.compose(oc.PureDP(epsilon="ln(2)")).largest_epsilon)
    assert Fraction(1, 4) in profile.delta(0)
    assert profile.delta(0).upper < oc.compose(oc.PureDP(epsilon="ln(2)")).delta(0).lower


def test_a_profile_computes_nothing_until_asked() -> None:
    profile = oc.compose(oc.RandomizedResponse(probability="0.5", categories=3), engine="abacus")
    assert profile.engine == "abacus"


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.compose(oc.PureDP(epsilon=1), engine="abacus").delta(0)
    assert caught.value.field == "engine"


def test_adjacency_is_carried_along() -> None:
    for name in ADJACENCIES:
        assert oc.compose(PARTS, adjacency=name).adjacency == name
    assert oc.compose(PARTS).adjacency is None
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.compose(PARTS, adjacency="neighbours")
    assert caught.value.field == "adjacency"


@pytest.mark.parametrize("mechanisms", [[1], ["pure"], [oc.PureDP(epsilon=1), None], 3, "abc", None])
def test_what_is_no_mechanism_is_refused(mechanisms: Any) -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.compose(mechanisms)
    assert caught.value.field.startswith("parts")


def test_equal_questions_have_equal_profiles() -> None:
    first, second = (oc.compose(PARTS, adjacency="replace_one") for _ in range(2))
    assert first == second
    assert hash(first) == hash(second)


def test_the_choice_says_why() -> None:
    assert oc.compose(oc.PureDP(epsilon=1).repeated(4)).choice.name == "binomial"
    assert oc.compose([oc.PureDP(epsilon=1), oc.PureDP(epsilon=2)]).choice.name == "outcomes"
    assert oc.compose([oc.PureDP(epsilon=e).repeated(99) for e in (1, 2)]).choice.name == "lattice"
    assert oc.compose([]).choice.name == "nothing"
    assert "equal" in oc.compose(oc.PureDP(epsilon=1).repeated(4)).choice.reason
    assert oc.compose(oc.PureDP(epsilon=1), engine="lattice").choice.reason == "asked for by name"

"""The closed forms: as printed, and never below the optimum."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from optcomp import Enclosure, InvalidParameterError, compose
from optcomp.theorems import Guarantee, Term
from optcomp.theorems.drv10 import advanced_composition
from optcomp.theorems.kov15 import closed_form, closed_form_candidates, half_drift_form, short_form
from tests.theorems.formulas import (
    DIGITS,
    NARROW,
    Setting,
    composed,
    contains,
    equal_settings,
    mixed_terms,
    mpf,
    survival,
    total,
)

SETTINGS = equal_settings(seed=15, many=300)
SMALL = [setting for setting in SETTINGS if setting.epsilon <= Fraction(9, 10)]


def printed(terms: tuple[Term, ...], slack: Fraction, drift: Any) -> tuple[Any, Any, Any]:
    """The three candidates as they stand in the theorem, for a drift."""
    squares = total(terms, lambda epsilon: epsilon**2)
    second = drift + mpmath.sqrt(2 * squares * mpmath.log(mpmath.e + mpmath.sqrt(squares) / mpf(slack)))
    third = drift + mpmath.sqrt(2 * squares * mpmath.log(1 / mpf(slack)))
    return total(terms, lambda epsilon: epsilon), second, third


def exact_drift(terms: tuple[Term, ...]) -> Any:
    return total(terms, lambda e: e * mpmath.expm1(e) / (mpmath.exp(e) + 1))


def optimum_is_not_above(found: Guarantee, mechanism: Any) -> bool:
    delta = min(Fraction(found.delta.upper), Fraction(1))
    return bool(compose(mechanism).epsilon(delta=delta).lower <= found.epsilon.upper)


@pytest.mark.parametrize("setting", SETTINGS)
def test_equal_mechanisms_are_as_printed(setting: Setting) -> None:
    terms = (setting.term,)
    candidates, found = closed_form_candidates(terms, slack=setting.slack), closed_form(terms, slack=setting.slack)
    with mpmath.workdps(DIGITS):
        expected = printed(terms, setting.slack, exact_drift(terms))
        for candidate, value in zip(candidates, expected, strict=True):
            assert contains(candidate, value)
            assert candidate.relative_width <= NARROW
        assert contains(found.epsilon, min(expected))
    assert found.epsilon.relative_width <= NARROW
    if setting.count * setting.delta.denominator.bit_length() < 10**5:
        assert contains(found.delta, survival(terms, setting.slack))


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_closed_form_is_below_the_optimum(setting: Setting) -> None:
    forms: list[Any] = [half_drift_form] + ([short_form] if setting in SMALL else [])
    whole = closed_form([setting.term], slack=setting.slack)
    assert optimum_is_not_above(whole, setting.mechanism)
    for form in forms:
        found = form(epsilon=setting.epsilon, delta=setting.delta, count=setting.count, slack=setting.slack)
        assert found.delta == whole.delta
        assert found.epsilon.upper >= whole.epsilon.lower  # since tanh y <= y
        assert optimum_is_not_above(found, setting.mechanism)


def test_the_comparison_with_the_optimum_can_fail() -> None:
    """Three quarters of the closed form are below the optimum somewhere, so the test above is no formality."""
    failed = 0
    for setting in SETTINGS:
        found = closed_form([setting.term], slack=setting.slack)
        smaller = Enclosure(Fraction(found.epsilon.lower) * 3 / 4, Fraction(found.epsilon.upper) * 3 / 4)
        failed += not optimum_is_not_above(Guarantee(epsilon=smaller, delta=found.delta), setting.mechanism)
    assert failed > len(SETTINGS) / 5


@pytest.mark.parametrize("seed", range(80))
def test_different_mechanisms(seed: int) -> None:
    draw = random.Random(seed)
    terms, slack = mixed_terms(draw), Fraction(draw.choice(["1e-9", "1e-3", "0.2", "1"]))
    candidates, found = closed_form_candidates(terms, slack=slack), closed_form(terms, slack=slack)
    with mpmath.workdps(DIGITS):
        expected = printed(terms, slack, exact_drift(terms))
        assert all(contains(candidate, value) for candidate, value in zip(candidates, expected, strict=True))
        assert contains(found.epsilon, min(expected))
    assert contains(found.delta, survival(terms, slack))
    delta = min(Fraction(found.delta.upper), Fraction(1))
    assert composed(terms).epsilon(delta=delta).lower <= found.epsilon.upper


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_is_never_worse_than_advanced_composition(setting: Setting) -> None:
    new, old = (form([setting.term], slack=setting.slack) for form in (closed_form, advanced_composition))
    assert new.epsilon.lower <= old.epsilon.upper
    assert new.delta.lower <= old.delta.upper


@pytest.mark.parametrize("setting", SETTINGS)
def test_which_root_form_is_smaller(setting: Setting) -> None:
    """The second beats the third exactly when ``sqrt(k) epsilon + e slack < 1``."""
    _, second, third = closed_form_candidates([setting.term], slack=setting.slack)
    with mpmath.workdps(DIGITS):
        second_wins = mpmath.sqrt(setting.count) * mpf(setting.epsilon) + mpmath.e * mpf(setting.slack) < 1
    if second_wins:
        assert second.lower <= third.upper
    else:
        assert third.lower <= second.upper


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_short_forms_are_as_printed(setting: Setting) -> None:
    given = {"epsilon": setting.epsilon, "delta": setting.delta, "count": setting.count, "slack": setting.slack}
    forms: list[tuple[Any, Fraction]] = [(half_drift_form, Fraction(1, 2))]
    if setting in SMALL:
        forms.append((short_form, Fraction(1)))
    found = [form(**given).epsilon for form, _ in forms]
    with mpmath.workdps(DIGITS):
        for (_, factor), epsilon in zip(forms, found, strict=True):
            drift = mpf(factor) * setting.count * mpf(setting.epsilon) ** 2
            assert contains(epsilon, min(printed((setting.term,), setting.slack, drift)))
            assert epsilon.relative_width <= NARROW
    assert found[0].lower <= found[-1].upper


@pytest.mark.parametrize("epsilon", ["0.9", "0.90", "ln(2459/1000)", "0.1", 0])
def test_the_short_form_holds_up_to_nine_tenths(epsilon: Any) -> None:
    assert short_form(epsilon=epsilon, delta="0.01", count=3, slack="0.1").epsilon.upper > 0 or epsilon == 0


@pytest.mark.parametrize("epsilon", ["0.9000000000000000000000000000000000000001", "ln(246/100)", "1", "1000"])
def test_the_short_form_is_refused_above_nine_tenths(epsilon: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        short_form(epsilon=epsilon, delta="0.01", count=3, slack="0.1")
    assert caught.value.field == "epsilon"
    assert short_form(epsilon=epsilon, delta="0.01", count=0, slack="0.1").epsilon.upper == 0
    assert half_drift_form(epsilon=epsilon, delta="0.01", count=3, slack="0.1").epsilon.upper > 0


def test_a_known_example() -> None:
    found = closed_form([Term(epsilon="0.1", count=100)], slack="1e-6").epsilon
    assert Fraction("5.756105") < found.lower <= found.upper < Fraction("5.756107")


FORMS = {
    "closed": lambda term, slack: closed_form([term], slack=slack),
    "short": lambda term, slack: short_form(epsilon=term.epsilon, delta=term.delta, count=term.count, slack=slack),
    "half": lambda term, slack: half_drift_form(epsilon=term.epsilon, delta=term.delta, count=term.count, slack=slack),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
class TestEdges:
    def test_without_slack_the_epsilons_add_up(self, form: Any) -> None:
        found = form(Term(epsilon="0.3", delta="0.1", count=4), 0)
        assert found.epsilon == Enclosure.exactly(Fraction(6, 5))
        assert contains(found.delta, 1 - Fraction("0.9") ** 4)

    def test_a_slack_of_1_leaves_the_drift(self, form: Any) -> None:
        found = form(Term(epsilon="0.3", delta="0.1", count=4), 1)
        assert found.delta == Enclosure.exactly(1)
        assert 0 < found.epsilon.lower <= found.epsilon.upper <= Fraction("0.36") + Fraction(1, 10**30)

    def test_nothing_is_lost_by_nothing(self, form: Any) -> None:
        for slack in (0, "1e-9", 1):
            found = form(Term(epsilon="5", delta="0.1", count=0), slack)
            assert (found.epsilon, found.delta) == (Enclosure.exactly(0), Enclosure.exactly(Fraction(slack)))

    def test_epsilon_0_leaves_the_deltas(self, form: Any) -> None:
        found = form(Term(epsilon=0, delta="0.1", count=2), "0.5")
        assert found.epsilon == Enclosure.exactly(0)
        assert contains(found.delta, 1 - Fraction("0.5") * Fraction("0.81"))

    def test_delta_1_is_certain_failure(self, form: Any) -> None:
        found = form(Term(epsilon="0.3", delta=1, count=4), "0.1")
        assert found.delta == Enclosure.exactly(1)
        assert found.epsilon.upper <= Fraction(6, 5)

    @pytest.mark.parametrize("slack", ["-1e-9", "1.0000001", "nan", "inf"])
    def test_a_slack_that_is_no_probability_is_refused(self, form: Any, slack: str) -> None:
        with pytest.raises(InvalidParameterError) as caught:
            form(Term(epsilon="0.3", count=4), slack)
        assert caught.value.field == "slack"


def test_candidates_at_the_edges() -> None:
    assert [each.upper for each in closed_form_candidates([Term(epsilon=1, count=2)], slack=0)] == [
        2,
        math.inf,
        math.inf,
    ]
    assert [each.upper for each in closed_form_candidates([], slack="0.1")] == [0, 0, 0]

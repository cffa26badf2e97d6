"""Basic composition."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

from optcomp import InvalidParameterError, compose
from optcomp.theorems import Term
from optcomp.theorems.basic import basic_composition
from tests.theorems.formulas import (
    DIGITS,
    NARROW,
    Setting,
    composed,
    contains,
    equal_settings,
    mixed_terms,
    survival,
    total,
)

MIXED = [mixed_terms(random.Random(seed)) for seed in range(40)]


@pytest.mark.parametrize("terms", MIXED)
def test_epsilons_and_deltas_add_up_exactly(terms: tuple[Term, ...]) -> None:
    found = basic_composition(terms)
    assert found.epsilon.is_exact
    assert found.epsilon.upper == sum(t.epsilon * t.count for t in terms if isinstance(t.epsilon, Fraction))
    assert found.delta.is_exact
    assert found.delta.upper == min(1, sum(t.delta * t.count for t in terms))


def test_logarithms_add_up() -> None:
    terms = (Term(epsilon="ln(3/2)", count=5), Term(epsilon="0.1", count=3), Term(epsilon="ln(7)", delta="0.1"))
    found = basic_composition(terms).epsilon
    with mpmath.workdps(DIGITS):
        assert contains(found, total(terms, lambda epsilon: epsilon))
    assert found.relative_width <= NARROW


@pytest.mark.parametrize("terms", MIXED)
def test_it_is_never_below_the_optimum(terms: tuple[Term, ...]) -> None:
    found = basic_composition(terms)
    assert composed(terms).delta(epsilon=Fraction(found.epsilon.upper)).lower <= found.delta.upper


@pytest.mark.parametrize("setting", equal_settings(seed=1, many=60))
def test_it_is_never_below_the_optimum_of_equal_mechanisms(setting: Setting) -> None:
    found = basic_composition([setting.term])
    optimum = compose(setting.mechanism).epsilon(delta=Fraction(found.delta.upper))
    assert optimum.lower <= found.epsilon.upper


@pytest.mark.parametrize("terms", MIXED)
def test_its_epsilon_is_the_best_one_at_the_tight_delta(terms: tuple[Term, ...]) -> None:
    """At ``1 - prod (1 - delta_i)`` nothing smaller than the sum of epsilons holds, unless that delta is 1."""
    tight = survival(terms, Fraction(0))
    if tight < 1:
        assert composed(terms).epsilon(delta=tight).upper >= basic_composition(terms).epsilon.lower


def test_edges() -> None:
    for terms in ([], [Term(epsilon="5", delta="0.1", count=0)], [Term(epsilon=0, count=10**9)]):
        found = basic_composition(terms)
        assert (found.epsilon.lower, found.epsilon.upper, found.delta.upper) == (0, 0, 0)
    assert basic_composition([Term(epsilon="0.1", delta="0.4", count=5)]).delta.lower == 1
    assert basic_composition([Term(epsilon="0.1", delta=1)]).delta.lower == 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"epsilon": "-1"}, "epsilon"),
        ({"epsilon": "1", "delta": "2"}, "delta"),
        ({"epsilon": "1", "count": -1}, "count"),
    ],
)
def test_a_term_names_the_field_that_is_wrong(given: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        Term(**given)  # type: ignore[arg-type]  # wrong on purpose
    assert caught.value.field == field

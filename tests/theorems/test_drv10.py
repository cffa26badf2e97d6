"""Advanced composition as first published."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import pytest

from optcomp import InvalidParameterError, compose
from optcomp.theorems import Term
from optcomp.theorems.drv10 import advanced_composition
from tests.theorems.formulas import (
    DIGITS,
    NARROW,
    Setting,
    composed,
    contains,
    equal_settings,
    mixed_terms,
    mpf,
    total,
)

SETTINGS = equal_settings(seed=10, many=120)


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_is_the_printed_formula(setting: Setting) -> None:
    found = advanced_composition([setting.term], slack=setting.slack)
    with mpmath.workdps(DIGITS):
        k, epsilon, slack = setting.count, mpf(setting.epsilon), mpf(setting.slack)
        printed = k * epsilon * mpmath.expm1(epsilon) + epsilon * mpmath.sqrt(2 * k * mpmath.log(1 / slack))
        assert contains(found.epsilon, printed)
    assert found.epsilon.relative_width <= NARROW
    assert found.delta.is_exact
    assert found.delta.upper == min(1, setting.count * setting.delta + setting.slack)


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_is_never_below_the_optimum(setting: Setting) -> None:
    found = advanced_composition([setting.term], slack=setting.slack)
    optimum = compose(setting.mechanism).epsilon(delta=Fraction(found.delta.upper))
    assert optimum.lower <= found.epsilon.upper


@pytest.mark.parametrize("seed", range(40))
def test_different_mechanisms(seed: int) -> None:
    draw = random.Random(seed)
    terms, slack = mixed_terms(draw), Fraction(draw.choice(["1e-9", "1e-3", "0.2", "1"]))
    found = advanced_composition(terms, slack=slack)
    with mpmath.workdps(DIGITS):
        squares = total(terms, lambda epsilon: epsilon**2)
        printed = total(terms, lambda e: e * mpmath.expm1(e)) + mpmath.sqrt(2 * squares * mpmath.log(1 / mpf(slack)))
        assert contains(found.epsilon, printed)
    assert composed(terms).epsilon(delta=Fraction(found.delta.upper)).lower <= found.epsilon.upper


def test_edges() -> None:
    some = [Term(epsilon="0.5", delta="0.01", count=4)]
    assert advanced_composition(some, slack=0).epsilon.lower == math.inf
    assert advanced_composition(some, slack=0).delta.upper == Fraction("0.04")
    with mpmath.workdps(DIGITS):
        assert contains(advanced_composition(some, slack=1).epsilon, 2 * mpmath.expm1(mpmath.mpf(1) / 2))
    assert advanced_composition(some, slack=1).delta.lower == 1
    for terms in ([], [Term(epsilon="5", delta="0.1", count=0)], [Term(epsilon=0, count=10**9)]):
        for slack in ("0", "1e-9", "1"):
            found = advanced_composition(terms, slack=slack)
            assert (found.epsilon.lower, found.epsilon.upper) == (0, 0)
            assert found.delta.lower == found.delta.upper == Fraction(slack)
    assert advanced_composition([Term(epsilon=1, delta=1)], slack="0.1").delta.lower == 1


@pytest.mark.parametrize("slack", ["-1e-9", "1.0000001", "nan", None])
def test_a_slack_that_is_no_probability_is_refused(slack: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        advanced_composition([Term(epsilon=1)], slack=slack)
    assert caught.value.field == "slack"

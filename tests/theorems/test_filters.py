"""The bound for parameters that are chosen as you go."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import pytest

from optcomp import InvalidParameterError, compose
from optcomp.theorems import Term
from optcomp.theorems.filters import fully_adaptive_bound
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

SETTINGS = equal_settings(seed=23, many=120)


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_is_the_printed_formula(setting: Setting) -> None:
    found = fully_adaptive_bound([setting.term], slack=setting.slack)
    with mpmath.workdps(DIGITS):
        squares = setting.count * mpf(setting.epsilon) ** 2
        printed = mpmath.sqrt(2 * squares * mpmath.log(1 / mpf(setting.slack))) + squares / 2
        assert contains(found.epsilon, printed)
    assert found.epsilon.relative_width <= NARROW
    assert found.delta.is_exact
    assert found.delta.upper == min(1, setting.count * setting.delta + setting.slack)


@pytest.mark.parametrize("setting", SETTINGS)
def test_it_is_never_below_the_optimum(setting: Setting) -> None:
    found = fully_adaptive_bound([setting.term], slack=setting.slack)
    optimum = compose(setting.mechanism).epsilon(delta=Fraction(found.delta.upper))
    assert optimum.lower <= found.epsilon.upper


@pytest.mark.parametrize("seed", range(40))
def test_different_mechanisms(seed: int) -> None:
    draw = random.Random(seed)
    terms, slack = mixed_terms(draw), Fraction(draw.choice(["1e-9", "1e-3", "0.2", "1"]))
    found = fully_adaptive_bound(terms, slack=slack)
    with mpmath.workdps(DIGITS):
        squares = total(terms, lambda epsilon: epsilon**2)
        assert contains(found.epsilon, mpmath.sqrt(2 * squares * mpmath.log(1 / mpf(slack))) + squares / 2)
    assert composed(terms).epsilon(delta=Fraction(found.delta.upper)).lower <= found.epsilon.upper


def test_it_depends_on_the_sums_only() -> None:
    """A filter is asked with what has been spent, in whatever order and portions."""
    parts = [Term(epsilon="0.3", delta="1e-9"), Term(epsilon="0.3", delta="1e-9"), Term(epsilon="0.07", count=5)]
    whole = [Term(epsilon="0.07", count=5), Term(epsilon="0.3", delta="1e-9", count=2)]
    assert fully_adaptive_bound(parts, slack="1e-6") == fully_adaptive_bound(whole, slack="1e-6")


def test_edges() -> None:
    some = [Term(epsilon="0.5", delta="0.01", count=4)]
    assert fully_adaptive_bound(some, slack=0).epsilon.lower == math.inf
    assert fully_adaptive_bound(some, slack=0).delta.upper == Fraction("0.04")
    assert (
        fully_adaptive_bound(some, slack=1).epsilon.lower
        <= Fraction(1, 2)
        <= (fully_adaptive_bound(some, slack=1).epsilon.upper)
    )
    assert fully_adaptive_bound(some, slack=1).delta.lower == 1
    for terms in ([], [Term(epsilon="5", delta="0.1", count=0)], [Term(epsilon=0, count=10**9)]):
        for slack in ("0", "1e-9", "1"):
            found = fully_adaptive_bound(terms, slack=slack)
            assert (found.epsilon.lower, found.epsilon.upper) == (0, 0)
            assert found.delta.lower == found.delta.upper == Fraction(slack)


@pytest.mark.parametrize("slack", ["-1e-9", "1.0000001", "nan", None])
def test_a_slack_that_is_no_probability_is_refused(slack: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        fully_adaptive_bound([Term(epsilon=1)], slack=slack)
    assert caught.value.field == "slack"

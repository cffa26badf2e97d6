from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from scipy.stats import binom

import optcomp as oc
from optcomp.multiparty import SurveyDesign


@pytest.mark.parametrize(("epsilon", "truth"), [("ln(3)", "3/4"), ("ln(2)", "2/3"), ("ln(99)", "99/100")])
def test_a_rational_chance_is_taken_as_it_is(epsilon: str, truth: str) -> None:
    design = SurveyDesign(epsilon=epsilon)
    assert design.truth == Fraction(truth)
    assert design.epsilon == oc.PureDP(epsilon=epsilon).epsilon


@pytest.mark.parametrize("epsilon", ["0.05", "0.1", "0.5", "1", "2", "4.5", "10"])
def test_any_other_one_is_rounded_to_the_safe_side(epsilon: str) -> None:
    design = SurveyDesign(epsilon=epsilon)
    chance = math.exp(float(epsilon)) / (1 + math.exp(float(epsilon)))
    assert float(design.truth) <= chance
    better = [
        Fraction(a, b) for b in range(2, 101) for a in range(1, b) if float(design.truth) < a / b <= chance - 1e-12
    ]
    assert better == []


def test_the_words_hold_the_fraction() -> None:
    words = SurveyDesign(epsilon="ln(3)").instructions()
    assert "4 equal fields" in words
    assert "1 to 3" in words


def test_a_respondent_has_a_composed_guarantee() -> None:
    design = SurveyDesign(epsilon="ln(3)", questions=12)
    assert design.respondent(delta="1e-6") == oc.compose(oc.PureDP(epsilon="ln(3)").repeated(12)).epsilon("1e-6")


@pytest.mark.parametrize("prevalence", [0.0, 0.03, 0.5, 0.9, 1.0])
def test_so_many_people_are_enough(prevalence: float) -> None:
    design = SurveyDesign(epsilon="ln(3)")
    size = design.sample_size(half_width="0.05")
    assert size == 2952
    yes = 0.25 + 0.5 * prevalence
    low, high = math.ceil((yes - 0.025) * size), math.floor((yes + 0.025) * size)
    assert binom.cdf(high, size, yes) - binom.cdf(low - 1, size, yes) >= 0.95


def test_an_estimate_has_an_interval() -> None:
    found = SurveyDesign(epsilon="ln(3)").estimate(positives=400, respondents=1000)
    assert found.value.lower == Fraction(3, 10)
    assert found.interval.lower < Fraction(3, 10) < found.interval.upper


@pytest.mark.parametrize(
    "ask",
    [
        lambda: SurveyDesign(epsilon=0),
        lambda: SurveyDesign(epsilon="0.01"),
        lambda: SurveyDesign(epsilon=1, questions=0),
        lambda: SurveyDesign(epsilon=1).sample_size(half_width=0),
        lambda: SurveyDesign(epsilon=1).sample_size(half_width="0.1", confidence=1),
    ],
)
def test_wrong_input_is_refused(ask: Any) -> None:
    with pytest.raises(oc.InvalidParameterError):
        ask()

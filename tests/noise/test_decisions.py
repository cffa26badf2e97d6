"""The samplers' laws, proved through all their decisions, with next to nothing left open."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import pytest

from optcomp.noise import GridStaircase
from optcomp.noise.integers import discrete_gaussian, discrete_laplace, geometric, poisson
from optcomp.noise.responses import private_category
from optcomp.quantities import real
from tests.noise.decisions import explore, real_number, replace_primitives
from tests.noise.laws import Law, gaussian_law, geometric_law, laplace_law, poisson_law, staircase_law

OPEN = 2.0**-20


def check(draw: Callable[..., Any], law: Law, *, least_outcomes: int) -> None:
    found = explore(draw, undecided=OPEN)
    assert found.undecided <= OPEN
    assert len(found.decided) >= least_outcomes
    for outcome in found.decided:
        low, high = found.bounds(outcome)
        assert low - mpmath.mpf(10) ** -40 <= law(outcome) <= high + mpmath.mpf(10) ** -40


@pytest.mark.parametrize("rate", ["1", "7", "1/3", "0.04", "7/3", "ln(2)", "1/2*ln(3)", "1/30*ln(100)", "ln(1.03)"])
def test_geometric_numbers(rate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_primitives(monkeypatch, "uniform_below")
    value = real(rate, field="rate")
    check(partial(geometric, value), geometric_law(real_number(value)), least_outcomes=1)


@pytest.mark.parametrize("scale", ["1", "1/2", "1/10", "2", "1.5", "10/3", "7", "40"])
def test_discrete_laplace_noise(scale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_primitives(monkeypatch, "uniform_below")
    check(partial(discrete_laplace, Fraction(scale)), laplace_law(Fraction(scale)), least_outcomes=3)


@pytest.mark.parametrize("variance", ["1", "1/2", "1/10", "2", "3.7", "9"])
def test_discrete_gaussian_noise(variance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_primitives(monkeypatch, "signed")
    check(partial(discrete_gaussian, Fraction(variance)), gaussian_law(Fraction(variance)), least_outcomes=3)


@pytest.mark.parametrize("mean", ["1/2", "1/3", "1/100"])
def test_poisson_numbers(mean: str, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_primitives(monkeypatch, "none")
    found = explore(partial(poisson, Fraction(mean)), undecided=2.0**-12)
    assert found.undecided < 2.0**-5
    law = poisson_law(Fraction(mean))
    for outcome, mass in found.decided.items():
        assert mass <= law(outcome) + mpmath.mpf(10) ** -40
        assert law(outcome) <= mass + found.undecided


@pytest.mark.parametrize("epsilon", ["1", "ln(3)", "1/2*ln(3)", "3/4"])
@pytest.mark.parametrize(("steps", "fall"), [(1, 1), (2, 1), (10, 1), (10, 7), (5, 5)])
def test_staircase_noise(epsilon: str, steps: int, fall: int, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_primitives(monkeypatch, "geometric")
    noise = GridStaircase(epsilon=epsilon, steps=steps, fall=fall)
    law = staircase_law(real_number(noise.epsilon), steps, fall)
    check(noise.draw, law, least_outcomes=3)


@pytest.mark.parametrize("categories", [2, 3, 10, 16, 17, 30])
@pytest.mark.parametrize("epsilon", ["0", "1/10", "1", "ln(3)", "5/3*ln(2)", "5"])
def test_responses(epsilon: str, categories: int, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_primitives(monkeypatch, "uniform_below")
    value = real(epsilon, field="epsilon")
    t = mpmath.exp(real_number(value))
    check(
        lambda source: private_category(1, value, categories, source),
        lambda outcome: (t if outcome == 1 else 1) / (t + categories - 1),
        least_outcomes=categories,
    )

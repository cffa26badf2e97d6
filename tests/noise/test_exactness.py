"""Every slow sampler has exactly its law: proved by running it on all bit strings of a length.

Coins and uniform numbers leave open at most one or two strings, or fewer than there are numbers. Samplers made of many
of them leave more open; `test_decisions` follows those through their decisions until next to nothing is open.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import pytest

from optcomp.mechanisms import ApproxDP, PureDP, RandomizedResponse
from optcomp.noise import GridStaircase, respond
from optcomp.noise.coins import coin, exponential_coin, uniform_below
from optcomp.noise.integers import discrete_gaussian, discrete_laplace, geometric, poisson, skellam
from optcomp.noise.source import RandomSource
from optcomp.noise.thresholds import Threshold
from optcomp.numerics.balls import ball
from optcomp.quantities import real
from tests.noise.enumeration import Masses, enumerate_bits
from tests.noise.laws import (
    Law,
    gaussian_law,
    geometric_law,
    laplace_law,
    number,
    poisson_law,
    skellam_law,
    staircase_law,
)

SLACK = mpmath.mpf(10) ** -45


def check(found: Masses, law: Callable[[Any], mpmath.mpf], *, undecided: Fraction) -> None:
    """Each outcome's mass lies between what is decided and that plus what is open."""
    assert found.undecided <= undecided
    assert sum(found.decided.values()) + found.undecided == 1
    for outcome, mass in found.decided.items():
        truth = law(outcome)
        assert number(mass) <= truth + SLACK
        assert truth <= number(mass + found.undecided) + SLACK


def check_law(draw: Callable[[RandomSource], int], law: Law, *, depth: int, undecided: Fraction) -> None:
    check(enumerate_bits(draw, depth), law, undecided=undecided)


def as_number(text: str) -> mpmath.mpf:
    value = real(text, field="value")
    if isinstance(value, Fraction):
        return number(value)
    return number(value.multiple) * mpmath.log(number(value.base))


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 6, 7, 8, 10, 100, 255, 256, 257])
def test_a_uniform_number_is_uniform_and_wastes_nothing(bound: int) -> None:
    depth = 18
    found = enumerate_bits(partial(uniform_below, bound), depth)
    assert found.undecided < Fraction(bound, 2**depth)
    assert set(found.decided) == set(range(bound))
    assert len(set(found.decided.values())) == 1


@pytest.mark.parametrize("chance", ["0", "1", "1/2", "1/3", "2/3", "0.1", "3/1024", "999/1000", "1/1000000"])
def test_a_coin_is_exact_to_the_last_bit(chance: str) -> None:
    depth, wanted = 40, Fraction(chance)
    found = enumerate_bits(partial(coin, wanted), depth)
    assert found.undecided <= Fraction(1, 2**depth)
    assert found.decided.get(True, 0) <= wanted <= found.decided.get(True, 0) + found.undecided


@pytest.mark.parametrize(
    "exponent", ["0", "1", "1/2", "1/3", "2", "5/2", "7.25", "ln(3)", "3*ln(2)", "1/2*ln(3)", "2.7*ln(3/2)"]
)
def test_an_exponential_coin_is_exact(exponent: str) -> None:
    depth = 16
    found = enumerate_bits(partial(exponential_coin, real(exponent, field="exponent")), depth)
    truth = mpmath.exp(-as_number(exponent))
    check(found, lambda outcome: truth if outcome else 1 - truth, undecided=Fraction(1, 2**6))


@pytest.mark.parametrize("chance", [Fraction(1, 3), Fraction(1, 2), Fraction(999, 1000), Fraction(0), Fraction(1)])
def test_a_threshold_decides_all_but_two_strings(chance: Fraction) -> None:
    depth = 70  # beyond the first 64 digits, so that more digits are asked for
    found = enumerate_bits(Threshold(lambda: ball(chance)).is_above, depth)
    assert found.undecided <= Fraction(2, 2**depth)
    assert found.decided.get(True, 0) <= chance <= found.decided.get(True, 0) + found.undecided


@pytest.mark.parametrize(
    "rate", ["1", "2", "1/3", "0.4", "7/3", "ln(2)", "ln(3)", "1/2*ln(3)", "1/3*ln(100)", "ln(1.3)"]
)
def test_a_geometric_number_is_exact(rate: str) -> None:
    draw = partial(geometric, real(rate, field="rate"))
    check_law(draw, geometric_law(as_number(rate)), depth=13, undecided=Fraction(3, 4))


@pytest.mark.parametrize("scale", ["1", "1/2", "1/10", "2", "1.5", "10/3", "7"])
def test_discrete_laplace_noise_is_exact(scale: str) -> None:
    draw = partial(discrete_laplace, Fraction(scale))
    check_law(draw, laplace_law(Fraction(scale)), depth=13, undecided=Fraction(3, 4))


@pytest.mark.parametrize("variance", ["1", "1/2", "1/10", "2", "3.7", "9"])
def test_discrete_gaussian_noise_is_exact(variance: str) -> None:
    draw = partial(discrete_gaussian, Fraction(variance))
    check_law(draw, gaussian_law(Fraction(variance)), depth=13, undecided=Fraction(7, 8))


@pytest.mark.parametrize("mean", ["1/2", "1/3", "1/100", "3/4", "1"])
def test_a_poisson_number_is_exact(mean: str) -> None:
    check_law(partial(poisson, Fraction(mean)), poisson_law(Fraction(mean)), depth=14, undecided=Fraction(1, 4))


@pytest.mark.parametrize("variance", ["1", "1/2", "1/5"])
def test_skellam_noise_is_exact(variance: str) -> None:
    draw = partial(skellam, Fraction(variance))
    check_law(draw, skellam_law(Fraction(variance)), depth=14, undecided=Fraction(1, 2))


@pytest.mark.parametrize("epsilon", ["1", "ln(3)", "1/2*ln(3)", "1/4", "3"])
@pytest.mark.parametrize(("steps", "fall"), [(1, 1), (2, 1), (4, 1), (4, 3), (5, 5)])
def test_staircase_noise_is_exact(epsilon: str, steps: int, fall: int) -> None:
    noise = GridStaircase(epsilon=epsilon, steps=steps, fall=fall)
    law = staircase_law(as_number(epsilon), steps, fall)
    check_law(noise.draw, law, depth=12, undecided=Fraction(3, 4))


@pytest.mark.parametrize("categories", [2, 3, 5])
@pytest.mark.parametrize("chance", ["3/4", "1/3", "1", "0"])
def test_a_randomized_response_is_exact(chance: str, categories: int) -> None:
    mechanism = RandomizedResponse(probability=chance, categories=categories)
    for truth in range(categories):
        found = enumerate_bits(lambda source, held=truth: respond(mechanism, held, source=source), 20)  # type: ignore[misc]
        own = number(mechanism.probability)
        other = (1 - own) / (categories - 1)
        check(found, lambda o, held=truth, p=own, q=other: p if o == held else q, undecided=Fraction(1, 2**12))  # type: ignore[misc]


@pytest.mark.parametrize("categories", [2, 3, 17, 20])
@pytest.mark.parametrize("epsilon", ["0", "1", "ln(3)", "3/2*ln(2)", "1/10"])
def test_a_response_with_an_epsilon_is_exact(epsilon: str, categories: int) -> None:
    t = mpmath.exp(as_number(epsilon))
    for truth in {0, categories - 1}:
        found = enumerate_bits(
            lambda source, held=truth: respond(PureDP(epsilon=epsilon), held, categories=categories, source=source),  # type: ignore[misc]
            14,
        )
        check(
            found,
            lambda o, held=truth: (t if o == held else 1) / (t + categories - 1),  # type: ignore[misc]
            undecided=Fraction(1, 4),
        )


@pytest.mark.parametrize("epsilon", ["0", "1", "ln(3)", "1/2*ln(5)"])
@pytest.mark.parametrize("delta", ["0", "1/8", "1/3", "1"])
@pytest.mark.parametrize("bit", [0, 1])
def test_the_four_outcome_response_is_exact(epsilon: str, delta: str, bit: int) -> None:
    mechanism = ApproxDP(epsilon=epsilon, delta=delta)
    found = enumerate_bits(lambda source: respond(mechanism, bit, source=source), 14)
    t, d = mpmath.exp(as_number(epsilon)), number(Fraction(delta))
    table = [d, (1 - d) * t / (1 + t), (1 - d) / (1 + t), mpmath.mpf(0)]
    if bit:
        table.reverse()
    check(found, lambda outcome: table[outcome], undecided=Fraction(1, 16))

"""Products of powers compared without multiplying them out."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from optcomp.numerics.powers import product_is_one


def direct(powers: list[tuple[Fraction, int]]) -> bool:
    product = Fraction(1)
    for base, exponent in powers:
        product *= base**exponent
    return product == 1


@pytest.mark.parametrize("seed", range(200))
def test_the_answer_is_that_of_multiplying_out(seed: int) -> None:
    draw = random.Random(seed)
    powers = [
        (
            Fraction(draw.choice([1, 2, 3, 4, 6, 8, 12, 36, 97]), draw.choice([1, 2, 3, 4, 9, 18, 97])),
            draw.randint(-4, 4),
        )
        for _ in range(draw.randint(1, 5))
    ]
    assert product_is_one(powers) == direct(powers)
    product = Fraction(1)
    for base, exponent in powers:
        product *= base**exponent
    assert product_is_one([*powers, (product, -1)])
    assert not product_is_one([*powers, (product * Fraction(10**20 + 1, 10**20), -1)])


def test_no_power_at_all_is_one() -> None:
    assert product_is_one([])
    assert product_is_one([(Fraction(1), 10**100)])
    assert product_is_one([(Fraction(5, 7), 0)])


def test_exponents_of_any_size_cost_nothing() -> None:
    huge = 10**200
    assert product_is_one([(Fraction(6), huge), (Fraction(2), -huge), (Fraction(3), -huge)])
    assert not product_is_one([(Fraction(6), huge), (Fraction(2), -huge), (Fraction(3), 1 - huge)])


@pytest.mark.parametrize("base", [Fraction(1, 2), Fraction(6, 7), Fraction(999, 1000)])
@pytest.mark.parametrize("exponent", [1000, 10_000])
def test_a_power_given_multiplied_out(base: Fraction, exponent: int) -> None:
    """One base to a large exponent beside the same number written out."""
    assert product_is_one([(base, exponent), (base**exponent, -1)])
    assert not product_is_one([(base, exponent), (base ** (exponent - 1), -1)])

"""The judge judged: against the theorem as printed, against rational arithmetic, and against itself."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from tests.oracles.brute_force import BruteForce, Exponent, ln, plain, to_fraction

MIXED = [
    (plain(Fraction(1, 10)), Fraction(1, 100)),
    (ln(Fraction(3, 2)), Fraction(0)),
    (plain(Fraction(1, 10)), Fraction(1, 7)),
    (plain(2), Fraction(0)),
    (Exponent(), Fraction(1, 1000)),
]
RATIONAL = [
    (ln(2), Fraction(1, 10)),
    (ln(Fraction(3, 2)), Fraction(0)),
    (ln(2), Fraction(1, 10)),
    (ln(5), Fraction(1, 3)),
]


def printed_theorem(parts: list[tuple[Exponent, Fraction]], x: Any) -> Any:
    """The sum over all subsets S, as it stands in the paper."""
    epsilons = [epsilon.value() for epsilon, _ in parts]
    survival = mpmath.mpf(1)
    for _, delta in parts:
        survival *= 1 - mpmath.mpf(delta.numerator) / delta.denominator
    total = mpmath.mpf(0)
    for chosen in itertools.product((False, True), repeat=len(parts)):
        inside = sum((e for e, c in zip(epsilons, chosen, strict=True) if c), mpmath.mpf(0))
        outside = sum((e for e, c in zip(epsilons, chosen, strict=True) if not c), mpmath.mpf(0))
        total += max(mpmath.exp(inside) - mpmath.exp(x) * mpmath.exp(outside), mpmath.mpf(0))
    for epsilon in epsilons:
        total /= 1 + mpmath.exp(epsilon)
    return 1 - survival * (1 - total)


@pytest.mark.parametrize("x", ["-3", "-0.1", "0", "0.05", "0.1", "1.7", "2.2", "3"])
def test_delta_is_the_printed_sum(x: str) -> None:
    with mpmath.workdps(80):
        expected = printed_theorem(MIXED, plain(Fraction(x)).value())
        found = BruteForce(MIXED).delta(plain(Fraction(x)))
        assert abs(found - expected) <= mpmath.mpf(10) ** -70 * expected


@pytest.mark.parametrize("delta", ["0.3", "0.2", "0.16", "0.1525", "0.9"])
def test_epsilon_inverts_the_printed_sum(delta: str) -> None:
    with mpmath.workdps(80):
        found = BruteForce(MIXED).epsilon(Fraction(delta))
        reached = printed_theorem(MIXED, found)
        if found == 0:
            assert reached <= mpmath.mpf(delta)
        else:
            assert abs(reached - mpmath.mpf(delta)) <= mpmath.mpf(10) ** -70


@pytest.mark.parametrize(
    "exponential", [Fraction(1, 9), Fraction(1), Fraction(3, 2), Fraction(7, 3), Fraction(5), Fraction(31)]
)
def test_delta_agrees_with_rational_arithmetic(exponential: Fraction) -> None:
    oracle = BruteForce(RATIONAL)
    assert oracle.is_rational
    exact = oracle.exact_delta(exponential)
    assert abs(to_fraction(oracle.delta(ln(exponential))) - exact) <= exact / 10**60


@pytest.mark.parametrize(
    "delta", [Fraction(6, 10), Fraction(1, 2), Fraction(46, 100), Fraction(9, 10), Fraction(99, 100)]
)
def test_epsilon_agrees_with_rational_arithmetic(delta: Fraction) -> None:
    oracle = BruteForce(RATIONAL)
    exact = oracle.exact_exponential(delta)
    found = oracle.epsilon(delta)
    if exact is None:
        assert found == mpmath.inf
        return
    assert abs(to_fraction(found) - to_fraction(high(exact))) <= Fraction(1, 10**60)
    if exact > 1:
        assert oracle.exact_delta(exact) == delta
    else:
        assert oracle.exact_delta(Fraction(1)) <= delta


def high(exact: Fraction) -> Any:
    with mpmath.workdps(100):
        return ln(exact).value()


def test_edges_of_the_table() -> None:
    none = BruteForce([])
    assert none.epsilon(Fraction(0)) == 0
    assert none.delta(plain(1)) == 0
    two = BruteForce([(plain(1), Fraction(1, 10))] * 2)
    assert two.failure == Fraction(19, 100)
    assert two.epsilon(Fraction(19, 100)) == 2
    assert two.epsilon(Fraction(19, 100) - Fraction(1, 10**90)) == mpmath.inf
    assert two.epsilon(Fraction(19, 100) + Fraction(1, 10**90)) < 2
    assert two.epsilon(Fraction(1)) == 0
    certain = BruteForce([(plain(1), Fraction(1)), (plain(1), Fraction(0))])
    assert certain.epsilon(1 - Fraction(1, 10**30)) == mpmath.inf
    assert certain.delta(plain(5)) == 1


def test_small_and_large_epsilons_keep_their_digits() -> None:
    oracle = BruteForce([(plain(Fraction(1, 10**12)), Fraction(0)), (plain(10**4), Fraction(0))])
    x = plain(10**4 + Fraction(1, 10**13))
    gap = Fraction(9, 10**13)
    with mpmath.workdps(100):
        expected = mpmath.mpf(1) / (1 + mpmath.exp(-plain(Fraction(1, 10**12)).value()))
        expected *= -mpmath.expm1(-plain(gap).value()) / (1 + mpmath.exp(mpmath.mpf(-(10**4))))
        assert abs(oracle.delta(x) - expected) <= mpmath.mpf(10) ** -60 * expected

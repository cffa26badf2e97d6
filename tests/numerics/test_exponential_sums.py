"""Signs of sums of powers of e, against 200 digits, and exact zeros."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

from optcomp.numerics.exponential_sums import ExponentialSum
from optcomp.quantities import Logarithm, real


def random_sum(source: random.Random) -> ExponentialSum:
    size = source.randint(0, 4)
    return ExponentialSum(
        {
            Fraction(source.randint(-12, 12), source.randint(1, 4)): Fraction(
                source.randint(-30, 30), source.randint(1, 9)
            )
            for _ in range(size)
        }
    )


def value(found: ExponentialSum) -> mpmath.mpf:
    return mpmath.fsum(
        mpmath.mpf(c.numerator) / c.denominator * mpmath.exp(mpmath.mpf(r.numerator) / r.denominator)
        for r, c in found.terms.items()
    )


def sign(found: mpmath.mpf) -> int:
    return 0 if abs(found) < mpmath.mpf(10) ** -150 else 1 if found > 0 else -1


def test_signs_against_200_digits() -> None:
    source = random.Random(41)
    with mpmath.workdps(200):
        for _ in range(4000):
            one, other = random_sum(source), random_sum(source)
            assert one.sign == sign(value(one))
            assert (one - other).sign == sign(value(one) - value(other))
            assert (one * other).sign == one.sign * other.sign
            assert (-one).sign == -one.sign
            assert (one + other - other - one).sign == 0


def test_products_that_cancel_are_zero() -> None:
    source = random.Random(42)
    for _ in range(500):
        x, y, z = (random_sum(source) for _ in range(3))
        assert ((x + y) * (x - y) - x * x + y * y).sign == 0
        assert (x * (y + z) - x * y - x * z).rational == 0


def test_close_to_zero() -> None:
    """A rational next to e, to 5 .. 900 digits: found on the right side."""
    base = ExponentialSum({Fraction(1): Fraction(1)})
    for digits in (5, 30, 60, 200, 900):
        with mpmath.workdps(digits + 30):
            below = Fraction(int(mpmath.floor(mpmath.e * mpmath.mpf(10) ** digits)), 10**digits)
        assert (base - ExponentialSum.constant(below)).sign == 1
        assert (base - ExponentialSum.constant(below + Fraction(1, 10**digits))).sign == -1


def test_powers() -> None:
    half = ExponentialSum.power(real("1/2", field="x"))
    assert half is not None
    assert (half * half - ExponentialSum({Fraction(1): Fraction(1)})).sign == 0
    rational = ExponentialSum.power(Logarithm.of(Fraction(7, 3)))
    assert rational is not None
    assert rational.rational == Fraction(7, 3)
    assert ExponentialSum.power(Logarithm(Fraction(2), Fraction(1, 2))) is None
    assert half.rational is None
    assert ExponentialSum.constant(0).rational == 0
    assert ExponentialSum({Fraction(3): Fraction(0)}).terms == {}


@pytest.mark.parametrize("exponent", ["700", "-700", "20000"])
def test_huge_powers(exponent: str) -> None:
    power = ExponentialSum({Fraction(exponent): Fraction(1)})
    assert power.sign == 1
    assert (power - ExponentialSum.constant(1)).sign == (1 if Fraction(exponent) > 0 else -1)
    assert (power - power * ExponentialSum.constant(Fraction(10**30 + 1, 10**30))).sign == -1

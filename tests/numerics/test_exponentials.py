"""Tables of exponentials against high precision."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from optcomp.numerics.balls import ball, precision
from optcomp.numerics.exponentials import TABLE_ROUNDINGS, decay_and_rise
from tests.oracles.brute_force import to_fraction

U = Fraction(1, 2**53)
NOTHING = Fraction(1, 10**300)


@pytest.mark.parametrize(
    "rate", [Fraction(0), Fraction(1, 10**20), Fraction(1, 1000), Fraction(7, 3), Fraction(50), Fraction(10**6)]
)
@pytest.mark.parametrize("size", [1, 2, 30, 1000])
def test_every_entry_is_within_its_roundings(rate: Fraction, size: int) -> None:
    with precision(128):
        decay, rise = decay_and_rise(ball(rate), size)
    assert len(decay) == len(rise) == size
    for place in {0, 1, 2, 7, 29, size // 3, size // 2, size - 2, size - 1} & set(range(size)):
        with mpmath.workdps(60):
            power = -mpmath.mpf(rate.numerator) * place / rate.denominator
            power = max(power, mpmath.mpf(-800))  # below, the table may hold anything from 0 to 1e-300
            true_decay, true_rise = to_fraction(mpmath.exp(power)), to_fraction(-mpmath.expm1(power))
        for found, true in ((decay[place], true_decay), (rise[place], true_rise)):
            assert abs(Fraction(float(found)) - true) <= TABLE_ROUNDINGS * U * true * Fraction(1001, 1000) + NOTHING

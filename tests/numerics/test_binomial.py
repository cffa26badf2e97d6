"""Binomial weights against exact rationals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from optcomp.numerics.binomial import LARGEST_COUNT, binomial
from tests.numerics.accounts import account_holds, binomial_law, smaller


@pytest.mark.parametrize("count", [0, 1, 2, 9, 60, 250])
@pytest.mark.parametrize("odds", [1.0, 0.7, 0.1, 1e-3, 2.0**-70])
def test_every_weight_is_within_its_bound(count: int, odds: float) -> None:
    assert account_holds(binomial(count, odds), binomial_law(count, Fraction(odds)))


@pytest.mark.parametrize("count", [0, 1, 2, 9, 60])
@pytest.mark.parametrize("odds", [1e-160, 1e-200, 1e-299, 1e-301, 0.0])
def test_weights_below_the_smallest_float_are_accounted(count: int, odds: float) -> None:
    assert account_holds(binomial(count, odds), binomial_law(count, Fraction(odds)))


@pytest.mark.parametrize(("count", "odds"), [(9, 0.3), (60, 1.0), (250, 0.05)])
def test_odds_may_be_off_by_two_roundings(count: int, odds: float) -> None:
    measure = binomial(count, odds)
    for share in (-2, 2):
        assert account_holds(measure, binomial_law(count, Fraction(odds) * (1 + share * Fraction(1, 2**53))))


def test_the_window_leaves_out_what_it_says() -> None:
    """1,500 fair trials: the window is shorter than the law, the rest is dropped and bounded closely."""
    count = 1500
    measure = binomial(count, 1.0)
    law = binomial_law(count, Fraction(1))
    assert len(measure.masses) < count
    assert account_holds(measure, law)
    assert 0 < measure.dropped < 1e-30
    assert not account_holds(smaller(measure, "dropped", 10), law)


@pytest.mark.parametrize(
    ("count", "odds"),
    [(10**6, 1.0), (10**6, 1e-9), (10**9, 1.0), (10**9, 1e-3), (10**12, 1e-9), (10**12, 1e-3), (LARGEST_COUNT, 1e-9)],
)
def test_large_counts_add_up(count: int, odds: float) -> None:
    """Beyond exact arithmetic: total mass and mean, each within the claimed error."""
    measure = binomial(count, odds)
    assert measure.relative < 1e-6
    assert measure.dropped < 1e-25
    places = np.arange(len(measure.masses), dtype=np.float64)
    total = math.fsum(measure.masses)
    mean = measure.start + math.fsum(places * measure.masses)
    true_mean = count * odds / (1 + odds)
    assert abs(total - 1) <= measure.relative + measure.dropped + 1e-12
    assert abs(mean - true_mean) <= true_mean * (measure.relative + 1e-12) + 1e-9

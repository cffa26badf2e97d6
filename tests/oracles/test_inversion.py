"""The second judge against the first."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.oracles.brute_force import BruteForce, plain, to_fraction
from tests.oracles.inversion import lattice_delta

STEP = Fraction(1, 10)


@pytest.mark.parametrize("groups", [[(1, 9), (3, 3)], [(2, 12)], [(1, 1), (2, 1), (5, 4)]])
@pytest.mark.parametrize("share", [Fraction(3, 5), Fraction(17, 20), Fraction(99, 100)])
def test_both_judges_agree(groups: list[tuple[int, int]], share: Fraction) -> None:
    parts = [(plain(STEP * multiple), Fraction(0)) for multiple, count in groups for _ in range(count)]
    x = share * STEP * sum(multiple * count for multiple, count in groups)
    found, true = to_fraction(lattice_delta(STEP, groups, x)), to_fraction(BruteForce(parts).delta(plain(x)))
    assert abs(found - true) <= true / 10**22


def test_a_knot_is_no_exception() -> None:
    parts = [(plain(STEP), Fraction(0))] * 10
    found, true = (
        to_fraction(lattice_delta(STEP, [(1, 10)], 6 * STEP)),
        to_fraction(BruteForce(parts).delta(plain(6 * STEP))),
    )
    assert abs(found - true) <= true / 10**22

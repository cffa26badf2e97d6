"""Searches that end with a certified point on each side."""

from __future__ import annotations

from fractions import Fraction

import pytest

from optcomp.numerics.bracket import least_true, sign_change


@pytest.mark.parametrize("first", [0, 1, 17, 99, 100])
def test_least_true(first: int) -> None:
    asked: list[int] = []

    def holds(place: int) -> bool:
        asked.append(place)
        return place >= first

    assert least_true(holds, 0, 100) == first
    assert len(asked) <= 8


def test_the_high_end_is_taken_on_trust() -> None:
    assert least_true(lambda _: False, 3, 9) == 9
    assert least_true(lambda _: False, 4, 4) == 4


def test_a_sign_change_is_halved() -> None:
    low, high = sign_change(lambda x: 1 if x * x > 2 else -1, Fraction(1), Fraction(2), steps=40)
    assert low**2 <= 2 <= high**2
    assert high - low == Fraction(1, 2**40)


def test_a_root_that_is_hit_ends_the_search() -> None:
    found = sign_change(lambda x: (x > 1) - (x < 1), Fraction(0), Fraction(2), steps=40)
    assert found == (Fraction(1), Fraction(1))


def test_an_unknown_sign_stops_the_search() -> None:
    root, dark = Fraction(1, 3), Fraction(1, 100)

    def sign(x: Fraction) -> int | None:
        return None if abs(x - root) < dark else (1 if x > root else -1)

    low, high = sign_change(sign, Fraction(0), Fraction(1), steps=60)
    assert low <= root <= high
    assert sign((low + high) / 2) is None

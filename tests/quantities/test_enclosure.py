"""Intervals: what they contain, what they answer, how they are written."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optcomp.errors import InvalidParameterError, UndecidedError
from optcomp.quantities import Enclosure

NUMBERS = st.one_of(
    st.fractions(min_value=-1000, max_value=1000),
    st.builds(lambda m, e: Fraction(m) * Fraction(10) ** e, st.integers(-(10**20), 10**20), st.integers(-400, 300)),
)
WIDTHS = st.builds(lambda m, e: Fraction(m, 10**e), st.integers(0, 1000), st.integers(0, 60))
ENCLOSURES = st.builds(lambda low, width: Enclosure(low, low + abs(low) * width), NUMBERS, WIDTHS)


def written(text: str) -> tuple[Fraction | float, Fraction | float]:
    """The ends that a reader takes from the text."""
    parts = re.fullmatch(r"\[(.+), (.+)\]", text)
    first, second = (parts[1], parts[2]) if parts else (text, text)
    return tuple(math.inf if each == "inf" else Fraction(each) for each in (first, second))  # type: ignore[return-value]  # two ends


@given(interval=ENCLOSURES)
def test_the_text_never_rounds_inward(interval: Enclosure) -> None:
    low, high = written(str(interval))
    assert low <= interval.lower
    assert interval.upper <= high


@given(interval=ENCLOSURES)
def test_the_text_is_short_and_not_much_wider(interval: Enclosure) -> None:
    low, high = written(str(interval))
    size = max(abs(Fraction(interval.lower)), abs(Fraction(interval.upper)))
    assert high - low <= 2 * interval.width + size * Fraction(1, 10**16)
    assert len(str(interval)) <= 2 * (17 + 12)


@given(low=NUMBERS, more=st.integers(min_value=0, max_value=10**6))
def test_the_text_of_half_a_line(low: Fraction, more: int) -> None:
    first, second = written(str(Enclosure(low + more, math.inf)))
    assert first <= low + more
    assert second == math.inf


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Enclosure.exactly(0), "0"),
        (Enclosure.exactly(math.inf), "inf"),
        (Enclosure.exactly(Fraction(1, 10)), "0.1"),
        (Enclosure.exactly(Fraction(1, 3)), "1/3"),
        (Enclosure(Fraction(1, 3), Fraction(334, 1000)), "[0.33333, 0.33400]"),
        (Enclosure(Fraction(0), Fraction(1)), "[0, 1]"),
    ],
)
def test_texts(interval: Enclosure, text: str) -> None:
    assert str(interval) == text


@given(interval=ENCLOSURES, digits=st.integers(min_value=1, max_value=50))
def test_rounding_goes_outward(interval: Enclosure, digits: int) -> None:
    rounded = interval.rounded(digits)
    assert rounded.lower <= interval.lower <= interval.upper <= rounded.upper
    assert rounded.safe_side == interval.safe_side


@given(interval=ENCLOSURES)
def test_a_float_is_the_safe_side(interval: Enclosure) -> None:
    assert float(interval) >= interval.upper
    below = Enclosure(interval.lower, interval.upper, "lower")
    assert float(below) <= interval.lower


def test_a_float_is_the_nearest_on_its_side() -> None:
    tenth = Enclosure.exactly(Fraction(1, 10))
    assert float(tenth) == 0.1  # the float is a little above 1/10
    assert float(Enclosure(Fraction(1, 10), Fraction(1, 10), "lower")) == math.nextafter(0.1, 0)
    assert float(Enclosure.exactly(math.inf)) == math.inf
    assert float(Enclosure.exactly(Fraction(1, 10**400))) == 5e-324


INSIDE = Enclosure(Fraction(1), Fraction(2))


@pytest.mark.parametrize(
    ("compare", "other", "expected"),
    [
        (operator.lt, 3, True),
        (operator.lt, 1, False),
        (operator.lt, 0, False),
        (operator.le, 2, True),
        (operator.le, Fraction(1, 2), False),
        (operator.gt, 0, True),
        (operator.gt, 2, False),
        (operator.ge, 1, True),
        (operator.ge, 3, False),
        (operator.lt, math.inf, True),
        (operator.ge, math.inf, False),
    ],
)
def test_comparisons_that_are_certain(compare: Callable[[Any, Any], bool], other: Any, *, expected: bool) -> None:
    assert compare(INSIDE, other) is expected


@pytest.mark.parametrize(
    ("compare", "other"),
    [
        (operator.lt, 2),
        (operator.lt, Fraction(3, 2)),
        (operator.le, 1),
        (operator.le, Fraction(3, 2)),
        (operator.gt, 1),
        (operator.gt, Fraction(3, 2)),
        (operator.ge, 2),
        (operator.ge, 1.5),
    ],
)
def test_comparisons_that_cannot_be_decided(compare: Callable[[Any, Any], bool], other: Any) -> None:
    with pytest.raises(UndecidedError) as caught:
        compare(INSIDE, other)
    assert caught.value.value == other


@given(interval=ENCLOSURES, other=NUMBERS)
def test_a_comparison_that_answers_is_right_for_every_point(interval: Enclosure, other: Fraction) -> None:
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        try:
            answer = compare(interval, other)
        except UndecidedError:
            assert compare(interval.lower, other) != compare(interval.upper, other)
            continue
        assert compare(interval.lower, other) is compare(interval.upper, other) is answer


def test_what_it_contains() -> None:
    assert 1 in INSIDE
    assert 2 in INSIDE
    assert Fraction(3, 2) in INSIDE
    assert Fraction(1) - Fraction(1, 10**100) not in INSIDE
    assert math.inf not in INSIDE
    assert math.inf in Enclosure(Fraction(1), math.inf)


@given(first=ENCLOSURES, second=ENCLOSURES)
def test_intersection_is_symmetric(first: Enclosure, second: Enclosure) -> None:
    assert first.intersects(second) is second.intersects(first)
    assert first.intersects(second) is (max(first.lower, second.lower) <= min(first.upper, second.upper))


def test_touching_ends_intersect() -> None:
    assert INSIDE.intersects(Enclosure(Fraction(2), Fraction(3)))
    assert not INSIDE.intersects(Enclosure(Fraction(2) + Fraction(1, 10**50), Fraction(3)))


def test_widths() -> None:
    assert INSIDE.width == 1
    assert INSIDE.relative_width == 0.5
    assert Enclosure.exactly(math.inf).width == 0
    assert Enclosure.exactly(Fraction(1, 3)).relative_width == 0
    assert Enclosure(Fraction(1), math.inf).relative_width == math.inf
    assert Enclosure(Fraction(-2), Fraction(1)).relative_width == 1.5
    assert Enclosure(Fraction(0), Fraction(1, 10**400)).relative_width == 1


@given(interval=ENCLOSURES)
def test_relative_width_is_rounded_up(interval: Enclosure) -> None:
    largest = max(abs(Fraction(interval.lower)), abs(Fraction(interval.upper)))
    if largest:
        assert Fraction(interval.relative_width) * largest >= interval.width


@pytest.mark.parametrize(
    ("lower", "upper", "field"),
    [
        (0.5, Fraction(1), "lower"),
        (Fraction(0), 1, "upper"),
        (Fraction(0), math.nan, "upper"),
        (Fraction(2), Fraction(1), "lower"),
        (math.inf, Fraction(1), "lower"),
        ("0", "1", "lower"),
    ],
)
def test_ends_that_are_refused(lower: Any, upper: Any, field: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        Enclosure(lower, upper)
    assert caught.value.field == field


def test_it_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        INSIDE.lower = Fraction(0)  # type: ignore[misc]  # the point of the test

"""Faults that programs of this kind have had, one test each."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import optcomp as oc

ZERO, INFINITE = oc.Enclosure.exactly(0), oc.Enclosure.exactly(math.inf)


def near(answer: oc.Enclosure, printed: str) -> bool:
    """Whether the answer is the printed number, known to half a unit of its last place."""
    value = Fraction(printed)
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    return answer.intersects(oc.Enclosure(value - half, value + half)) and answer.width <= half


def test_an_integer_epsilon_is_the_same_number_as_any_other_way_to_write_it() -> None:
    """An epsilon given as the integer 1 was refused by a type check."""
    ways: list[Any] = [1, 1.0, "1", "1.0", "1e0", "2/2", Decimal(1), Decimal("1.00"), Fraction(1)]
    expected = oc.compose(oc.PureDP(epsilon="1").repeated(4))
    for way in ways:
        assert oc.PureDP(epsilon=way) == oc.PureDP(epsilon=1)
        assert oc.compose(oc.PureDP(epsilon=way).repeated(4)).epsilon(delta="1e-6") == expected.epsilon(delta="1e-6")
        assert expected.delta(epsilon=way) == expected.delta(epsilon=1)


@pytest.mark.parametrize("flag", [True, False])
def test_a_truth_value_is_no_number(flag: Any) -> None:
    """``True`` passed for the epsilon 1."""
    profile = oc.compose(oc.PureDP(epsilon=1))
    for ask in (
        lambda: oc.PureDP(epsilon=flag),
        lambda: oc.ApproxDP(epsilon=1, delta=flag),
        lambda: oc.RandomizedResponse(probability=flag),
        lambda: profile.epsilon(delta=flag),
        lambda: profile.delta(epsilon=flag),
    ):
        with pytest.raises(oc.InvalidParameterError):
            ask()


def test_no_step_at_all_costs_nothing() -> None:
    """A count of 0 ended in a division by zero or a NaN."""
    profile = oc.compose(oc.ApproxDP(epsilon="0.5", delta="1e-6").repeated(0))
    for delta in ("0", "1e-6", "1"):
        assert profile.epsilon(delta=delta) == ZERO
    for epsilon in ("0", "1"):
        assert profile.delta(epsilon=epsilon) == ZERO


@pytest.mark.parametrize("count", [-1, 2.5, 2.0, True, False, "2", None, math.nan, math.inf])
def test_a_count_is_checked_when_it_is_given(count: Any) -> None:
    """A negative or fractional count passed, and crashed late or not at all."""
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.PureDP(epsilon=1).repeated(count)
    assert caught.value.field == "count"


def test_counts_from_zero_on_are_fine() -> None:
    """The check of the count must not refuse 0."""
    assert oc.PureDP(epsilon=1).repeated(0).count == 0
    assert oc.PureDP(epsilon=1).repeated(10**12).count == 10**12


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, "inf", "nan", Decimal("Infinity"), Decimal("NaN")])
def test_infinities_and_nans_are_refused_where_they_enter(value: Any) -> None:
    """An infinite or undefined parameter passed through a product of bounds."""
    for ask in (
        lambda: oc.PureDP(epsilon=value),
        lambda: oc.ApproxDP(epsilon=value, delta=0),
        lambda: oc.ApproxDP(epsilon=1, delta=value),
        lambda: oc.RandomizedResponse(probability=value),
    ):
        with pytest.raises(oc.InvalidParameterError):
            ask()


def test_epsilon_zero_means_perfect_privacy() -> None:
    """An epsilon of 0 crashed, or was read as "switched off"."""
    silent = oc.PureDP(epsilon=0)
    assert oc.compose(silent.repeated(10**6)).epsilon(delta=0) == ZERO
    assert oc.compose(silent.repeated(10**6)).delta(epsilon=0) == ZERO
    other = oc.PureDP(epsilon="0.3").repeated(5)
    assert oc.compose([silent, other]).epsilon(delta="1e-3") == oc.compose(other).epsilon(delta="1e-3")


def test_a_target_below_the_failure_mass_is_infinite() -> None:
    """The mass at infinity was left out, so a delta that cannot be reached got a finite epsilon."""
    ten = oc.compose(oc.ApproxDP(epsilon="0.5", delta="1e-6").repeated(10))
    mass = 1 - (1 - Fraction(1, 10**6)) ** 10
    assert ten.failure.lower <= mass <= ten.failure.upper
    assert ten.epsilon(delta="9.9999e-6") == INFINITE
    assert ten.epsilon(delta=mass - Fraction(1, 10**100)) == INFINITE
    assert ten.epsilon(delta=mass) == oc.Enclosure.exactly(5)
    assert near(ten.epsilon(delta="1.1e-5"), "4.99988546481")


def test_an_unreachable_target_is_never_a_sentinel() -> None:
    """-1 came back for a delta that is too small."""
    ten = oc.compose(oc.ApproxDP(epsilon="0.5", delta="1e-6").repeated(10))
    for delta in ("0", "1e-300", "1e-6", "9.99e-6", "1e-5", "1e-4", "0.5", "0.999999", "1"):
        found = ten.epsilon(delta=delta)
        assert 0 <= found.lower <= found.upper
        assert float(found) >= 0
        assert (found == INFINITE) is (Fraction(delta) < Fraction(ten.failure.lower))


@pytest.mark.parametrize(
    ("epsilon", "count", "printed"), [("0.001", 10**6, "4.88654374376"), ("0.01", 10**4, "4.88551560101")]
)
def test_many_small_losses_do_not_overflow(epsilon: str, count: int, printed: str) -> None:
    """The sum over all terms overflowed in e^(k epsilon)."""
    profile = oc.compose(oc.PureDP(epsilon=epsilon).repeated(count))
    assert near(profile.epsilon(delta="1e-6"), printed)


def test_a_budget_split_in_decimals_adds_up_exactly() -> None:
    """0.1 + 0.9 was more than 1 in binary floats, so the last release was refused."""
    for first, second in (("0.1", "0.9"), (0.1, 0.9), (Decimal("0.1"), Decimal("0.9")), (Fraction(1, 10), 0.9)):
        whole = oc.compose([oc.PureDP(epsilon=first), oc.PureDP(epsilon=second)])
        assert whole.epsilon(delta=0) == oc.Enclosure.exactly(1)
        assert whole.epsilon(delta=0) <= 1


def test_eleven_elevenths_are_one() -> None:
    """Eleven spends of 1/11 exceeded 1."""
    one = oc.Enclosure.exactly(1)
    assert oc.compose(oc.PureDP(epsilon=Fraction(1, 11)).repeated(11)).epsilon(delta=0) == one
    assert oc.compose([oc.PureDP(epsilon="1/11")] * 11).epsilon(delta=0) == one
    assert oc.compose([oc.PureDP(epsilon="1/11")] * 11).largest_epsilon == one
    assert oc.compose([oc.PureDP(epsilon="1/11")] * 12).epsilon(delta=0) > 1


def test_a_float_is_read_by_its_shortest_decimal() -> None:
    """1/11 as a float is a long decimal a little off, and eleven of it are not 1: that is said, not hidden."""
    total = oc.compose([oc.PureDP(epsilon=1 / 11)] * 11).epsilon(delta=0)
    assert total == oc.Enclosure.exactly(11 * Fraction(repr(1 / 11)))
    assert total != oc.Enclosure.exactly(1)

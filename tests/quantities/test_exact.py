"""The door for numbers."""

from __future__ import annotations

import contextlib
import math
import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optcomp.errors import InvalidParameterError
from optcomp.quantities import Logarithm, exact_text, ratio, rational, real
from optcomp.quantities.exact import LONGEST_TEXT, ceil_to_digits, float_down, float_up, floor_to_digits

FRACTIONS = st.one_of(
    st.fractions(), st.fractions(max_denominator=1000), st.decimals(allow_nan=False, allow_infinity=False)
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
HUGE = "9" * (LONGEST_TEXT + 1)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("0.1", Fraction(1, 10)),
        (" 0.1\n", Fraction(1, 10)),
        ("1/10", Fraction(1, 10)),
        ("-3 / 30", Fraction(-1, 10)),
        ("+7", Fraction(7)),
        (".5", Fraction(1, 2)),
        ("-.5", Fraction(-1, 2)),
        ("5.", Fraction(5)),
        ("1e-10", Fraction(1, 10**10)),
        ("1E+3", Fraction(1000)),
        ("-0.00", Fraction(0)),
        ("104/4099", Fraction(104, 4099)),
        ("1e-4000", Fraction(1, 10**4000)),
        (f"1e{LONGEST_TEXT}", Fraction(10) ** LONGEST_TEXT),
        ("7" * 9000, Fraction(int("7" * 3000)) * (10**6000 + 10**3000 + 1)),
        (3, Fraction(3)),
        (-(10**30), Fraction(-(10**30))),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("-1E-30"), Fraction(-1, 10**30)),
        (0.1, Fraction(1, 10)),
        (1e-300, Fraction(1, 10**300)),
        (5e-324, Fraction(5, 10**324)),
        (-0.0, Fraction(0)),
        (1e22, Fraction(10**22)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float16(0.1), Fraction(1, 10)),
        (np.longdouble("0.1"), Fraction(1, 10)),
        (np.int64(7), Fraction(7)),
        (np.uint8(255), Fraction(255)),
    ],
)
def test_what_comes_in(given: Any, expected: Fraction) -> None:
    found = rational(given, field="epsilon")
    assert found == expected
    assert type(found) is Fraction
    assert type(found.numerator) is int


@pytest.mark.parametrize(
    "given",
    [
        math.nan,
        math.inf,
        -math.inf,
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        np.float64("nan"),
        np.float32("inf"),
        True,
        False,
        np.bool_(True),
        None,
        1j,
        np.complex128(1),
        [1],
        np.array([1.0]),
        b"1",
        "",
        " ",
        "nan",
        "inf",
        "-inf",
        "one",
        "1,5",
        "1_000",
        "0x10",
        "1e",
        "e5",
        ".",
        "--1",
        "1/0",
        "0/0",
        "1/-2",
        "1.5/2",
        "1e5/3",
        "1/2/3",
        "٣",
        "\N{FULLWIDTH DIGIT ONE}",
        "ln(3)",
        HUGE,
        f"1/{HUGE}",
        f"1e{LONGEST_TEXT + 1}",
        f"1e-{LONGEST_TEXT + 1}",
        "1e" + "9" * 5000,
        Decimal(f"1e{LONGEST_TEXT + 1}"),
        Decimal("1e-999999999"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_refused(given: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        rational(given, field="epsilon")
    assert caught.value.field == "epsilon"
    assert isinstance(caught.value, ValueError)
    assert len(str(caught.value)) < 600


def test_denominator_zero_says_so() -> None:
    with pytest.raises(InvalidParameterError, match="denominator 0"):
        rational("5/0", field="delta")


@given(value=FLOATS)
def test_a_float_is_its_shortest_decimal(value: float) -> None:
    assert rational(value, field="x") == Fraction(repr(value))
    assert float(rational(value, field="x")) == value


@given(value=st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_short_float_is_its_own_shortest_decimal(value: float) -> None:
    short: Any = np.float32(value)
    assert np.float32(float(rational(short, field="x"))) == short
    assert rational(short, field="x") == Fraction(str(short))


@given(value=FRACTIONS)
def test_exact_text_reads_back(value: Fraction | Decimal) -> None:
    exact = Fraction(value)
    assert rational(exact_text(exact), field="x") == exact


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1, 10), "0.1"),
        (Fraction(-3, 4), "-0.75"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-104, 4099), "-104/4099"),
        (Fraction(10**20), "100000000000000000000"),
        (Fraction(10**21), "1e21"),
        (Fraction(12, 10**8), "1.2e-7"),
        (Fraction(1, 10**5), "0.00001"),
        (Fraction(1, 10**6), "1e-6"),
        (7, "7"),
        (0.5, "0.5"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
    ],
)
def test_exact_text(value: Fraction | float, text: str) -> None:
    assert exact_text(value) == text


@pytest.mark.parametrize("value", [Fraction(10) ** 15_000 + 1, Fraction(1, 3**9000), Fraction(-(7**6000), 2**9000)])
def test_exact_text_of_very_long_numbers(value: Fraction) -> None:
    """Longer than the interpreter's own limit on the digits of an int."""
    assert rational(exact_text(value), field="x") == value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ln(3/2)", Logarithm(Fraction(3, 2), Fraction(1))),
        ("ln(9/4)", Logarithm(Fraction(3, 2), Fraction(2))),
        ("ln( 1024 )", Logarithm(Fraction(2), Fraction(10))),
        ("ln(0.5)", Logarithm(Fraction(2), Fraction(-1))),
        ("-ln(2)", Logarithm(Fraction(2), Fraction(-1))),
        ("+ln(2)", Logarithm(Fraction(2), Fraction(1))),
        ("-ln(1/4)", Logarithm(Fraction(2), Fraction(2))),
        ("ln(1)", Fraction(0)),
        ("-ln(1.0)", Fraction(0)),
        ("ln(1e3)", Logarithm(Fraction(10), Fraction(3))),
        ("0.25", Fraction(1, 4)),
    ],
)
def test_logarithms_come_in(text: str, expected: Logarithm | Fraction) -> None:
    assert real(text, field="epsilon") == expected
    assert real(expected, field="epsilon") == expected


@pytest.mark.parametrize(
    "text", ["ln(0)", "ln(-1)", "ln()", "ln(x)", "ln(ln(2))", "ln 2", "log(2)", "2 ln(3)", "ln(1/0)", "ln(nan)"]
)
def test_logarithms_that_are_refused(text: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        real(text, field="epsilon")
    assert caught.value.field == "epsilon"


@given(argument=st.fractions(min_value=Fraction(1, 10**9), max_value=10**9).filter(lambda x: x > 0))
def test_a_logarithm_reads_back(argument: Fraction) -> None:
    found = Logarithm.of(argument)
    assert real(exact_text(found), field="x") == found


@given(base=st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=50), power=st.integers(1, 9))
def test_equal_logarithms_have_equal_fields(base: Fraction, power: int) -> None:
    first, second = Logarithm.of(base), Logarithm.of(base**power)
    if base == 1:
        assert first == second == 0
        return
    assert isinstance(first, Logarithm)
    assert isinstance(second, Logarithm)
    assert first.base == second.base > 1
    assert second.multiple == power * first.multiple
    assert ratio(second, first) == power


@pytest.mark.parametrize("multiple", [Fraction(1, 2), Fraction(-5, 3), Fraction(10**7)])
def test_the_text_of_any_logarithm_reads_back(multiple: Fraction) -> None:
    value = Logarithm(Fraction(3, 2), multiple)
    assert real(exact_text(value), field="x") == value


@pytest.mark.parametrize(
    ("base", "multiple"),
    [(Fraction(1, 2), Fraction(1)), (Fraction(2), Fraction(0)), (Fraction(1), Fraction(1)), (Fraction(0), Fraction(1)),
     (Fraction(-2), Fraction(1)), (Fraction(4), Fraction(1))],
)  # fmt: skip
def test_a_logarithm_made_by_hand_keeps_its_promise_or_is_refused(base: Fraction, multiple: Fraction) -> None:
    """Its fields say: a base above 1 that is no power, so that equal numbers have equal fields."""
    try:
        made: Any = real(Logarithm(base, multiple), field="epsilon")
    except InvalidParameterError:
        return
    assert base > 0
    expected = Logarithm.of(base ** int(multiple))
    assert made == expected


def test_ratio() -> None:
    assert ratio(Fraction(3), Fraction(2)) == Fraction(3, 2)
    assert ratio(Logarithm.of(Fraction(8)), Logarithm.of(Fraction(4))) == Fraction(3, 2)
    assert ratio(Fraction(0), Logarithm.of(Fraction(4))) == 0
    assert ratio(Fraction(1), Logarithm.of(Fraction(4))) is None
    assert ratio(Logarithm.of(Fraction(4)), Fraction(1)) is None
    assert ratio(Logarithm.of(Fraction(3)), Logarithm.of(Fraction(2))) is None


@pytest.mark.parametrize("text", ["ln(" + "7" * 4000 + ")", "ln(1e15000)", "ln(1/" + "3" * 3000 + ")"], ids=len)
def test_long_logarithms_are_read_or_refused_at_once(text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(InvalidParameterError):
        real(text, field="epsilon")
    assert time.process_time() - began < 2


@given(value=FRACTIONS, digits=st.integers(min_value=1, max_value=60))
def test_digits_are_cut_on_the_named_side(value: Fraction | Decimal, digits: int) -> None:
    exact = Fraction(value)
    low, high = floor_to_digits(exact, digits), ceil_to_digits(exact, digits)
    assert low <= exact <= high
    assert high - low <= abs(exact) * Fraction(10) ** (1 - digits)
    for each in (low, high):
        mantissa = exact_text(abs(each)).partition("e")[0].replace(".", "").strip("0")
        assert "/" in mantissa or len(mantissa) <= digits


@given(value=st.one_of(FRACTIONS, st.integers(min_value=-(10**400), max_value=10**400).map(Fraction)))
def test_floats_on_the_named_side(value: Fraction | Decimal) -> None:
    exact = Fraction(value)
    low, high = float_down(exact), float_up(exact)
    assert low <= exact <= high
    assert high <= math.nextafter(low, math.inf)


def test_floats_beyond_the_range() -> None:
    big, small = Fraction(10) ** 400, Fraction(1, 10**400)
    assert float_up(big) == math.inf
    assert float_down(big) == math.nextafter(math.inf, 0)
    assert (float_down(small), float_up(small)) == (0.0, 5e-324)
    assert (float_down(-small), float_up(-small)) == (-5e-324, 0.0)

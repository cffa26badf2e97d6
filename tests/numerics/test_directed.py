"""The side is in the name."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optcomp.numerics import directed

FLOATS = st.floats(min_value=-1e150, max_value=1e150, allow_nan=False, allow_infinity=False)
PAIRS: list[tuple[str, Callable[[Fraction, Fraction], Fraction]]] = [
    ("add", lambda a, b: a + b),
    ("sub", lambda a, b: a - b),
    ("mul", lambda a, b: a * b),
    ("div", lambda a, b: a / b),
]


@pytest.mark.parametrize(("name", "exact"), PAIRS, ids=[name for name, _ in PAIRS])
@given(a=FLOATS, b=FLOATS)
def test_up_is_never_below_and_down_never_above(
    name: str, exact: Callable[[Fraction, Fraction], Fraction], a: float, b: float
) -> None:
    if name == "div" and abs(b) < 1e-150:
        b = 3.0
    true = exact(Fraction(a), Fraction(b))
    up, down = getattr(directed, f"{name}_up")(a, b), getattr(directed, f"{name}_down")(a, b)
    assert Fraction(down) <= true <= Fraction(up)
    assert up <= math.nextafter(math.nextafter(down, math.inf), math.inf)


@given(a=st.floats(min_value=0, max_value=1e300))
def test_square_root_up(a: float) -> None:
    assert Fraction(directed.sqrt_up(a)) ** 2 >= Fraction(a)


@pytest.mark.parametrize("operations", [0, 1, 2, 17, 10**6, 10**12])
def test_compound_bounds_both_products_of_roundings(operations: int) -> None:
    u = Fraction(1, 2**53)
    bound = Fraction(directed.compound_up(operations))
    if operations <= 17:
        assert (1 + u) ** operations - 1 <= bound
        assert 1 - (1 - u) ** operations <= bound
    # (1+u)^n - 1 < n u / (1 - n u), and 1 - (1-u)^n <= n u
    product = operations * u
    assert product / (1 - product) <= bound
    assert bound <= product / (1 - product) * (1 + Fraction(1, 10**14)) + Fraction(1, 10**300)


def test_too_many_roundings_promise_nothing() -> None:
    assert directed.compound_up(2.0**52) == math.inf
    assert directed.compound_up(1e300) == math.inf

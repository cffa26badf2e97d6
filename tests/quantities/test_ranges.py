"""Range checks, each naming its field."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from optcomp.errors import InvalidParameterError
from optcomp.quantities import Logarithm, count, nonnegative_real, probability
from optcomp.quantities.ranges import positive_rational


@pytest.mark.parametrize("value", [0, 1, 365, 10**30, np.int64(7), np.uint8(3)])
def test_counts(value: Any) -> None:
    found = count(value, field="count")
    assert found == value
    assert type(found) is int


@pytest.mark.parametrize(
    "value", [-1, 2.5, 2.0, True, False, np.bool_(True), "3", None, Fraction(3), np.float64(3), [3]]
)
def test_counts_that_are_refused(value: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        count(value, field="count")
    assert caught.value.field == "count"
    assert caught.value.value is value


def test_a_least_count() -> None:
    assert count(2, field="categories", least=2) == 2
    with pytest.raises(InvalidParameterError, match="at least 2"):
        count(1, field="categories", least=2)


CHECKS: list[tuple[Callable[..., Any], list[Any], list[Any]]] = [
    (probability, [0, 1, "1e-300", 0.5, Fraction(1, 3)], [-1, "1.0000000000000000000001", -1e-300, 2, "ln(2)"]),
    (nonnegative_real, [0, "1e-300", 10**9, "ln(3)", "ln(1)"], [-1, "-1e-300", "ln(1/2)", "-ln(3)"]),
    (positive_rational, ["1e-300", 1, 0.5], [0, "-1", "-0.0", "ln(2)"]),
]


@pytest.mark.parametrize(("check", "good", "bad"), CHECKS, ids=[check.__name__ for check, _, _ in CHECKS])
def test_ranges(check: Callable[..., Any], good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert isinstance(check(value, field="x"), Fraction | Logarithm)
    for value in bad:
        with pytest.raises(InvalidParameterError) as caught:
            check(value, field="x")
        assert caught.value.field == "x"
        assert caught.value.remedy

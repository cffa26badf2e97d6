"""Range checks for the numbers that mechanisms and questions are made of."""

from __future__ import annotations

import numbers
import operator
from fractions import Fraction

from optcomp.errors import InvalidParameterError
from optcomp.quantities.exact import Logarithm, Number, Real, rational, real

__all__ = ["count", "nonnegative_real", "positive_rational", "probability"]


def nonnegative_real(value: Number, *, field: str) -> Real:
    """A real number of at least 0, such as an epsilon in nats."""
    number = real(value, field=field)
    if (number.multiple if isinstance(number, Logarithm) else number) < 0:
        raise InvalidParameterError(
            field=field, value=value, condition="must be at least 0", remedy="Give 0 for perfect privacy."
        )
    return number


def positive_rational(value: Number, *, field: str) -> Fraction:
    """A rational number above 0."""
    number = rational(value, field=field)
    if number <= 0:
        raise InvalidParameterError(
            field=field, value=value, condition="must be above 0", remedy="Give a positive number."
        )
    return number


def probability(value: Number, *, field: str) -> Fraction:
    """A rational number between 0 and 1, both included."""
    number = rational(value, field=field)
    if not 0 <= number <= 1:
        raise InvalidParameterError(
            field=field,
            value=value,
            condition="must be a probability between 0 and 1",
            remedy="Give a number such as 1e-6, 0.75 or 1/3.",
        )
    return number


def count(value: object, *, field: str, least: int = 0) -> int:
    """A whole number of at least ``least``; a bool or a float is refused."""
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or operator.index(value) < least:  # type: ignore[arg-type]  # is_whole says that it has __index__
        raise InvalidParameterError(
            field=field,
            value=value,
            condition=f"must be a whole number of at least {least}",
            remedy="Give an int, such as 365.",
        )
    return operator.index(value)  # type: ignore[arg-type]  # as above

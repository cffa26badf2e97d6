"""Exact values: whole numbers, numbers with a fixed number of decimals, and answers from fixed categories.

Values with p decimals are kept as whole numbers of *units*, one unit being ``10^-p``. Noise is drawn in units. A
mechanism's sensitivity, scale and standard deviation are in units too: with 2 decimals, a sensitivity of 100 is 1.00.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import ApproxDP, Mechanism, PureDP, RandomizedResponse
from optcomp.quantities import count

__all__ = [
    "Categories",
    "Column",
    "as_decimal",
    "categories_of",
    "checked_places",
    "column_of",
    "fixed_text",
    "unit_of",
]

_MOST_DIGITS = 1000
_MOST_PLACES = 100
_EXACT_FLOAT = 2**53
_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?", re.ASCII)
_WHOLE = re.compile(r"\d{1,18}", re.ASCII)


@dataclass(frozen=True)
class Column:
    """Values in a row, perhaps each with a label.

    Args:
        values: As they were given.
        labels: One for each, all different, or None.
    """

    values: tuple[object, ...]
    labels: tuple[str, ...] | None = None

    def units(self, places: int) -> tuple[int, ...]:
        """The values as whole numbers of units."""
        return tuple(unit_of(value, places, self.where(place)) for place, value in enumerate(self.values))

    def where(self, place: int) -> str:
        """The name of one value in an error."""
        return f"values[{place}]" if self.labels is None else f"values[{self.labels[place]!r}]"


def column_of(values: object) -> Column:
    """A row of values, from one number, a list, an array, or a mapping from labels to values.

    Raises:
        InvalidParameterError: When it is none of these, or a label is no text.
    """
    if isinstance(values, Column):
        return values
    if isinstance(values, Mapping):
        for label in values:
            if not isinstance(label, str):
                raise _refused("values", label, "must have text as labels", "Write {'red': 12, 'blue': 7}.")
        return Column(tuple(values.values()), tuple(values))
    if isinstance(values, str | bytes | bytearray) or not isinstance(values, Iterable):
        return Column((values,))
    if isinstance(values, set | frozenset):
        raise _refused("values", "a set", "must have an order", "Give a list.")
    return Column(tuple(values))


@dataclass(frozen=True)
class Categories:
    """The answers that are possible, fixed before any is seen.

    Args:
        count: How many.
        names: Their names in order, or None: then they are the numbers from 0 on.
    """

    count: int
    names: tuple[str, ...] | None = None

    def number_of(self, answer: object, where: str) -> int:
        """The place of an answer among the categories."""
        if self.names is not None:
            if isinstance(answer, str) and answer.strip() in self.names:
                return self.names.index(answer.strip())
            raise _refused(where, _hidden(answer), f"must be one of {', '.join(self.names)}", "Mend that answer.")
        number: int | None = None
        if isinstance(answer, str):
            text = answer.strip()
            number = int(text) if _WHOLE.fullmatch(text) else None
        elif not isinstance(answer, bool):
            number = _index(answer)
        if number is None or not 0 <= number < self.count:
            condition = f"must be a whole number from 0 to {self.count - 1}"
            raise _refused(where, _hidden(answer), condition, "Or name the categories.")
        return number

    def name_of(self, number: int) -> str | int:
        """What stands for a category outside."""
        return number if self.names is None else self.names[number]


def categories_of(mechanism: Mechanism, categories: object) -> Categories:
    """The categories of a response.

    Args:
        mechanism: The response.
        categories: How many there are, or their names in order; None where the mechanism says how many.

    Raises:
        InvalidParameterError: When they do not fit the mechanism, or are not known. They are never taken from the
            answers, since which answers occur is a secret.
    """
    known = None
    if isinstance(mechanism, RandomizedResponse):
        known = mechanism.categories
    elif isinstance(mechanism, ApproxDP):
        known = 2
    if categories is None:
        if known is None:
            raise _refused(
                "categories",
                None,
                "must be given for a pure_dp: which answers are possible must not depend on the answers",
                "Name them all, also those that nobody gave; for numbers plan a discrete_laplace instead.",
            )
        return Categories(known)
    if isinstance(categories, str) or not isinstance(categories, Sequence):
        found = Categories(count(categories, field="categories", least=2))
    else:
        names = tuple(each.strip() if isinstance(each, str) else "" for each in categories)
        if not all(names) or len(set(names)) != len(names):
            raise _refused("categories", categories, "must be texts, all different", "Write ['yes', 'no'].")
        found = Categories(count(len(names), field="categories", least=2), names)
    if known is not None and found.count != known:
        raise _refused("categories", categories, f"must be {known}, as the mechanism says", "Change one of the two.")
    if isinstance(mechanism, PureDP | RandomizedResponse | ApproxDP):
        return found
    raise _refused("categories", categories, "must not be given for noise on numbers", "Leave them out.")


def checked_places(places: object) -> int:
    """A number of decimals."""
    found = count(places, field="places")
    if found > _MOST_PLACES:
        raise _refused("places", places, f"must be at most {_MOST_PLACES}", "Give fewer decimals.")
    return found


def unit_of(value: object, places: int, where: str) -> int:
    """A value as a whole number of units of ``10^-places``, exact.

    Raises:
        InvalidParameterError: When it is no number, or is not written with exactly that many decimals.

    Edge cases:
        ======================  ==========  ==========================================
        value                   places      units
        ======================  ==========  ==========================================
        ``7``, ``"7"``, 7.0     0           7
        7.5                     any         refused: a float that is no whole number
        ``"7.50"``              2           750; a `Decimal` alike
        ``"7.5"``, ``7``        2           refused: 7.50 or 0.07 may be meant
        ``"1e3"``               any         refused
        ======================  ==========  ==========================================
    """
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip())
        if match is not None and len(match[3] or "") == places and len(match[0]) <= _MOST_DIGITS:
            return int(match[1] + match[2] + (match[3] or ""))
    elif isinstance(value, Decimal):
        sign, digits, exponent = value.as_tuple()
        if exponent == -places and len(digits) <= _MOST_DIGITS:
            size = int("".join(map(str, digits)))
            return -size if sign else size
    elif isinstance(value, float):
        if places == 0 and value.is_integer() and abs(value) <= _EXACT_FLOAT:
            return int(value)
    elif not isinstance(value, bool):
        number = _index(value)
        if places == 0 and number is not None and abs(number) < 10**_MOST_DIGITS:
            return number
    if places == 0:
        remedy = "Say how many decimals there are (places), or that a file's first line holds names (header)."
        raise _refused(where, _hidden(value), "must be a whole number", remedy)
    example = fixed_text(125 * 10**places // 10, places)
    raise _refused(
        where, _hidden(value), f"must be text or a Decimal with {places} decimals", f"Write it like '{example}'."
    )


def fixed_text(units: int, places: int) -> str:
    """Units as decimal text, with exactly that many decimals."""
    sign, digits = "-" * (units < 0), str(abs(units)).zfill(places + 1)
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def as_decimal(units: int, places: int) -> int | Decimal:
    """Units as a number, exact: an int where there are no decimals."""
    return Decimal(fixed_text(units, places)) if places else units


def _index(value: object) -> int | None:
    try:
        return operator.index(value)  # type: ignore[arg-type]  # what is none raises
    except TypeError:
        return None


def _hidden(value: object) -> str:
    """What an error shows of a value: errors end up in logs, and the value is the data to protect."""
    size = f" of {len(value)} characters" if isinstance(value, str) else ""
    return f"{type(value).__name__}{size}, not shown"


def _refused(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)

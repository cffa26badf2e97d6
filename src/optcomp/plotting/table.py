"""The numbers of a picture as a table, exactly."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from typing import NamedTuple

from optcomp.errors import InvalidParameterError
from optcomp.plotting.data import Picture
from optcomp.quantities import Enclosure, exact_text

__all__ = ["COLUMNS", "Entry", "from_csv", "to_csv"]

COLUMNS = ("panel", "series", "x_lower", "x_upper", "y_lower", "y_upper")


class Entry(NamedTuple):
    """One row of the table: a point of a series, with the ends that were drawn."""

    panel: str
    series: str
    x: Enclosure
    y: Enclosure


def to_csv(picture: Picture) -> str:
    """Every number that a picture shows.

    **Guarantee**: `from_csv` gives back the same rational ends; the same picture gives the same text.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for panel in picture.panels:
        for series in panel.series:
            for x, y in zip(series.x, series.y, strict=True):
                numbers = (exact_text(end) for end in (x.lower, x.upper, y.lower, y.upper))
                writer.writerow((panel.title, series.label, *numbers))
    return text.getvalue()


def from_csv(text: str) -> tuple[Entry, ...]:
    """The points of a table that `to_csv` wrote.

    Raises:
        InvalidParameterError: When the text is no such table.
    """
    rows = list(csv.reader(io.StringIO(text)))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise _refuse(rows[0] if rows else "", f"must begin with the columns {','.join(COLUMNS)}")
    return tuple(_entry(row) for row in rows[1:])


def _entry(row: list[str]) -> Entry:
    try:
        panel, series, *numbers = row
        x_lower, x_upper, y_lower, y_upper = (Fraction(number) for number in numbers)
    except (ValueError, ZeroDivisionError):
        raise _refuse(",".join(row), "must have two names and four numbers in each row") from None
    return Entry(panel, series, Enclosure(x_lower, x_upper), Enclosure(y_lower, y_upper))


def _refuse(value: object, condition: str) -> InvalidParameterError:
    return InvalidParameterError(
        field="table", value=value, condition=condition, remedy="Give the file as it was written."
    )

"""What a picture shows, completely: certified numbers, words and ranges."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

from optcomp.errors import InvalidParameterError
from optcomp.quantities import Enclosure

__all__ = ["Kind", "Legend", "Note", "Panel", "Picture", "Range", "Series", "ends", "safe"]

Kind = Literal["line", "region", "points", "guide"]
"""A band with a line through its safe end; the same, closed and filled; single points; a thin grey line."""

Legend = Literal["upper right", "upper left", "lower left", "lower right", "center", "none"]
"""The corner of the panel where the names of its series stand."""

Range = tuple[float, float]
"""The ends of an axis. No data: they say what of the plane is shown."""


class Note(NamedTuple):
    """Words beside a point, moved from it by so many typographic points."""

    text: str
    right: float = 5
    up: float = 3


@dataclass(frozen=True, kw_only=True)
class Series:
    """Points of the plane, each known to lie in a rectangle.

    Args:
        label: Its name in the legend.
        x: Where the points are, across.
        y: Where they are, up; as many as ``x``. The safe side of each tells which end a line goes through.
        kind: How they are drawn.
        style: Which colour, dashes and marker; series with the same style in two panels look alike.
        notes: Words beside the points: none, or as many as there are points.
    """

    label: str
    x: tuple[Enclosure, ...]
    y: tuple[Enclosure, ...]
    kind: Kind = "line"
    style: int = 0
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be drawn."""
        if not self.x or len(self.x) != len(self.y):
            raise _refuse("y", len(self.y), f"must have as many points as x, {len(self.x)}, and at least one")
        if self.notes and len(self.notes) != len(self.x):
            raise _refuse("notes", len(self.notes), f"must be none, or one for each of the {len(self.x)} points")
        if self.kind not in get_args(Kind):
            raise _refuse("kind", self.kind, f"must be one of {', '.join(get_args(Kind))}")
        if any(math.inf in {abs(each.lower), abs(each.upper)} for each in (*self.x, *self.y)):
            raise _refuse("points", math.inf, "must be finite: leave out the points where a theorem says nothing")


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One pair of axes.

    Args:
        title: Above it.
        x_label: Below it, with the unit.
        y_label: Beside it, with the unit.
        series: What is drawn, the first at the bottom.
        x_range: The ends of the axis across; None leaves room for all points.
        y_range: The ends of the axis up.
        x_log: Whether the axis across is logarithmic.
        y_log: Whether the axis up is logarithmic.
        square: Whether one unit is as long up as across.
        legend: Where the names of the series stand.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_range: Range | None = None
    y_range: Range | None = None
    x_log: bool = False
    y_log: bool = False
    square: bool = False
    legend: Legend = "upper left"


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A whole picture, with the words that belong under it.

    Args:
        name: Of its files, without an ending.
        title: What it is, in a few words.
        caption: How it was made and how to read it.
        sources: The theorems it rests on.
        panels: From top to bottom.
    """

    name: str
    title: str
    caption: str
    sources: tuple[str, ...]
    panels: tuple[Panel, ...]


def ends(value: Enclosure) -> tuple[float, float]:
    """Both ends as floats, rounded outward."""
    return float(replace(value, safe_side="lower")), float(replace(value, safe_side="upper"))


def safe(value: Enclosure) -> float:
    """The end that a caller may rely on."""
    return float(value)


def _refuse(field: str, value: object, condition: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy="Correct the series.")

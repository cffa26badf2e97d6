"""A small picture with everything in it that can be drawn."""

from __future__ import annotations

from fractions import Fraction

from optcomp.plotting import Note, Panel, Picture, Series
from optcomp.quantities import Enclosure

__all__ = ["everything", "wide"]


def wide(lower: str, upper: str) -> Enclosure:
    return Enclosure(Fraction(lower), Fraction(upper))


def everything() -> Picture:
    """Wide bands, a filled region, points with notes, a guide, and logarithmic axes with a 0 on them."""
    x = (wide("1", "1"), wide("2", "2"), wide("10", "11"))
    y = (wide("1/3", "1/2"), wide("0", "1/7"), wide("0", "1e-40"))
    curve = Series(label="curve, with a comma", x=x, y=y)
    region = Series(label="region", x=x, y=y, kind="region", style=1)
    marked = Series(label="marked", x=x[:1], y=y[:1], kind="points", style=7, notes=(Note('a "note"', 3, -9),))
    guide = Series(label="guide", x=x[:2], y=y[:2], kind="guide")
    first = Panel(title="first", x_label="x", y_label="y", series=(guide, curve, marked), square=True)
    second = Panel(
        title="second",
        x_label="x",
        y_label="y",
        series=(region, curve),
        x_range=(1, 20),
        y_range=(1e-9, 1),
        x_log=True,
        y_log=True,
        legend="none",
    )
    return Picture(name="everything", title="All", caption="Words.", sources=("A theorem",), panels=(first, second))

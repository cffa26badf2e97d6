"""Colours that people with any colour vision tell apart, with dashes and markers that also tell them apart in grey."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GREY", "Style", "style"]

GREY = "#777777"


@dataclass(frozen=True, kw_only=True)
class Style:
    """How one series looks.

    Args:
        color: One of the colours of Okabe and Ito.
        dashes: Lengths of strokes and gaps in line widths; none is a full line.
        marker: A sign of matplotlib's for single points on the line.
        shape: The like sign of Vega-Lite's.
    """

    color: str
    dashes: tuple[float, ...]
    marker: str
    shape: str


_STYLES = (
    Style(color="#0072B2", dashes=(), marker="o", shape="circle"),
    Style(color="#D55E00", dashes=(4, 1.5), marker="s", shape="square"),
    Style(color="#009E73", dashes=(5, 1.2, 1.2, 1.2), marker="^", shape="triangle-up"),
    Style(color="#000000", dashes=(1.2, 1.2), marker="D", shape="diamond"),
    Style(color="#CC79A7", dashes=(5, 1.2, 1.2, 1.2, 1.2, 1.2), marker="v", shape="triangle-down"),
    Style(color="#E69F00", dashes=(8, 2), marker="P", shape="cross"),
)


def style(index: int) -> Style:
    """The look with a number; after the last one they begin again."""
    return _STYLES[index % len(_STYLES)]

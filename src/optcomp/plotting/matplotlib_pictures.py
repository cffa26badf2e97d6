"""Pictures for papers: vector files at the width of a column."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from optcomp.errors import InvalidParameterError
from optcomp.plotting.data import Panel, Picture, Series, ends, safe
from optcomp.plotting.palette import GREY, style
from optcomp.plotting.requirement import required

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "draw", "save"]

COLUMN_WIDTH = 3.4
"""In inches: a column of the usual two-column page."""

FORMATS = {".svg": {"Date": None}, ".pdf": {"CreationDate": None, "Creator": None, "Producer": None}, ".png": {}}
"""The endings that are written, with what keeps the day out of the file."""

_SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.6,
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "path.simplify": False,
    "text.usetex": False,
}
_PANEL_HEIGHT = 2.3
_FEW = 8  # points of a line that all carry a marker
_DISTANCE = 0.18  # between markers of longer lines, as a share of the panel's diagonal


def save(picture: Picture, path: Path) -> None:
    """Draw a picture into a file.

    Args:
        picture: What to draw.
        path: Ends in ``.svg``, ``.pdf`` or ``.png``. A file that is there already is replaced.

    **Guarantee**: the same picture and the same version of matplotlib give the same bytes.

    Raises:
        InvalidParameterError: When the ending is another one.
        UnsupportedError: When matplotlib is not installed.
    """
    if path.suffix not in FORMATS:
        raise InvalidParameterError(
            field="path", value=path.name, condition=f"must end in {', '.join(FORMATS)}", remedy="Rename it."
        )
    matplotlib = required("matplotlib")
    with matplotlib.rc_context():
        _settle(matplotlib, picture.name)
        _drawn(picture).savefig(path, format=path.suffix[1:], metadata=FORMATS[path.suffix], dpi=200)


def draw(picture: Picture) -> Figure:
    """The picture as a matplotlib figure, which notebooks show.

    Raises:
        UnsupportedError: When matplotlib is not installed.
    """
    matplotlib = required("matplotlib")
    with matplotlib.rc_context():
        _settle(matplotlib, picture.name)
        return _drawn(picture)


def _settle(matplotlib: ModuleType, name: str) -> None:
    """Settings of the user's own must not change the file; the caller restores them."""
    matplotlib.rcdefaults()
    matplotlib.rcParams.update({**_SETTINGS, "svg.hashsalt": name})


def _drawn(picture: Picture) -> Figure:
    heights = [COLUMN_WIDTH - 0.1 if panel.square else _PANEL_HEIGHT for panel in picture.panels]
    size = (COLUMN_WIDTH, sum(heights) + 0.1)
    figure: Figure = required("matplotlib.figure").Figure(figsize=size, layout="constrained")
    grid = figure.subplots(len(heights), 1, height_ratios=heights, squeeze=False)
    for panel, axes in zip(picture.panels, grid[:, 0], strict=True):
        _panel(axes, panel)
    return figure


def _panel(axes: Axes, panel: Panel) -> None:
    axes.set_title(panel.title, parse_math=False)
    axes.set_xlabel(panel.x_label, parse_math=False)
    axes.set_ylabel(panel.y_label, parse_math=False)
    axes.set_xscale("log" if panel.x_log else "linear")
    axes.set_yscale("log" if panel.y_log else "linear")
    axes.grid(visible=True, linewidth=0.4, color="#dddddd")
    axes.set_axisbelow(True)
    for series in panel.series:
        _DRAWERS[series.kind](axes, series)
    if panel.x_range is not None:
        axes.set_xlim(*panel.x_range)
    if panel.y_range is not None:
        axes.set_ylim(*panel.y_range)
    if panel.square:
        axes.set_aspect("equal", adjustable="box")
    if panel.legend != "none":
        legend = axes.legend(loc=panel.legend, handlelength=3.2, borderpad=0.3, labelspacing=0.3, framealpha=0.9)
        for text in legend.get_texts():
            text.set_parse_math(False)


def _line(axes: Axes, series: Series) -> None:
    look = style(series.style)
    _band(axes, series, look.color)
    axes.plot(
        [safe(x) for x in series.x],
        [safe(y) for y in series.y],
        color=look.color,
        dashes=look.dashes or (None, None),
        marker=None if series.kind == "region" else look.marker,
        markevery=_places(series),
        label=series.label,
    )
    _notes(axes, series)


def _places(series: Series) -> int | tuple[float, float]:
    """Which points carry a marker: all, or some at equal distances, not the same ones on each line."""
    return 1 if len(series.x) <= _FEW else (0.04 * (1 + series.style % 4), _DISTANCE)


def _band(axes: Axes, series: Series, color: str) -> None:
    """The band between the ends: too narrow to be seen unless an interval is wide."""
    across, up = [ends(x) for x in series.x], [ends(y) for y in series.y]
    low = [(x[0], y[0]) for x, y in zip(across, up, strict=True)]
    high = [(x[1], y[1]) for x, y in zip(across, up, strict=True)]
    x, y = zip(*low, *reversed(high), strict=True)
    axes.fill(x, y, facecolor=color, edgecolor="none", alpha=0.3)


def _region(axes: Axes, series: Series) -> None:
    look = style(series.style)
    axes.fill(
        [safe(x) for x in series.x], [safe(y) for y in series.y], facecolor=look.color, edgecolor="none", alpha=0.2
    )
    _line(axes, series)


def _points(axes: Axes, series: Series) -> None:
    look = style(series.style)
    _band(axes, series, look.color)
    axes.plot(
        [safe(x) for x in series.x],
        [safe(y) for y in series.y],
        linestyle="none",
        marker=look.marker,
        markersize=5,
        color=look.color,
        label=series.label,
    )
    _notes(axes, series)


def _guide(axes: Axes, series: Series) -> None:
    axes.plot([safe(x) for x in series.x], [safe(y) for y in series.y], color=GREY, linewidth=0.8, label=series.label)
    _notes(axes, series)


def _notes(axes: Axes, series: Series) -> None:
    for note, x, y in zip(series.notes, series.x, series.y, strict=bool(series.notes)):
        axes.annotate(
            note.text,
            (safe(x), safe(y)),
            (note.right, note.up),
            textcoords="offset points",
            fontsize=7,
            parse_math=False,
        )


_DRAWERS = {"line": _line, "region": _region, "points": _points, "guide": _guide}

"""Pictures for pages and notebooks: Vega-Lite specifications, in which each point tells both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from optcomp.plotting.data import Panel, Picture, Range, Series, ends, safe
from optcomp.plotting.palette import GREY, style
from optcomp.plotting.requirement import required

if TYPE_CHECKING:
    from altair import VConcatChart

__all__ = ["chart", "spec"]

_WIDTH, _HEIGHT = 420, 260
_FAR_BELOW = 1e-30


def chart(picture: Picture) -> VConcatChart:
    """The picture as an Altair chart: bands between the ends, lines through the safe end, tooltips with both.

    Raises:
        UnsupportedError: When altair is not installed.
    """
    alt = required("altair")
    panels = alt.vconcat(*(_panel(alt, panel) for panel in picture.panels)).properties(title=picture.title)
    found: VConcatChart = panels.resolve_scale(color="independent", strokeDash="independent")
    return found


def spec(picture: Picture) -> dict[str, Any]:
    """The picture as a Vega-Lite specification, checked against its schema.

    Raises:
        UnsupportedError: When altair is not installed.
    """
    found: dict[str, Any] = chart(picture).to_dict()
    return found


def _panel(alt: Any, panel: Panel) -> Any:  # noqa: ANN401  # altair itself, loaded when it is needed
    layers = [layer for series in panel.series for layer in _layers(alt, panel, series)]
    height = _WIDTH if panel.square else _HEIGHT
    return alt.layer(*layers).properties(title=panel.title, width=_WIDTH, height=height)


def _layers(alt: Any, panel: Panel, series: Series) -> list[Any]:  # noqa: ANN401  # as above
    look = style(series.style)
    color = GREY if series.kind == "guide" else look.color
    names = [each.label for each in panel.series]
    colors = [GREY if each.kind == "guide" else style(each.style).color for each in panel.series]
    dashes = [list(style(each.style).dashes) or [1, 0] for each in panel.series]
    base = alt.Chart(alt.Data(values=_points(panel, series))).encode(
        **_axes(alt, panel),
        order=alt.Order("place:Q"),
        tooltip=[
            alt.Tooltip("series:N", title="series"),
            alt.Tooltip("x_text:N", title=panel.x_label),
            alt.Tooltip("y_text:N", title=panel.y_label),
        ],
    )
    named = base.encode(color=alt.Color("series:N", title=None, scale=alt.Scale(domain=names, range=colors)))
    if series.kind == "points":
        drawn = [named.mark_point(shape=look.shape, filled=True, size=60, clip=True)]
    else:
        dashed = named.encode(
            strokeDash=alt.StrokeDash("series:N", title=None, scale=alt.Scale(domain=names, range=dashes))
        )
        drawn = [dashed.mark_line(clip=True, strokeWidth=1 if series.kind == "guide" else 2)]
        if series.kind == "region":
            drawn.insert(0, base.mark_line(clip=True, strokeOpacity=0, fill=color, fillOpacity=0.2))
        if series.kind != "guide":
            drawn.append(named.mark_point(shape=look.shape, opacity=0, size=60, clip=True))
    bands = [] if series.kind == "guide" else [_band(alt, panel, series, color)]
    return [*bands, *drawn, *_notes(alt, panel, series)]


def _notes(alt: Any, panel: Panel, series: Series) -> list[Any]:  # noqa: ANN401  # as above
    """Words beside points, one layer for each, since each is moved in its own way."""
    return [
        alt.Chart(alt.Data(values=[{"x": safe(x), "y": safe(y), "note": note.text}]))
        .mark_text(align="left", baseline="bottom", lineBreak="\n", dx=1.4 * note.right, dy=-1.4 * note.up)
        .encode(**_axes(alt, panel), text="note:N")
        for note, x, y in zip(series.notes, series.x, series.y, strict=bool(series.notes))
    ]


def _band(alt: Any, panel: Panel, series: Series, color: str) -> Any:  # noqa: ANN401  # as above
    """The outline of the lower ends, and back along the upper ones."""
    pairs = [(ends(x), ends(y)) for x, y in zip(series.x, series.y, strict=True)]
    corners = [(x[0], y[0]) for x, y in pairs] + [(x[1], y[1]) for x, y in reversed(pairs)]
    outline = [
        {"x": _shown(x, log=panel.x_log), "y": _shown(y, log=panel.y_log), "place": place}
        for place, (x, y) in enumerate(corners)
    ]
    return (
        alt.Chart(alt.Data(values=outline))
        .mark_line(clip=True, strokeOpacity=0, fill=color, fillOpacity=0.3)
        .encode(**_axes(alt, panel), order=alt.Order("place:Q"))
    )


def _points(panel: Panel, series: Series) -> list[dict[str, object]]:
    return [
        {
            "series": series.label,
            "place": place,
            "x": _shown(safe(x), log=panel.x_log),
            "y": _shown(safe(y), log=panel.y_log),
            "x_text": str(x),
            "y_text": str(y),
        }
        for place, (x, y) in enumerate(zip(series.x, series.y, strict=True))
    ]


def _shown(value: float, *, log: bool) -> float:
    """Where a number stands on its axis: 0 has no place on a logarithmic one, and goes far below all others."""
    return max(value, _FAR_BELOW) if log else value


def _axes(alt: Any, panel: Panel) -> dict[str, Any]:  # noqa: ANN401  # as above
    return {
        "x": alt.X("x:Q", title=panel.x_label, scale=_scale(alt, panel.x_range, log=panel.x_log)),
        "y": alt.Y("y:Q", title=panel.y_label, scale=_scale(alt, panel.y_range, log=panel.y_log)),
    }


def _scale(alt: Any, shown: Range | None, *, log: bool) -> Any:  # noqa: ANN401  # as above
    domain = {} if shown is None else {"domain": list(shown), "nice": False}
    return alt.Scale(type="log", **domain) if log else alt.Scale(zero=False, **domain)

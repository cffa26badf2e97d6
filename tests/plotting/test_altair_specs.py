from __future__ import annotations

import json
import re
import sys
from typing import Any

import pytest

from optcomp.errors import UnsupportedError
from optcomp.plotting import chart, spec
from optcomp.plotting.data import ends, safe
from tests.plotting.pictures import everything


def rows_of(layer: dict[str, Any], data: dict[str, Any]) -> list[dict[str, Any]]:
    held: list[dict[str, Any]] = layer["data"]["values"] if "values" in layer["data"] else data[layer["data"]["name"]]
    return held


def test_the_specification_is_valid_plain_json_and_always_the_same() -> None:
    found = spec(everything())
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found == spec(everything()) == chart(everything()).to_dict()
    assert "vega-lite" in found["$schema"]
    assert [panel["title"] for panel in found["vconcat"]] == ["first", "second"]
    assert found["resolve"]["scale"] == {"color": "independent", "strokeDash": "independent"}


def test_every_point_tells_both_ends_and_stands_at_its_safe_end() -> None:
    picture = everything()
    found = spec(picture)
    rows = [
        row
        for layer in found["vconcat"][0]["layer"]
        for row in rows_of(layer, found.get("datasets", {}))
        if row.get("series") == "curve, with a comma"
    ]
    series = picture.panels[0].series[1]
    for place, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
        wanted = {"place": place, "x": safe(x), "y": safe(y), "x_text": str(x), "y_text": str(y)}
        assert {"series": series.label, **wanted} in rows


def test_bands_go_along_the_lower_ends_and_back_along_the_upper_ones() -> None:
    picture = everything()
    found = spec(picture)
    series = picture.panels[0].series[1]
    pairs = [(ends(x), ends(y)) for x, y in zip(series.x, series.y, strict=True)]
    outline = [(x[0], y[0]) for x, y in pairs] + [(x[1], y[1]) for x, y in reversed(pairs)]
    drawn = [
        [(row["x"], row["y"]) for row in sorted(rows, key=lambda row: row["place"])]
        for layer in found["vconcat"][0]["layer"]
        if "series" not in (rows := rows_of(layer, found.get("datasets", {})))[0] and "place" in rows[0]
    ]
    assert outline in drawn


def test_nothing_stands_at_zero_on_a_logarithmic_axis() -> None:
    found = spec(everything())
    for layer in found["vconcat"][1]["layer"]:
        assert all(row["x"] > 0 and row["y"] > 0 for row in rows_of(layer, found.get("datasets", {})))


def test_without_altair_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(UnsupportedError, match=re.escape("pip install 'optcomp[plot]'")):
        spec(everything())

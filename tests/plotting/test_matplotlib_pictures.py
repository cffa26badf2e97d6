from __future__ import annotations

import re
import sys
from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.patches import Polygon

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.plotting import draw, save
from optcomp.plotting.data import ends
from tests.plotting.pictures import everything


@pytest.mark.parametrize("ending", [".svg", ".pdf"])
def test_the_same_picture_gives_the_same_bytes(ending: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"first{ending}", tmp_path / f"second{ending}"
    save(everything(), first)
    with mpl.rc_context({"lines.linewidth": 9, "svg.hashsalt": "other", "font.size": 30}):
        save(everything(), second)  # the user's own settings change nothing
        assert mpl.rcParams["lines.linewidth"] == 9
    assert first.read_bytes() == second.read_bytes()
    assert not re.search(rb"20\d\d-\d\d-\d\d|CreationDate", first.read_bytes())


def test_bands_reach_from_the_lower_to_the_upper_ends() -> None:
    picture = everything()
    axes = draw(picture).axes[0]
    series = picture.panels[0].series[1]
    band = next(patch for patch in axes.patches if isinstance(patch, Polygon)).get_xy()
    corners = {(float(x), float(y)) for x, y in band}
    for x, y in zip(series.x, series.y, strict=True):
        assert (ends(x)[0], ends(y)[0]) in corners
        assert (ends(x)[1], ends(y)[1]) in corners
    heights = np.asarray(axes.lines[1].get_ydata(), dtype=float)
    for height, y in zip(heights, series.y, strict=True):
        assert Fraction(float(height)) >= y.upper


def test_a_column_is_as_wide_as_a_column_and_its_letters_can_be_read() -> None:
    figure = draw(everything())
    assert figure.get_size_inches()[0] == pytest.approx(3.4)
    figure.draw_without_rendering()
    for axes in figure.axes:
        words = [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()]
        legend = axes.get_legend()
        words += legend.get_texts() if legend else []
        assert all(float(word.get_fontsize()) >= 7 for word in [*words, *axes.texts])


def test_axes_are_as_described() -> None:
    first, second = draw(everything()).axes
    assert (first.get_xscale(), second.get_xscale(), second.get_yscale()) == ("linear", "log", "log")
    assert second.get_xlim() == (1, 20)
    assert second.get_legend() is None
    assert [text.get_text() for text in first.texts] == ['a "note"']


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match=r"must end in \.svg, \.pdf, \.png"):
        save(everything(), tmp_path / "picture.doc")


def test_without_matplotlib_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for work in (lambda: save(everything(), tmp_path / "a.svg"), lambda: draw(everything())):
        with pytest.raises(UnsupportedError, match=re.escape("pip install 'optcomp[plot]'")):
            work()
    assert list(tmp_path.iterdir()) == []

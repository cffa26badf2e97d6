"""The drawn numbers are the certified numbers, and they are the numbers of the papers."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import optcomp as oc
from optcomp.documents import read_plan
from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.plotting import Picture, from_csv, spec, to_csv
from optcomp.plotting.table import Entry
from optcomp.quantities import Enclosure, exact_text
from optcomp.theorems import Guarantee, Term
from optcomp.theorems.base import certain
from optcomp.theorems.kov15 import closed_form, optimal_corners
from optcomp.usecases.figures import ENDINGS, FIGURES, FiguresRequest, caption_of, make_figures
from optcomp.usecases.figures_ours import CENSUS_PUBLISHED, census_plan, dpsgd_plan
from optcomp.usecases.figures_regions import guaranteed_region, tangent_polygon

ROOT = Path(__file__).resolve().parent.parent.parent
CASES = json.loads((ROOT / "tests" / "references" / "figures.json").read_text(encoding="utf-8"))["cases"]
ALL = [(paper, number) for paper, figures in FIGURES.items() for number in figures]
NAMES = {"basic": "basic", "advanced_drv": "DRV", "kov_closed_form": "closed form", "optimal": "optimum"}
MV = {("0.1", "0"): ("mv_1", "k up to 1000"), ("0.01", "1e-12"): ("mv_3", "each epsilon = 0.01, delta = 1e-12")}


@cache
def picture_of(paper: str, number: int) -> Picture:
    return FIGURES[paper][number].make()


@cache
def entries_of(paper: str, number: int) -> tuple[Entry, ...]:
    return from_csv(to_csv(picture_of(paper, number)))


def drawn(paper: str, number: int, panel: str, series: str) -> list[tuple[Enclosure, Enclosure]]:
    return [(e.x, e.y) for e in entries_of(paper, number) if (e.panel, e.series) == (panel, series)]


def at(points: list[tuple[Enclosure, Enclosure]], x: Fraction) -> Enclosure:
    (found,) = [y for place, y in points if x in place]
    return found


def agrees(found: Enclosure, printed: str) -> bool:
    """Whether an enclosure holds a reference value of about 20 digits."""
    value = Fraction(printed)
    slack = abs(value) / 10**15
    return found.lower - slack <= value <= found.upper + slack


def percent(text: str) -> list[int]:
    return [int(each) for each in re.findall(r"(\d+) %", text)]


@pytest.mark.parametrize(("paper", "number"), ALL)
def test_every_figure_has_its_name_its_words_and_a_valid_specification(paper: str, number: int) -> None:
    picture = picture_of(paper, number)
    assert picture.name == FIGURES[paper][number].name
    assert picture.name.startswith(f"{paper}_{number}_")
    assert picture.sources
    assert all(re.search(r"\d{4}[,:] ", source) for source in picture.sources)
    assert 2 <= len(re.findall(r"[a-z0-9)%]\.(?: [A-Z]|$)", picture.caption)) <= 5
    assert "  " not in picture.caption
    assert picture.caption.isascii()
    assert json.dumps(spec(picture), allow_nan=False)
    page = " ".join((ROOT / "docs" / "figures.md").read_text(encoding="utf-8").split())
    assert picture.caption in page
    assert f"(pictures/{picture.name}.svg)" in page
    assert (ROOT / "docs" / "pictures" / f"{picture.name}.svg").is_file()


@pytest.mark.parametrize(("paper", "number"), ALL)
def test_every_interval_that_is_drawn_is_narrow(paper: str, number: int) -> None:
    """So that a line through one end shows the truth to far more than a line's width."""
    for entry in entries_of(paper, number):
        assert entry.x.upper - entry.x.lower <= Fraction(1, 10**6)
        assert entry.y.upper - entry.y.lower <= Fraction(1, 10**6)


def test_the_region_of_one_mechanism_is_drawn_through_its_exact_corners() -> None:
    corners = optimal_corners(epsilon=1, delta="0.1", count=1)
    for series in ("what a test can reach", "corners"):
        points = drawn("kov", 1, "one mechanism: epsilon = 1, delta = 0.1", series)
        assert [(x.lower, x.upper, y.lower, y.upper) for x, y in points] == [
            (c.missed_detection.lower, c.missed_detection.upper, c.false_alarm.lower, c.false_alarm.upper)
            for c in corners
        ]
    texts = [line.split(",")[-4:] for line in to_csv(picture_of("kov", 1)).splitlines() if ",corners," in line]
    middle = corners[2]
    assert texts[2] == [
        exact_text(end)
        for end in (
            middle.missed_detection.lower,
            middle.missed_detection.upper,
            middle.false_alarm.lower,
            middle.false_alarm.upper,
        )
    ]


def test_growing_regions_have_the_corners_of_the_references() -> None:
    checked = 0
    for case in CASES:
        if not case["id"].startswith("kov-fig2"):
            continue
        each = case["mechanisms"][0]
        panel = f"each epsilon = {each['epsilon']}, delta = {each['delta']}"
        points = drawn("kov", 2, panel, f"k = {each['count']}")
        wanted = case["value"]["tradeoff_corners"]
        assert len(points) == len(wanted)
        for (missed, alarm), corner in zip(points, wanted, strict=True):
            assert agrees(alarm, corner["alpha"])
            assert agrees(missed, corner["beta"])
        checked += 1
    assert checked == 6


def test_curves_of_thirty_mechanisms_have_the_values_of_the_references() -> None:
    cases = [case for case in CASES if case["id"].startswith("kov-fig3")]
    assert len(cases) == 7
    for case in cases:
        for key, name in NAMES.items():
            points = drawn("kov", 3, "epsilon of the whole at a total delta", name)
            assert agrees(at(points, Fraction(case["query"]["delta"])), case["value"][key])


def missed_at(points: list[tuple[Enclosure, Enclosure]], alarm: Fraction) -> Fraction:
    """The missed detection of a falling polygon through the safe ends."""
    known = sorted(((Fraction(y.lower), Fraction(x.lower)) for x, y in points), key=lambda each: (each[0], -each[1]))
    for (left, high), (right, low) in pairwise(known):
        if left <= alarm <= right and left < right:
            return high + (low - high) * (alarm - left) / (right - left)
    raise AssertionError(alarm)


def test_three_regions_lie_inside_each_other_and_obey_their_theorems() -> None:
    panel = "regions after 30 mechanisms"
    names = ("DRV", "closed form, Thm. 3.4", "optimum, Thm. 3.3")
    older, closed, best = (drawn("kov", 3, panel, name) for name in names)
    for alarm in (Fraction(step, 97) for step in range(1, 97)):
        assert missed_at(older, alarm) <= missed_at(closed, alarm) <= missed_at(best, alarm)
    found = closed_form([Term(epsilon="0.1", delta="0.001", count=30)], slack="0.1")  # one of the slacks
    for x, y in closed:
        reach = Fraction(y.lower) + Fraction(x.lower) * _e_to(found.epsilon)
        assert reach >= (1 - Fraction(found.delta.upper)) * (1 - Fraction(1, 10**12))


def _e_to(epsilon: Enclosure) -> Fraction:
    return Fraction(math.exp(float(epsilon)) * (1 + 1e-14))


def mv_cases() -> Iterator[tuple[str, str, Fraction, dict[str, Any]]]:
    for case in CASES:
        if case["id"].startswith("mv-appendix"):
            each = case["mechanisms"][0]
            if (each["epsilon"], each["delta"]) in MV:
                figure, panel = MV[each["epsilon"], each["delta"]]
                yield figure, panel, Fraction(case["value"]["k"]), case["value"]


def test_curves_against_k_have_the_values_of_the_references() -> None:
    checked = 0
    for figure, panel, k, value in mv_cases():
        for key, name in NAMES.items():
            assert agrees(at(drawn("mv", int(figure[-1]), panel, name), k), value[key])
            if figure == "mv_1" and k < 100:
                assert agrees(at(drawn("mv", 1, "zoom: k below 100", name), k), value[key])
            checked += 1
    assert checked == 4 * 28


def test_ratios_have_the_values_of_the_references() -> None:
    panels = {"mv_1": (2, "epsilon over the optimum, delta 2^-20"), "mv_3": (3, "epsilon over the optimum, delta 1e-8")}
    for figure, _, k, value in mv_cases():
        number, panel = panels[figure]
        for key, name in (("ratio_advanced_drv", "DRV"), ("ratio_kov_closed_form", "closed form")):
            assert agrees(at(drawn("mv", number, panel, name), k), value[key])


def test_drawn_epsilons_are_those_of_the_library_to_the_last_digit() -> None:
    found = oc.compare(oc.ApproxDP(epsilon="0.1", delta=0).repeated(64), delta=Fraction(1, 2**20))
    for row, name in (("basic", "basic"), ("advanced", "DRV"), ("closed_form", "closed form"), ("optimal", "optimum")):
        epsilon = found.row(row).epsilon
        assert epsilon is not None
        shown = at(drawn("mv", 1, "zoom: k below 100", name), Fraction(64))
        assert (shown.lower, shown.upper) == (epsilon.lower, epsilon.upper)


def test_the_zoom_has_every_k() -> None:
    for name in NAMES.values():
        points = drawn("mv", 1, "zoom: k below 100", name)
        assert [x for x, _ in points] == [Enclosure.exactly(k) for k in range(1, 100)]


def test_percentages_in_the_captions_are_those_of_the_pictures() -> None:
    def waste(number: int, panel: str, name: str, k: int) -> int:
        return int(100 * (at(drawn("mv", number, panel, name), Fraction(k)).lower - 1) // 1)  # at least

    panel = "epsilon over the optimum, delta 2^-20"
    shown = [waste(2, panel, name, k) for k in (100, 1000) for name in ("closed form", "DRV")]
    assert percent(picture_of("mv", 2).caption) == [20, 20, 40, *shown]
    panel = "epsilon over the optimum, delta 1e-8"
    shown = [waste(3, panel, name, 1000) for name in ("closed form", "DRV")]
    assert percent(picture_of("mv", 3).caption) == shown


def test_our_plans_are_those_of_the_examples() -> None:
    for name, plan in (("census_dhc.toml", census_plan()), ("dpsgd_tutorial.toml", dpsgd_plan())):
        told = read_plan(str(ROOT / "examples" / name), standard_input=io.BytesIO()).profile().mechanism
        assert oc.compose(plan, adjacency="add_or_remove_one").epsilon("1e-6") == oc.compose(
            told, adjacency="add_or_remove_one"
        ).epsilon("1e-6")
    words = (ROOT / "examples" / "census_dhc.toml").read_text(encoding="utf-8").splitlines()[0]
    assert f"published: {float(CENSUS_PUBLISHED[0])} at 1e-10" in words


@pytest.mark.parametrize(
    ("number", "panel", "delta", "conversion", "words"),
    [
        (1, "DHC persons, rho = 3.65", "1e-10", "zCDP conversion", ("20.33", "21.15")),
        (2, "480 steps of DP-SGD", "1e-5", "Renyi conversion", ("0.412", "0.774")),
    ],
)
def test_profiles_hold_the_numbers_of_their_captions(
    number: int, panel: str, delta: str, conversion: str, words: tuple[str, str]
) -> None:
    for name, text in zip(("optimum", conversion), words, strict=True):
        (x,) = [x for x, y in drawn("ours", number, panel, name) if y == Enclosure.exactly(Fraction(delta))]
        digit = Fraction(1, 10 ** len(text.partition(".")[2]))
        assert x.upper <= Fraction(text) < x.lower + digit
        assert text in picture_of("ours", number).caption
    for (low, _), (high, _) in zip(
        drawn("ours", number, panel, "optimum"), drawn("ours", number, panel, conversion), strict=True
    ):
        assert low.upper <= high.lower


@pytest.mark.parametrize(
    ("number", "panel", "looser"),
    [
        (3, "DHC persons, rho = 3.65", ("published pair", "zCDP conversion")),
        (4, "480 steps of DP-SGD", ("optimal pair at 1e-5", "Renyi conversion")),
    ],
)
def test_no_certified_point_lies_below_what_a_theorem_proves(number: int, panel: str, looser: tuple[str, str]) -> None:
    for name in looser:
        proved = drawn("ours", number, panel, name)
        for missed, alarm in drawn("ours", number, panel, "optimum"):
            if 0 < alarm.lower < 1:
                assert missed_at(proved, Fraction(alarm.lower)) <= missed.upper


@given(
    st.lists(
        st.tuples(st.fractions(0, 6, max_denominator=20), st.fractions(0, "9/10", max_denominator=50)),
        min_size=1,
        max_size=5,
    ),
    st.fractions(0, 1, max_denominator=60),
)
def test_a_polygon_is_the_intersection_of_its_guarantees(
    pairs: list[tuple[Fraction, Fraction]], alarm: Fraction
) -> None:
    """On the polygon some guarantee is met with equality, up to the rounding, and none is broken by more than that."""
    guarantees = [Guarantee(epsilon=certain(epsilon), delta=certain(delta)) for epsilon, delta in pairs]
    corners = tangent_polygon(guarantees)
    assert corners[0] == (Fraction(0), Fraction(1))
    assert corners[-1] == (Fraction(1), Fraction(0))
    points = [(Enclosure.exactly(missed), Enclosure.exactly(a)) for a, missed in corners]
    slopes = [(_e_to(each.epsilon), Fraction(each.delta.upper)) for each in guarantees]
    wanted = max(Fraction(0), *(max(1 - d - t * alarm, (1 - d - alarm) / t) for t, d in slopes))
    if alarm > 0:
        assert abs(missed_at(points, alarm) - wanted) < Fraction(1, 10**10)


def test_more_points_leave_a_boundary_where_it_is() -> None:
    guarantee = [Guarantee(epsilon=certain(1), delta=certain(Fraction(1, 10)))]
    plain = guaranteed_region(guarantee, label="l", style=0)
    more = guaranteed_region(guarantee, label="l", style=0, places=[Fraction(1, 7), Fraction(1, 3)])
    coarse, fine = list(zip(plain.x, plain.y, strict=True)), list(zip(more.x, more.y, strict=True))
    assert set(coarse) < set(fine)
    for alarm in (Fraction(step, 50) for step in range(1, 50)):
        assert missed_at(coarse, alarm) == missed_at(fine, alarm)


def test_two_runs_write_the_same_bytes(tmp_path: Path) -> None:
    for name in ("first", "second"):
        answer = make_figures(FiguresRequest(paper="kov", figure=2, out=tmp_path / name))
        (written,) = answer.written
        assert [path.name for path in written.files] == [f"kov_2_growing_k{ending}" for ending in ENDINGS]
        assert sorted(written.files) == sorted((tmp_path / name).iterdir())
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()
    assert (tmp_path / "first" / "kov_2_growing_k.csv").read_text(encoding="utf-8") == to_csv(picture_of("kov", 2))
    words = (tmp_path / "first" / "kov_2_growing_k.txt").read_text(encoding="utf-8")
    assert words == caption_of(picture_of("kov", 2))
    assert "- Kairouz, Oh, Viswanath 2015, Theorem 3.3" in words


def test_no_file_is_replaced_unless_that_is_asked_for(tmp_path: Path) -> None:
    taken = tmp_path / "kov_2_growing_k.csv"
    taken.write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidParameterError, match=re.escape(str(taken))):
        make_figures(FiguresRequest(paper="kov", out=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == [taken.name]
    assert taken.read_text(encoding="utf-8") == "mine"
    make_figures(FiguresRequest(paper="kov", figure=2, out=tmp_path, force=True))
    assert taken.read_text(encoding="utf-8") == to_csv(picture_of("kov", 2))


@pytest.mark.parametrize(
    ("paper", "figure", "field"),
    [("abc", None, "paper"), ("KOV", 1, "paper"), ("kov", 0, "figure"), ("mv", 9, "figure")],
)
def test_a_figure_that_there_is_not_is_refused(paper: str, figure: int | None, field: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        make_figures(FiguresRequest(paper=paper, figure=figure, out=tmp_path))
    assert caught.value.field == field


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InvalidParameterError, match="must be a folder"):
        make_figures(FiguresRequest(paper="kov", figure=1, out=tmp_path / "file"))


def test_without_matplotlib_nothing_is_computed_or_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UnsupportedError, match=re.escape("pip install 'optcomp[plot]'")):
        make_figures(FiguresRequest(paper="kov", out=tmp_path / "new"))
    assert not (tmp_path / "new").exists()

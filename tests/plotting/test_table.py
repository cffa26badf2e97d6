from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optcomp.errors import InvalidParameterError
from optcomp.plotting import Series, from_csv, to_csv
from optcomp.quantities import Enclosure
from tests.plotting.pictures import everything

ENCLOSURES = st.tuples(st.fractions(), st.fractions()).map(lambda pair: Enclosure(min(pair), max(pair)))


def test_the_table_holds_every_point_exactly() -> None:
    picture = everything()
    entries = iter(from_csv(to_csv(picture)))
    for panel in picture.panels:
        for series in panel.series:
            for x, y in zip(series.x, series.y, strict=True):
                assert next(entries) == (panel.title, series.label, x, y)
    assert next(entries, None) is None
    assert to_csv(picture) == to_csv(everything())


@given(st.lists(st.tuples(ENCLOSURES, ENCLOSURES), min_size=1), st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_any_rational_ends_and_any_name_come_back(points: list[tuple[Enclosure, Enclosure]], label: str) -> None:
    series = Series(label=label, x=tuple(x for x, _ in points), y=tuple(y for _, y in points))
    picture = everything()
    picture = replace(picture, panels=(replace(picture.panels[0], series=(series,)),))
    assert [(each.series, each.x, each.y) for each in from_csv(to_csv(picture))] == [(label, x, y) for x, y in points]


def test_numbers_are_plain_text() -> None:
    first, second = to_csv(everything()).splitlines()[:2]
    assert first == "panel,series,x_lower,x_upper,y_lower,y_upper"
    assert second == "first,guide,1,1,1/3,0.5"
    assert Fraction(second.split(",")[4]) == Fraction(1, 3)


@pytest.mark.parametrize(
    "text",
    ["", "a,b\n", "panel,series,x_lower,x_upper,y_lower,y_upper\np,s,1,1,1\n"]
    + [f"panel,series,x_lower,x_upper,y_lower,y_upper\np,s,1,1,1,{bad}\n" for bad in ("x", "1/0", "0.5,2", "inf")]
    + ["panel,series,x_lower,x_upper,y_lower,y_upper\np,s,1,1,1,0\n"],
)
def test_another_table_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameterError):
        from_csv(text)

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.plotting import Note, Series
from optcomp.plotting.data import ends, safe
from optcomp.plotting.palette import style
from optcomp.plotting.requirement import required
from optcomp.quantities import Enclosure
from tests.plotting.pictures import wide

ONE, THIRD = wide("1", "1"), wide("1/3", "1/3")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"x": ()}, "y"),
        ({"x": (), "y": ()}, "y"),
        ({"y": (ONE, ONE)}, "y"),
        ({"notes": (Note("a"), Note("b"))}, "notes"),
        ({"kind": "pie"}, "kind"),
        ({"y": (Enclosure.exactly(math.inf),)}, "points"),
        ({"x": (Enclosure(Fraction(1), math.inf),)}, "points"),
    ],
)
def test_a_series_that_cannot_be_drawn_is_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        Series(**{"label": "l", "x": (ONE,), "y": (ONE,), **changes})
    assert caught.value.field == field


def test_ends_are_rounded_outward_and_the_safe_side_is_the_enclosures() -> None:
    low, high = ends(THIRD)
    assert Fraction(low) < Fraction(1, 3) < Fraction(high)
    assert math.nextafter(low, 1) == high
    assert safe(wide("1", "2")) == 2
    assert safe(Enclosure(Fraction(1), Fraction(2), "lower")) == 1


def test_styles_differ_in_color_dashes_and_marker() -> None:
    looks = [style(index) for index in range(6)]
    for part in ("color", "dashes", "marker", "shape"):
        assert len({getattr(look, part) for look in looks}) == 6
    assert style(6) == style(0)


def test_a_missing_package_is_named_with_its_remedy() -> None:
    with pytest.raises(UnsupportedError) as caught:
        required("no_such_package.part")
    assert "no_such_package, which is not installed" in str(caught.value)
    assert caught.value.remedy == "Install it: pip install 'optcomp[plot]'."

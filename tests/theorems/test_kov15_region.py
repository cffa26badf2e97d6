"""The optimal region of equal mechanisms, as vertices and as corners of the trade-off curve."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import Any

import mpmath
import pytest

from optcomp import ApproxDP, Enclosure, InvalidParameterError, compose
from optcomp.theorems.kov15 import Corner, optimal_corners, optimal_region
from tests.theorems.formulas import contains, mpf

RATIONAL = [
    (t, Fraction(delta), count)
    for t in ("3/2", "2", "101/100", "40")
    for delta in ("0", "1/10", "1/1000", "99/100")
    for count in (1, 2, 3, 8, 13)
]
DECIMAL = [
    ("0.1", "0.001", 30),
    ("0.4", "0", 5),
    ("1e-9", "1e-12", 7),
    ("30", "0.2", 9),
    ("300", "0", 4),
    ("0.05", "0", 60),
    ("2.5", "1e-20", 41),
]
WIDEST = 1e-25


def printed_delta(t: Any, count: int, index: int) -> Any:
    """The finite part delta_i as it stands in the theorem, with ``t = e^epsilon``."""
    rows = range(index)
    return sum(comb(count, row) * (t ** (count - row) - t ** (count - 2 * index + row)) for row in rows) / (
        (1 + t) ** count
    )


@pytest.mark.parametrize(("t", "delta", "count"), RATIONAL)
def test_vertices_against_rational_numbers(t: str, delta: Fraction, count: int) -> None:
    base = Fraction(t)
    vertices = optimal_region(epsilon=f"ln({t})", delta=delta, count=count)
    assert [vertex.index for vertex in vertices] == list(range(count // 2 + 1))
    for vertex in vertices:
        exact = 1 - (1 - delta) ** count * (1 - printed_delta(base, count, vertex.index))
        assert contains(vertex.delta, Fraction(exact))
        with mpmath.workdps(60):
            assert contains(vertex.epsilon, (count - 2 * vertex.index) * mpmath.log(mpf(base)))
        assert vertex.delta.relative_width <= WIDEST
        assert vertex.epsilon.relative_width <= WIDEST


@pytest.mark.parametrize(("epsilon", "delta", "count"), DECIMAL)
def test_vertices_against_direct_sums(epsilon: str, delta: str, count: int) -> None:
    vertices = optimal_region(epsilon=epsilon, delta=delta, count=count)
    assert [vertex.index for vertex in vertices] == list(range(count // 2 + 1))
    with mpmath.workdps(700):
        t, alive = mpmath.exp(mpf(epsilon)), (1 - mpf(delta)) ** count
        for vertex in vertices:
            assert contains(vertex.delta, 1 - alive * (1 - printed_delta(t, count, vertex.index)))
            assert vertex.epsilon == Enclosure.exactly((count - 2 * vertex.index) * Fraction(epsilon))
            assert vertex.delta.relative_width <= WIDEST


@pytest.mark.parametrize(
    ("epsilon", "delta", "count"), [("0.05", "1e-7", 500), ("0.001", "0", 2001), ("3", "0.01", 100), ("0.7", "0", 64)]
)
def test_vertices_lie_on_the_profile(epsilon: str, delta: str, count: int) -> None:
    """The profile comes from incomplete beta functions, the vertices from sums."""
    profile = compose(ApproxDP(epsilon=epsilon, delta=delta).repeated(count))
    vertices = optimal_region(epsilon=epsilon, delta=delta, count=count)
    for vertex in vertices[:: max(1, len(vertices) // 15)]:
        assert vertex.delta.intersects(profile.delta(epsilon=Fraction(vertex.epsilon.upper)))
    for above, below in pairwise(vertices):
        assert above.epsilon.lower > below.epsilon.upper
        assert above.delta.lower <= below.delta.upper


def exact_corners(t: Fraction, delta: Fraction, count: int) -> list[tuple[Fraction, Fraction]]:
    """Reject one outcome after the other, the most telling first: failures under D1, then the losses in order.

    With randomized response of parameters (epsilon, delta), losses counted from the likeliest under D1.
    """
    alive, whole = (1 - delta) ** count, (1 + t) ** count
    likely = [comb(count, row) * t ** (count - row) / whole for row in range(count + 1)]
    alarm, missed = Fraction(0), alive
    corners = [(Fraction(0), Fraction(1)), (alarm, missed)]
    for row in range(count + 1):
        alarm, missed = alarm + alive * likely[count - row], missed - alive * likely[row]
        corners.append((alarm, missed))
    corners.append((Fraction(1), Fraction(0)))
    return [corner for place, corner in enumerate(corners) if corner not in corners[:place]][::-1]


@pytest.mark.parametrize(("t", "delta", "count"), RATIONAL)
def test_corners_against_rational_numbers(t: str, delta: Fraction, count: int) -> None:
    expected = exact_corners(Fraction(t), delta, count)
    found = optimal_corners(epsilon=f"ln({t})", delta=delta, count=count)
    assert len(found) == len(expected)
    for corner, (alarm, missed) in zip(found, expected, strict=True):
        assert contains(corner.false_alarm, alarm)
        assert contains(corner.missed_detection, missed)
        assert corner.false_alarm.relative_width <= WIDEST
        assert corner.missed_detection.relative_width <= WIDEST


def middle(interval: Enclosure) -> Fraction:
    return (Fraction(interval.lower) + Fraction(interval.upper)) / 2


def points(corners: tuple[Corner, ...]) -> list[Any]:
    """Pairs of false alarm and missed detection."""
    return [(middle(corner.false_alarm), middle(corner.missed_detection)) for corner in corners]


ALL = [(f"ln({t})", str(delta), count) for t, delta, count in RATIONAL[::4]] + DECIMAL


@pytest.mark.parametrize(("epsilon", "delta", "count"), ALL)
def test_the_curve_is_monotone_convex_and_symmetric(epsilon: str, delta: str, count: int) -> None:
    corners = optimal_corners(epsilon=epsilon, delta=delta, count=count)
    curve = points(corners)
    assert (curve[0], curve[-1]) == ((1, 0), (0, 1))
    for (alarm, missed), (less_alarm, more_missed) in pairwise(curve):
        assert less_alarm <= alarm
        assert more_missed >= missed
        assert (less_alarm, more_missed) != (alarm, missed)
    slopes = [  # of false alarm over missed detection, from steep to flat
        (b[0] - a[0], b[1] - a[1]) for a, b in pairwise(curve)
    ]
    for (fall, rise), (next_fall, next_rise) in pairwise(slopes):
        turn = fall * next_rise - rise * next_fall  # negative where the curve bends towards the corner (0, 0)
        assert turn <= Fraction(1, 10**35) * max(abs(fall * next_rise), abs(rise * next_fall))
    for one, other in zip(corners, reversed(corners), strict=True):
        assert one.false_alarm.intersects(other.missed_detection)
    assert all(alarm + missed <= 1 for alarm, missed in curve)


@pytest.mark.parametrize(("epsilon", "delta", "count"), ALL)
def test_the_vertices_are_the_half_planes_that_touch_the_curve(epsilon: str, delta: str, count: int) -> None:
    """``1 - delta(x) = min over the curve of false alarm + e^x missed detection``, for every vertex x."""
    curve = points(optimal_corners(epsilon=epsilon, delta=delta, count=count))
    with mpmath.workdps(1000):
        for vertex in optimal_region(epsilon=epsilon, delta=delta, count=count):
            weight = mpmath.exp(mpf(middle(vertex.epsilon)))
            touching = min(mpf(alarm) + weight * mpf(missed) for alarm, missed in curve)
            gap = abs(touching - (1 - mpf(middle(vertex.delta))))
            assert gap <= mpmath.mpf(10) ** -25 * max(1, weight * mpmath.mpf(10) ** -10)


def test_edges() -> None:
    (only,) = optimal_region(epsilon="0.5", delta="0.1", count=0)
    assert (only.index, only.epsilon, only.delta) == (0, Enclosure.exactly(0), Enclosure.exactly(0))
    assert set(points(optimal_corners(epsilon="0.5", delta="0.1", count=0))) == {(1, 0), (0, 1)}
    for vertex in optimal_region(epsilon=0, delta="0.1", count=4):
        assert vertex.epsilon == Enclosure.exactly(0)
        assert contains(vertex.delta, 1 - Fraction("0.9") ** 4)
    flat = points(optimal_corners(epsilon=0, delta="0.1", count=4))
    assert [(alarm, missed) for alarm, missed in flat[1:-1]] == [
        (Fraction("0.6561"), 0),
        (0, Fraction("0.6561")),
    ]
    assert points(optimal_corners(epsilon=0, delta=0, count=4)) == [(1, 0), (0, 1)]
    assert {vertex.delta for vertex in optimal_region(epsilon="0.5", delta=1, count=3)} == {Enclosure.exactly(1)}
    assert (0, 0) in points(optimal_corners(epsilon="0.5", delta=1, count=3))
    assert len(optimal_region(epsilon="0.5", delta=0, count=1)) == 1
    assert optimal_region(epsilon="0.5", delta="0.25", count=1)[0].delta == Enclosure.exactly(Fraction(1, 4))


@pytest.mark.parametrize("function", [optimal_region, optimal_corners])
@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"epsilon": "-0.1"}, "epsilon"),
        ({"epsilon": "nan"}, "epsilon"),
        ({"delta": "1.01"}, "delta"),
        ({"count": -1}, "count"),
        ({"count": 2.5}, "count"),
        ({"count": 1_000_001}, "count"),
    ],
)
def test_a_wrong_number_is_refused_by_name(function: Any, given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        function(**{"epsilon": "0.1", "delta": "0", "count": 3, **given})
    assert caught.value.field == field

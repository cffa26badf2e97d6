"""Regions of false alarm and missed detection, as the figures show them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

from optcomp.numerics.balls import ball
from optcomp.plotting import Series
from optcomp.quantities import Enclosure, Number, rational
from optcomp.quantities.exact import ceil_to_digits
from optcomp.theorems import Guarantee
from optcomp.theorems.base import certain, evaluate
from optcomp.theorems.kov15 import Corner, optimal_corners

__all__ = ["ALARM", "MISSED", "corners_series", "diagonal", "guaranteed_region", "optimal_series", "tangent_polygon"]

MISSED = "missed detection"
ALARM = "false alarm"
_DIGITS = 15

Position = tuple[Fraction, Fraction]


def optimal_series(*, epsilon: Number, delta: Number, count: int, label: str, style: int) -> Series:
    """The boundary of the optimal region of equal mechanisms, through its corners."""
    return corners_series(optimal_corners(epsilon=epsilon, delta=delta, count=count), label=label, style=style)


def corners_series(corners: Iterable[Corner], *, label: str, style: int) -> Series:
    """Corners as a line, missed detection across and false alarm up.

    Less of both is what an attacker wants, so the safe side of each is the lower one.
    """
    known = tuple(corners)
    return Series(
        label=label,
        x=tuple(_from_below(each.missed_detection) for each in known),
        y=tuple(_from_below(each.false_alarm) for each in known),
        style=style,
    )


def diagonal(places: Iterable[Fraction] = ()) -> Series:
    """The tests that do not look at the data: no mechanism can take these from an attacker.

    Args:
        places: False alarms between the ends, for logarithmic axes, on which the line is none.
    """
    alarms = sorted({Fraction(0), Fraction(1), *places}, reverse=True)
    return Series(
        label="tests that ignore the data",
        x=tuple(certain(1 - alarm) for alarm in alarms),
        y=tuple(certain(alarm) for alarm in alarms),
        kind="guide",
    )


def guaranteed_region(
    guarantees: Iterable[Guarantee], *, label: str, style: int, places: Iterable[Fraction] = ()
) -> Series:
    """The boundary of what several guarantees allow together.

    Args:
        guarantees: Which all hold.
        label: Of the series.
        style: Of the series.
        places: Where either error gets a point of the boundary, corner or not, for logarithmic axes.

    **Guarantee**: every test against a mechanism that meets all guarantees lies on or above the line.
    """
    polygon = _with_points_at(places, tangent_polygon(guarantees))
    return corners_series(
        (Corner(certain(alarm), certain(missed)) for alarm, missed in polygon), label=label, style=style
    )


def tangent_polygon(guarantees: Iterable[Guarantee]) -> tuple[Position, ...]:
    """The corners of the intersection of the regions of guarantees, from (0, 1) to (1, 0).

    An (epsilon, delta) allows a false alarm a and a missed detection b only if ``b >= 1 - delta - e^epsilon a`` and
    ``b >= e^-epsilon (1 - delta - a)``. Both e^epsilon and delta are rounded up to 15 digits; the rest is exact.

    **Guarantee**: the polygon contains the intersection.
    """
    lines = [(Fraction(0), Fraction(0))]
    for each in guarantees:
        height = 1 - ceil_to_digits(rational(_end(each.delta), field="delta"), _DIGITS)
        steep = ceil_to_digits(_power(each.epsilon), _DIGITS)
        if height > 0:
            lines += [(steep, height), (1 / steep, height / steep)]
    envelope = _highest(lines)
    corners = [(Fraction(0), Fraction(1)), (Fraction(0), envelope[0][1])]
    corners += [_crossing(one, two) for one, two in pairwise(envelope)]
    corners.append((Fraction(1), Fraction(0)))
    return tuple(dict.fromkeys(corners))


def _with_points_at(places: Iterable[Fraction], polygon: tuple[Position, ...]) -> tuple[Position, ...]:
    """The same boundary with more points on it, at these false alarms and these missed detections."""
    found = set(polygon)
    for place in places:
        for (left, high), (right, low) in pairwise(polygon):
            if left < place < right:
                found.add((place, high + (low - high) * (place - left) / (right - left)))
            if low < place < high:
                found.add((left + (right - left) * (high - place) / (high - low), place))
    return tuple(sorted(found, key=lambda point: (point[0], -point[1])))


def _highest(lines: list[Position]) -> list[Position]:
    """Of lines ``height - slope a``, those that are highest for some a >= 0, from left to right."""
    found: list[Position] = []
    for line in sorted(lines, key=lambda each: (-each[0], -each[1])):
        if found and line[0] == found[-1][0]:
            continue
        while found and _is_covered(found, line):
            found.pop()
        found.append(line)
    return found


def _is_covered(found: list[Position], line: Position) -> bool:
    """Whether the last line is nowhere above both the one before it and a flatter one."""
    start = _crossing(found[-2], found[-1])[0] if len(found) > 1 else Fraction(0)
    return _crossing(found[-1], line)[0] <= start


def _crossing(one: Position, two: Position) -> Position:
    place = (one[1] - two[1]) / (one[0] - two[0])
    return place, one[1] - one[0] * place


def _power(epsilon: Enclosure) -> Fraction:
    """At least ``e^epsilon``."""
    most = _end(epsilon)
    return _end(evaluate(lambda: ball(most).exp(), what="e^epsilon"))


def _end(value: Enclosure) -> Fraction:
    return Fraction(value.upper)


def _from_below(value: Enclosure) -> Enclosure:
    return Enclosure(value.lower, value.upper, "lower")

"""Trade-off curves that are polygons, known by their corners."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from optcomp.numerics.balls import ball, enclose, precision
from optcomp.quantities import Enclosure, Real, exponential
from optcomp.theorems.kov15 import Corner

__all__ = ["Polygon", "Position", "lower_hull"]

Position = tuple[Fraction, Fraction]
"""A false alarm with a missed detection."""

_BITS = 192


@dataclass(frozen=True)
class Polygon:
    """A convex falling curve between two polygons.

    Args:
        lower: Points whose convex hull lies nowhere above the curve, by rising false alarm.
        upper: Points nowhere below the curve, by rising false alarm.
        corners: The corners themselves, where they are known one by one.
    """

    lower: tuple[Position, ...]
    upper: tuple[Position, ...]
    corners: tuple[Corner, ...] | None = None

    @classmethod
    def of(cls, corners: Iterable[Corner]) -> Polygon:
        """The polygon with these corners, by rising false alarm.

        All corners moved down and left span a curve below the true one, and moved up and right a curve above it.
        """
        known = tuple(corners)
        lower = [(Fraction(each.false_alarm.lower), Fraction(each.missed_detection.lower)) for each in known]
        upper = [(Fraction(each.false_alarm.upper), Fraction(each.missed_detection.upper)) for each in known]
        return cls(lower_hull(lower), lower_hull(upper), known)

    @property
    def is_exact(self) -> bool:
        """Whether both polygons are the same."""
        return self.lower == self.upper

    @cached_property
    def _alarms(self) -> tuple[list[Fraction], list[Fraction]]:
        return [alarm for alarm, _ in self.lower], [alarm for alarm, _ in self.upper]

    def missed_detection(self, false_alarm: Fraction) -> Enclosure:
        """The least missed detection at a false alarm."""
        below, above = self._alarms
        return Enclosure(_at(self.lower, below, false_alarm), _at(self.upper, above, false_alarm))

    def delta(self, epsilon: Real) -> Enclosure:
        """``1 - min (missed detection + e^epsilon false alarm)``, the least delta at an epsilon."""
        exact = exponential(epsilon)
        if exact is not None:
            odds = Enclosure.exactly(exact)
        else:
            with precision(_BITS):
                odds = enclose(ball(epsilon).exp())
        flat = Fraction(odds.lower)
        high = 1 - min(missed + flat * alarm for alarm, missed in self.lower)
        if isinstance(odds.upper, float):  # beyond all numbers that are written out: only sure outcomes count
            low = 1 - min((missed for alarm, missed in self.upper if alarm == 0), default=Fraction(1))
        else:
            low = 1 - min(missed + odds.upper * alarm for alarm, missed in self.upper)
        return Enclosure(max(low, Fraction(0)), max(high, Fraction(0)))

    def between(self, first: Fraction, last: Fraction) -> Polygon:
        """The part of the curve between two false alarms."""
        start, end = self.missed_detection(first), self.missed_detection(last)

        def part(points: Sequence[Position], high: Fraction, low: Fraction) -> tuple[Position, ...]:
            return ((first, high), *(point for point in points if first < point[0] < last), (last, low))

        return Polygon(
            part(self.lower, Fraction(start.lower), Fraction(end.lower)),
            part(self.upper, Fraction(start.upper), Fraction(end.upper)),
        )

    @property
    def inverse(self) -> Polygon:
        """The curve of the data sets in the other order."""
        return Polygon(
            tuple((missed, alarm) for alarm, missed in reversed(self.lower)),
            tuple((missed, alarm) for alarm, missed in reversed(self.upper)),
            None
            if self.corners is None
            else tuple(Corner(each.missed_detection, each.false_alarm) for each in reversed(self.corners)),
        )

    @property
    def symmetrised(self) -> Polygon:
        """The largest convex curve below this one and its inverse: it holds for both orders of the data sets."""
        other = self.inverse
        lower = lower_hull([*self.lower, *other.lower])
        upper = lower_hull([*self.upper, *other.upper])
        if lower == upper:
            return Polygon.of(Corner(Enclosure.exactly(a), Enclosure.exactly(b)) for a, b in _drawn(lower))
        return Polygon(lower, upper)


def _drawn(hull: Sequence[Position]) -> Sequence[Position]:
    """The hull's points, from (0, 1) to (1, 0)."""
    start, end = (Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))
    return [*([] if hull[0] == start else [start]), *hull, *([] if hull[-1] == end else [end])]


def _at(points: Sequence[Position], alarms: Sequence[Fraction], place: Fraction) -> Fraction:
    """The value of a falling polygon at a place: the least one where it is vertical."""
    right = bisect_right(alarms, place)
    if right == 0:
        return Fraction(1)
    alarm, missed = points[right - 1]
    if alarm == place or right == len(points):
        return missed
    further, lowest = points[right]
    return missed + (lowest - missed) * (place - alarm) / (further - alarm)


def lower_hull(points: Iterable[Position]) -> tuple[Position, ...]:
    """The lower left convex hull of points, by rising false alarm, from the leftmost point to the lowest one."""
    hull: list[Position] = []
    for point in sorted(set(points)):
        if hull and (point[0] == hull[-1][0] or point[1] >= hull[-1][1]):
            continue  # straight above the last one, or no lower than it
        while len(hull) > 1 and _turns_up(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return tuple(hull)


def _turns_up(first: Position, second: Position, third: Position) -> bool:
    """Whether the second point lies on or above the line from the first to the third."""
    (a, b), (c, d), (e, f) = first, second, third
    return (c - a) * (f - b) <= (e - a) * (d - b)

"""The trade-off curve of any profile, by convex duality.

With delta as a function of ``t = e^epsilon``, the curve is ``f(a) = max over t of 1 - delta(t) - t a``. Each t gives a
line below the curve. From above, the function to be maximised is concave: beyond two points it lies below the line
through them, so that a few values of delta near the best t bound the maximum from both sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from optcomp.composition import Profile
from optcomp.errors import UndecidedError, UnsupportedError
from optcomp.quantities import Enclosure, Logarithm, Real
from optcomp.tradeoff.polygon import Polygon, Position

__all__ = ["ProfileCurve"]

_MANTISSA = 30  # bits of a t: short numbers have fast logarithms
_FARTHEST = 690.0  # of ln t: e^690 is the end of floats
_FIRST_STEP = 0.5
_GOLDEN = (math.sqrt(5) - 1) / 2
_ENOUGH = Fraction(1, 10**10)  # relative width of an answer
_CLOSEST = 2.0**-22  # of two neighbouring ln t
_MOST = 120  # values of delta for one answer


@dataclass(frozen=True)
class _Value:
    """``1 - delta(t) - t a`` at one t, and the height of the line that t gives, ``1 - delta(t)`` from below."""

    odds: Fraction
    lower: Fraction
    upper: Fraction
    height: Fraction


@dataclass(frozen=True)
class ProfileCurve:
    """The trade-off curve of a profile.

    Args:
        profile: The profile, which answers for the worst of both orders where its adjacency allows both.
        symmetric: Whether it is the same for both orders of the data sets. Then an epsilon below 0 is answered by way
            of its opposite, which keeps small missed detections accurate.
    """

    profile: Profile
    symmetric: bool = False
    _deltas: dict[Fraction, Enclosure | None] = field(default_factory=dict, repr=False, compare=False)

    def delta(self, epsilon: Real) -> Enclosure:
        """The profile itself."""
        return self.profile.delta(epsilon)

    def missed_detection(self, false_alarm: Fraction) -> Enclosure:
        """The least missed detection at a false alarm.

        **Guarantee**: ``lower <= f(false_alarm) <= upper``.
        """
        if false_alarm == 0:
            kept = self.profile.failure
            return Enclosure(1 - Fraction(kept.upper), 1 - Fraction(kept.lower))
        if false_alarm == 1:
            return Enclosure.exactly(0)
        search = _Search(self, false_alarm)
        search.run()
        return search.answer()

    def sampled(self, false_alarms: Iterable[Fraction]) -> Polygon:
        """Two polygons with the curve between them, from the first of these false alarms to the last.

        The upper one connects points above the curve. The lower one consists of a supporting line at each place.
        """
        places = sorted(set(false_alarms))
        upper: list[Position] = []
        lower: list[Position] = []
        lines: list[tuple[Fraction, Fraction]] = []
        for place in places:
            search = _Search(self, place)
            search.run()
            found = search.answer()
            upper.append((place, Fraction(found.upper)))
            lower.append((place, Fraction(found.lower)))
            lines.append(search.line)
        for (steep, high), (flat, low) in pairwise(lines):
            if steep > flat:
                alarm = (high - low) / (steep - flat)
                lower.append((alarm, max(high - steep * alarm, Fraction(0))))
        return Polygon(_from_below(lower, places[0], places[-1]), tuple(upper))

    def known(self, odds: Fraction) -> Enclosure | None:
        """The delta at ``e^epsilon = odds``; None where the engines do not reach."""
        if self.symmetric and odds < 1:
            there = self.known(1 / odds)
            if there is None:
                return None
            return Enclosure(1 - odds * (1 - Fraction(there.lower)), 1 - odds * (1 - Fraction(there.upper)))
        if odds not in self._deltas:
            try:
                self._deltas[odds] = self.profile.delta(Logarithm.of(odds))
            except (UndecidedError, UnsupportedError) as error:
                reached = getattr(error, "reached", None)
                self._deltas[odds] = reached if isinstance(reached, Enclosure) else None
        return self._deltas[odds]


def _from_below(points: list[Position], first: Fraction, last: Fraction) -> tuple[Position, ...]:
    """The points in this range; where lines meet, only the lower ones count as corners of the lower polygon."""
    return tuple(sorted(point for point in points if first <= point[0] <= last))


class _Search:
    """The best t for one false alarm: looked for in floats, bounded by values of delta that are certified."""

    def __init__(self, curve: ProfileCurve, false_alarm: Fraction) -> None:
        self.curve = curve
        self.false_alarm = false_alarm
        self.values: dict[float, _Value] = {}

    def run(self) -> None:
        """Find a bracket around the best ln t, and narrow it by the golden section."""
        low, high = self._bracket()
        inner = high - _GOLDEN * (high - low)
        outer = low + _GOLDEN * (high - low)
        while high - low > _CLOSEST and len(self.values) < _MOST:
            if self._score(inner) >= self._score(outer):
                high, outer = outer, inner
                inner = high - _GOLDEN * (high - low)
            else:
                low, inner = inner, outer
                outer = low + _GOLDEN * (high - low)
            if len(self.values) % 8 == 0 and self._is_narrow():
                return

    def answer(self) -> Enclosure:
        """The enclosure of the maximum."""
        known = self._known()
        best = max((each.lower for each in known), default=Fraction(0))
        most = _maximum_above(known)
        place = self.false_alarm
        return Enclosure(max(best, Fraction(0)), max(min(most, 1 - place), Fraction(0)))

    @property
    def line(self) -> tuple[Fraction, Fraction]:
        """A line below the whole curve, as its steepness and its height at 0: the best at this place."""
        known = self._known()
        if not known:
            return Fraction(0), Fraction(0)
        best = max(known, key=lambda each: each.lower)
        return best.odds, best.height

    def _bracket(self) -> tuple[float, float]:
        """Two places with the best one between them."""
        limit = min(_FARTHEST, -_logarithm(self.false_alarm) + _FIRST_STEP)  # beyond, t a exceeds 1
        step, centre = _FIRST_STEP, min(0.0, limit)
        rises = self._score(min(centre + step, limit)) >= self._score(centre)
        sign = 1.0 if rises else -1.0
        before, here = centre - sign * step, centre
        while True:
            after = max(min(here + sign * step, limit), -_FARTHEST)
            if after == here or self._score(after) < self._score(here):
                return min(before, after), max(before, after)
            before, here, step = here, after, 2 * step

    def _is_narrow(self) -> bool:
        found = self.answer()
        return Fraction(found.width) <= _ENOUGH * Fraction(found.upper)

    def _score(self, place: float) -> Fraction:
        """What the search maximises; the least of all where nothing is known."""
        if place not in self.values:
            odds = _short(place)
            delta = self.curve.known(odds)
            if delta is None:
                return Fraction(-2)
            paid = odds * self.false_alarm
            low, high = 1 - Fraction(delta.upper), 1 - Fraction(delta.lower)
            self.values[place] = _Value(odds, low - paid, high - paid, low)
        value = self.values[place]
        return value.lower + value.upper

    def _known(self) -> list[_Value]:
        found = {each.odds: each for each in self.values.values()}
        return [found[odds] for odds in sorted(found)]


def _maximum_above(known: list[_Value]) -> Fraction:
    """A bound from above for the maximum over all t > 0 of a concave function that is 0 at t = 0."""
    points = [_Value(Fraction(0), Fraction(0), Fraction(0), Fraction(1)), *known]
    if len(points) < 3:
        return Fraction(1)
    most = max(_right_of(points), Fraction(0))
    for place in range(len(points) - 1):
        most = max(most, _between(points, place))
    return most


def _slope(one: _Value, other: _Value) -> tuple[Fraction, Fraction]:
    """The least and the largest slope between two points, the first one on the left."""
    width = other.odds - one.odds
    return (other.lower - one.upper) / width, (other.upper - one.lower) / width


def _right_of(points: list[_Value]) -> Fraction:
    """The bound beyond the last point: nothing is known while the function may still rise there."""
    _, rise = _slope(points[-2], points[-1])
    return points[-1].upper if rise <= 0 else Fraction(1)


def _between(points: list[_Value], place: int) -> Fraction:
    """The bound between two neighbours, from the lines through the pairs of points on either side."""
    left, right = points[place], points[place + 1]
    width = right.odds - left.odds
    rise = _slope(points[place - 1], left)[1] if place else None
    fall = -_slope(right, points[place + 2])[0] if place + 2 < len(points) else None
    ends = max(left.upper, right.upper)
    if rise is None and fall is None:
        return Fraction(1)
    if rise is None or fall is None:
        growth = fall if rise is None else rise
        return max(ends, (right.upper if rise is None else left.upper) + width * (growth or Fraction(0)))
    if rise <= 0 or fall <= 0:  # falling from the left end on, or rising up to the right one
        return ends
    meeting = (right.upper - left.upper + fall * width) / (rise + fall)
    inside = min(max(meeting, Fraction(0)), width)
    return max(ends, min(left.upper + rise * inside, right.upper + fall * (width - inside)))


def _short(place: float) -> Fraction:
    """About ``e^place``, with few bits."""
    mantissa, exponent = math.frexp(math.exp(place))
    return Fraction(round(mantissa * 2**_MANTISSA)) * Fraction(2) ** (exponent - _MANTISSA)


def _logarithm(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)

"""The trade-off curve of any profile, by convex duality.

With delta as a function of ``t = e^epsilon``, the curve is ``f(a) = max over t of 1 - delta(t) - t a``. Each t gives a
line below the curve. From above, the function to be maximised is concave: beyond two points it lies below the line
through them, so that a few values of delta near the best t bound the maximum from both sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
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
_FILLED = 40  # more values at most
_CLOSE_ENOUGH = 1 + Fraction(1, 10**9)
_NEAR = 1 + Fraction(1, 2**20)
_MOST = 120  # values of delta for one answer


@dataclass(frozen=True)
class _Value:
    """``1 - delta(t) - t a`` at one t, and the height of the line that t gives, ``1 - delta(t)`` from below."""

    odds: Fraction
    lower: Fraction
    upper: Fraction
    height: Fraction


_ORIGIN = _Value(Fraction(0), Fraction(0), Fraction(0), Fraction(1))


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
        lower: list[Enclosure] = []
        lines: list[tuple[Fraction, Fraction]] = []
        for place in places:
            search = _Search(self, place)
            search.run()
            found = search.answer()
            upper.append((place, Fraction(found.upper)))
            lower.append(found)
            lines.append(search.line)
        ends = (places[0], Fraction(lower[0].lower)), (places[-1], Fraction(lower[-1].lower))
        inner = [point for point in _envelope(lines) if places[0] < point[0] < places[-1]]
        return Polygon((ends[0], *inner, ends[1]), tuple(upper))

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


def _envelope(lines: list[tuple[Fraction, Fraction]]) -> list[Position]:
    """The corners of the highest of several lines ``height - steepness * alarm`` and of 0, from left to right."""
    chain: list[tuple[Fraction, Fraction]] = []
    for steep, height in sorted({*lines, (Fraction(0), Fraction(0))}, key=lambda line: (-line[0], -line[1])):
        if chain and chain[-1][0] == steep:
            continue
        while chain and chain[-1][1] <= height:
            chain.pop()
        while len(chain) > 1 and _crossing(chain[-2], (steep, height)) <= _crossing(chain[-2], chain[-1]):
            chain.pop()
        chain.append((steep, height))
    return [(_crossing(one, other), one[1] - one[0] * _crossing(one, other)) for one, other in pairwise(chain)]


def _crossing(steeper: tuple[Fraction, Fraction], flatter: tuple[Fraction, Fraction]) -> Fraction:
    return (steeper[1] - flatter[1]) / (steeper[0] - flatter[0])


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
        self._fill()

    def _fill(self) -> None:
        """Values where the bound from above is still far away: between places that lie far apart."""
        for _ in range(_FILLED):
            known = self._known()
            gaps = _gaps(known, self.false_alarm)
            if not gaps or max(gaps)[0] <= max(each.upper for each in known) * _CLOSE_ENOUGH:
                return
            _, low, high = max(gaps)
            if not low or high <= low * _NEAR or len(self.values) >= _MOST:
                return
            self._score((_logarithm(low) + _logarithm(high)) / 2)

    def answer(self) -> Enclosure:
        """The enclosure of the maximum."""
        known = self._known()
        best = max((each.lower for each in known), default=Fraction(0))
        most = _maximum_above(known, self.false_alarm)
        found = Enclosure(max(best, Fraction(0)), max(min(most, 1 - self.false_alarm), Fraction(0)))
        if not known:
            raise UndecidedError(
                field="missed_detection",
                value=str(found),
                condition="needs deltas that no engine could enclose",
                remedy="Ask at another false alarm.",
                reached=found,
            )
        return found

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
                self._score(limit)
                return min(before, after), max(before, after)
            before, here, step = here, after, 2 * step

    def _is_narrow(self) -> bool:
        try:
            found = self.answer()
        except UndecidedError:
            return False
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


def _maximum_above(known: list[_Value], false_alarm: Fraction) -> Fraction:
    """A bound from above for the maximum over all t > 0 of a concave function that is 0 at 0, and at most 1 - t a."""
    if len(known) < 2:
        return Fraction(1)
    right = min(_right_of(known), 1 - known[-1].odds * false_alarm)
    return max(right, Fraction(0), *(bound for bound, _, _ in _gaps(known, false_alarm)))


def _gaps(known: list[_Value], false_alarm: Fraction) -> list[tuple[Fraction, Fraction, Fraction]]:
    """The bound between each two neighbours, with their t."""
    points = [_ORIGIN, *known]
    found = [
        (_between(points, place), points[place].odds, points[place + 1].odds)
        for place in range(len(points) - 1 if known else 0)
    ]
    return [(min(bound, 1 - low * false_alarm), low, high) for bound, low, high in found]


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
    rise = min((_slope(points[other], left)[1] for other in _farther(place, 0)), default=None)
    fall = min((-_slope(right, points[other])[0] for other in _farther(place + 1, len(points) - 1)), default=None)
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


def _farther(place: int, end: int) -> Iterator[int]:
    """Places farther and farther away, up to an end: near ones bend less, far ones suffer less from wide deltas."""
    sign, away = (1 if end > place else -1), 1
    while away < abs(end - place):
        yield place + sign * away
        away *= 2
    if end != place:
        yield end


def _short(place: float) -> Fraction:
    """About ``e^place``, with few bits."""
    mantissa, exponent = math.frexp(math.exp(place))
    return Fraction(round(mantissa * 2**_MANTISSA)) * Fraction(2) ** (exponent - _MANTISSA)


def _logarithm(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)

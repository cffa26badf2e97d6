"""The trade-off curves of normal noise, and the nearest of them to any other curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from optcomp.numerics.balls import Ball, ball, enclose, precision
from optcomp.numerics.normal import normal_above, normal_quantile_above
from optcomp.quantities import Enclosure, Real
from optcomp.tradeoff.polygon import Polygon, Position

__all__ = ["NearestGaussians", "NormalCurve", "nearest_to"]

_BITS = 192
_SLACK = 2.0**-44  # relative; what a search in floats may be off by before it is moved and tried again
_TRIES = 40
_HALVINGS = 80
_LARGEST_MU = 1e6
_LONGEST = 4096  # bits
_SHARED = ((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0)))  # points of every curve of normal noise


@dataclass(frozen=True)
class NormalCurve:
    """``f(a) = Phi(Phi^-1(1 - a) - mu)``: telling apart two normal variables of variance 1 whose means differ by mu.

    Args:
        mu_squared: The square of mu, above 0.
    """

    mu_squared: Fraction

    @property
    def mu(self) -> Enclosure:
        """The distance of the means."""
        with precision(_BITS):
            return enclose(ball(self.mu_squared).sqrt())

    def missed_detection(self, false_alarm: Fraction) -> Enclosure:
        """The least missed detection at a false alarm."""
        if false_alarm in {0, 1}:
            return Enclosure.exactly(1 - false_alarm)
        with precision(_bits(false_alarm)):
            reached = ball(self.mu_squared).sqrt() - normal_quantile_above(ball(false_alarm))
            return enclose(normal_above(reached), least=Fraction(0), most=Fraction(1))

    def delta(self, epsilon: Real) -> Enclosure:
        """``Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)``."""
        with precision(_BITS):
            level = ball(epsilon)
            return enclose(
                _delta(ball(self.mu_squared).sqrt(), level, level.exp()), least=Fraction(0), most=Fraction(1)
            )


@dataclass(frozen=True)
class NearestGaussians:
    """The curves of normal noise nearest to a trade-off curve, by their mu.

    Args:
        least_below: The least mu whose curve lies nowhere above it: the mechanism is mu-Gaussian-DP.
        greatest_above: The greatest mu whose curve lies nowhere below it: no less mu can be promised anywhere.
        false_alarms: The range in which the curves are compared; None for the whole.
    """

    least_below: Enclosure
    greatest_above: Enclosure
    false_alarms: tuple[Fraction, Fraction] | None


def nearest_to(polygon: Polygon, false_alarms: tuple[Fraction, Fraction] | None) -> NearestGaussians:
    """The nearest curves of normal noise to a curve between two polygons.

    A normal curve is convex, so it lies below a polygon when it lies below its corners; and it lies above one when it
    lies above each edge, drawn as a line.

    **Guarantee**: both numbers lie in their enclosures.
    """
    with precision(_BITS):
        below = Enclosure(
            max((_mu_at(point).lower for point in polygon.upper), default=Fraction(0)),
            max((_mu_at(point).upper for point in polygon.lower), default=Fraction(0)),
        )
        if polygon.lower[0] == _SHARED[0] and len(polygon.lower) > 1:
            return NearestGaussians(below, Enclosure.exactly(0), false_alarms)
        above = Enclosure(_certainly_above(polygon.upper), min(map(_lowest, _edges(polygon.lower)), default=math.inf))
        return NearestGaussians(below, above, false_alarms)


def _mu_at(point: Position) -> Enclosure:
    """The mu of the normal curve through a point, 0 for the ends that all curves share."""
    alarm, missed = point
    if alarm + missed == 1:
        return Enclosure.exactly(0)
    if 0 in {alarm, missed}:
        return Enclosure.exactly(math.inf)
    with precision(max(_bits(alarm), _bits(missed))):
        return enclose(normal_quantile_above(ball(alarm)) + normal_quantile_above(ball(missed)), least=Fraction(0))


@dataclass(frozen=True)
class _Edge:
    """From one point to the next, on the line ``steepness * alarm + missed = 1 - delta``."""

    start: Position
    end: Position

    @property
    def steepness(self) -> Fraction:
        return (self.start[1] - self.end[1]) / (self.end[0] - self.start[0])

    @property
    def delta(self) -> Fraction:
        return 1 - self.start[1] - self.steepness * self.start[0]

    @property
    def mu(self) -> float:
        """About the mu of the normal curve that touches the line; flat lines are mirrored, as normal curves are."""
        if self.steepness < 1:
            return _Edge(self.end[::-1], self.start[::-1]).mu
        level, kept = _logarithm(self.steepness), 1 - self.delta
        low, high = 0.0, 1.0
        while _is_below(high, level, self.delta, kept) and high < _LARGEST_MU:
            low, high = high, 2 * high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if _is_below(middle, level, self.delta, kept) else (low, middle)
        return low


def _edges(points: Sequence[Position]) -> list[_Edge]:
    """The edges that fall, neither upright nor level."""
    return [_Edge(one, other) for one, other in pairwise(points) if one[0] < other[0] and one[1] > other[1]]


def _certainly_above(points: Sequence[Position]) -> Fraction | float:
    """A mu whose normal curve lies nowhere below points above a falling curve, close to the largest one.

    Along an edge, the mu of the curve through a point falls until a curve touches the line, and rises from there on.
    Along a level edge it falls to the end, which is one of the points.
    """
    falling = _falling(points)
    edges = _edges(falling)
    ends = [_at_an_end(edge) for edge in edges]
    most = min((_mu_at(point).lower for point in falling if point not in _SHARED), default=math.inf)
    inner = [edge for edge, end in zip(edges, ends, strict=True) if end is None]
    found, slack = min((edge.mu for edge in inner), default=math.inf), _SLACK
    if found >= most:
        found = float(most)
    with precision(_BITS + max((_size(1 - edge.delta) for edge in inner), default=0)):
        for _ in range(_TRIES if inner else 0):
            candidate = Fraction(found * (1 - min(slack, 1.0)))
            if candidate <= 0:
                return Fraction(0)
            mu = ball(candidate)
            if all(_delta(mu, ball(edge.steepness).log(), ball(edge.steepness)) <= ball(edge.delta) for edge in inner):
                return min(candidate, most)
            slack *= 4
    return Fraction(0) if inner else most


def _size(kept: Fraction) -> int:
    """How many bits a number next to 1 needs beyond the usual to be told from it."""
    return max(kept.denominator.bit_length() - kept.numerator.bit_length(), 0) if kept else 0


def _falling(points: Sequence[Position]) -> list[Position]:
    """The points with nothing that rises: what lies above a falling curve at one place does so at later ones."""
    lowest = accumulate((missed for _, missed in points), min)
    return [(alarm, missed) for (alarm, _), missed in zip(points, lowest, strict=True)]


def _at_an_end(edge: _Edge) -> Enclosure | None:
    """The mu at the end of an edge where it is certainly the least along the edge; None when that may be inside."""
    for (alarm, missed), side in ((edge.start, 1), (edge.end, -1)):
        if 0 < alarm < 1 and 0 < missed < 1 and alarm + missed < 1:
            point = normal_quantile_above(ball(alarm))
            mu = point + normal_quantile_above(ball(missed))
            if (ball(edge.steepness).log() - mu * point + mu**2 / 2) * side >= 0:
                return _mu_at((alarm, missed))
    return None


def _lowest(edge: _Edge) -> Fraction | float:
    """A bound from above for the least mu along an edge: at its ends, and about where a normal curve touches it."""
    (first, high), (last, low) = edge.start, edge.end
    points = [(first, high), (last, low)]
    mu = edge.mu
    if mu > 0:
        place = Fraction(math.erfc((_logarithm(edge.steepness) / mu + mu / 2) / math.sqrt(2)) / 2)
        if first < place < last:
            points.append((place, high - edge.steepness * (place - first)))
    return min(_mu_at(point).upper for point in points if point not in _SHARED)


def _delta(mu: Ball, epsilon: Ball, odds: Ball) -> Ball:
    return normal_above(epsilon / mu - mu / 2) - odds * normal_above(epsilon / mu + mu / 2)


def _is_below(mu: float, epsilon: float, delta: Fraction, kept: Fraction) -> bool:
    """Whether normal noise with that mu seems to have a smaller delta; ``kept`` is one minus the delta."""
    if mu == 0:
        return max(0.0, -math.expm1(epsilon)) < delta
    far, near = (math.erfc((epsilon / mu + sign * mu / 2) / math.sqrt(2)) / 2 for sign in (1, -1))
    less = math.exp(epsilon) * far if far else 0.0
    if delta < kept:
        return near - less < delta
    return math.erfc((mu / 2 - epsilon / mu) / math.sqrt(2)) / 2 + less > kept


def _bits(value: Fraction) -> int:
    """Enough for the quantile of a probability, however close it is to 0 or to 1."""
    return _BITS + 2 * min(value.denominator.bit_length(), _LONGEST)


def _logarithm(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)

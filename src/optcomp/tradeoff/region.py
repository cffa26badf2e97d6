"""Privacy as a region: which pairs of false alarm and missed detection a test can reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Literal

from optcomp.errors import InvalidParameterError, UndecidedError, UnsupportedError
from optcomp.numerics.balls import enclose, precision
from optcomp.numerics.exponential_sums import ExponentialSum
from optcomp.quantities import Enclosure, Number, Real, exact_text, nonnegative_real, probability, scaled
from optcomp.theorems.kov15 import Corner, optimal_region

__all__ = ["Constraint", "PrivacyRegion"]

_BITS = 256
_NONE, _ALL = Enclosure.exactly(0), Enclosure.exactly(1)


@dataclass(frozen=True)
class Constraint:
    """One (epsilon, delta): two half planes.

    With false alarm a and missed detection b, ``a + e^epsilon b`` and ``e^epsilon a + b`` are at least ``1 - delta``.

    Args:
        epsilon: In nats, at least 0.
        delta: An enclosure; exact wherever the guarantee was typed in.
    """

    epsilon: Real
    delta: Enclosure


@dataclass(frozen=True)
class PrivacyRegion:
    """The intersection of the regions of several (epsilon, delta).

    A mechanism meets all of them exactly when the region of its tests lies inside. Every region is symmetric, and it
    is enough to look at the part where ``a + b <= 1``.

    Args:
        constraints: One for each (epsilon, delta); none at all allows everything.

    Source: Kairouz, Oh, Viswanath, Theorem 2.1 and section 2.

    >>> strict = PrivacyRegion.of([("ln(2)", 0)])
    >>> loose = PrivacyRegion.of([("ln(3)", "0.1"), ("ln(2)", "0.2")])
    >>> loose.includes(strict), strict.includes(loose)
    (True, False)
    """

    constraints: tuple[Constraint, ...]

    @classmethod
    def of(cls, guarantees: Iterable[tuple[Number, Number]]) -> PrivacyRegion:
        """The region of all mechanisms that meet each of these (epsilon, delta).

        Raises:
            InvalidParameterError: When an epsilon is negative or a delta no probability.
        """
        return cls(
            tuple(
                Constraint(
                    nonnegative_real(epsilon, field="epsilon"),
                    Enclosure.exactly(probability(delta, field="delta")),
                )
                for epsilon, delta in guarantees
            )
        )

    @classmethod
    def of_equal(cls, *, epsilon: Number, delta: Number, count: int) -> PrivacyRegion:
        """The smallest region that holds every composition of equal (epsilon, delta)-DP mechanisms.

        Args:
            epsilon: Of each mechanism, in nats.
            delta: Of each mechanism.
            count: How many.

        **Guarantee**: each delta lies in its enclosure, which is exact where ``e^epsilon`` is rational.
        """
        known = optimal_region(epsilon=epsilon, delta=delta, count=count)
        base = nonnegative_real(epsilon, field="epsilon")
        return cls(tuple(Constraint(_times(base, count - 2 * each.index), each.delta) for each in known))

    def intersection(self, other: PrivacyRegion) -> PrivacyRegion:
        """The region of the mechanisms that meet the constraints of both."""
        return PrivacyRegion(tuple(dict.fromkeys(self.constraints + other.constraints)))

    def includes(self, other: PrivacyRegion) -> bool:
        """Whether every point of the other region is a point of this one; decided exactly.

        **Guarantee**: True only when it is so and False only when it is not, for all deltas in their enclosures.

        Raises:
            UndecidedError: When the answer depends on where in its enclosure a delta lies.
            UnsupportedError: When an epsilon is neither rational nor the logarithm of a rational.
        """
        if other is self or _inside(other._lines("upper"), self._lines("lower")):
            return True
        if not _inside(other._lines("lower"), self._lines("upper")):
            return False
        raise UndecidedError(
            field="inclusion",
            value=f"{len(self.constraints)} and {len(other.constraints)} constraints",
            condition="depends on where in its interval a delta lies",
            remedy="State the guarantees with exact deltas.",
        )

    def same_as(self, other: PrivacyRegion) -> bool:
        """Whether both are the same set of points, whatever constraints they are written with.

        The guarantee and the errors are those of `includes`.
        """
        return self.includes(other) and other.includes(self)

    def contains(self, *, false_alarm: Number, missed_detection: Number) -> bool:
        """Whether a test may have these two errors.

        Raises:
            UndecidedError: As for `includes`.
        """
        alarm = probability(false_alarm, field="false_alarm")
        missed = probability(missed_detection, field="missed_detection")
        if alarm + missed > 1:
            alarm, missed = 1 - alarm, 1 - missed
        low, high = sorted((alarm, missed))
        point = _Vertex(ExponentialSum.constant(low), ExponentialSum.constant(high), ExponentialSum.constant(1))
        verdicts = {all(point.keeps(line) for line in self._lines(end)) for end in ("lower", "upper")}
        if len(verdicts) == 1:
            return verdicts.pop()
        raise UndecidedError(
            field="point",
            value=(exact_text(alarm), exact_text(missed)),
            condition="is in the region or not, depending on where in its interval a delta lies",
            remedy="State the guarantees with exact deltas.",
        )

    @property
    def is_exact(self) -> bool:
        """Whether every delta is known exactly."""
        return all(each.delta.is_exact for each in self.constraints)

    def corners(self, end: Literal["lower", "upper"] = "upper") -> tuple[Corner, ...]:
        """The corners of the least missed detection as a function of the false alarm, from (0, 1) to (1, 0).

        Args:
            end: Which end of the deltas counts: ``upper`` gives a region that is too large at worst.
        """
        if end not in {"lower", "upper"}:
            raise InvalidParameterError(
                field="end", value=end, condition="must be lower or upper", remedy="Choose one."
            )
        half = list(_half(self._lines(end)))
        with precision(_BITS):
            known = [each.corner() for each in half]
        if half[-1].flat:
            known.pop()
            mirrored = known[::-1]
        else:
            mirrored = known[-2::-1]
        known += [Corner(each.missed_detection, each.false_alarm) for each in mirrored]
        top, right = Corner(_NONE, _ALL), Corner(_ALL, _NONE)
        return tuple(dict.fromkeys((top, *known, right)))

    def _lines(self, end: str) -> list[_Line]:
        """The constraints with one end of their deltas, those that allow everything left out."""
        lines = []
        for each in self.constraints:
            odds = ExponentialSum.power(each.epsilon)
            if odds is None:
                raise UnsupportedError(
                    field="epsilon",
                    value=str(each.epsilon),
                    condition="must be rational, or the logarithm of a rational number",
                    remedy="Round it up to a decimal.",
                )
            kept = 1 - Fraction(each.delta.lower if end == "lower" else each.delta.upper)
            if kept > 0:
                lines.append(_Line(odds, ExponentialSum.constant(kept)))
        return lines


def _times(epsilon: Real, steps: int) -> Real:
    return scaled(epsilon, Fraction(steps)) if steps else Fraction(0)


@dataclass(frozen=True)
class _Line:
    """``odds a + b >= kept`` where ``a <= b``; the mirrored constraint follows from it there."""

    odds: ExponentialSum
    kept: ExponentialSum


@dataclass(frozen=True)
class _Vertex:
    """The point ``(alarm/scale, missed/scale)`` with a positive scale."""

    alarm: ExponentialSum
    missed: ExponentialSum
    scale: ExponentialSum
    flat: bool = False  # lies inside an edge of slope -1

    def keeps(self, line: _Line) -> bool:
        return (line.odds * self.alarm + self.missed - line.kept * self.scale).sign >= 0

    def corner(self) -> Corner:
        return Corner(_quotient(self.alarm, self.scale), _quotient(self.missed, self.scale))


def _quotient(top: ExponentialSum, bottom: ExponentialSum) -> Enclosure:
    one, other = top.rational, bottom.rational
    if one == 0:
        return Enclosure.exactly(0)
    if one is not None and other is not None:
        return Enclosure.exactly(one / other)
    return enclose(top.ball() / bottom.ball(), least=Fraction(0), most=Fraction(1))


def _inside(inner: list[_Line], outer: list[_Line]) -> bool:
    """Whether the region of some lines lies inside that of others: every corner of it keeps every line."""
    corners = list(_half(inner))
    return all(corner.keeps(line) for corner in corners for line in outer)


def _half(lines: list[_Line]) -> Iterator[_Vertex]:
    """The corners of the region's lower edge from ``a = 0`` to ``a = b``, by walking along the highest line."""
    chain = _highest(lines)
    zero, one = ExponentialSum.constant(0), ExponentialSum.constant(1)
    if not chain:
        yield _Vertex(zero, zero, one)
        return
    yield _Vertex(zero, chain[0].kept, one)
    for line, following in pairwise(chain):
        scale = line.odds - following.odds
        alarm = line.kept - following.kept
        vertex = _Vertex(alarm, line.kept * scale - line.odds * alarm, scale)
        if (vertex.missed - vertex.alarm).sign <= 0:
            yield _diagonal(line)
            return
        yield vertex
    yield _diagonal(chain[-1])


def _diagonal(line: _Line) -> _Vertex:
    return _Vertex(line.kept, line.kept, line.odds + ExponentialSum.constant(1), flat=line.odds.rational == 1)


def _highest(lines: list[_Line]) -> list[_Line]:
    """The lines that are the highest somewhere in ``a >= 0``, steepest first."""
    chain: list[_Line] = []
    for line in sorted(lines, key=cmp_to_key(_order)):
        while chain and (line.kept - chain[-1].kept).sign >= 0:
            chain.pop()
        if chain and (chain[-1].odds - line.odds).sign == 0:
            continue
        while len(chain) > 1 and _meets_before(chain[-2], chain[-1], line):
            chain.pop()
        chain.append(line)
    return chain


def _order(one: _Line, other: _Line) -> int:
    """The steeper line first; of two parallel ones the higher."""
    return (other.odds - one.odds).sign or (other.kept - one.kept).sign


def _meets_before(first: _Line, second: _Line, third: _Line) -> bool:
    """Whether the third line meets the first one no later than the second one does."""
    early = (first.kept - third.kept) * (first.odds - second.odds)
    late = (first.kept - second.kept) * (first.odds - third.odds)
    return (early - late).sign <= 0

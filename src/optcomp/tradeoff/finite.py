"""Mechanisms with finitely many outcomes, as two rows of exact probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from optcomp.errors import InvalidParameterError
from optcomp.numerics.balls import ball, enclose, precision
from optcomp.quantities import Enclosure, Number, count, exponential, probability, real

__all__ = ["FinitePair", "Knot", "Point"]

_BITS = 256


@dataclass(frozen=True)
class Knot:
    """A corner of a profile, which is piecewise linear in ``e^epsilon``.

    Args:
        exp_epsilon: ``e^epsilon``.
        delta: The least delta there.
    """

    exp_epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True)
class Point:
    """A corner of a trade-off curve."""

    false_alarm: Fraction
    missed_detection: Fraction


@dataclass(frozen=True, init=False)
class FinitePair:
    """The laws of one finite mechanism's output on two neighbouring data sets.

    Args:
        first: The probability of each outcome on the first data set, P.
        second: The probability of each outcome on the second data set, Q; as many, in the same order.

    Every probability is exact, and each row adds up to 1 exactly. The order matters: ``swapped`` is the other one.

    Raises:
        InvalidParameterError: When a row does not add up to 1, or the rows differ in length, or are empty.

    >>> pair = FinitePair(first=["3/4", "1/4"], second=["1/4", "3/4"])
    >>> print(pair.delta(epsilon=0))
    0.5
    """

    first: tuple[Fraction, ...]
    second: tuple[Fraction, ...]

    def __init__(self, *, first: Iterable[Number], second: Iterable[Number]) -> None:
        object.__setattr__(self, "first", _row(first, "first"))
        object.__setattr__(self, "second", _row(second, "second"))
        if len(self.first) != len(self.second):
            raise InvalidParameterError(
                field="second",
                value=len(self.second),
                condition=f"must have as many probabilities as first, {len(self.first)}",
                remedy="Write 0 for an outcome that cannot happen on one of the data sets.",
            )

    @classmethod
    def randomized_response(cls, *, epsilon: Number, delta: Number = 0) -> FinitePair:
        """The four-outcome randomized response, the worst (epsilon, delta)-DP mechanism.

        Args:
            epsilon: The logarithm of a rational, such as ``ln(3)``, or 0.
            delta: Between 0 and 1.

        Raises:
            InvalidParameterError: When ``e^epsilon`` is not rational: its probabilities could not be exact.

        Source: Kairouz, Oh, Viswanath, section 5; Murtagh, Vadhan, section 3.
        """
        odds, failing = rational_odds(epsilon), probability(delta, field="delta")
        unit = (1 - failing) / (1 + odds)
        return cls(first=(failing, odds * unit, unit, 0), second=(0, unit, odds * unit, failing))

    @property
    def size(self) -> int:
        """The number of outcomes."""
        return len(self.first)

    @property
    def swapped(self) -> FinitePair:
        """The same mechanism with its data sets in the other order."""
        return FinitePair(first=self.second, second=self.first)

    def delta_at(self, exp_epsilon: Fraction) -> Fraction:
        """``sum (P_i - exp_epsilon Q_i)_+``, exactly."""
        above = (p - exp_epsilon * q for p, q in zip(self.first, self.second, strict=True))
        return sum((each for each in above if each > 0), start=Fraction(0))

    def delta(self, epsilon: Number) -> Enclosure:
        """The least delta at an epsilon, of either sign, for the first data set against the second.

        **Guarantee**: ``lower <= sup_S P(S) - e^epsilon Q(S) <= upper``; exact where ``e^epsilon`` is rational.
        """
        point = real(epsilon, field="epsilon")
        exact = exponential(point)
        if exact is not None:
            return Enclosure.exactly(self.delta_at(exact))
        with precision(_BITS):
            level, total = ball(point).exp(), ball(0)
            for p, q in zip(self.first, self.second, strict=True):
                total += (ball(p) - level * ball(q)).max(ball(0))
            return enclose(total, least=Fraction(0), most=Fraction(1))

    @property
    def failure(self) -> Fraction:
        """The probability of outcomes that give the first data set away: the delta that no epsilon removes."""
        return sum((p for p, q in zip(self.first, self.second, strict=True) if q == 0), start=Fraction(0))

    @property
    def total_variation(self) -> Fraction:
        """The delta at epsilon 0."""
        return self.delta_at(Fraction(1))

    @cached_property
    def merged(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Pairs (P, Q) of the outcomes that can happen, those with equal P/Q merged, the largest P/Q first."""
        found: dict[tuple[Fraction, Fraction], tuple[Fraction, Fraction]] = {}
        for p, q in zip(self.first, self.second, strict=True):
            if p or q:
                key = (p / (p + q), q / (p + q))
                before = found.get(key, (Fraction(0), Fraction(0)))
                found[key] = (before[0] + p, before[1] + q)
        return tuple(found[key] for key in sorted(found, reverse=True))

    @property
    def reduced(self) -> FinitePair:
        """The same mechanism with outcomes that tell the same merged."""
        return FinitePair(first=(p for p, _ in self.merged), second=(q for _, q in self.merged))

    @cached_property
    def profile(self) -> tuple[Knot, ...]:
        """The corners of the profile from ``e^epsilon = 0`` upwards; beyond the last one delta is `failure`."""
        likely = unlikely = Fraction(0)
        knots = []
        for p, q in self.merged:
            if p and q:
                knots.append(Knot(p / q, likely - p / q * unlikely))
            likely, unlikely = likely + p, unlikely + q
        return Knot(Fraction(0), Fraction(1)), *reversed(knots)

    @cached_property
    def tradeoff(self) -> tuple[Point, ...]:
        """The corners of the trade-off curve from (0, 1) to (1, 0): the best tests that reject the first data set."""
        return tuple(self._corners())

    def _corners(self) -> Iterator[Point]:
        alarm, missed = Fraction(0), Fraction(1)
        yield Point(alarm, missed)
        for p, q in reversed(self.merged):
            alarm, missed = alarm + p, missed - q
            yield Point(alarm, missed)

    def product(self, other: FinitePair) -> FinitePair:
        """Both mechanisms run independently; outcomes that tell the same are merged."""
        pairs = [(p * r, q * s) for p, q in self.merged for r, s in other.merged]
        return FinitePair(first=(p for p, _ in pairs), second=(q for _, q in pairs)).reduced

    def repeated(self, times: int) -> FinitePair:
        """The mechanism run that many times; outcomes that tell the same are merged."""
        wanted = count(times, field="times")
        found, power = FinitePair(first=(1,), second=(1,)), self.reduced
        while wanted:
            if wanted & 1:
                found = found.product(power)
            wanted >>= 1
            if wanted:
                power = power.product(power)
        return found


def rational_odds(epsilon: Number) -> Fraction:
    """``e^epsilon`` for an epsilon of at least 0 where that is rational.

    Raises:
        InvalidParameterError: Where it is not, or epsilon is negative.
    """
    odds = exponential(real(epsilon, field="epsilon"))
    if odds is None or odds < 1:
        raise InvalidParameterError(
            field="epsilon",
            value=epsilon,
            condition="must be 0 or the logarithm of a rational number above 1, so that probabilities are exact",
            remedy="Write it as ln(3/2).",
        )
    return odds


def checked_pair(value: object, field: str) -> FinitePair:
    """The value itself when it is a finite pair, else an error that names the field."""
    if not isinstance(value, FinitePair):
        raise InvalidParameterError(
            field=field,
            value=value,
            condition="must be a FinitePair",
            remedy="Write FinitePair(first=[...], second=[...]).",
        )
    return value


def _row(values: Iterable[Number], field: str) -> tuple[Fraction, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidParameterError(
            field=field, value=values, condition="must be a list of probabilities", remedy="Write ['1/2', '1/2']."
        )
    row = tuple(probability(each, field=field) for each in values)
    if sum(row) != 1:
        raise InvalidParameterError(
            field=field,
            value=str(sum(row)),
            condition="must be probabilities that add up to 1 exactly",
            remedy="Write them as fractions, such as 1/3.",
        )
    return row

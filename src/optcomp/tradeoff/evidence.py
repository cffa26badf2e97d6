"""The evidence of a composition of randomized responses: which sums of plus and minus epsilons occur, and how often.

Each finite evidence is a whole vector times a few units that are linearly independent over the rationals: a rational,
and logarithms of pairwise coprime integers. (A rational other than 0 is no logarithm of an algebraic number, by
Lindemann's theorem.) So two evidences are equal exactly when their vectors are, and no rounding decides it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, cmp_to_key
from itertools import accumulate, pairwise
from typing import Any

from optcomp.errors import UndecidedError, UnsupportedError
from optcomp.numerics.balls import Ball, ball, enclose, nearest_float, precision, refine, sign
from optcomp.numerics.survival import log_survival
from optcomp.quantities import Enclosure, Logarithm, Real, common_step, scaled
from optcomp.quantities.exact import exponential

__all__ = ["MOST_EVIDENCES", "EvidenceLaw", "Units", "exact_survival", "ways"]

MOST_EVIDENCES = 1 << 16
"""The largest number of different finite evidences that are listed."""

_MOST_STEPS = 1 << 24  # additions of two numbers of ways
_MOST_BITS = 1 << 29  # of all numbers of ways together
_LONGEST_LOGARITHM = 1 << 14  # bits of the argument that a threshold is written with

_EXACT_BITS = 1 << 18  # the longest denominator that is written out
_EXACT_WORK = 1 << 29  # bits of all exact numbers together
_ACCURACY, _FLOOR, _MOST_PRECISION = 110, 4096, 1 << 13

Vector = tuple[int, ...]


@dataclass(frozen=True)
class Units:
    """Real numbers that are linearly independent over the rationals.

    Args:
        values: The units, above 0.
    """

    values: tuple[Real, ...]

    @staticmethod
    def of(epsilons: Iterable[Real]) -> tuple[Units, dict[Real, Vector]]:
        """Units in which all given positive numbers have whole coordinates, and these coordinates."""
        known = tuple(dict.fromkeys(epsilons))
        if not known:
            return Units(()), {}
        common = common_step(known)
        if common is not None:
            return Units((common[0],)), {each: (times,) for each, times in zip(known, common[1], strict=True)}
        logarithms = [each for each in known if isinstance(each, Logarithm)]
        factors = _coprime(part for each in logarithms for part in (each.base.numerator, each.base.denominator))
        rows = [
            [Fraction(0), *_exponents(each, factors)]
            if isinstance(each, Logarithm)
            else [each, *([Fraction(0)] * len(factors))]
            for each in known
        ]
        used = [place for place in range(len(factors) + 1) if any(row[place] for row in rows)]
        shares = [Fraction(1, math.lcm(*(row[place].denominator for row in rows))) for place in used]
        values = [
            scaled(Logarithm.of(Fraction(factors[place - 1])), share) if place else share
            for place, share in zip(used, shares, strict=True)
        ]
        vectors = {
            each: tuple(int(row[place] / share) for place, share in zip(used, shares, strict=True))
            for each, row in zip(known, rows, strict=True)
        }
        return Units(tuple(values)), vectors

    def value(self, vector: Vector) -> Ball:
        """The number with these coordinates, at the present precision."""
        return sum((times * unit for times, unit in zip(vector, self.balls(), strict=True)), start=ball(Fraction(0)))

    def balls(self) -> tuple[Ball, ...]:
        """The units at the present precision."""
        return tuple(ball(each) for each in self.values)

    def sign(self, vector: Vector) -> int:
        """The exact sign of the number with these coordinates.

        Raises:
            UndecidedError: When the number is closer to 0 than the highest precision can tell.
        """
        if all(each >= 0 for each in vector) or all(each <= 0 for each in vector):
            return (sum(vector) > 0) - (sum(vector) < 0)
        return sign(refine(lambda: self.value(vector), start=128, accuracy=1, what="the evidence")) or 0

    def exact(self, vector: Vector) -> Real | Enclosure:
        """The number with these coordinates: a rational or a logarithm where it is one, else an enclosure."""
        parts = [(times, unit) for times, unit in zip(vector, self.values, strict=True) if times]
        if not parts:
            return Fraction(0)
        if len(parts) == 1:
            return scaled(parts[0][1], Fraction(parts[0][0]))
        if all(isinstance(unit, Logarithm) for _, unit in parts):
            powers = [(unit.base, times * unit.multiple) for times, unit in parts if isinstance(unit, Logarithm)]
            common = math.lcm(*(power.denominator for _, power in powers))
            if sum(abs(power) * common * base.numerator.bit_length() for base, power in powers) <= _LONGEST_LOGARITHM:
                argument = math.prod((base ** int(power * common) for base, power in powers), start=Fraction(1))
                return scaled(Logarithm.of(argument), Fraction(1, common))
        return enclose(refine(lambda: self.value(vector), start=128, accuracy=110, what="the threshold"))

    @cached_property
    def growths(self) -> tuple[Fraction, ...] | None:
        """``e**unit`` of all units, where all are rational."""
        found = [exponential(each) for each in self.values]
        return None if None in found else tuple(each for each in found if each is not None)


def _coprime(numbers: Iterable[int]) -> list[int]:
    """Pairwise coprime integers above 1 whose powers make up all given ones."""
    waiting, found = [each for each in numbers if each > 1], list[int]()
    while waiting:
        number = waiting.pop()
        for place, factor in enumerate(found):
            common = math.gcd(number, factor)
            if common > 1:
                del found[place]
                waiting += [each for each in (common, factor // common, number // common) if each > 1]
                break
        else:
            found.append(number)
    return sorted(found)


def _exponents(value: Logarithm, factors: list[int]) -> list[Fraction]:
    """The coordinates of a logarithm in the logarithms of the factors."""
    parts = value.base.numerator, value.base.denominator
    return [value.multiple * (_power(parts[0], factor) - _power(parts[1], factor)) for factor in factors]


def _power(number: int, factor: int) -> int:
    times = 0
    while number % factor == 0:
        number, times = number // factor, times + 1
    return times


def ways(counts: Mapping[Vector, int]) -> list[tuple[Vector, int]]:
    """How many selections of outcomes 1 have each sum, for all sums; in no order.

    Args:
        counts: How many releases have each vector.

    Returns:
        The different sums of the vectors of a selection, each with the number of its selections.

    Raises:
        UnsupportedError: When there are more than `MOST_EVIDENCES` sums, or their numbers are too long.
    """
    size = len(next(iter(counts), ()))
    radixes, radix = [], 1
    for place in range(size):  # sums are packed into one integer: digits cannot overlap
        radixes.append(radix)
        radix *= 2 * sum(abs(vector[place]) * count for vector, count in counts.items()) + 1
    found, steps, total = {0: 1}, 0, 0
    for vector, count in sorted(counts.items(), key=lambda item: item[1]):
        stride = sum(times * each for times, each in zip(vector, radixes, strict=True))
        steps, total = steps + len(found) * (count + 1), total + count
        _check(max(len(found), count + 1), steps, total)
        row = [1]
        for place in range(count):
            row.append(row[-1] * (count - place) // (place + 1))
        if len(found) == 1:
            found = {place * stride: number for place, number in enumerate(row)}
            continue
        grown: dict[int, int] = {}
        for start, before in found.items():
            for place, number in enumerate(row):
                where = start + place * stride
                grown[where] = grown.get(where, 0) + before * number
            if len(grown) > MOST_EVIDENCES:
                _check(len(grown), steps, total)
        found = grown
    return [(_unpacked(packed, radixes), number) for packed, number in found.items()]


def _check(evidences: int, steps: int, total: int) -> None:
    if evidences > MOST_EVIDENCES or steps > _MOST_STEPS or evidences * total > _MOST_BITS:
        raise UnsupportedError(
            field="mechanism",
            value=f"{total} releases",
            condition=f"must have at most {MOST_EVIDENCES} different evidences, and no more than about 20,000 equal "
            "releases or a few hundred different ones",
            remedy="Round the epsilons up to a coarser step, so that more evidences are equal.",
        )


def _unpacked(packed: int, radixes: list[int]) -> Vector:
    """The digits of a packed vector: what lies below a digit is less than half of its radix."""
    digits: list[int] = []
    for radix in reversed(radixes):
        digit = (packed + radix // 2) // radix
        packed -= digit * radix
        digits.append(digit)
    return tuple(reversed(digits))


def exact_survival(failures: Mapping[Fraction, int]) -> Fraction | None:
    """``prod (1 - delta_i)`` unless it is too long to be written out."""
    if sum(count * failure.denominator.bit_length() for failure, count in failures.items()) > _EXACT_BITS:
        return None
    return math.prod(((1 - failure) ** count for failure, count in failures.items()), start=Fraction(1))


@dataclass(frozen=True)
class EvidenceLaw:
    """All finite evidences of a composition, the largest first.

    Args:
        units: What the vectors count.
        vectors: The sum of the epsilons of the releases with outcome 1, rising; the evidence is ``total`` less twice
            that.
        numbers: How many selections of releases have that sum. The law is symmetric: ``total`` less a vector comes as
            often.
        total: The sum of all epsilons.
    """

    units: Units
    vectors: tuple[Vector, ...]
    numbers: tuple[int, ...]
    total: Vector

    @staticmethod
    def of(units: Units, counts: Mapping[Vector, int]) -> EvidenceLaw:
        """The law of as many releases of each vector as are counted."""
        found = dict(ways(counts))
        vectors = _sorted(units, list(found))
        size = len(units.values)
        total = tuple(sum(vector[place] * count for vector, count in counts.items()) for place in range(size))
        return EvidenceLaw(units, tuple(vectors), tuple(found[each] for each in vectors), total)

    def split(self, alarm: Fraction, failures: Mapping[Fraction, int]) -> tuple[int, Enclosure, Enclosure]:
        """Where a rate of false alarms, below the probability that nothing fails, is used up.

        Returns:
            The place of the threshold, the probability to reject there, and the rate of missed detections.

        Raises:
            UndecidedError: When rising precision does not tell the place.
        """
        alive = exact_survival(failures)
        if alive is not None and self.units.growths is not None and self._is_short(self.units.growths, alive):
            sums = list(accumulate(self._exact_weights(self.units.growths)))
            wanted = alarm * sums[-1] / alive
            place = bisect_left(sums, math.ceil(wanted))
            share, missed = _shares(sums, place, wanted)
            return place, Enclosure.exactly(Fraction(share)), Enclosure.exactly(Fraction(missed * alive / sums[-1]))
        return self._split_in_balls(alarm, failures)

    def _split_in_balls(self, alarm: Fraction, failures: Mapping[Fraction, int]) -> tuple[int, Enclosure, Enclosure]:
        events = tuple(sorted(failures.items()))
        bits = 128 + 2 * len(self.vectors).bit_length()
        while bits <= _MOST_PRECISION:
            with precision(bits):
                units = self.units.balls()
                weights = [
                    sum((times * unit for times, unit in zip(vector, units, strict=True)), start=ball(0)).exp() * number
                    for vector, number in zip(self.vectors, self.numbers, strict=True)
                ]
                sums, alive = list(accumulate(weights)), log_survival(events).exp()
                wanted = ball(alarm) * sums[-1] / alive
                place = bisect_left(sums, True, key=lambda each: not each < wanted)  # noqa: FBT003  # what the key gives
                if place < len(sums) and sums[place] >= wanted:
                    share, missed = (ball(0) + each for each in _shares(sums, place, wanted))
                    missed = missed * alive / sums[-1]
                    if _accurate(share) and _accurate(missed):
                        return place, _chance(share), _chance(missed)
            bits *= 2
        raise UndecidedError(
            field="false_alarm",
            value=str(alarm),
            condition="may be used up exactly at an evidence, which could not be decided",
            remedy="Ask for a nearby rate.",
        )

    def _is_short(self, growths: tuple[Fraction, ...], alive: Fraction) -> bool:
        spans = [high - low for low, high in self._ranges()]
        sizes = [each.numerator.bit_length() + each.denominator.bit_length() for each in growths]
        bits = sum(span * size for span, size in zip(spans, sizes, strict=True)) + alive.denominator.bit_length()
        return bits <= _EXACT_BITS and bits * (len(self.vectors) + sum(spans)) <= _EXACT_WORK

    def _ranges(self) -> list[tuple[int, int]]:
        return [(min(column), max(column)) for column in zip(*self.vectors, strict=True)]

    def _exact_weights(self, growths: tuple[Fraction, ...]) -> list[int]:
        """Whole numbers in proportion to the probabilities under P."""
        weights = list(self.numbers)
        for place, ((low, high), growth) in enumerate(zip(self._ranges(), growths, strict=True)):
            tops, bottoms = [1], [1]
            for _ in range(high - low):
                tops.append(tops[-1] * growth.numerator)
                bottoms.append(bottoms[-1] * growth.denominator)
            weights = [
                weight * tops[vector[place] - low] * bottoms[high - vector[place]]
                for weight, vector in zip(weights, self.vectors, strict=True)
            ]
        return weights


def _shares(sums: list[Any], place: int, wanted: Any) -> tuple[Any, Any]:  # noqa: ANN401  # whole numbers or balls
    """The part of the threshold's mass that is rejected, and all mass under Q that is kept, from sums under P."""
    first = [0, *sums]  # first[i] sums up the i largest evidences under P, and the i smallest under Q
    here, mirrored = first[place + 1] - first[place], len(sums) - 1 - place
    share = (wanted - first[place]) / here
    return share, first[mirrored] + (1 - share) * (first[mirrored + 1] - first[mirrored])


def _chance(value: Ball) -> Enclosure:
    return enclose(value, least=Fraction(0), most=Fraction(1))


def _accurate(value: Ball) -> bool:
    return bool(value.is_zero() or value.rel_accuracy_bits() >= _ACCURACY or value.rad() < ball(2) ** -_FLOOR)


def _sorted(units: Units, vectors: list[Vector]) -> list[Vector]:
    """The vectors by the numbers they stand for, rising; neighbours are compared exactly."""
    if len(units.values) <= 1:
        return sorted(vectors)

    def order(first: Vector, second: Vector) -> int:
        return units.sign(tuple(a - b for a, b in zip(first, second, strict=True)))

    with precision(128):
        near = {each: nearest_float(units.value(each)) for each in vectors}
    ordered = sorted(vectors, key=lambda each: near[each])
    if any(order(first, second) >= 0 for first, second in pairwise(ordered)):
        return sorted(vectors, key=cmp_to_key(order))
    return ordered

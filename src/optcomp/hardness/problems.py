"""The five problems of the chain, each solved exactly on small inputs.

Partitions are ordered: a subset and its complement count twice. For a subset, u is the product of its weights and v the
product of the others.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import InvalidParameterError
from optcomp.hardness.roots import Exact, RootSum, compare, enclosure_of, exact_sum_of, logarithm_enclosure
from optcomp.hardness.weights import (
    Split,
    Weights,
    refuse_too_many,
    same,
    subset_sums,
    weights_of,
    weights_of_epsilons,
)
from optcomp.numerics.balls import ball, enclose, precision
from optcomp.quantities import Enclosure, Logarithm, Number, Real, count, positive_rational, probability

__all__ = ["DifferencePartition", "IntegerPartition", "OptimalComposition", "Partition", "SumPartition"]

_BITS = 160


@dataclass(frozen=True)
class IntegerPartition:
    """#INT-PARTITION: how many subsets of positive integers have the same sum as their complements?

    Args:
        integers: z, at most `MOST_WEIGHTS` whole numbers of at least 1.

    Raises:
        InvalidParameterError: For anything else, a bool too.
    """

    integers: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        refuse_too_many("integers", self.integers)
        object.__setattr__(self, "integers", tuple(count(z, field="integers", least=1) for z in self.integers))

    def count(self) -> int:
        """The number of such subsets, exact."""
        total = sum(self.integers)
        return 0 if total % 2 else subset_sums(self.integers).get(total // 2, 0)


@dataclass(frozen=True)
class Partition:
    """#PARTITION: how many subsets have u = v?

    Args:
        weights: W, of either kind, or a list of rationals of at least 1.
    """

    weights: Weights

    def __post_init__(self) -> None:
        """Read the weights."""
        object.__setattr__(self, "weights", weights_of(self.weights))

    def count(self) -> int:
        """The number of such subsets, exact."""
        return sum(split.count for split in self.weights.splits if same(split.inside, split.outside))


@dataclass(frozen=True)
class DifferencePartition:
    """#T-PARTITION: how many subsets have u - v = T?

    Args:
        weights: W, as for `Partition`.
        difference: T, above 0: a number, or text such as ``3*sqrt(2)``.

    Raises:
        InvalidParameterError: When T is not above 0 or cannot be read.
    """

    weights: Weights
    difference: Exact

    def __post_init__(self) -> None:
        """Read the weights and the difference."""
        object.__setattr__(self, "weights", weights_of(self.weights))
        object.__setattr__(self, "difference", RootSum.read(self.difference, field="difference"))
        if compare(self.difference, Fraction(0)) <= 0:
            raise InvalidParameterError(
                field="difference",
                value=self.difference,
                condition="must be above 0",
                remedy="For equal products, ask Partition.",
            )

    def count(self) -> int:
        """The number of such subsets, exact."""
        splits = self.weights.splits
        place = bisect_right(splits, 0, key=lambda split: -self._above(split))
        found = splits[place - 1] if place else None
        return found.count if found is not None and self._above(found) == 0 else 0

    def _above(self, split: Split) -> int:
        """Whether u - v is above, at or below T; it rises with u."""
        return compare(split.inside - split.outside, self.difference)


@dataclass(frozen=True)
class SumPartition:
    """SUM-PARTITION: the sum of ``u - r v`` over all subsets where that is positive.

    Args:
        weights: W, as for `Partition`.
        ratio: r, a rational of at least 1.
    """

    weights: Weights
    ratio: Fraction

    def __post_init__(self) -> None:
        """Read the weights and the ratio."""
        object.__setattr__(self, "weights", weights_of(self.weights))
        object.__setattr__(self, "ratio", positive_rational(self.ratio, field="ratio"))
        if self.ratio < 1:
            raise InvalidParameterError(
                field="ratio", value=self.ratio, condition="must be at least 1", remedy="Give a number such as 3/2."
            )

    @property
    def positive(self) -> tuple[Split, ...]:
        """The products with ``u > r v``, the largest u first."""
        splits, r = self.weights.splits, self.ratio
        place = bisect_right(splits, 0, key=lambda split: 1 - compare(split.inside, r * split.outside))
        return splits[:place]

    def exact(self) -> Exact:
        """The sum, exact: rational, or a sum of roots."""
        return _excess(self.positive, self.ratio)

    def value(self) -> Fraction | Enclosure:
        """The sum: a Fraction for rational weights, else an enclosure of it of about 40 digits."""
        found = self.exact()
        return found if isinstance(found, Fraction) else enclosure_of(found)

    def delta(self) -> Enclosure:
        """The delta whose least epsilon is ln r when the epsilons are ``ln w``: the sum over the product of 1 + w."""
        return _quotient(self.exact(), self.weights.one_plus)


def _excess(splits: Iterable[Split], ratio: Exact) -> Exact:
    return exact_sum_of(split.count * (split.inside - ratio * split.outside) for split in splits)


def _quotient(top: Exact, bottom: Exact) -> Enclosure:
    if isinstance(top, Fraction) and isinstance(bottom, Fraction):
        return Enclosure.exactly(top / bottom)
    first, second = enclosure_of(top), enclosure_of(bottom)
    return Enclosure(Fraction(first.lower) / Fraction(second.upper), Fraction(first.upper) / Fraction(second.lower))


@dataclass(frozen=True)
class OptimalComposition:
    """OptComp: the least total epsilon at a total delta, for mechanisms with the epsilons ``ln w``.

    Args:
        weights: W, as for `Partition`.
        delta: The total delta, between 0 and 1.
        deltas: The mechanisms' own deltas, one for each weight; none means that all are 0.
    """

    weights: Weights
    delta: Fraction
    deltas: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        """Read the numbers."""
        object.__setattr__(self, "weights", weights_of(self.weights))
        object.__setattr__(self, "delta", probability(self.delta, field="delta"))
        object.__setattr__(self, "deltas", tuple(probability(d, field="deltas") for d in self.deltas))
        if self.deltas and len(self.deltas) != len(self.weights):
            raise InvalidParameterError(
                field="deltas", value=len(self.deltas), condition="must be as many as the weights", remedy="Give all."
            )

    @staticmethod
    def of_epsilons(epsilons: Iterable[Number], *, delta: Number, deltas: Iterable[Number] = ()) -> OptimalComposition:
        """The problem for epsilons such as ``ln(3/2)``."""
        own = tuple(probability(each, field="deltas") for each in deltas)
        return OptimalComposition(weights_of_epsilons(epsilons), probability(delta, field="delta"), own)

    @property
    def kept(self) -> Fraction:
        """The probability that no mechanism fails outright."""
        return math.prod((1 - each for each in self.deltas), start=Fraction(1))

    def delta_at_zero(self) -> Enclosure:
        """The least delta at epsilon 0."""
        share = _quotient(SumPartition(self.weights, Fraction(1)).exact(), self.weights.one_plus)
        return Enclosure(1 - self.kept * (1 - Fraction(share.lower)), 1 - self.kept * (1 - Fraction(share.upper)))

    def quotient(self) -> tuple[Exact, Exact] | None:
        """Two numbers whose quotient is e to the least epsilon; None when no epsilon is finite.

        **Guarantee**: exact. The sum over positive ``u - r v`` is piecewise linear in r and falls to 0, and the least
        epsilon is ln r for the least r >= 1 where it is at most delta times the product of ``1 + w``.
        """
        one = Fraction(1)
        if self.delta == 1:
            return one, one
        if self.delta < 1 - self.kept:
            return None
        wanted = (1 - (1 - self.delta) / self.kept) * self.weights.one_plus
        above = SumPartition(self.weights, one).positive

        def fits(place: int) -> bool:
            """Whether the sum is small enough where the ratio is that of one split; it grows with the place."""
            ratio = above[place].inside * _inverse(above[place].outside)
            return compare(_excess(above[:place], ratio), wanted) <= 0

        place = bisect_right(range(len(above)), 0, key=lambda each: 0 if fits(each) else 1)
        taken = above[:place]
        if not taken or (place == len(above) and compare(_excess(taken, one), wanted) <= 0):
            return one, one
        inside = exact_sum_of(split.count * split.inside for split in taken)
        return inside - wanted, exact_sum_of(split.count * split.outside for split in taken)

    def value(self) -> Real | Enclosure:
        """The least epsilon: exact for rational weights, else an enclosure; infinite below the failures' delta."""
        found = self.quotient()
        if found is None:
            return Enclosure.exactly(math.inf)
        top, bottom = found
        if isinstance(top, Fraction) and isinstance(bottom, Fraction):
            return Logarithm.of(top / bottom)
        return logarithm_enclosure(top, bottom)

    def enclosure(self) -> Enclosure:
        """The least epsilon as an enclosure of about 40 digits."""
        found = self.value()
        if isinstance(found, Enclosure):
            return found
        if isinstance(found, Fraction):
            return Enclosure.exactly(found)
        with precision(_BITS):
            return enclose(ball(found), least=Fraction(0))


def _inverse(outside: Exact) -> Exact:
    """``1 / v`` for a product v of weights, which is a single power."""
    if isinstance(outside, Fraction):
        return 1 / outside
    ((exponent, coefficient),) = outside.terms
    return RootSum(outside.base, ((1 - exponent, 1 / (coefficient * outside.base)),))

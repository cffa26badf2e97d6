"""The whole chain on one instance, down to an oracle for the least epsilon and back, with every step checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import InvalidParameterError
from optcomp.hardness.four_sums import FourCalls, Target, count_from_sums, target_of
from optcomp.hardness.optimal import EpsilonOracle, Found, composition_oracle, sum_from_epsilons
from optcomp.hardness.problems import DifferencePartition, IntegerPartition, Partition, SumPartition
from optcomp.hardness.reductions import difference_from_partition, partition_from_integers
from optcomp.hardness.roots import enclosure_of
from optcomp.hardness.weights import Weights
from optcomp.hardness.witnesses import witnesses
from optcomp.quantities import Enclosure

__all__ = ["SumCall", "Walk", "walk"]

MOST_WALKED = 8
"""The largest number of integers that a walk takes: every answer of its oracle is a whole composition."""

_LARGEST_TOTAL = 200
_BITS = 40


@dataclass(frozen=True)
class SumCall:
    """One of the four sums.

    Args:
        problem: The weights and the ratio.
        value: The sum by direct evaluation.
        found: The sum by bisection with the oracle.
        witnesses: How many witnesses count it at ``bits``.
        bits: The scale of the witnesses, in bits.
    """

    problem: SumPartition
    value: Enclosure
    found: Found
    witnesses: int
    bits: int = _BITS


@dataclass(frozen=True)
class Walk:
    """The chain on one instance; all four counts are equal.

    Args:
        integers: The first problem.
        integer_count: Its count.
        partition: The second problem.
        partition_count: Its count.
        difference: The third problem.
        difference_count: Its count.
        target: The ratio of the subsets that count, and the four thresholds; None when no product can have it.
        sums: The four sums, each by the oracle too.
        count: The count that came back up from the oracle's answers.
    """

    integers: IntegerPartition
    integer_count: int
    partition: Partition
    partition_count: int
    difference: DifferencePartition
    difference_count: int
    target: Target | None
    sums: tuple[SumCall, ...]
    count: int

    @property
    def calls(self) -> int:
        """How often the oracle for the least epsilon was asked."""
        return sum(each.found.calls for each in self.sums)


def walk(integers: Iterable[int], *, oracle: Callable[[Weights], EpsilonOracle] = composition_oracle) -> Walk:
    """Go from integers to optimal composition and back.

    Args:
        integers: At most 8 whole numbers of at least 1, with a sum of at most 200.
        oracle: Makes an oracle for the least epsilon out of weights; by default `optcomp.compose` answers.

    **Guarantee**: ``integer_count == partition_count == difference_count == count``; each sum from the oracle agrees
    with its direct evaluation and with its number of witnesses.

    Raises:
        InvalidParameterError: For other integers.
        UndecidedError: When the oracle is not accurate enough.
    """
    problem = _read(integers)
    partition = partition_from_integers(problem)
    difference = difference_from_partition(partition)
    counts = (problem.count(), partition.count(), difference.count())
    _confirm(len(set(counts)) == 1, f"the counts {counts} agree")
    target, answers = target_of(difference), oracle(difference.weights)
    sums = {} if target is None else {r: _sum_call(difference.weights, r, target, answers) for r in target.thresholds}
    found: FourCalls = count_from_sums(difference, lambda ratio: sums[ratio].found.value)
    _confirm(found.count == counts[0], f"the count {found.count} from the oracle is {counts[0]}")
    return Walk(
        integers=problem,
        integer_count=counts[0],
        partition=partition,
        partition_count=counts[1],
        difference=difference,
        difference_count=counts[2],
        target=target,
        sums=tuple(sums.values()),
        count=found.count,
    )


def _read(integers: Iterable[int]) -> IntegerPartition:
    if isinstance(integers, str) or not isinstance(integers, Iterable):
        raise InvalidParameterError(
            field="integers", value=integers, condition="must be a list of whole numbers", remedy="Give [1, 1, 2]."
        )
    problem = IntegerPartition(tuple(integers))
    if len(problem.integers) > MOST_WALKED or sum(problem.integers) > _LARGEST_TOTAL:
        raise InvalidParameterError(
            field="integers",
            value=problem.integers,
            condition=f"must be at most {MOST_WALKED} with a sum of at most {_LARGEST_TOTAL}",
            remedy="For larger ones, take the steps one by one with an oracle of your own.",
        )
    return problem


def _sum_call(weights: Weights, ratio: Fraction, target: Target, oracle: EpsilonOracle) -> SumCall:
    problem = SumPartition(weights, ratio)
    exact = enclosure_of(problem.exact())
    found = sum_from_epsilons(problem, oracle, width=target.error)
    _confirm(exact.intersects(found.value), f"the sum {exact} lies in {found.value}")
    number = witnesses(weights, ratio=ratio, bits=_BITS)
    scaled, loss = Fraction(number, 2**_BITS), Fraction(2 ** len(weights), 2**_BITS)
    _confirm(exact.upper >= scaled and exact.lower <= scaled + loss, f"{number} witnesses count the sum {exact}")
    return SumCall(problem, exact, found, number)


def _confirm(holds: bool, what: str) -> None:  # noqa: FBT001  # a claim and its words
    if not holds:
        raise RuntimeError(f"the chain is broken: it should be that {what}")

"""The first two steps of the chain: each returns the next problem's instance, which has the same count."""

from __future__ import annotations

from fractions import Fraction

from optcomp.hardness.problems import DifferencePartition, IntegerPartition, Partition
from optcomp.hardness.roots import power
from optcomp.hardness.weights import RationalWeights, RootWeights
from optcomp.quantities import Number, count, positive_rational
from optcomp.sources import MV16, states

__all__ = ["difference_from_partition", "partition_from_integers"]


@states(MV16, "#P-completeness, step from integers to products")
def partition_from_integers(problem: IntegerPartition, *, base: Number = 2, degree: int | None = None) -> Partition:
    """From sums of integers to products of weights ``base**(z/degree)``.

    Args:
        problem: The integers z.
        base: A rational above 1.
        degree: D; by default the sum of the integers, so that the product of all weights is the base.

    **Guarantee**: the same subsets count: u = v exactly when the sums agree.

    Raises:
        InvalidParameterError: When the base is not above 1, or the degree is no whole number of at least 1.
    """
    chosen = max(sum(problem.integers), 1) if degree is None else count(degree, field="degree", least=1)
    return Partition(RootWeights(positive_rational(base, field="base"), chosen, problem.integers))


@states(MV16, "#P-completeness, step from partition to difference")
def difference_from_partition(problem: Partition) -> DifferencePartition:
    """From equal products to products with a given difference T.

    One weight is added, the product P of all; ``T = sqrt(P) (P - 1)``. A subset with it has ``u - v = P u' - P/u'``,
    which rises with u' and is T where ``u' = sqrt(P)``. A subset without it cannot reach T.

    **Guarantee**: the same count. When all weights are 1 the new weight is 2 and T is 1, which every old subset
    reaches together with the new weight.
    """
    weights = problem.weights
    if weights.is_trivial:
        return DifferencePartition(
            RationalWeights((*(Fraction(1) for _ in range(len(weights))), Fraction(2))), Fraction(1)
        )
    if isinstance(weights, RationalWeights):
        root = power(weights.product, Fraction(1, 2))
    else:
        root = weights.root(Fraction(weights.total, 2))
    return DifferencePartition(weights.with_product(), root * (weights.product - 1))

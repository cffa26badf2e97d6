"""Why optimal composition is hard: the chain of counting problems, executable on small inputs.

#INT-PARTITION, #PARTITION, #T-PARTITION, SUM-PARTITION, OptComp: each problem has an exact solver and each step is a
function. The way down keeps the count; the way up recovers it from an oracle. `witnesses` is the other direction:
counting is enough for optimal composition.
"""

from optcomp.hardness.four_sums import FourCalls, SumOracle, Target, count_from_sums, target_of
from optcomp.hardness.optimal import EpsilonOracle, Found, composition_oracle, exact_oracle, sum_from_epsilons
from optcomp.hardness.problems import (
    DifferencePartition,
    IntegerPartition,
    OptimalComposition,
    Partition,
    SumPartition,
)
from optcomp.hardness.reductions import difference_from_partition, partition_from_integers
from optcomp.hardness.roots import Exact, RootSum, enclosure_of
from optcomp.hardness.walk import SumCall, Walk, walk
from optcomp.hardness.weights import RationalWeights, RootWeights, Weights, weights_of, weights_of_epsilons
from optcomp.hardness.witnesses import ByWitnesses, epsilon_by_witnesses, witnesses

__all__ = [
    "ByWitnesses",
    "DifferencePartition",
    "EpsilonOracle",
    "Exact",
    "Found",
    "FourCalls",
    "IntegerPartition",
    "OptimalComposition",
    "Partition",
    "RationalWeights",
    "RootSum",
    "RootWeights",
    "SumCall",
    "SumOracle",
    "SumPartition",
    "Target",
    "Walk",
    "Weights",
    "composition_oracle",
    "count_from_sums",
    "difference_from_partition",
    "enclosure_of",
    "epsilon_by_witnesses",
    "exact_oracle",
    "partition_from_integers",
    "sum_from_epsilons",
    "target_of",
    "walk",
    "weights_of",
    "weights_of_epsilons",
    "witnesses",
]

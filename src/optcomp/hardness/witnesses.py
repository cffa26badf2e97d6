"""The easy direction: OptComp needs no more than counting.

Scaled by ``2**bits``, the sum problem counts witnesses: pairs of a subset S and a whole number n with
``1 <= n <= 2**bits * (u - r v)``. Rounding down loses less than ``2**-bits`` for each of the ``2**k`` subsets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import UndecidedError
from optcomp.hardness.problems import SumPartition
from optcomp.hardness.roots import enclosure_of, floor_of, logarithm_enclosure
from optcomp.hardness.weights import Weights, weights_of
from optcomp.quantities import Enclosure, Number, count, positive_rational, probability
from optcomp.sources import MV16, states

__all__ = ["ByWitnesses", "epsilon_by_witnesses", "witnesses"]


@dataclass(frozen=True)
class ByWitnesses:
    """A least epsilon that was found by counting.

    Args:
        epsilon: An enclosure of it.
        counts: How many counts were taken.
    """

    epsilon: Enclosure
    counts: int


@states(MV16, "#P-easiness, a sum as a number of witnesses")
def witnesses(weights: Weights | Iterable[Number], *, ratio: Number, bits: int) -> int:
    """The number of pairs (S, n) with ``1 <= n <= 2**bits * (u - ratio * v)``, exact.

    Args:
        weights: Of either kind, or a list of rationals of at least 1.
        ratio: A rational of at least 1.
        bits: A whole number of at least 0.

    **Guarantee**: ``0 <= sum - witnesses / 2**bits <= 2**(k - bits)``.

    Raises:
        InvalidParameterError: When a number is out of range.
    """
    problem = SumPartition(weights_of(weights), positive_rational(ratio, field="ratio"))
    scale = Fraction(2) ** count(bits, field="bits")
    terms = ((split.count, split.inside - problem.ratio * split.outside) for split in problem.positive)
    return sum(times * floor_of(scale * term) for times, term in terms)


@states(MV16, "#P-easiness, binary search over the total epsilon")
def epsilon_by_witnesses(weights: Weights | Iterable[Number], *, delta: Number, bits: int) -> ByWitnesses:
    """The least epsilon at a total delta, for the epsilons ``ln w``, by binary search over counts of witnesses.

    Args:
        weights: Of either kind, or a list of rationals of at least 1.
        delta: The total delta, between 0 and 1.
        bits: How accurate the answer is to be, a whole number of at least 0.

    **Guarantee**: the least epsilon lies in ``epsilon``, whose width is at most ``2**-bits`` up to the rounding of its
    ends at 40 digits. Where a count leaves it open on which side of r the answer lies, the sum is within
    ``2**(k - m)`` of its goal there; its slope in r is at least 1, so r itself is the answer to within that.

    Raises:
        InvalidParameterError: When a number is out of range.
        UndecidedError: When more than about 120 bits are asked for of weights that are roots.
    """
    known, wanted = weights_of(weights), probability(delta, field="delta")
    fine = count(bits, field="bits") + 2
    scaled = len(known) + fine
    goal = enclosure_of(wanted * known.one_plus)
    loss = Fraction(1, 2**fine)
    low, high = 0, math.ceil(Fraction(enclosure_of(known.product).upper) * 2**fine) - 2**fine
    if low == high:
        return ByWitnesses(Enclosure.exactly(0), 0)
    if goal.width > loss:
        raise UndecidedError(
            field="bits", value=bits, condition="asks for more than the roots are known to", remedy="Ask for fewer."
        )
    counts, low = 0, -1  # at ``low`` the sum is above the goal, at ``high`` it is not
    while high - low > 1:
        middle = (low + high) // 2
        counts += 1
        sum_low = Fraction(witnesses(known, ratio=1 + middle * loss, bits=scaled), 2**scaled)
        if sum_low > goal.upper:
            low = middle
        elif sum_low + loss <= goal.lower:
            high = middle
        else:
            low, high = middle - 2, middle + 2
            break
    least = 1 + max(low, 0) * loss
    most = 1 + max(high, 0) * loss
    ends = [logarithm_enclosure(end, Fraction(1)) for end in (least, most)]
    return ByWitnesses(Enclosure(ends[0].lower, ends[1].upper), counts)

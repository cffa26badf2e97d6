"""Promises about Renyi divergences: added up order by order, then converted. This is no optimum.

Every loss of the composition enters with its cumulant ``x D_{1+x}``, a promise with its bound. Their sum bounds that
of the whole, and the tight conversion of one order, at the best order, gives an (epsilon, delta). What is
enclosed is that number: the least that the conversion proves. The truth, which the promise does not tell, lies at or
below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from optcomp.losses import Loss
from optcomp.losses.promises import PromisedLoss, furthest, renyi_cumulant
from optcomp.numerics.balls import Ball
from optcomp.quantities import Enclosure, Real
from optcomp.sources import CKS20, states
from optcomp.theorems.renyi import renyi_delta, renyi_epsilon

__all__ = ["Conversion"]


@dataclass(frozen=True)
class Conversion:
    """Any losses, at least one of them a promise.

    Args:
        losses: Different losses, each with its count.
    """

    name: ClassVar[str] = "conversion"
    precision: ClassVar[str] = "balls of 256 bits and more"
    cost: ClassVar[str] = "about a hundred evaluations of each loss's cumulant, whatever the counts"
    losses: tuple[tuple[Loss, int], ...]

    @classmethod
    def of(cls, losses: tuple[tuple[Loss, int], ...]) -> Self | None:
        """The engine for these losses, or None when none of them is a promise."""
        return cls(losses) if any(isinstance(loss, PromisedLoss) for loss, _ in losses) else None

    @states(CKS20, "Proposition 12, at the best order: a conversion of the promises, no optimum")
    def delta(self, epsilon: Real) -> Enclosure:
        """The least delta that the conversion proves at any real epsilon, at most 1.

        **Guarantee**: that number lies in the result, relative width below 1e-12, and so the composition is
        (epsilon, upper)-DP.

        Raises:
            UndecidedError: When no best order was found.
        """
        return renyi_delta(self._cumulant, epsilon=epsilon, largest=furthest(self.losses)).value

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` that the conversion proves at t, for a t in (0, 1) known to lie in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``; relative width below 1e-12 when the target
        is that narrow too, so the composition is (upper, t)-DP.

        Raises:
            UndecidedError: When no best order was found.
        """
        reach = furthest(self.losses)
        most, least = (
            renyi_epsilon(self._cumulant, delta=Fraction(end), largest=reach).value
            for end in (target.lower, target.upper)
        )
        return Enclosure(least.lower, most.upper)

    def _cumulant(self, x: Ball) -> Ball:
        return renyi_cumulant(self.losses, x)

"""Very many losses of randomized response, as two arrays."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from optcomp.errors import UnsupportedError
from optcomp.losses.base import Direction, Loss, WorstCase, worst_case
from optcomp.mechanisms import PureDPColumn
from optcomp.numerics.balls import Ball, Either, ball

__all__ = ["TwoPointColumn"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TwoPointColumn(Loss):
    """The sum of the losses ``+-epsilon`` of all mechanisms of a column.

    Args:
        column: The epsilons as they were given.
    """

    column: PureDPColumn

    @cached_property
    def _grouped(self) -> tuple[Floats, Floats]:
        values = self.column.epsilons[self.column.epsilons > 0]
        ordered = np.sort(values)
        first = (
            np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if len(ordered) else np.zeros(0, int)
        )
        counts = np.diff(np.concatenate([first, [len(ordered)]])) if len(ordered) else np.zeros(0)
        return ordered[first], counts.astype(np.float64)

    @property
    def epsilons(self) -> Floats:
        """The different epsilons, sorted, within a rounding of the exact numbers."""
        return self._grouped[0]

    @property
    def counts(self) -> Floats:
        """How often each occurs."""
        return self._grouped[1]

    @property
    def order(self) -> tuple[object, ...]:
        """By the number and the sum of its epsilons."""
        return (type(self).__name__, (float(self.epsilons.sum()), 0, len(self.epsilons)))

    @cached_property
    def _sum(self) -> Fraction:
        return sum(
            (
                int(count) * Fraction(repr(float(value)))
                for value, count in zip(self.epsilons, self.counts, strict=True)
            ),
            start=Fraction(0),
        )

    def largest_ball(self) -> Ball:
        """The sum of all epsilons."""
        return ball(self._sum)

    def growth(self, s: Either) -> Either:
        """The product over all epsilons."""
        total = 1 + 0 * s
        for value, count in zip(self.epsilons, self.counts, strict=True):
            rate = ball(Fraction(repr(float(value))))
            total *= (((s + ball(0.5)) * rate).cosh() / (rate / 2).cosh()) ** int(count)
        return total

    def above(self, level: Ball) -> tuple[Ball, Ball]:
        """Not known."""
        del level
        raise UnsupportedError(
            field="mechanism",
            value="a column of mechanisms",
            condition="is composed by the contour engine only",
            remedy="Leave the choice of the engine to the library.",
        )


@worst_case.register
def _(mechanism: PureDPColumn, direction: Direction) -> WorstCase:
    del direction
    loss = TwoPointColumn(mechanism) if (mechanism.epsilons > 0).any() else None
    return WorstCase(Fraction(0), loss)

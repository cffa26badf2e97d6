"""The polynomial-time scheme of Murtagh and Vadhan, read as a two-sided bound.

Epsilons are raised to a lattice by c in all. Raising can only raise delta, and by no more than the factor ``e^(c/2)``
and a shift of x by c; so with delta' of the raised values

    e^(-c/2) delta'(x + c) <= delta(x) <= delta'(x).

The width falls only in proportion to the tolerance, so this engine is a second opinion, never the first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

from optcomp.errors import UndecidedError
from optcomp.losses import TwoPoint
from optcomp.numerics.balls import Ball, ball, enclose, ends, precision
from optcomp.numerics.bracket import least_true
from optcomp.quantities import Enclosure, Real, approximately
from optcomp.sources import MV16, states
from optcomp.theorems.mv16 import RaisedLattice

__all__ = ["Approximation"]

_BITS = 128
_DIGITS = 40
_SHARE = Fraction(1, 4)  # of the wanted width is what the raising may cost


@dataclass(frozen=True)
class Approximation:
    """Any two-point losses.

    Args:
        losses: Different epsilons with their counts.
        width: The wanted width of an epsilon, relative to the sum of all epsilons.
    """

    name: ClassVar[str] = "approximation"
    precision: ClassVar[str] = "double precision, every rounding counted"
    losses: tuple[tuple[TwoPoint, int], ...]
    width: float = 1e-3

    def with_width(self, width: float) -> Self:
        """The same engine for another wanted width."""
        return replace(self, width=width)

    @property
    def cost(self) -> str:
        """What an answer costs, in words."""
        return f"a table in inverse proportion to the width {self.width:g}"

    def _raised(self) -> tuple[RaisedLattice, Ball]:
        """The raised values, and c: by how much their sum exceeds the true one."""
        pairs = tuple((loss.epsilon, count) for loss, count in self.losses)
        total = sum(approximately(epsilon) * count for epsilon, count in pairs)
        raised = RaisedLattice(pairs, min(Fraction(total) * Fraction(self.width) * _SHARE, Fraction(1, 2)))
        with precision(_BITS):
            shift = raised.total * raised.step - sum((n * ball(epsilon) for epsilon, n in pairs), start=ball(0))
        return raised, shift

    @states(MV16, "Theorem 1.7, as a two-sided bound")
    def delta(self, epsilon: Real) -> Enclosure:
        """The composed delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``.

        Raises:
            UnsupportedError: When the table does not fit in memory.
        """
        raised, shift = self._raised()
        raised.tilt_at(approximately(epsilon))
        with precision(_BITS):
            low = ends(ball(epsilon) / raised.step)[0]
            beyond = ends((ball(epsilon) + shift) / raised.step)[1]
        top = raised.ends(math.floor(low))[1]
        bottom = raised.ends(math.ceil(beyond))[0]
        with precision(_BITS):
            bottom = ends(ball(Fraction(max(bottom, Fraction(0)))) * (-shift / 2).exp())[0]
        return Enclosure(max(bottom, Fraction(0)), min(top, Fraction(1))).rounded(_DIGITS)

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``.

        Raises:
            UnsupportedError: When the table does not fit in memory.
            UndecidedError: When no useful bound comes out.
        """
        raised, shift = self._raised()
        raised.tilt_for(target)
        above = least_true(lambda j: raised.ends(j)[1] <= target.lower, 0, raised.total)
        with precision(_BITS):
            grown = ends(ball(Fraction(target.upper)) * (shift / 2).exp())[1]
        below = least_true(lambda j: raised.ends(j)[0] <= grown, 0, raised.total) - 1
        with precision(_BITS):
            upper = enclose(above * raised.step).upper
            lower = enclose(below * raised.step - shift, least=Fraction(0)).lower if below >= 0 else Fraction(0)
        if lower > upper:
            raise UndecidedError(
                field="epsilon", value=None, condition="could not be enclosed", remedy="Ask for a larger width."
            )
        return Enclosure(lower, upper).rounded(_DIGITS)

"""What every engine promises."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Protocol, runtime_checkable

from optcomp.numerics.balls import ball, enclose, refine
from optcomp.quantities import Enclosure, Real
from optcomp.sources import MV16, states

__all__ = ["Adjustable", "Engine", "Nothing"]


class Engine(Protocol):
    """A certified algorithm for the finite part of one composition.

    Write ``delta(x)`` for ``E[(1 - e^(x - L))_+]``, L the sum of the finite losses.
    """

    name: ClassVar[str]
    precision: ClassVar[str]

    @property
    def cost(self) -> str:
        """What an answer costs, in words."""
        ...

    def delta(self, epsilon: Real) -> Enclosure:
        """The least delta at any real epsilon. **Guarantee**: it lies in the result."""
        ...

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t``, for a t in (0, 1) known to lie in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``.
        """
        ...


@runtime_checkable
class Adjustable(Engine, Protocol):
    """An engine that answers to a wanted relative width."""

    def with_width(self, width: float) -> Engine:
        """The same engine for another wanted width."""
        ...


class Nothing:
    """No finite loss at all: ``delta(x) = (1 - e^x)_+``."""

    name: ClassVar[str] = "nothing"
    precision: ClassVar[str] = "balls of 96 bits and more"
    cost: str = "nothing to compute"

    @states(MV16, "Theorem 1.5, without a finite loss")
    def delta(self, epsilon: Real) -> Enclosure:
        """``(1 - e^x)_+`` at ``x = epsilon``. **Guarantee**: it lies in the result."""
        found = refine(lambda: -ball(epsilon).expm1(), start=96, accuracy=60, floor=4096, what="delta")
        return enclose(found, least=Fraction(0), most=Fraction(1))

    def epsilon(self, target: Enclosure) -> Enclosure:
        """0, whatever the target."""
        del target
        return Enclosure.exactly(0)

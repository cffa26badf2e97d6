"""The privacy loss of a mechanism, in the form that engines compose.

A pair of output laws (P, Q) has the loss ``L = ln dP/dQ`` under P. Everything here describes L where it is finite.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import singledispatch
from typing import Literal

from optcomp.errors import UnsupportedError
from optcomp.mechanisms import Mechanism
from optcomp.numerics.balls import Ball, Either, ball
from optcomp.quantities import Logarithm, Real, approximately

__all__ = ["Atom", "AtomicLoss", "Direction", "Grid", "Loss", "TwoPoint", "WorstCase", "worst_case"]

Direction = Literal["remove", "add"]
"""Which of two neighbouring data sets P belongs to: ``remove``, the one with the record; ``add``, the one without."""


@dataclass(frozen=True)
class Grid:
    """All values of a loss are ``(halves/2 + n) step`` for integers n.

    Args:
        step: In nats, above 0.
        halves: 0 or 1.
    """

    step: Real
    halves: int


@dataclass(frozen=True)
class Atom:
    """One value of a loss, with its probability under P, at the present precision."""

    loss: Ball
    likely: Ball

    @property
    def unlikely(self) -> Ball:
        """Its probability under Q."""
        return self.likely * (-self.loss).exp()


class Loss(ABC):
    """The law under P of one finite privacy loss; every subclass is frozen data. Balls are at the present precision."""

    @property
    def largest(self) -> Real | None:
        """The largest loss, exactly, where there is one and it is a rational or a logarithm; else None."""
        return None

    @property
    def grid(self) -> Grid | None:
        """The grid that all losses lie on, if there is one."""
        return None

    @abstractmethod
    def largest_ball(self) -> Ball:
        """The largest loss; infinite when there is none."""

    @abstractmethod
    def growth(self, s: Either) -> Either:
        """``E[e^(s L)]`` under P for Re s > -1, real or complex."""

    @abstractmethod
    def above(self, level: Ball) -> tuple[Ball, Ball]:
        """The probabilities of ``L > level`` under P and under Q."""

    @property
    def order(self) -> tuple[object, ...]:
        """A key that sorts losses in an order that does not depend on the caller's."""
        return (type(self).__name__, *(_sortable(getattr(self, each.name)) for each in fields(self)))  # type: ignore[arg-type]  # subclasses are dataclasses


def _sortable(value: object) -> tuple[object, ...]:
    if isinstance(value, Loss):
        return value.order
    if isinstance(value, Logarithm):
        return (approximately(value), value.base, value.multiple)
    return (approximately(Fraction(value)), 0, value) if isinstance(value, Fraction | int) else (str(value),)


class AtomicLoss(Loss):
    """A loss with finitely many values."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many values there are."""

    @abstractmethod
    def atoms(self) -> tuple[Atom, ...]:
        """The values with their probabilities."""

    def largest_ball(self) -> Ball:
        """The largest loss."""
        found = self.atoms()[0].loss
        for atom in self.atoms():
            found = found.max(atom.loss)
        return found

    def growth(self, s: Either) -> Either:
        """``E[e^(s L)]``."""
        return sum(((s * atom.loss).exp() * atom.likely for atom in self.atoms()), start=0 * s)

    def above(self, level: Ball) -> tuple[Ball, Ball]:
        """The probabilities of ``L > level`` under P and under Q."""
        return sum_above(self.atoms(), level)


def sum_above(atoms: Iterable[Atom], level: Ball) -> tuple[Ball, Ball]:
    """The probabilities of all atoms beyond a level; an atom that may be at the level itself may count or not."""
    likely, unlikely = ball(0), ball(0)
    for atom in atoms:
        if atom.loss > level:
            likely, unlikely = likely + atom.likely, unlikely + atom.unlikely
        elif not atom.loss <= level:
            likely, unlikely = likely + atom.likely.union(ball(0)), unlikely + atom.unlikely.union(ball(0))
    return likely, unlikely


@dataclass(frozen=True)
class TwoPoint(AtomicLoss):
    """The loss of randomized response: ``+epsilon`` with probability ``e^epsilon/(1+e^epsilon)``, else ``-epsilon``.

    Args:
        epsilon: In nats, above 0.
    """

    epsilon: Real

    @property
    def size(self) -> int:
        """Two."""
        return 2

    @property
    def largest(self) -> Real:
        """Epsilon itself."""
        return self.epsilon

    @property
    def grid(self) -> Grid:
        """Steps of two epsilons around 0."""
        return Grid(_doubled(self.epsilon), 1)

    def largest_ball(self) -> Ball:
        """Epsilon itself."""
        return ball(self.epsilon)

    def atoms(self) -> tuple[Atom, ...]:
        """Both values."""
        rate = ball(self.epsilon)
        return Atom(rate, 1 / (1 + (-rate).exp())), Atom(-rate, 1 / (1 + rate.exp()))

    def growth(self, s: Either) -> Either:
        """``cosh((s + 1/2) epsilon) / cosh(epsilon/2)``."""
        rate = ball(self.epsilon)
        return ((s + ball(0.5)) * rate).cosh() / (rate / 2).cosh()


def _doubled(value: Real) -> Real:
    return Logarithm(value.base, 2 * value.multiple) if isinstance(value, Logarithm) else 2 * value


@dataclass(frozen=True)
class WorstCase:
    """A pair of output laws that dominates every pair the mechanism can produce on neighbouring data.

    Args:
        failure: The probability under P that the loss is infinite.
        loss: The loss otherwise; None when it is 0.
    """

    failure: Fraction
    loss: Loss | None


@singledispatch
def worst_case(mechanism: Mechanism, direction: Direction) -> WorstCase:
    """The dominating pair of one mechanism. Each mechanism registers its own function here.

    Args:
        mechanism: One that is no structure of others.
        direction: Which data set P belongs to; it makes a difference for sampled mechanisms only.
    """
    del direction
    raise UnsupportedError(
        field="mechanism",
        value=mechanism,
        condition="has no privacy loss that is known here",
        remedy="Describe it by a guarantee: PureDP or ApproxDP.",
    )

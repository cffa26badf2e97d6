"""Promises about Renyi divergences: a bound of the growth, and no law.

What is promised is ``E[e^(x L)] <= e^(x D_{1+x})`` under P. The law of the loss is not known, so nothing here has
probabilities. Because ``x D_{1+x}`` is convex and 0 at 0, bounds at some orders give bounds between them: the lower
convex hull of the points ``(x, x D_{1+x})`` and the origin.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from optcomp.errors import UnsupportedError
from optcomp.losses.base import Direction, Loss, WorstCase, worst_case
from optcomp.losses.selection import BoundedRangeLoss
from optcomp.mechanisms import RenyiCurve, ZeroConcentrated
from optcomp.numerics.balls import Ball, ComplexBall, Either, ball
from optcomp.theorems.renyi import bounded_range_cumulant

__all__ = ["ConcentratedLoss", "PromisedLoss", "RenyiLoss", "furthest", "renyi_cumulant"]

_Point = tuple[Fraction, Fraction]


class PromisedLoss(Loss):
    """A loss of which only a bound of its growth is known."""

    @property
    @abstractmethod
    def furthest(self) -> Fraction | None:
        """The largest s at which the growth is bounded; None when it is bounded everywhere."""

    @abstractmethod
    def cumulant(self, s: Ball) -> Ball:
        """A convex bound of ``ln E[e^(s L)]`` for s from 0 to `furthest`."""

    def growth(self, s: Either) -> Either:
        """A bound of ``E[e^(s L)]`` for real ``s >= 0``; infinite beyond `furthest`.

        Raises:
            UnsupportedError: For any other s.
        """
        if isinstance(s, ComplexBall) or s < 0:
            raise _no_law(self)
        if self.furthest is not None and s > ball(self.furthest):
            return ball(1) / 0
        return self.cumulant(s).exp()

    def largest_ball(self) -> Ball:
        """Infinite: no promise of this kind bounds the loss itself."""
        return ball(1) / 0

    def above(self, level: Ball) -> tuple[Ball, Ball]:
        """Not known.

        Raises:
            UnsupportedError: Always.
        """
        del level
        raise _no_law(self)


def _no_law(loss: Loss) -> UnsupportedError:
    return UnsupportedError(
        field="mechanism",
        value=loss,
        condition="is a promise about Renyi divergences, which says nothing about this",
        remedy="Use the conversion engine, or name the mechanism itself where it is known.",
    )


@dataclass(frozen=True)
class ConcentratedLoss(PromisedLoss):
    """Any loss with ``E[e^(s L)] <= e^(s (s + 1) rho)`` for all ``s >= 0``.

    Args:
        rho: Above 0.
    """

    rho: Fraction

    @property
    def furthest(self) -> None:
        """None: the promise is for all orders."""
        return

    def cumulant(self, s: Ball) -> Ball:
        """``s (s + 1) rho``."""
        return s * (s + 1) * ball(self.rho)


@dataclass(frozen=True)
class RenyiLoss(PromisedLoss):
    """Any loss whose Renyi divergence is bounded at some orders.

    Args:
        orders: The orders, each above 1, increasing.
        divergences: The bound at each order.
    """

    orders: tuple[Fraction, ...]
    divergences: tuple[Fraction, ...]

    @property
    def furthest(self) -> Fraction:
        """The largest order minus 1."""
        return self.orders[-1] - 1

    def cumulant(self, s: Ball) -> Ball:
        """The lower convex hull, which is the largest of its lines."""
        corners = self._corners()
        found = None
        for (x, height), (next_x, next_height) in pairwise(corners):
            rate = (next_height - height) / (next_x - x)
            line = ball(rate) * s + ball(height - rate * x)
            found = line if found is None else found.max(line)
        return s * 0 if found is None else found

    def _corners(self) -> list[_Point]:
        """The corners of the hull, from the origin to the largest order."""
        corners: list[_Point] = [(Fraction(0), Fraction(0))]
        for order, divergence in zip(self.orders, self.divergences, strict=True):
            point = (order - 1, (order - 1) * divergence)
            while len(corners) > 1 and _lies_above(corners[-1], corners[-2], point):
                corners.pop()
            corners.append(point)
        return corners


def _lies_above(middle: _Point, first: _Point, last: _Point) -> bool:
    """Whether the middle one of three points lies on or above the line through the other two."""
    return (middle[1] - first[1]) * (last[0] - first[0]) >= (last[1] - first[1]) * (middle[0] - first[0])


def furthest(losses: Iterable[tuple[Loss, int]]) -> Fraction | None:
    """The largest s that every promise among these losses reaches to; None where all reach everywhere."""
    known = [loss.furthest for loss, _ in losses if isinstance(loss, PromisedLoss)]
    return min((each for each in known if each is not None), default=None)


def renyi_cumulant(losses: Iterable[tuple[Loss, int]], s: Ball) -> Ball:
    """A convex bound of ``s D_{1+s}`` of the composition, for s from 0 to `furthest`.

    A bounded range enters with the place of the range that is worst for the order: less than the one pair that is
    worst for every (epsilon, delta).
    """
    return sum((count * _cumulant(loss, s) for loss, count in losses), start=ball(0))


def _cumulant(loss: Loss, s: Ball) -> Ball:
    if isinstance(loss, PromisedLoss):
        return loss.cumulant(s)
    if isinstance(loss, BoundedRangeLoss):
        return bounded_range_cumulant(s, epsilon=loss.epsilon)
    return loss.growth(s).log()


@worst_case.register
def _(mechanism: ZeroConcentrated, direction: Direction) -> WorstCase:
    del direction
    return WorstCase(Fraction(0), ConcentratedLoss(mechanism.rho) if mechanism.rho else None)


@worst_case.register
def _(mechanism: RenyiCurve, direction: Direction) -> WorstCase:
    del direction
    if not any(mechanism.divergences):
        return WorstCase(Fraction(0), None)
    return WorstCase(Fraction(0), RenyiLoss(mechanism.orders, mechanism.divergences))

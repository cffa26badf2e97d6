"""The losses of mechanisms known by their guarantee: four-outcome randomized response (KOV section 5, MV section 3)."""

from __future__ import annotations

from fractions import Fraction

from optcomp.losses.base import Direction, TwoPoint, WorstCase, worst_case
from optcomp.mechanisms import ApproxDP, PureDP
from optcomp.quantities import Real

__all__: list[str] = []


def _of(epsilon: Real, delta: Fraction) -> WorstCase:
    certain = delta == 1 or epsilon == 0
    return WorstCase(failure=delta, loss=None if certain else TwoPoint(epsilon))


@worst_case.register
def _(mechanism: PureDP, direction: Direction) -> WorstCase:
    del direction
    return _of(mechanism.epsilon, Fraction(0))


@worst_case.register
def _(mechanism: ApproxDP, direction: Direction) -> WorstCase:
    del direction
    return _of(mechanism.epsilon, mechanism.delta)

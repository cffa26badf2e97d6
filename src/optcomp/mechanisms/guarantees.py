"""Mechanisms known only by the guarantee that they promise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from optcomp.mechanisms.base import Mechanism
from optcomp.quantities import Number, Real, nonnegative_real, probability

__all__ = ["ApproxDP", "PureDP"]


@dataclass(frozen=True, init=False)
class PureDP(Mechanism):
    """Any epsilon-DP mechanism.

    Args:
        epsilon: The guarantee in nats, at least 0; may be the logarithm of a rational, ``"ln(3)"``.
    """

    kind: ClassVar[str] = "pure_dp"
    epsilon: Real

    def __init__(self, *, epsilon: Number) -> None:
        self._set(epsilon=nonnegative_real(epsilon, field="epsilon"))


@dataclass(frozen=True, init=False)
class ApproxDP(Mechanism):
    """Any (epsilon, delta)-DP mechanism.

    Args:
        epsilon: In nats, at least 0; may be the logarithm of a rational, ``"ln(3)"``.
        delta: Between 0 and 1.
    """

    kind: ClassVar[str] = "approx_dp"
    epsilon: Real
    delta: Fraction

    def __init__(self, *, epsilon: Number, delta: Number) -> None:
        self._set(epsilon=nonnegative_real(epsilon, field="epsilon"), delta=probability(delta, field="delta"))

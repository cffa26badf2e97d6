"""Mechanisms that choose one of several candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from optcomp.mechanisms.base import Mechanism
from optcomp.quantities import Number, Real, nonnegative_real

__all__ = ["Exponential"]


@dataclass(frozen=True, init=False)
class Exponential(Mechanism):
    """The exponential mechanism, or any other whose log-likelihood ratios lie in a range of length epsilon.

    With scores of sensitivity D it picks a candidate with probability proportional to ``e^(epsilon score/(2 D))``, or
    ``e^(epsilon score/D)`` where one neighbour can only raise scores or only lower them.

    Args:
        epsilon: The range in nats, at least 0.

    Source: Dong, Durfee, Rogers, "Optimal differential privacy composition for exponential mechanisms".
    """

    kind: ClassVar[str] = "exponential"
    epsilon: Real

    def __init__(self, *, epsilon: Number) -> None:
        self._set(epsilon=nonnegative_real(epsilon, field="epsilon"))

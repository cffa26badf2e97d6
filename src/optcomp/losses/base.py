"""The privacy loss of a mechanism, in the form that engines compose."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

from optcomp.errors import UnsupportedError
from optcomp.mechanisms import Mechanism
from optcomp.quantities import Real

__all__ = ["TwoPoint", "WorstCase", "worst_case"]


@dataclass(frozen=True)
class TwoPoint:
    """The loss of randomized response: ``+epsilon`` with probability ``e^epsilon/(1+e^epsilon)``, else ``-epsilon``.

    Args:
        epsilon: In nats, above 0.
    """

    epsilon: Real


@dataclass(frozen=True)
class WorstCase:
    """A pair of output laws that dominates every pair the mechanism can produce on neighbouring data.

    Args:
        failure: The probability that the loss is infinite.
        loss: The loss otherwise; None when it is 0.
    """

    failure: Fraction
    loss: TwoPoint | None


@singledispatch
def worst_case(mechanism: Mechanism) -> WorstCase:
    """The dominating pair of one mechanism. Each mechanism registers its own function here."""
    raise UnsupportedError(
        field="mechanism",
        value=mechanism,
        condition="has no privacy loss that is known here",
        remedy="Describe it by a guarantee: PureDP or ApproxDP.",
    )

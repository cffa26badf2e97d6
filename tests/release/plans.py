"""Small plans that the tests of this room share."""

from __future__ import annotations

from fractions import Fraction

from optcomp.composition import Plan, Release
from optcomp.mechanisms import ApproxDP, DiscreteGaussian, DiscreteLaplace, Mechanism, PureDP, RandomizedResponse

__all__ = ["GAUSSIAN", "plan_of", "small_plan"]


def plan_of(mechanism: Mechanism, *, epsilon: str | None = None, delta: str | None = None) -> Plan:
    """A plan of one release, with the name ``it``."""
    return Plan(
        target_epsilon=None if epsilon is None else Fraction(epsilon),
        target_delta=None if delta is None else Fraction(delta),
        releases=(Release(name="it", mechanism=mechanism),),
    )


def small_plan(*, title: str | None = None, runs: int = 2, epsilon: str = "4") -> Plan:
    """A plan of each kind that is quickly composed, without Gaussian noise."""
    return Plan(
        title=title,
        adjacency="replace_one",
        privacy_unit="one person",
        target_epsilon=Fraction(epsilon),
        target_delta=Fraction(1, 10**6),
        releases=(
            Release(name="count", mechanism=DiscreteLaplace(scale=2)),
            Release(name="streets", mechanism=DiscreteLaplace(scale=4, sensitivity=2).repeated(runs)),
            Release(name="question", mechanism=RandomizedResponse(probability="0.75")),
            Release(name="colour", mechanism=PureDP(epsilon="0.5")),
            Release(name="bit", mechanism=ApproxDP(epsilon="0.5", delta="1e-9")),
        ),
    )


GAUSSIAN = DiscreteGaussian(variance=9)

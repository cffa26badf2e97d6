"""The questions: which mechanisms, which delta, and how fast the answer ought to come."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

__all__ = ["CASES", "Case", "Group"]


@dataclass(frozen=True)
class Group:
    """``count`` mechanisms that are each (epsilon, delta)-differentially private; the numbers are text."""

    epsilon: str
    count: int
    delta: str = "0"


@dataclass(frozen=True)
class Case:
    """What is the least epsilon of these mechanisms together at this delta?

    Args:
        name: What the tables show.
        groups: The mechanisms.
        delta: The total delta, as text.
        goal_seconds: The time in which optcomp should answer, None where no goal is set.
    """

    name: str
    groups: tuple[Group, ...]
    delta: str
    goal_seconds: float | None = None

    @property
    def step(self) -> Fraction:
        """The largest number of which every epsilon is a whole multiple."""
        return reduce(_common_step, (Fraction(group.epsilon) for group in self.groups))

    @property
    def losses(self) -> int:
        """How many mechanisms there are."""
        return sum(group.count for group in self.groups)

    @property
    def finite_target(self) -> Fraction:
        """The delta that is left for the finite losses: t in ``1 - (1 - t) prod (1 - delta_i) = delta``."""
        survival = math.prod(((1 - Fraction(group.delta)) ** group.count for group in self.groups), start=Fraction(1))
        return 1 - (1 - Fraction(self.delta)) / survival

    def as_json(self) -> dict[str, Any]:
        """The case as runners get it."""
        groups = [{"epsilon": group.epsilon, "delta": group.delta, "count": group.count} for group in self.groups]
        return {"name": self.name, "groups": groups, "delta": self.delta, "step": repr(float(self.step))}


def _common_step(first: Fraction, second: Fraction) -> Fraction:
    denominator = math.lcm(first.denominator, second.denominator)
    return Fraction(math.gcd(int(first * denominator), int(second * denominator)), denominator)


def _equal(count: str, epsilon: str, *, goal_seconds: float, delta: str = "1e-6") -> Case:
    base, _, exponent = count.partition("^")
    return Case(f"{count} x {epsilon}", (Group(epsilon, int(base) ** int(exponent or 1)),), delta, goal_seconds)


_TEN_THOUSANDTHS = [1 + i * 104729 % 997 for i in range(1000)]

CASES: tuple[Case, ...] = (
    _equal("100", "0.1", goal_seconds=0.02),
    _equal("1000", "0.1", goal_seconds=0.02),
    _equal("1000", "0.1", goal_seconds=0.02, delta="1e-30"),
    _equal("10^4", "0.01", goal_seconds=0.02),
    _equal("10^6", "0.001", goal_seconds=0.02),
    _equal("10^9", "0.00001", goal_seconds=0.1),
    _equal("10^12", "0.000001", goal_seconds=0.1),
    Case("30 x (0.1, 0.001)", (Group("0.1", 30, "0.001"),), "0.05", goal_seconds=0.02),
    Case("4380 x 0.11 and 2190 x 0.22", (Group("0.11", 4380), Group("0.22", 2190)), "1e-6", goal_seconds=0.3),
    Case("1000 of 997 sizes, 0.0001 to 0.0997", tuple(Group(f"{m / 10**4:.4f}", 1) for m in _TEN_THOUSANDTHS), "1e-6"),
)

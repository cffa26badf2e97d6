"""The questions: which mechanisms, which delta, and how fast the answer ought to come."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any

__all__ = ["CASES", "Case", "Group", "Noise", "Part", "Uniform"]

_EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@dataclass(frozen=True)
class Group:
    """``count`` mechanisms that are each (epsilon, delta)-differentially private; the numbers are text."""

    epsilon: str
    count: int
    delta: str = "0"

    @property
    def kind(self) -> str:
        """The name that runners and ``peer.toml`` know."""
        return "approx_dp"

    def as_json(self) -> dict[str, Any]:
        """What runners get."""
        return {"kind": self.kind, "epsilon": self.epsilon, "delta": self.delta, "count": self.count}


@dataclass(frozen=True)
class Uniform:
    """``count`` different epsilons, ``numpy.random.default_rng(seed).uniform(low, high, count)``."""

    seed: int
    low: float
    high: float
    count: int

    @property
    def kind(self) -> str:
        """The name that runners and ``peer.toml`` know."""
        return "uniform"

    def as_json(self) -> dict[str, Any]:
        """What runners get."""
        return {"kind": self.kind, "seed": self.seed, "low": self.low, "high": self.high, "count": self.count}


@dataclass(frozen=True)
class Noise:
    """``count`` equal mechanisms that add noise; the numbers are text.

    Args:
        kind: ``poisson_gaussian``, ``discrete_gaussian`` or ``laplace``.
        parameters: Name and value: ``noise_multiplier`` and ``sampling_probability``; ``rho``; ``scale``.
        count: How many.
    """

    kind: str
    parameters: tuple[tuple[str, str], ...]
    count: int

    def as_json(self) -> dict[str, Any]:
        """What runners get."""
        return {"kind": self.kind, "count": self.count, **dict(self.parameters)}

    def __getitem__(self, name: str) -> Fraction:
        """A parameter as an exact number."""
        return Fraction(dict(self.parameters)[name])


Part = Group | Uniform | Noise


@dataclass(frozen=True)
class Case:
    """What is the least epsilon of these mechanisms together at this delta?

    Args:
        name: What the tables show.
        groups: The mechanisms.
        delta: The total delta, as text.
        goal_seconds: Processor time in which optcomp should answer, None where no goal is set.
        further_goal_seconds: The same for another delta on the same profile.
        memory_goal_bytes: The most memory that the whole process should need.
        adjacency: The relation between neighbours, where the mechanisms depend on it.
    """

    name: str
    groups: tuple[Part, ...]
    delta: str
    goal_seconds: float | None = None
    further_goal_seconds: float | None = None
    memory_goal_bytes: float | None = None
    adjacency: str | None = None

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of mechanisms in it."""
        return frozenset(group.kind for group in self.groups)

    @property
    def guarantees(self) -> tuple[Group, ...]:
        """The groups, where all are (epsilon, delta) guarantees; else none."""
        found = tuple(group for group in self.groups if isinstance(group, Group))
        return found if len(found) == len(self.groups) else ()

    @property
    def step(self) -> Fraction | None:
        """The largest number of which every epsilon is a whole multiple, for guarantees."""
        if not self.guarantees:
            return None
        return reduce(_common_step, (Fraction(group.epsilon) for group in self.guarantees))

    @property
    def losses(self) -> int:
        """How many mechanisms there are."""
        return sum(group.count for group in self.groups)

    @property
    def finite_target(self) -> Fraction:
        """The delta that is left for the finite losses: t in ``1 - (1 - t) prod (1 - delta_i) = delta``."""
        kept = ((1 - Fraction(group.delta)) ** group.count for group in self.guarantees)
        return 1 - (1 - Fraction(self.delta)) / math.prod(kept, start=Fraction(1))

    @property
    def further_delta(self) -> str:
        """The delta of the further query on the same profile: a tenth, or a fifth more where deltas fail."""
        if any(group.delta != "0" for group in self.guarantees):
            return "0.06"
        digits, _, exponent = self.delta.partition("e")
        return f"{digits}e{int(exponent) - 1}"

    def as_json(self) -> dict[str, Any]:
        """The case as runners get it."""
        step = self.step
        return {
            "name": self.name,
            "groups": [group.as_json() for group in self.groups],
            "delta": self.delta,
            "further_delta": self.further_delta,
            "step": None if step is None else repr(float(step)),
            "adjacency": self.adjacency,
        }


def _common_step(first: Fraction, second: Fraction) -> Fraction:
    denominator = math.lcm(first.denominator, second.denominator)
    return Fraction(math.gcd(int(first * denominator), int(second * denominator)), denominator)


def _equal(count: str, epsilon: str, *, goal_seconds: float, delta: str = "1e-6") -> Case:
    base, _, exponent = count.partition("^")
    return Case(f"{count} x {epsilon}", (Group(epsilon, int(base) ** int(exponent or 1)),), delta, goal_seconds)


def _sampled(noise_multiplier: str, sampling_probability: str, count: int) -> tuple[Noise, ...]:
    parameters = (("noise_multiplier", noise_multiplier), ("sampling_probability", sampling_probability))
    return (Noise("poisson_gaussian", parameters, count),)


def _census(file: str, name: str, *, goal_seconds: float | None = None) -> Case:
    plan = tomllib.loads((_EXAMPLES / file).read_text(encoding="utf-8"))
    groups = tuple(
        Noise("discrete_gaussian", (("rho", release["mechanism"]["rho"]),), release.get("count", 1))
        for release in plan["release"]
    )
    return Case(name, groups, plan["target"]["delta"], goal_seconds)


_TEN_THOUSANDTHS = [1 + i * 104729 % 997 for i in range(1000)]
_TRAINING = _sampled("1", "0.001", 10_000)

CASES: tuple[Case, ...] = (
    Case("10^4 DP-SGD steps, record removed", _TRAINING, "1e-6", 0.05, 0.01, adjacency="remove_one"),
    Case("10^4 DP-SGD steps, record added", _TRAINING, "1e-6", 0.05, 0.01, adjacency="add_one"),
    Case("10^4 DP-SGD steps, both", _TRAINING, "1e-6", 0.1, 0.02, adjacency="add_or_remove_one"),
    Case("480 DP-SGD steps, both", _sampled("1.1", "250/60000", 480), "1e-5", adjacency="add_or_remove_one"),
    _census("census_dhc.toml", "2020 Census DHC, persons", goal_seconds=0.06),
    _census("census_pl94.toml", "2020 Census PL 94-171, persons"),
    Case("100 x Laplace, scale 10", (Noise("laplace", (("scale", "10"),), 100),), "1e-6"),
    Case("60 different, 0.05 to 0.5", (Uniform(0, 0.05, 0.5, 60),), "1e-6", goal_seconds=3),
    Case("10^4 different, 0.001 to 0.05", (Uniform(0, 0.001, 0.05, 10**4),), "1e-6", goal_seconds=0.15),
    Case("10^6 different, 0.0001 to 0.005", (Uniform(1, 0.0001, 0.005, 10**6),), "1e-6", 0.7, memory_goal_bytes=6e8),
    _equal("100", "0.1", goal_seconds=0.02),
    _equal("1000", "0.1", goal_seconds=0.02),
    _equal("1000", "0.1", goal_seconds=0.05, delta="1e-30"),
    _equal("10^4", "0.01", goal_seconds=0.02),
    _equal("10^6", "0.001", goal_seconds=0.05),
    _equal("10^9", "0.00001", goal_seconds=0.05),
    _equal("10^12", "0.000001", goal_seconds=0.1),
    Case("30 x (0.1, 0.001)", (Group("0.1", 30, "0.001"),), "0.05", goal_seconds=0.02),
    Case("4380 x 0.11 and 2190 x 0.22", (Group("0.11", 4380), Group("0.22", 2190)), "1e-6", goal_seconds=0.3),
    Case("1000 of 997 sizes, 0.0001 to 0.0997", tuple(Group(f"{m / 10**4:.4f}", 1) for m in _TEN_THOUSANDTHS), "1e-6"),
)

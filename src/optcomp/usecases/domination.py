"""Can one finite mechanism be made from another, or from randomized response?"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from fractions import Fraction
from typing import BinaryIO

from optcomp.documents import read_pair
from optcomp.quantities import exact_text, probability, real
from optcomp.tradeoff import Domination, FinitePair, Kernel, dominates, simulate, simulate_in_two_stages
from optcomp.tradeoff.finite import rational_odds

__all__ = ["PairFile", "SimulationAnswer", "compare_pairs", "simulate_pair"]


@dataclass(frozen=True, kw_only=True)
class PairFile:
    """A file with two rows of probabilities.

    Args:
        path: The file, or ``-`` for standard input.
        format: ``toml``, ``json`` or ``yaml``, where neither the ending nor the first character tells.
        standard_input: Where ``-`` reads from.
    """

    path: str
    format: str | None = None
    standard_input: BinaryIO = field(default_factory=io.BytesIO)

    def read(self) -> FinitePair:
        """The mechanism."""
        return read_pair(self.path, standard_input=self.standard_input, format=self.format)


@dataclass(frozen=True, kw_only=True)
class SimulationAnswer:
    """A kernel that makes a mechanism from randomized response.

    Args:
        epsilon: As asked.
        delta: As asked.
        source: The randomized response.
        target: The mechanism.
        generalised: The pair in between, where two stages were asked for.
        stages: The kernels, one or two.
        combined: The whole kernel: one row for each of the four outcomes.
    """

    epsilon: str
    delta: str
    source: FinitePair
    target: FinitePair
    generalised: FinitePair | None
    stages: tuple[Kernel, ...]
    combined: Kernel


def compare_pairs(first: PairFile, second: PairFile) -> Domination:
    """Whether the first mechanism dominates the second, with a kernel or a witness.

    Raises:
        DocumentError: When a file cannot be read.
    """
    return dominates(first.read(), second.read())


def simulate_pair(pair: PairFile, *, epsilon: str, delta: str, two_stages: bool = False) -> SimulationAnswer:
    """The kernel that makes a mechanism from the randomized response with this epsilon and delta.

    Raises:
        InvalidParameterError: When the mechanism is not (epsilon, delta)-DP, or ``e^epsilon`` is not rational.
    """
    target = pair.read()
    level, failing = real(epsilon, field="epsilon"), probability(delta, field="delta")
    rational_odds(epsilon)  # says what is wrong in the caller's own words
    generalised: FinitePair | None = None
    stages: tuple[Kernel, ...]
    if two_stages:
        found = simulate_in_two_stages(target, epsilon=level, delta=failing)
        generalised, stages, combined = found.generalised, (found.first, found.second), found.combined
    else:
        combined = simulate(target, epsilon=level, delta=failing)
        stages = (combined,)
    return SimulationAnswer(
        epsilon=exact_text(level),
        delta=exact_text(Fraction(failing)),
        source=FinitePair.randomized_response(epsilon=level, delta=failing),
        target=target,
        generalised=generalised,
        stages=stages,
        combined=combined,
    )

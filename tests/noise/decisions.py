"""All ways through a sampler, decision by decision, each with its exact probability.

`test_exactness` proves from bits that coins and uniform numbers are exact. Here they are replaced by an oracle that
takes every branch. A sampler that starts anew is noticed at its head: a second call of the head is the first round
again, so one round tells the law. What is truncated counts as open.
"""

from __future__ import annotations

import heapq
import itertools
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar

import mpmath
import pytest

from optcomp.noise import integers, responses, staircase
from optcomp.noise.source import RandomSource, Words
from optcomp.noise.thresholds import Threshold
from optcomp.quantities import Logarithm, Real
from tests.noise.laws import geometric_law, laplace_law, number


class BranchError(Exception):
    """The script ends before a decision with these probabilities."""

    def __init__(self, chances: Sequence[mpmath.mpf]) -> None:
        super().__init__(len(chances))
        self.chances = chances


class RestartError(Exception):
    """The sampler is where it began."""


class Oracle(RandomSource):
    """Decides as a script says."""

    is_secret: ClassVar[bool] = False

    def __init__(self, script: tuple[int, ...]) -> None:
        self.script, self.place, self.begun = script, 0, False

    def choose(self, chances: Sequence[mpmath.mpf]) -> int:
        if self.place == len(self.script):
            raise BranchError(chances)
        self.place += 1
        return self.script[self.place - 1]

    def head(self) -> None:
        if self.begun:
            raise RestartError
        self.begun = True

    def bits(self, count: int) -> int:
        return self.choose([mpmath.mpf(1) / 2**count] * 2**count)

    def words(self, count: int) -> Words:
        raise NotImplementedError(count)


def real_number(value: Real) -> mpmath.mpf:
    if isinstance(value, Logarithm):
        return number(value.multiple) * mpmath.log(number(value.base))
    return number(value)


def either(source: Oracle, chance: mpmath.mpf) -> bool:
    return chance == 1 or (chance != 0 and source.choose([1 - chance, chance]) == 1)


_REACH = 60


@cache
def geometric_chances(rate: Real) -> list[mpmath.mpf]:
    law = geometric_law(real_number(rate))
    return [law(y) for y in range(2 * _REACH)]


@cache
def laplace_chances(rate: Fraction) -> list[mpmath.mpf]:
    law, reach = laplace_law(1 / rate), int(_REACH / rate)
    return [law(x) for x in range(-reach, reach + 1)]


def replace_primitives(patch: pytest.MonkeyPatch, head: str) -> None:  # noqa: C901  # one small function for each
    """Coins and uniform numbers ask the oracle; the head says when a round begins."""

    def uniform_below(bound: int, source: Oracle) -> int:
        if head == "uniform_below":
            source.head()
        return source.choose([mpmath.mpf(1) / bound] * bound) if bound > 1 else 0

    def ratio_coin(top: int, bottom: int, source: Oracle) -> bool:
        return either(source, mpmath.mpf(top) / bottom)

    def coin(chance: Fraction, source: Oracle) -> bool:
        return either(source, number(chance))

    def exponential_coin(exponent: Real, source: Oracle) -> bool:
        return either(source, mpmath.exp(-real_number(exponent)))

    def geometric(rate: Real, source: Oracle) -> int:
        source.head()
        return source.choose(geometric_chances(rate))

    def signed(rate: Fraction, source: Oracle) -> int:
        source.head()
        return source.choose(laplace_chances(rate)) - int(_REACH / rate)

    def is_above(self: Threshold, source: Oracle) -> bool:
        low, _ = self.floors(256)
        return either(source, mpmath.mpf(low) / 2**256)

    given = {
        "uniform_below": uniform_below,
        "ratio_coin": ratio_coin,
        "coin": coin,
        "exponential_coin": exponential_coin,
    }
    for module in (integers, responses, staircase):
        for name, primitive in given.items():
            if hasattr(module, name):
                patch.setattr(module, name, primitive)
    patch.setattr(Threshold, "is_above", is_above)
    if head == "geometric":
        patch.setattr(staircase, "geometric", geometric)
    if head == "signed":
        patch.setattr(integers, "_signed", signed)


@dataclass(frozen=True)
class Round:
    """The masses of one round: of the outcomes, of starting anew, and of what is open."""

    decided: dict[Any, mpmath.mpf]
    restart: mpmath.mpf
    undecided: mpmath.mpf

    def bounds(self, outcome: Hashable) -> tuple[mpmath.mpf, mpmath.mpf]:
        """Between which the outcome's probability lies."""
        mass = self.decided[outcome]
        return mass / (1 - self.restart), (mass + self.undecided) / (1 - self.restart - self.undecided)


def explore(draw: Callable[[Oracle], Hashable], *, undecided: float, most: int = 40_000) -> Round:
    """Take the likeliest open branch until little enough is open."""
    decided: defaultdict[Hashable, mpmath.mpf] = defaultdict(lambda: mpmath.mpf(0))
    restart, open_mass, lost = mpmath.mpf(0), mpmath.mpf(1), mpmath.mpf(0)
    order = itertools.count()
    queue: list[tuple[float, int, mpmath.mpf, tuple[int, ...]]] = [(-1.0, next(order), mpmath.mpf(1), ())]
    while queue and open_mass + lost > undecided and next(order) < most:
        _, _, mass, script = heapq.heappop(queue)
        open_mass -= mass
        try:
            decided[draw(Oracle(script))] += mass
        except RestartError:
            restart += mass
        except BranchError as branch:
            for place, chance in enumerate(branch.chances):
                heapq.heappush(queue, (-float(mass * chance), next(order), mass * chance, (*script, place)))
            spread = mass * mpmath.fsum(branch.chances)
            open_mass, lost = open_mass + spread, lost + (mass - spread)
    return Round(dict(decided), restart, mpmath.fsum(item[2] for item in queue) + abs(lost) + mpmath.mpf(10) ** -50)

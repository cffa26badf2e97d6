"""All bit strings up to a depth, through a sampler: how likely each outcome is, exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from optcomp.noise.source import RandomSource, Words


class ExhaustedError(Exception):
    """The string has no more bits."""


class BitString(RandomSource):
    """The bits of one string, given as a number and a length."""

    is_secret: ClassVar[bool] = False

    def __init__(self, value: int, length: int) -> None:
        self.value, self.left = value, length

    def bits(self, count: int) -> int:
        if count > self.left:
            raise ExhaustedError
        self.left -= count
        taken = self.value >> self.left
        self.value &= (1 << self.left) - 1
        return taken

    def words(self, count: int) -> Words:
        return np.array([self.bits(64) for _ in range(count)], dtype=np.uint64)


class Script(RandomSource):
    """Words from a list, and then bits from a string."""

    is_secret: ClassVar[bool] = False

    def __init__(self, words: list[int], bits: BitString) -> None:
        self.given, self.then = words, bits

    def bits(self, count: int) -> int:
        return self.then.bits(count)

    def words(self, count: int) -> Words:
        found, self.given = self.given[:count], self.given[count:]
        assert len(found) == count
        return np.array(found, dtype=np.uint64)


@dataclass(frozen=True)
class Masses:
    """What the strings of a length say: the decided mass of each outcome, and the mass that is still open."""

    decided: dict[Hashable, Fraction]
    undecided: Fraction


def enumerate_bits(draw: Callable[[RandomSource], Hashable], depth: int) -> Masses:
    """Run a sampler on every string; a string that was decided early stands for all that begin with it."""
    counts: Counter[Hashable] = Counter()
    undecided = 0
    open_strings = [(0, 0)]
    while open_strings:
        value, length = open_strings.pop()
        source = BitString(value, length)
        try:
            outcome = draw(source)
        except ExhaustedError:
            if length == depth:
                undecided += 1
            else:
                open_strings += [(value << 1, length + 1), (value << 1 | 1, length + 1)]
        else:
            assert source.left == 0  # otherwise a shorter string would have decided it
            counts[outcome] += 1 << (depth - length)
    whole = 1 << depth
    return Masses({outcome: Fraction(mass, whole) for outcome, mass in counts.items()}, Fraction(undecided, whole))

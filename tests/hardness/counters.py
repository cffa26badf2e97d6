"""Plain counters over all 2**k subsets, which share no code with the library."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product


def splits(weights: Sequence[Fraction]) -> Iterator[tuple[Fraction, Fraction]]:
    for chosen in product((False, True), repeat=len(weights)):
        u = math.prod((w for w, inside in zip(weights, chosen, strict=True) if inside), start=Fraction(1))
        v = math.prod((w for w, inside in zip(weights, chosen, strict=True) if not inside), start=Fraction(1))
        yield u, v


def even_sums(integers: Sequence[int]) -> int:
    choices = product((-1, 1), repeat=len(integers))
    return sum(1 for signs in choices if sum(s * z for s, z in zip(signs, integers, strict=True)) == 0)


def even_products(weights: Sequence[Fraction]) -> int:
    return sum(1 for u, v in splits(weights) if u == v)


def differences(weights: Sequence[Fraction], wanted: Fraction) -> int:
    return sum(1 for u, v in splits(weights) if u - v == wanted)


def excess(weights: Sequence[Fraction], ratio: Fraction) -> Fraction:
    return sum((u - ratio * v for u, v in splits(weights) if u > ratio * v), start=Fraction(0))


def witnesses(weights: Sequence[Fraction], ratio: Fraction, bits: int) -> int:
    return sum(max(0, math.floor(2**bits * (u - ratio * v))) for u, v in splits(weights))

"""Random finite mechanisms, and brute force over them: written without the room under test."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product

from optcomp import FinitePair, InvalidParameterError

Row = tuple[Fraction, ...]
Matrix = tuple[Row, ...]


def law(source: random.Random, size: int, *, zeros: float = 0.3, most: int = 6) -> Row:
    """A random law with small whole numbers as weights, so that ties and zeros are frequent."""
    while True:
        weights = [0 if source.random() < zeros else source.randint(1, most) for _ in range(size)]
        if sum(weights):
            return tuple(Fraction(weight, sum(weights)) for weight in weights)


def pair(source: random.Random, size: int) -> FinitePair:
    """A random pair: in part with zeros, equal ratios, outcomes that never happen, or nothing in common."""
    kind = source.randrange(6)
    first = law(source, size)
    if kind == 0:
        return FinitePair(first=first, second=first)
    if kind == 1 and size > 1:  # nothing in common
        cut = source.randint(1, size - 1)
        left, right = law(source, cut), law(source, size - cut)
        nothing = (Fraction(0),)
        return FinitePair(first=left + nothing * (size - cut), second=nothing * cut + right)
    if kind == 2:
        return FinitePair(first=law(source, size, zeros=0), second=law(source, size, zeros=0))
    return FinitePair(first=first, second=law(source, size))


def kernel(source: random.Random, rows: int, columns: int) -> Matrix:
    return tuple(law(source, columns, zeros=0.5, most=4) for _ in range(rows))


def through(row: Sequence[Fraction], matrix: Sequence[Sequence[Fraction]]) -> Row:
    """A law after a kernel."""
    columns = len(matrix[0])
    return tuple(
        sum((mass * line[place] for mass, line in zip(row, matrix, strict=True)), start=Fraction(0))
        for place in range(columns)
    )


def processed(source: random.Random, base: FinitePair, size: int) -> FinitePair:
    matrix = kernel(source, base.size, size)
    return FinitePair(first=through(base.first, matrix), second=through(base.second, matrix))


def is_kernel(matrix: Sequence[Sequence[Fraction]]) -> bool:
    return all(all(entry >= 0 for entry in row) and sum(row) == 1 for row in matrix)


def carries(matrix: Sequence[Sequence[Fraction]], base: FinitePair, target: FinitePair) -> bool:
    """Exact verification of a kernel."""
    return (
        len(matrix) == base.size
        and all(len(row) == target.size for row in matrix)
        and is_kernel(matrix)
        and through(base.first, matrix) == target.first
        and through(base.second, matrix) == target.second
    )


def subset_masses(found: FinitePair) -> list[tuple[Fraction, Fraction]]:
    """P(S) and Q(S) for every set S of outcomes."""
    outcomes = range(found.size)
    return [
        (
            sum((found.first[place] for place in outcomes if chosen[place]), start=Fraction(0)),
            sum((found.second[place] for place in outcomes if chosen[place]), start=Fraction(0)),
        )
        for chosen in product((False, True), repeat=found.size)
    ]


def brute_delta(found: FinitePair, odds: Fraction) -> Fraction:
    """``sup_S P(S) - odds Q(S)`` over all sets."""
    return max(p - odds * q for p, q in subset_masses(found))


def best_missed(points: Iterable[tuple[Fraction, Fraction]], alarm: Fraction) -> Fraction:
    """The lowest point over a false alarm of the convex hull of points: the best mixture of any two of them."""
    known = list(points)
    best = min((b for a, b in known if a == alarm), default=Fraction(2))
    for a, b in known:
        for c, d in known:
            if a < alarm < c:
                best = min(best, b + (d - b) * (alarm - a) / (c - a))
    return best


def speaks(error: InvalidParameterError) -> bool:
    """Whether a refusal says which field, what value, what must hold, and what to do."""
    text = str(error)
    return bool(error.field and error.condition and error.remedy) and error.condition in text and error.remedy in text

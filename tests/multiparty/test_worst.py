"""The worst case against the exact optimum of its linear programme, by a simplex method in fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from optcomp.multiparty import MEASURES, Accuracy, BitFunction, Channel, Listener, indicator
from optcomp.multiparty.worst import worst_case

ODDS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(9), Fraction(1000), Fraction(10**9), 1 + Fraction(1, 10**9)]
DELTAS = [Fraction(0), Fraction(0), Fraction(1, 100), Fraction(1, 7), Fraction(1, 10**12)]


def maximum(rows: list[list[Fraction]], bounds: list[Fraction], gains: list[Fraction]) -> Fraction:
    """The largest ``gains x`` with ``rows x <= bounds`` and ``x >= 0``, for bounds of at least 0; by Bland's rule."""
    height, width = len(rows), len(gains)
    table = [
        [*row, *(Fraction(int(place == other)) for other in range(height)), bound]
        for place, (row, bound) in enumerate(zip(rows, bounds, strict=True))
    ]
    costs = [*(-gain for gain in gains), *(Fraction(0) for _ in range(height + 1))]
    basis = list(range(width, width + height))
    while True:
        entering = next((place for place in range(width + height) if costs[place] < 0), None)
        if entering is None:
            return costs[-1]
        limits = [
            (row[-1] / row[entering], basis[place], place) for place, row in enumerate(table) if row[entering] > 0
        ]
        leaving = min(limits)[2]
        pivot = table[leaving][entering]
        table[leaving] = [each / pivot for each in table[leaving]]
        for place, row in enumerate(table):
            if place != leaving and row[entering]:
                factor = row[entering]
                table[place] = [each - factor * other for each, other in zip(row, table[leaving], strict=True)]
        factor = costs[entering]
        costs = [each - factor * other for each, other in zip(costs, table[leaving], strict=True)]
        basis[leaving] = entering


def chances(odds: Fraction, delta: Fraction) -> list[list[Fraction]]:
    unit = (1 - delta) / (1 + odds)
    return [[delta, odds * unit, unit, Fraction(0)], [Fraction(0), unit, odds * unit, delta]]


def exact_worst_case(function: BitFunction, accuracy: Accuracy, levels: list[tuple[Fraction, Fraction]]) -> Fraction:
    laws = []
    for database in range(1 << len(levels)):
        law = [Fraction(1)]
        for place, level in enumerate(levels):
            law = [heard * chance for heard in law for chance in chances(*level)[database >> place & 1]]
        laws.append(law)
    least = min(map(min, accuracy.weights))
    answers, transcripts = len(function.answers), len(laws[0])
    rows = [
        [
            *(-chance * (accuracy.weights[truth][answer] - least) for chance in law for answer in range(answers)),
            Fraction(1),
        ]
        for law, truth in zip(laws, function.places, strict=True)
    ]
    rows += [
        [*(Fraction(int(other == heard)) for other in range(transcripts) for _ in range(answers)), Fraction(0)]
        for heard in range(transcripts)
    ]
    bounds = [Fraction(0)] * len(laws) + [Fraction(1)] * transcripts
    return least + maximum(rows, bounds, [Fraction(0)] * (answers * transcripts) + [Fraction(1)])


@pytest.mark.parametrize("seed", range(40))
def test_the_exact_optimum_lies_inside(seed: int) -> None:
    source = random.Random(seed)
    parties = source.choice([1, 2, 2, 3]) if seed % 4 == 0 else source.choice([1, 2])
    levels = [(source.choice(ODDS), source.choice(DELTAS) if parties < 3 else Fraction(0)) for _ in range(parties)]
    if seed % 2:
        levels = [levels[0]] * parties
    function = source.choice(
        [
            BitFunction.majority(parties),
            BitFunction.total(parties),
            BitFunction.conjunction(parties),
            BitFunction.table([source.randint(0, 2) for _ in range(1 << parties)]),
        ]
    )
    size = len(function.answers)
    weights = [[Fraction(source.randint(-30, 30), source.randint(1, 7)) for _ in range(size)] for _ in range(size)]
    accuracy = source.choice([indicator(function), MEASURES["squared_error"](function), Accuracy.of(weights)])
    channels = tuple(Channel.of(f"ln({odds})" if odds != 1 else "0", delta) for odds, delta in levels)
    found = worst_case(Listener(function, accuracy, channels))
    assert found.lower <= exact_worst_case(function, accuracy, levels) <= found.upper
    assert found.width < 1e-8


def test_large_odds_are_narrow_too() -> None:
    function = BitFunction.total(3)
    channels = (Channel.of(f"ln({10**9})"), Channel.of("ln(1000)"), Channel.of("ln(1000)"))
    assert worst_case(Listener(function, MEASURES["squared_error"](function), channels)).width < 1e-8

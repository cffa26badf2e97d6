"""Random compositions of losses with few values against plain enumeration: the contour engines are never wrong."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

import optcomp as oc
from tests.oracles.enumeration import (
    DIGITS,
    Atoms,
    Enumerated,
    decimal,
    discrete_laplace,
    randomized_response,
    sampled,
    staircase,
    two_point,
)

PROBLEMS = 100  # for each engine
NIGHTLY = 2_500
CHUNK = 50
LARGEST = 1_500  # values of the sum of the losses
SLACK, ABSOLUTE = Decimal("1e-45"), Decimal("1e-50")  # the oracle's own rounding
WIDE, NARROW = "1e-2", "1e-8"  # off a grid the cost grows as the width falls
OFF_GRID = 4  # every fourth problem
ENGINES = ("contour", "contour_balls")

Question = tuple[str, list[Fraction], Callable[[Fraction], Decimal]]


@dataclass(frozen=True)
class Problem:
    mechanisms: list[oc.Mechanism]
    adjacency: str | None
    truth: Enumerated
    random: random.Random
    on_grid: bool


def number(rng: random.Random, least: float, most: float) -> Fraction:
    return Fraction(f"{math.exp(rng.uniform(math.log(least), math.log(most))):.{rng.choice([0, 1, 3])}e}")


def part(rng: random.Random, unit: Fraction, *, on_grid: bool) -> tuple[oc.Mechanism, Fraction, Atoms]:
    """A mechanism, its failure and its losses, which are multiples of a unit where they lie on a grid."""
    rate = unit * rng.randint(1, 6)
    kind = rng.choice(["pure", "approx", "staircase", "laplace"] + ["categories"] * (not on_grid))
    if kind == "pure":
        return oc.PureDP(epsilon=rate), Fraction(0), two_point(rate)
    if kind == "approx":
        failure = number(rng, 1e-9, 1e-2)
        return oc.ApproxDP(epsilon=rate, delta=failure), failure, two_point(rate)
    if kind == "categories":
        categories, own = rng.randint(2, 9), Fraction(rng.randint(1, 99), 101)
        made = oc.RandomizedResponse(probability=own, categories=categories)
        return made, Fraction(0), randomized_response(own, categories)
    if kind == "staircase":
        gamma = rng.choice([Fraction(0), Fraction(1), Fraction(1, 2), Fraction(rng.randint(1, 99), 100)])
        return oc.Staircase(epsilon=rate, gamma=gamma), Fraction(0), staircase(rate, gamma)
    reach, scale = rng.randint(1, 5), 2 / rate
    made_laplace = oc.DiscreteLaplace(scale=scale, sensitivity=reach)
    return made_laplace, Fraction(0), discrete_laplace(scale, reach)


def problem(seed: int) -> Problem:
    on_grid = seed % OFF_GRID != 0
    rng = random.Random(seed)
    unit, direction = number(rng, 0.05, 0.3), rng.choice(["remove", "add"])
    parts: list[tuple[Atoms, int]] = []
    mechanisms: list[oc.Mechanism] = []
    survival, size, is_sampled = Fraction(1), 1, False
    while not parts or rng.random() < 0.6:
        mechanism, failure, atoms = part(rng, unit, on_grid=on_grid)
        if not on_grid and rng.random() < 0.5:
            share, is_sampled = rng.choice([number(rng, 1e-3, 0.9), Fraction(1, 2)]), True
            mechanism = oc.PoissonSampled(mechanism=mechanism, sampling_probability=share)
            failure, atoms = sampled(atoms, share, direction, failure)
        count = rng.choice([1, 1, 2, 3])
        size *= math.comb(count + len(atoms) - 1, len(atoms) - 1)
        if size > LARGEST:
            break
        parts.append((atoms, count))
        mechanisms.append(mechanism.repeated(count))
        survival *= (1 - failure) ** count
    return Problem(
        mechanisms, f"{direction}_one" if is_sampled else None, Enumerated(parts, 1 - survival), rng, on_grid
    )


def points(given: Problem) -> list[Fraction]:
    """A loss or a point next to one, and any other point."""
    rng, losses = given.random, [Fraction(value) for value, _ in given.truth.atoms if value >= 0]
    off = rng.choice([Fraction(0), Fraction(1, 10**12), Fraction(-1, 10**9)])
    return [rng.choice(losses) + off, losses[0] * Fraction(rng.randint(1, 999), 1000)]


def targets(given: Problem) -> list[Fraction]:
    """The delta at a loss, and any other one."""
    rng, truth = given.random, given.truth
    losses = [Fraction(value) for value, _ in truth.atoms if value > 0]
    least, most = Fraction(truth.failure), Fraction(truth.delta(Fraction(0)))
    free = least + (most - least) * Fraction(f"{10 ** -rng.uniform(0.01, 8):.6e}")
    return [each for each in (Fraction(truth.delta(rng.choice(losses))), free) if 0 < each < 1]


def holds(answer: oc.Enclosure, truth: Decimal) -> bool:
    if not truth.is_finite():
        return answer.upper == math.inf
    with localcontext(DIGITS):
        slack = abs(truth) * SLACK + ABSOLUTE
        low, high = decimal(answer.lower), decimal(answer.upper)
        return low - slack <= truth <= high + slack


def violations(seed: int, engine: str) -> list[str]:
    given = problem(seed)
    profile = oc.compose(given.mechanisms, adjacency=given.adjacency, engine=engine)
    width = NARROW if given.on_grid else WIDE
    questions: list[Question] = [("delta", points(given), given.truth.delta)]
    if given.on_grid or engine == "contour":
        questions.append(("epsilon", targets(given), given.truth.epsilon))
    found = []
    for name, values, truth_of in questions:
        for value in values:
            try:
                answer = getattr(profile, name)(value, width=width)
            except oc.UndecidedError:
                continue
            if not holds(answer, truth_of(value)):
                found.append(f"{seed}: {engine}.{name}({value}) = {answer} leaves out {truth_of(value)}")
    return found


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("start", range(0, PROBLEMS, CHUNK))
def test_the_contour_engines_are_not_wrong(start: int, engine: str) -> None:
    assert [each for seed in range(start, start + CHUNK) for each in violations(seed, engine)] == []


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("start", range(10_000, 10_000 + NIGHTLY, CHUNK))
def test_the_contour_engines_are_not_wrong_anywhere(start: int, engine: str) -> None:
    assert [each for seed in range(start, start + CHUNK) for each in violations(seed, engine)] == []


def test_the_judge_refuses_a_shifted_answer() -> None:
    truth = Enumerated([(two_point(Fraction(1, 10)), 3)])
    answer = oc.compose(oc.PureDP(epsilon="0.1").repeated(3), engine="contour").delta("0.1")
    shift = Fraction(1, 10**8)
    assert holds(answer, truth.delta(Fraction(1, 10)))
    assert not holds(oc.Enclosure(answer.lower + shift, answer.upper + shift), truth.delta(Fraction(1, 10)))

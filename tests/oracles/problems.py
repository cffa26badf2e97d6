"""Random composition problems made to break an engine, each reproducible from its number alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import mpmath

import optcomp as oc
from tests.oracles.brute_force import BruteForce, Exponent, ln, plain, to_fraction

MOST_PARTS = 9
LARGE_FROM, LARGE_PARTS = 5000, range(10, 15)  # beyond this number, every tenth problem is larger

Part = tuple[Exponent, Fraction]


@dataclass(frozen=True)
class Problem:
    """A list of (epsilon, delta), and the questions to ask about it."""

    number: int
    parts: tuple[Part, ...]

    @property
    def oracle(self) -> BruteForce:
        return BruteForce(self.parts)

    @property
    def mechanism(self) -> oc.Mechanism:
        return oc.Sequence(parts=[mechanism(*part) for part in self.parts])


def number(exponent: Exponent) -> oc.Logarithm | Fraction | str:
    """An exponent as the library takes it."""
    if exponent.argument == 1:
        return exponent.rational
    assert exponent.rational == 0
    return f"ln({exponent.argument})"


def mechanism(epsilon: Exponent, delta: Fraction) -> oc.Mechanism:
    if delta == 0:
        return oc.PureDP(epsilon=number(epsilon))
    return oc.ApproxDP(epsilon=number(epsilon), delta=delta)


# ---------------------------------------------------------------------------------------------------- epsilons


def _decimal(draw: random.Random) -> Fraction:
    return Fraction(draw.randint(1, 999), 10 ** draw.randint(0, 4))


def _equal(draw: random.Random, size: int) -> list[Exponent]:
    return [plain(draw.choice([_decimal(draw), Fraction(1, 10**12), Fraction(10**4), Fraction(1, 7)]))] * size


def _two_values(draw: random.Random, size: int) -> list[Exponent]:
    values = [_decimal(draw), _decimal(draw)]
    return [plain(draw.choice(values)) for _ in range(size)]


def _multiples(draw: random.Random, size: int) -> list[Exponent]:
    step = draw.choice([Fraction(1, 10), Fraction(1, 100), Fraction(1, 3), Fraction(1, 10**12), Fraction(7, 5)])
    return [plain(step * draw.randint(1, 60)) for _ in range(size)]


def _generic(draw: random.Random, size: int) -> list[Exponent]:
    return [plain(_decimal(draw)) for _ in range(size)]


def _nearly_equal(draw: random.Random, size: int) -> list[Exponent]:
    base, gap = _decimal(draw), Fraction(1, 10 ** draw.choice([3, 6, 12, 30]))
    return [plain(base + gap * draw.randint(0, 2)) for _ in range(size)]


def _tiny_beside_huge(draw: random.Random, size: int) -> list[Exponent]:
    small, large = draw.choice([(-12, 4), (-3, 2), (-5, 0), (-12, 0), (-2, 3)])
    return [plain(Fraction(draw.randint(1, 9)) * Fraction(10) ** draw.choice([small, large])) for _ in range(size)]


def _powers_of_one_base(draw: random.Random, size: int) -> list[Exponent]:
    base = draw.choice([Fraction(3, 2), Fraction(2), Fraction(10**6 + 1, 10**6), Fraction(100)])
    return [ln(base ** draw.randint(1, 4)) for _ in range(size)]


def _logarithms(draw: random.Random, size: int) -> list[Exponent]:
    return [ln(1 + Fraction(draw.randint(1, 30), draw.randint(1, 30))) for _ in range(size)]


def _mixed(draw: random.Random, size: int) -> list[Exponent]:
    return [draw.choice(_MAKERS[:-1])(draw, 1)[0] for _ in range(size)]


_MAKERS: list[Callable[[random.Random, int], list[Exponent]]] = [
    _equal,
    _two_values,
    _multiples,
    _generic,
    _nearly_equal,
    _tiny_beside_huge,
    _powers_of_one_base,
    _logarithms,
    _mixed,
]


# ---------------------------------------------------------------------------------------------------- deltas


def _deltas(draw: random.Random, size: int) -> list[Fraction]:
    kind = draw.randrange(5)
    if kind <= 1:
        return [Fraction(0)] * size
    if kind == 2:
        return [draw.choice([Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 7)])] * size
    pool = [
        Fraction(0),
        Fraction(1, 10),
        Fraction(3, 10**9),
        Fraction(1, 10**250),
        Fraction(1, 2),
        1 - Fraction(1, 10**12),
    ]
    return [draw.choice(pool) for _ in range(size)]


def problem(index: int) -> Problem:
    """The problem of that number."""
    draw = random.Random(f"problem {index}")
    size = draw.choice([*range(1, MOST_PARTS + 1), 0, 2, 3])
    if index >= LARGE_FROM and index % 10 == 0:
        size = draw.choice(LARGE_PARTS)
    epsilons = _MAKERS[index % len(_MAKERS)](draw, size)
    if draw.randrange(4) == 0:
        epsilons = [Exponent() if draw.randrange(3) == 0 else each for each in epsilons]
    deltas = _deltas(draw, size)
    if size and draw.randrange(40) == 0:
        deltas[draw.randrange(size)] = Fraction(1)
    return Problem(index, tuple(zip(epsilons, deltas, strict=True)))


# ---------------------------------------------------------------------------------------------------- questions


def points(problem: Problem, oracle: BruteForce) -> list[Exponent]:
    """Epsilons to ask for: knots, their neighbours, negative ones, beyond all losses, logarithms."""
    draw = random.Random(f"points {problem.number}")
    knot = plain_knot(draw, oracle)
    near = Exponent(
        knot.rational + draw.choice([-1, 1]) * Fraction(1, 10 ** draw.choice([3, 9, 20, 60])), knot.argument
    )
    return [
        each
        for each in (
            Exponent(),
            knot,
            near,
            plain(Fraction(draw.randint(-300, 300), 10 ** draw.randint(0, 3))),
            ln(Fraction(draw.randint(1, 200), draw.randint(1, 50))),
            plain(-_decimal(draw)),
            draw.choice([oracle.sum, oracle.sum.plus(plain(1)), oracle.sum.plus(plain(Fraction(1, 10**15)), -1)]),
        )
        if each.rational == 0 or each.argument == 1
    ]


def plain_knot(draw: random.Random, oracle: BruteForce) -> Exponent:
    """A possible loss that can be written as one rational or one logarithm, preferably."""
    askable = [knot for knot in oracle.knots if knot.rational == 0 or knot.argument == 1]
    return draw.choice(askable) if askable else Exponent()


def targets(problem: Problem, oracle: BruteForce) -> list[Fraction]:
    """Deltas to ask for: the failure mass and its neighbours, deltas at knots, near 0, near 1, anywhere."""
    draw = random.Random(f"targets {problem.number}")
    failure, rest = oracle.failure, oracle.survival
    found = [
        failure,
        failure + rest * Fraction(1, 10 ** draw.choice([6, 30, 250])),
        failure * (1 - Fraction(1, 10 ** draw.choice([2, 30]))),
        failure + rest * Fraction(draw.randint(0, 1000), 1000),
        failure + rest * Fraction(1, draw.randint(1, 10) * 10 ** draw.randint(0, 12)),
        1 - Fraction(1, 10 ** draw.choice([1, 9, 40])),
        draw.choice([Fraction(0), Fraction(1), Fraction(1, 10**250)]),
    ]
    for knot in (plain_knot(draw, oracle), draw.choice(oracle.knots), Exponent()):
        at_knot = failure + rest * to_fraction(oracle.finite_delta(knot))
        with mpmath.workdps(50):
            digits = mpmath.nstr(mpmath.mpf(at_knot.numerator) / at_knot.denominator, draw.choice([3, 17, 38]))
        found += [at_knot, Fraction(digits)]
    return [each for each in found if 0 <= each <= 1]

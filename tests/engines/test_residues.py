"""Sums of residues: exact for Laplace and bounded-range losses, against quadrature that shares no formula with them."""

from __future__ import annotations

import functools
import itertools
import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from optcomp.engines.closed_form import ClosedForm
from optcomp.engines.residues import Residues
from optcomp.errors import UndecidedError
from optcomp.losses import AtomicLoss, Direction, GaussianLoss, LaplaceLoss, Loss, StaircaseLoss, TwoPoint
from optcomp.losses.sampled import SampledAtoms
from optcomp.losses.selection import BoundedRangeLoss
from optcomp.numerics.balls import ends, precision
from optcomp.quantities import Enclosure, Logarithm, Real

WIDEST = 1e-17
DIGITS = 30
NODES = 13
ORACLE_ERROR = Fraction(1, 10**20)  # of the quadrature, absolute
LAST_DIGIT = Fraction(1, 10**18)  # of the references, relative

# Values of Laplace compositions by another program, each with how it was found.
REFERENCES: list[tuple[str, int, dict[str, str], str, str]] = [
    (
        "1/2",
        2,
        {"epsilon": "0.1"},
        "0.2189055142633277158989",
        "exact finite residue sum in mpmath; cross-checked by direct quadrature over the loss density",
    ),
    (
        "1/2",
        2,
        {"epsilon": "0.7"},
        "0.07473892534306285722879",
        "exact finite residue sum in mpmath; cross-checked by direct quadrature over the loss density",
    ),
    ("1/2", 2, {"delta": "1e-5"}, "0.99995999999999733336", "exact finite residue sum; root in mpmath"),
    (
        "1/2",
        30,
        {"epsilon": "5"},
        "0.1468025427762477530513",
        "exact finite residue sum in mpmath; a truncated contour integral of 60,000 nodes agrees to 1e-7",
    ),
    ("1/2", 30, {"delta": "1e-6"}, "13.06566262614661278251", "exact finite residue sum; root in mpmath"),
    ("1/10", 100, {"delta": "1e-5"}, "4.22034732508035958201", "exact finite residue sum; root in mpmath"),
]


def laplace(ratio: str | int | Fraction, count: int = 1) -> tuple[Loss, int]:
    return LaplaceLoss(Fraction(ratio)), count


def ranged(epsilon: str | int | Real, count: int = 1) -> tuple[Loss, int]:
    return BoundedRangeLoss(epsilon if isinstance(epsilon, Logarithm) else Fraction(epsilon)), count


def engine(*losses: tuple[Loss, int]) -> Residues:
    found = Residues.of(losses)
    assert found is not None
    return found


def exactly(value: str | Fraction) -> Enclosure:
    return Enclosure.exactly(Fraction(value))


def rational(value: Any) -> Fraction:
    sign, mantissa, exponent, _ = mpmath.mpf(value)._mpf_
    return Fraction((-1) ** sign * int(mantissa)) * Fraction(2) ** int(exponent)


# ------------------------------------------------------------------------------------------------ the independent way


@dataclass(frozen=True)
class Part:
    """``count`` equal losses, by how many of them sit in each atom and how many are spread between the ends."""

    loss: Loss
    count: int

    @property
    def size(self) -> Any:
        assert isinstance(self.loss, LaplaceLoss | BoundedRangeLoss)
        return mpmath.mpf(self.loss.largest.numerator) / self.loss.largest.denominator  # type: ignore[union-attr]

    def cases(self) -> Iterator[tuple[Any, Any, int]]:
        """Probability without the spread ones' factor, value of the atoms' sum, number of spread losses."""
        if isinstance(self.loss, BoundedRangeLoss):
            yield mpmath.mpf(1), mpmath.mpf(0), self.count
            return
        for up in range(self.count + 1):
            for down in range(self.count - up + 1):
                spread = self.count - up - down
                ways = math.comb(self.count, up) * math.comb(self.count - up, down)
                probability = ways * mpmath.mpf(0.5) ** up * (mpmath.exp(-self.size) / 2) ** down
                yield probability, (up - down) * self.size, spread

    def density(self, spread: int, value: Any) -> Any:
        """Of the sum of that many spread losses: exponential tilt times a cardinal B-spline."""
        unit = 1 / (4 * mpmath.exp(self.size / 2))
        if isinstance(self.loss, BoundedRangeLoss):
            unit = mpmath.exp(-self.size / 2) / (2 * (1 - mpmath.exp(-self.size)))
        width = 2 * self.size
        uniform = spline(spread, (value + spread * self.size) / width) / width
        return (unit * width) ** spread * mpmath.exp(value / 2) * uniform


def spline(order: int, t: Any) -> Any:
    """The density of a sum of uniforms on [0, 1], by de Boor's recursion: positive terms only."""
    values = [mpmath.mpf(0 <= t - k < 1) for k in range(order)]
    for degree in range(2, order + 1):
        values = [
            ((t - k) * values[k] + (degree - t + k) * values[k + 1]) / (degree - 1) for k in range(order - degree + 1)
        ]
    return values[0]


@functools.cache
def nodes() -> list[tuple[Any, Any]]:
    """Gauss and Legendre's rule: numpy's nodes, made better by Newton's method."""
    with mpmath.workdps(DIGITS + 10):
        found = []
        for rough in np.polynomial.legendre.leggauss(NODES)[0]:
            x = mpmath.mpf(float(rough))
            for _ in range(4):
                value, slope = _legendre(x)
                x -= value / slope
            found.append((x, 2 / ((1 - x * x) * _legendre(x)[1] ** 2)))
        return found


def _legendre(x: Any) -> tuple[Any, Any]:
    """The polynomial of degree NODES, and its slope."""
    before, here = mpmath.mpf(1), x
    for n in range(1, NODES):
        before, here = here, ((2 * n + 1) * x * here - n * before) / (n + 1)
    return here, NODES * (before - x * here) / (1 - x * x)


def integral(function: Callable[[Any], Any], breaks: list[Any]) -> Any:
    total = mpmath.mpf(0)
    for low, high in itertools.pairwise(sorted(breaks)):
        half, middle = (high - low) / 2, (high + low) / 2
        if half > mpmath.mpf(10) ** -25:
            total += half * sum(weight * function(middle + half * node) for node, weight in nodes())
    return total


def truth(parts: list[Part], x: Any) -> Any:
    """``E[(1 - e^(x - L))_+]`` by conditioning and nested quadrature between all kinks."""
    if not parts:
        return max(mpmath.mpf(0), -mpmath.expm1(x))
    first, *rest = parts
    if not isinstance(first.loss, LaplaceLoss | BoundedRangeLoss):
        following = rest if first.count == 1 else [Part(first.loss, first.count - 1), *rest]
        return sum(likely * truth(following, x - loss) for loss, likely in atoms_of(first.loss))
    knots = grid(rest)
    total = mpmath.mpf(0)
    for probability, place, spread in first.cases():
        if not spread:
            total += probability * truth(rest, x - place)
            continue
        borders = [(2 * k - spread) * first.size for k in range(spread + 1)]
        kinks = [x - place - knot for knot in knots if borders[0] < x - place - knot < borders[-1]]
        density = functools.partial(first.density, spread)
        total += probability * integral(functools.partial(_excess, density, rest, x - place), [*borders, *kinks])
    return total


def atoms_of(loss: Loss) -> list[tuple[Any, Any]]:
    """The values with their probabilities, which other tests check."""
    assert isinstance(loss, AtomicLoss)
    with precision(200):
        pairs = [[Fraction(ends(each)[0]) for each in (atom.loss, atom.likely)] for atom in loss.atoms()]
    return [tuple(mpmath.mpf(each.numerator) / each.denominator for each in pair) for pair in pairs]


def _excess(density: Callable[[Any], Any], rest: list[Part], x: Any, value: Any) -> Any:
    return density(value) * truth(rest, x - value)


def grid(parts: list[Part]) -> list[Any]:
    """Where the profile of these has kinks."""
    found = {mpmath.mpf(0)}
    for part in parts:
        steps = [(part.count - 2 * k) * part.size for k in range(part.count + 1)]
        found = {a + b for a in found for b in steps}
    return sorted(found)


def random_parts(index: int) -> list[Part]:
    rng = random.Random(7_000 + index)
    kind = index % 6

    def size() -> Fraction:
        return Fraction(rng.randint(1, 300), 100)

    def smooth(most: int) -> Part:
        made = LaplaceLoss if rng.random() < 0.5 else BoundedRangeLoss
        return Part(made(size()), rng.randint(1, most))

    if kind < 4:
        return [smooth(9 if kind < 2 else 4)]
    if kind == 4:
        return [smooth(2), smooth(1)]
    atomic = TwoPoint(size()) if rng.random() < 0.5 else StaircaseLoss(size(), Fraction(rng.choice([1, 2, 4]), 5))
    return [Part(atomic, rng.randint(1, 2)), smooth(3)]


@pytest.mark.parametrize("index", range(60))
def test_random_problems_against_quadrature(index: int) -> None:
    parts = random_parts(index)
    found = engine(*((part.loss, part.count) for part in parts))
    largest = sum((part.count * Fraction(part.loss.largest) for part in parts), start=Fraction(0))  # type: ignore[arg-type]
    rng = random.Random(index)
    knot = largest - 2 * Fraction(parts[-1].loss.largest)  # type: ignore[arg-type]
    with mpmath.workdps(DIGITS):
        places = [largest * Fraction(rng.randint(1, 99), 100), knot, Fraction(0), -largest * Fraction(1, 3)]
        for x in places if len(parts) == 1 else places[:2]:
            answer = found.delta(x)
            exact = rational(truth(parts, mpmath.mpf(x.numerator) / x.denominator))
            assert answer.lower - ORACLE_ERROR <= exact <= answer.upper + ORACLE_ERROR, (parts, x)
            assert answer.relative_width < WIDEST
        target = found.delta(largest * Fraction(rng.randint(5, 95), 100)).upper
        assert isinstance(target, Fraction)
        inverse = found.epsilon(Enclosure.exactly(target))
        lower, upper = (truth(parts, mpmath.mpf(end.numerator) / end.denominator) for end in _ends(inverse))
        assert rational(lower) >= target - ORACLE_ERROR
        assert rational(upper) <= target + ORACLE_ERROR
        assert inverse.relative_width < WIDEST


def _ends(found: Enclosure) -> tuple[Fraction, Fraction]:
    assert isinstance(found.lower, Fraction)
    assert isinstance(found.upper, Fraction)
    return found.lower, found.upper


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("x", ["-3", "-0.9", "-0.2", "0", "0.4", "1.5"])
def test_atoms_that_are_a_part_of_a_law(direction: Direction, x: str) -> None:
    """Beside a failure the finite losses have another total under Q than under P, so there is no mirror."""
    atomic = SampledAtoms(TwoPoint(Fraction(1, 2)), Fraction(1, 3), direction, Fraction(1, 10))
    parts = [Part(atomic, 2), Part(LaplaceLoss(Fraction(3, 4)), 2)]
    with mpmath.workdps(DIGITS):
        exact = rational(truth(parts, mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator))
    answer = engine(*((part.loss, part.count) for part in parts)).delta(Fraction(x))
    assert answer.lower - ORACLE_ERROR <= exact <= answer.upper + ORACLE_ERROR
    assert answer.relative_width < WIDEST


# -------------------------------------------------------------------------------------------------- known numbers


@pytest.mark.parametrize(("ratio", "count", "question", "value", "method"), REFERENCES)
def test_references(ratio: str, count: int, question: dict[str, str], value: str, method: str) -> None:
    assert method
    asked = engine(laplace(ratio, count))
    found = asked.delta(Fraction(question["epsilon"])) if "epsilon" in question else None
    found = asked.epsilon(exactly(question["delta"])) if found is None else found
    printed = Fraction(value)
    assert found.lower <= printed * (1 + LAST_DIGIT)
    assert printed * (1 - LAST_DIGIT) <= found.upper
    assert found.relative_width < WIDEST


@pytest.mark.parametrize("loss", [LaplaceLoss(Fraction(7, 10)), BoundedRangeLoss(Fraction(7, 10))])
@pytest.mark.parametrize("x", ["-3", "-0.69", "-0.3", "0", "0.2", "0.699999", "0.71", "5"])
def test_one_loss_as_in_closed_form(loss: Loss, x: str) -> None:
    assert engine((loss, 1)).delta(Fraction(x)).intersects(ClosedForm(loss).delta(Fraction(x)))


@pytest.mark.parametrize("target", ["0.4", "0.1", "1e-3", "1e-20", "1e-300"])
def test_the_inverse_of_one_loss_as_in_closed_form(target: str) -> None:
    loss = LaplaceLoss(Fraction(7, 10))
    assert engine((loss, 1)).epsilon(exactly(target)).intersects(ClosedForm(loss).epsilon(exactly(target)))


def test_one_laplace_in_words() -> None:
    """With ratio 1, ``delta(x) = 1 - e^((x - 1)/2)``: at delta = 1/10 it is 1 + 2 ln 0.9."""
    found = engine(laplace(1)).epsilon(exactly("0.1"))
    with mpmath.workdps(40):
        exact = rational(1 + 2 * mpmath.log(mpmath.mpf(9) / 10))
    assert exact in found
    assert found.relative_width < WIDEST


@pytest.mark.parametrize("x", ["-1.5", "-0.4", "0", "0.3", "1", "1.7"])
def test_two_laplace_by_mpmath_quadrature(x: str) -> None:
    """One of the two is conditioned on; the profile of the other is elementary."""
    with mpmath.workdps(DIGITS):

        def one(y: Any) -> Any:
            if y >= 1:
                return mpmath.mpf(0)
            return 1 - mpmath.exp((y - 1) / 2) if y > -1 else 1 - mpmath.exp(y)

        at = mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator
        breaks = sorted({mpmath.mpf(-1), mpmath.mpf(1)} | {b for b in (at - 1, at + 1) if -1 < b < 1})
        spread = mpmath.quad(lambda value: mpmath.exp((value - 1) / 2) / 4 * one(at - value), breaks)
        exact = rational(one(at - 1) / 2 + mpmath.exp(-1) / 2 * one(at + 1) + spread)
    found = engine(laplace(1, 2)).delta(Fraction(x))
    assert found.lower - ORACLE_ERROR <= exact <= found.upper + ORACLE_ERROR


# ----------------------------------------------------------------------------------------------------- properties

COMPOSITIONS = [
    (laplace("1/2", 30),),
    (laplace("1/10", 100),),
    (laplace("1/10", 12), laplace("1/7", 9)),
    (ranged("1/3", 25),),
    (laplace("2/7", 5), ranged("1/9", 6), (TwoPoint(Fraction(1, 2)), 3)),
    (laplace("1e-100", 3),),
    (laplace("1e6", 3), laplace("1e-3", 2)),
]


@pytest.mark.parametrize("losses", COMPOSITIONS)
def test_delta_falls(losses: tuple[tuple[Loss, int], ...]) -> None:
    asked = engine(*losses)
    top = sum((count * Fraction(loss.largest) for loss, count in losses), start=Fraction(0))  # type: ignore[arg-type]
    found = [asked.delta(top * Fraction(k, 24)) for k in range(-30, 31)]
    assert all(later.lower <= earlier.upper for earlier, later in itertools.pairwise(found))
    assert all(each.relative_width < WIDEST for each in found)
    assert found[54] == Enclosure.exactly(0)
    assert found[-1] == Enclosure.exactly(0)


@pytest.mark.parametrize("losses", COMPOSITIONS[:5])
def test_the_pair_is_its_own_mirror(losses: tuple[tuple[Loss, int], ...]) -> None:
    """``delta(-x) = 1 - e^-x + e^-x delta(x)`` for pairs that look the same from both sides."""
    asked, x = engine(*losses), Fraction(1, 3)
    right, left = asked.delta(x), asked.delta(-x)
    with mpmath.workdps(40):
        factor = rational(mpmath.exp(mpmath.mpf(-1) / 3))
    slack = Fraction(1, 10**38)
    assert left.lower - slack <= 1 - factor + factor * right.upper
    assert 1 - factor + factor * right.lower <= left.upper + slack


@pytest.mark.parametrize("losses", COMPOSITIONS)
@pytest.mark.parametrize("target", ["1e-2", "1e-9", "1e-40", "1e-300"])
def test_epsilon_and_delta_agree(losses: tuple[tuple[Loss, int], ...], target: str) -> None:
    asked = engine(*losses)
    found = asked.epsilon(exactly(target))
    lower, upper = _ends(found)
    assert found.relative_width < WIDEST
    assert lower == 0 or asked.delta(lower).upper >= Fraction(target)
    assert asked.delta(upper).lower <= Fraction(target)


def test_a_thousand() -> None:
    asked = engine(laplace("1/10", 1000))
    began = time.monotonic()
    found = asked.epsilon(exactly("1e-5"))
    assert time.monotonic() - began < 120
    assert found.relative_width < WIDEST
    lower, upper = _ends(found)
    assert asked.delta(lower).upper >= Fraction("1e-5")
    assert asked.delta(upper).lower <= Fraction("1e-5")


# ----------------------------------------------------------------------------------------------------- edge cases


def test_knots_and_the_largest_loss() -> None:
    asked = engine(laplace("1/10", 30))
    assert asked.delta(Fraction(3)) == Enclosure.exactly(0)
    assert asked.delta(Fraction("1e400")) == Enclosure.exactly(0)
    near = asked.delta(3 - Fraction(1, 10**30))
    assert 0 < near.lower <= near.upper < Fraction(1, 10**38)
    for knot in range(-30, 30, 2):
        at, left, right = (asked.delta(Fraction(knot, 10) + shift * Fraction(1, 10**50)) for shift in (0, -1, 1))
        assert right.lower <= at.upper
        assert at.lower <= left.upper
        assert at.relative_width < WIDEST


@pytest.mark.parametrize("x", ["-3", "-4", "-1e400"])
def test_below_the_least_loss(x: str) -> None:
    with mpmath.workdps(60):
        exact = rational(1 - mpmath.exp(mpmath.mpf(x)))
    found = engine(laplace("1/10", 30)).delta(Fraction(x))
    assert found.lower - Fraction(1, 10**50) <= exact <= found.upper + Fraction(1, 10**50)


def test_logarithms() -> None:
    """At a knot or at the largest loss, written as logarithms, no ball can tell on which side x lies."""
    asked = engine(ranged(Logarithm.of(Fraction(2)), 4))
    found = asked.delta(Logarithm.of(Fraction(4)))
    beside = asked.delta(Fraction("1.38629436111989061883446424291635313615"))
    assert found.relative_width < WIDEST
    assert abs(_ends(found)[1] - _ends(beside)[1]) < Fraction(1, 10**30)
    top = asked.delta(Logarithm.of(Fraction(16)))
    assert top.lower == 0
    assert top.upper < Fraction(1, 10**2000)
    assert Fraction(15, 16) in asked.delta(Logarithm.of(Fraction(1, 16)))


def test_targets_around_delta_at_0() -> None:
    asked = engine(laplace("1/10", 30))
    lower, upper = _ends(asked.delta(Fraction(0)))
    assert asked.epsilon(Enclosure.exactly(upper)) == Enclosure.exactly(0)
    assert asked.epsilon(exactly("0.999999")) == Enclosure.exactly(0)
    assert asked.epsilon(Enclosure.exactly(lower - Fraction(1, 10**12))).lower > 0
    with pytest.raises(UndecidedError):  # x lies between 0 and about 1e-40: no relative width
        asked.epsilon(Enclosure(lower, upper))
    small = engine(laplace("1e-50", 2))
    assert small.epsilon(exactly("1e-3")) == Enclosure.exactly(0)


def test_a_wide_target() -> None:
    asked = engine(laplace("1/2", 30))
    found = asked.epsilon(Enclosure(Fraction("1e-6"), Fraction("1.1e-6")))
    assert found.lower <= asked.epsilon(exactly("1.1e-6")).lower
    assert asked.epsilon(exactly("1e-6")).upper <= found.upper
    assert found.relative_width < 0.1


@pytest.mark.parametrize(
    "losses",
    [
        (laplace(1, 1001),),
        (laplace(1, 10**12),),
        (laplace(1, 600), ranged(1, 600)),
        (laplace(1, 2), (TwoPoint(Fraction(1)), 10**9)),
        (laplace(1, 300), laplace(2, 300)),
        (laplace("1e-101", 2),),
        (laplace("1e7", 2),),
        (laplace(1, 2), (GaussianLoss(Fraction(1)), 1)),
        ((TwoPoint(Fraction(1)), 3),),
        (),
    ],
)
def test_what_is_refused(losses: tuple[tuple[Loss, int], ...]) -> None:
    assert Residues.of(losses) is None


def test_what_it_says_of_itself() -> None:
    asked = engine(laplace("1/10", 30))
    assert asked.name == "residues"
    assert asked.precision.startswith("balls")
    assert asked.cost == "up to 31 residues of order 30"

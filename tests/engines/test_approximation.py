"""The polynomial-time scheme as a second opinion: wide, but on the right side at both ends."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import pytest

import optcomp as oc
from tests.oracles.brute_force import BruteForce, Exponent, ln, plain, to_fraction

SLACK = Fraction(1, 10**50)


def draw_epsilons(index: int) -> list[Exponent]:
    draw = random.Random(f"second opinion {index}")
    makers = [
        lambda: plain(Fraction(draw.randint(1, 999), 10 ** draw.randint(1, 4))),
        lambda: ln(1 + Fraction(draw.randint(1, 30), draw.randint(1, 30))),
        lambda: plain(Fraction(draw.randint(1, 10**15), 10**15)),
        lambda: plain(draw.choice([Fraction(1, 10**12), Fraction(20)])),
    ]
    return [draw.choice(makers)() for _ in range(draw.randint(1, 7))]


def profile(epsilons: list[Exponent]) -> oc.Profile:
    parts = [oc.PureDP(epsilon=each.rational if each.argument == 1 else f"ln({each.argument})") for each in epsilons]
    return oc.compose(parts, engine="approximation")


def contains(found: oc.Enclosure, truth: object) -> bool:
    true = to_fraction(truth)
    return bool(found.lower <= true + abs(true) * SLACK and true - abs(true) * SLACK <= found.upper)


@pytest.mark.parametrize("index", range(24))
def test_random_problems(index: int) -> None:
    epsilons = draw_epsilons(index)
    oracle, found = BruteForce([(each, Fraction(0)) for each in epsilons]), profile(epsilons)
    with mpmath.workdps(60):
        total = to_fraction(oracle.sum.value())
    for share in ("0", "0.3", "0.9", "-0.2", "1.2"):
        x = Fraction(f"{float(total * Fraction(share)):.5g}")
        assert contains(found.delta(x), oracle.delta(plain(x)))
    at_zero = to_fraction(oracle.delta(plain(0)))
    for factor in ("0.9", "0.5", "1e-2", "1e-9", "1e-40"):
        assert contains(found.epsilon(Fraction(factor) * at_zero), oracle.epsilon(Fraction(factor) * at_zero))


@pytest.mark.parametrize("width", ["1e-1", "1e-2", "1e-3"])
def test_the_width_falls_with_the_wanted_one(width: str) -> None:
    epsilons = [plain(Fraction(100 + 7 * n, 1000)) for n in range(8)]
    found = profile(epsilons).epsilon("1e-3", width=width)
    assert found.relative_width <= float(width)
    assert contains(found, BruteForce([(each, Fraction(0)) for each in epsilons]).epsilon(Fraction(1, 1000)))


def test_it_is_never_the_first_choice_and_never_called_exact() -> None:
    parts = [oc.PureDP(epsilon=f"ln({k + 1}/{k})").repeated(3) for k in range(10, 70)]
    assert oc.compose(parts).choice.name != "approximation"
    assert not profile([plain(1)]).choice.rule.exact


@pytest.mark.parametrize("epsilons", [["1e200", "1e-200"], ["1e-200", "2e200"]])
def test_epsilons_beyond_its_floats_are_not_taken(epsilons: list[str]) -> None:
    with pytest.raises(oc.UnsupportedError) as caught:
        oc.compose([oc.PureDP(epsilon=each) for each in epsilons], engine="approximation").delta(1)
    assert caught.value.field == "engine"

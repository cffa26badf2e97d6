"""Staircase noise on a grid: its law, its promise, and its loss, by enumeration."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest

from optcomp.mechanisms import Staircase
from optcomp.noise import GridStaircase
from optcomp.quantities import exponential, scaled

GRIDS = [(steps, fall) for steps in range(1, 9) for fall in range(1, steps + 1)]


def weights(noise: GridStaircase, reach: int) -> dict[int, Fraction]:
    decay = exponential(scaled(noise.epsilon, Fraction(-1)))
    assert decay is not None
    return {z: decay ** noise.level(abs(z)) for z in range(-reach, reach + 1)}


@pytest.mark.parametrize(("steps", "fall"), GRIDS)
def test_every_ratio_is_within_epsilon_and_the_loss_is_as_said(steps: int, fall: int) -> None:
    noise, t = GridStaircase(epsilon="ln(3)", steps=steps, fall=fall), Fraction(3)
    reach = 40 * steps
    law = weights(noise, reach + steps)
    total = sum((law[z] for z in range(-reach, reach + 1)), start=Fraction(0))
    tail = Fraction(1, 3**38)
    for shift in range(-steps, steps + 1):
        masses: defaultdict[int, Fraction] = defaultdict(Fraction)
        for z in range(-reach, reach + 1):
            ratio = law[z] / law[z + shift]
            assert ratio in {1 / t, Fraction(1), t}
            masses[{1 / t: -1, Fraction(1): 0, t: 1}[ratio]] += law[z] / total
        for sign, mass in noise.losses(abs(shift)).items():
            assert mass.lower - tail <= masses[sign] <= mass.upper + tail
    assert noise.probability(2).lower - tail <= law[2] / total <= noise.probability(2).upper + tail


def test_a_shift_beyond_the_sensitivity_breaks_the_promise() -> None:
    noise = GridStaircase(epsilon="ln(3)", steps=4, fall=2)
    law = weights(noise, 20)
    assert max(law[z] / law[z + 5] for z in range(10)) > 3


@pytest.mark.parametrize(("gamma", "fall"), [("0", 1), ("0.01", 1), ("0.5", 5), ("0.54", 5), ("0.55", 6), ("1", 10)])
def test_a_staircase_is_put_on_a_grid(gamma: str, fall: int) -> None:
    noise = GridStaircase.of(Staircase(epsilon=1, gamma=gamma, sensitivity=2), step="0.2")
    assert (noise.steps, noise.fall, noise.epsilon) == (10, fall, Fraction(1))
    assert GridStaircase.of(Staircase(epsilon=1, gamma=gamma, sensitivity=0), step=1).steps == 0


def test_probabilities_sum_to_1() -> None:
    noise = GridStaircase(epsilon=2, steps=3, fall=2)
    found = [noise.probability(z) for z in range(-150, 151)]
    assert sum(each.lower for each in found) <= 1 <= sum(each.upper for each in found) + Fraction(1, 10**20)
    assert GridStaircase(epsilon=2, steps=0, fall=0).probability(0).is_exact
    assert noise.losses(0)[0].lower == 1

"""Ripples against balls: their errors cover the truth, and what they say to be an upper bound is one."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import flint
import numpy as np
import numpy.typing as npt
import pytest

from optcomp.losses import Loss, worst_case
from optcomp.losses.ripples import Followed
from optcomp.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    Staircase,
)
from optcomp.numerics.balls import ball, complex_ball, precision
from optcomp.numerics.ripples import Ripple

Floats = npt.NDArray[np.float64]

BITS = 160
KINDS = (
    "two_point",
    "normal",
    "laplace",
    "staircase",
    "categories",
    "discrete_laplace",
    "discrete_normal",
    "narrow_discrete_normal",
    "sampled_normal",
    "sampled_laplace",
    "sampled_two_point",
    "bounded_range",
)
SAMPLE, NIGHTLY = 6, 100


def number(rng: random.Random, least: float, most: float) -> Fraction:
    return Fraction(f"{math.exp(rng.uniform(math.log(least), math.log(most))):.3e}")


def mechanism(kind: str, rng: random.Random) -> Mechanism:
    share = number(rng, 1e-5, 0.9)
    made: dict[str, Mechanism] = {
        "two_point": PureDP(epsilon=number(rng, 1e-3, 20)),
        "normal": Gaussian(variance=number(rng, 1e-3, 1e5)),
        "laplace": Laplace(scale=number(rng, 0.05, 1e3)),
        "staircase": Staircase(epsilon=number(rng, 1e-2, 10), gamma=Fraction(rng.randint(0, 49), 100)),
        "categories": RandomizedResponse(probability=Fraction(rng.randint(1, 99), 101), categories=rng.randint(3, 9)),
        "discrete_laplace": DiscreteLaplace(scale=number(rng, 0.3, 1e2), sensitivity=rng.randint(2, 6)),
        "discrete_normal": DiscreteGaussian(variance=number(rng, 0.3, 1e3), sensitivity=rng.randint(1, 4)),
        "narrow_discrete_normal": DiscreteGaussian(variance=number(rng, 0.03, 0.29), sensitivity=rng.randint(1, 3)),
        "sampled_normal": Gaussian(noise_multiplier=number(rng, 0.3, 30)),
        "sampled_laplace": Laplace(scale=number(rng, 0.2, 50)),
        "sampled_two_point": PureDP(epsilon=number(rng, 0.05, 8)),
        "bounded_range": Exponential(epsilon=number(rng, 0.01, 10)),
    }
    found = made[kind]
    return PoissonSampled(mechanism=found, sampling_probability=share) if kind.startswith("sampled") else found


def short(value: float) -> float:
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(mantissa * 4096), exponent - 12)


class Case:
    """One loss on one line, and its truth in balls."""

    def __init__(self, kind: str, seed: int) -> None:
        rng = random.Random(f"{kind} {seed}")
        loss = worst_case(mechanism(kind, rng), rng.choice(["remove", "add"])).loss
        assert loss is not None
        self.loss: Loss = loss
        self.count = rng.choice([1, 2, 7, 1000])
        sampled = kind.startswith("sampled")
        self.tilt = short(math.exp(rng.uniform(math.log(1e-3), math.log(30.0 if sampled else 1e3))))
        top = math.exp(rng.uniform(-2, math.log(60.0 if sampled else 1e4)))
        self.heights: Floats = np.sort(np.array([top * rng.random() for _ in range(4)]))
        self.half: Floats = self.heights * np.array([rng.choice([0.0, 1e-3, 0.1]) for _ in self.heights])
        self.side = rng.uniform(-1, 1)
        with np.errstate(all="ignore"):
            self.followed = Followed([(loss, self.count)])
            self.ripple: Ripple = self.followed.ripples(self.tilt, top)[0]

    def truth(self, height: float) -> tuple[flint.arb, flint.arb]:
        """``ln |M(s)/M(tilt)|`` of all laws, and the angle up to whole turns of each."""
        at = self.loss.growth(complex_ball(ball(self.tilt), ball(float(height))))
        logarithm = flint.acb(at / self.loss.growth(ball(self.tilt))).log()
        return self.count * logarithm.real, self.count * logarithm.imag


def exceeds(truth: flint.arb, bound: float) -> bool:
    return bool(truth > ball(float(bound)) + abs(ball(float(bound))) * ball(1e-11))


def faults(case: Case) -> list[str]:
    found = []
    enough = np.full(len(case.heights), -1e9)
    with np.errstate(all="ignore"):
        swing = case.ripple.swing(case.heights)
        screened = case.ripple.screen(case.heights, np.zeros(len(case.heights)), enough)
        around = case.ripple.screen(case.heights, case.half, enough)
        beyond = [case.ripple.beyond(float(height)) for height in case.heights]
    with precision(BITS):
        for place, height in enumerate(case.heights):
            modulus, angle = case.truth(height)
            error = ball(float(min(swing.error[place], 1e300)))
            turned = flint.acb(0, angle - ball(float(swing.angle[place]))).exp().log().imag
            if abs(modulus - ball(float(swing.modulus[place]))) > error:
                found.append(f"modulus at {height}: {swing.modulus[place]}, not {modulus}")
            if abs(turned) > error:
                found.append(f"angle at {height}: off by {turned}")
            if exceeds(modulus, screened[place]):
                found.append(f"screen at {height}: {screened[place]}, not {modulus}")
            near = float(height + case.side * case.half[place])
            if exceeds(case.truth(near)[0], around[place]):
                found.append(f"screen around {height}: {around[place]}")
            found += [
                f"beyond {height}: {beyond[place]}"
                for further in (1.0, 1.37, 3.0)
                if exceeds(case.truth(float(height) * further)[0], beyond[place])
            ]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_ripples_hold_the_truth(kind: str) -> None:
    assert [fault for seed in range(SAMPLE) for fault in faults(Case(kind, seed))] == []


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_ripples_hold_the_truth_anywhere(kind: str) -> None:
    assert [fault for seed in range(NIGHTLY) for fault in faults(Case(kind, 1000 + seed))] == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_careful_growth_is_close(kind: str) -> None:
    for seed in range(SAMPLE):
        case = Case(kind, seed)
        with np.errstate(all="ignore"):
            found = case.followed.rough_log_growth(case.tilt, careful=True)
        with precision(BITS):
            assert abs(case.count * case.loss.growth(ball(case.tilt)).log() - ball(found)) < 1e-8 * (1 + abs(found))

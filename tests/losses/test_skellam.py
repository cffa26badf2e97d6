"""Skellam losses against mpmath's Bessel functions and against plain enumeration."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import optcomp as oc
from optcomp.losses import SkellamLoss
from optcomp.numerics.balls import ball, complex_ball, ends, precision

CASES = [(Fraction(1, 10), 1), (Fraction(1), 3), (Fraction(20), 1), (Fraction(50), 4)]
cases = pytest.mark.parametrize(("variance", "sensitivity"), CASES)


def law(variance: Fraction, reach: int) -> dict[int, Any]:
    v = mpmath.mpf(variance.numerator) / variance.denominator
    half = [mpmath.exp(-v) * mpmath.besseli(k, v) for k in range(reach + 1)]
    return {x: half[abs(x)] for x in range(-reach, reach + 1)}


def within(value: Any, interval: Any) -> bool:
    low, high = ends(interval)
    slack = abs(value) * mpmath.mpf(10) ** -35 + mpmath.mpf(10) ** -60
    exact = [mpmath.mpf(Fraction(each).numerator) / Fraction(each).denominator for each in (low, high)]
    return bool(exact[0] - slack <= value <= exact[1] + slack) and bool(
        exact[1] - exact[0] <= 1e-25 * max(abs(value), 1)
    )


@cases
def test_growth_is_the_sum(variance: Fraction, sensitivity: int) -> None:
    loss = SkellamLoss(variance, sensitivity)
    with mpmath.workdps(45), precision(160):
        noise = law(variance, 300)
        pairs = [(noise[x], noise[x - sensitivity]) for x in range(-290, 291)]
        for s in ("0", "-1", "-0.5", "0.7", "3", "12.5"):
            wanted = mpmath.fsum(p ** (1 + mpmath.mpf(s)) * q ** -mpmath.mpf(s) for p, q in pairs)
            assert within(wanted, loss.growth(ball(Fraction(s))))
        s = mpmath.mpc("1.25", "-2.5")
        wanted = mpmath.fsum(p * mpmath.exp(s * mpmath.log(p / q)) for p, q in pairs)
        found = loss.growth(complex_ball(ball(Fraction("1.25")), ball(Fraction("-2.5"))))
        assert within(wanted.real, found.real)
        assert within(wanted.imag, found.imag)


def test_nothing_is_claimed_of_huge_powers() -> None:
    with precision(96):
        assert not SkellamLoss(Fraction(3), 1).growth(ball(10**12)).is_finite()


@cases
def test_tails_are_sums(variance: Fraction, sensitivity: int) -> None:
    loss = SkellamLoss(variance, sensitivity)
    with mpmath.workdps(45), precision(160):
        noise = law(variance, 300)
        pairs = [(noise[x], noise[x - sensitivity]) for x in range(-290, 291)]
        for level in ("-2", "-0.3", "0", "0.3", "2"):
            above = [(p, q) for p, q in pairs if mpmath.log(p / q) > mpmath.mpf(level) + mpmath.mpf(10) ** -30]
            likely, unlikely = loss.above(ball(Fraction(level)))
            assert within(mpmath.fsum(p for p, _ in above), likely)
            assert within(mpmath.fsum(q for _, q in above), unlikely)


@cases
def test_levels_far_out_leave_next_to_nothing(variance: Fraction, sensitivity: int) -> None:
    loss = SkellamLoss(variance, sensitivity)
    with precision(128):
        for level in (10**3, 10**9):
            assert all(0 <= ends(tail)[1] < 1e-300 for tail in loss.above(ball(level)))
            assert all(ends(1 - tail)[1] < 1e-30 for tail in loss.above(ball(-level)))


@cases
def test_one_mechanism_against_enumeration(variance: Fraction, sensitivity: int) -> None:
    profile = oc.compose(oc.Skellam(variance=variance, sensitivity=sensitivity))
    with mpmath.workdps(45):
        noise = law(variance, 300)
        for epsilon in ("0", "0.25", "1", "3"):
            factor = mpmath.exp(mpmath.mpf(epsilon))
            wanted = mpmath.fsum(
                max(noise[x] - factor * noise[x - sensitivity], mpmath.mpf(0)) for x in range(-290, 291)
            )
            found = profile.delta(epsilon)
            assert mpmath.mpf(str(float(found.lower))) <= wanted * (1 + mpmath.mpf("1e-15"))
            assert wanted * (1 - mpmath.mpf("1e-15")) <= mpmath.mpf(str(float(found.upper)))
            assert float(found.relative_width) < 1e-15


@cases
def test_smaller_shifts_leak_less(variance: Fraction, sensitivity: int) -> None:
    full = oc.compose(oc.Skellam(variance=variance, sensitivity=sensitivity + 1)).delta("0.5")
    assert oc.compose(oc.Skellam(variance=variance, sensitivity=sensitivity)).delta("0.5").upper <= full.lower


def by_enumeration(
    variance: Fraction, sensitivity: int, count: int, epsilon: float, step: float
) -> tuple[float, float]:
    """Bounds on delta: every loss is rounded up, or down, to a grid, and sums are direct convolutions."""
    reach = int(12 * math.sqrt(variance)) + 30
    with mpmath.workdps(30):
        noise = law(variance, reach + sensitivity)
        kept = [(noise[x], noise[x - sensitivity]) for x in range(-reach, reach + 1)]
        kept = [(p, q) for p, q in kept if p > 1e-14]
        left = float(1 - mpmath.fsum(p for p, _ in kept))
        losses = [(float(p), float(mpmath.log(p / q))) for p, q in kept]
    bounds = []
    for side in (math.floor, math.ceil):
        places = np.array([side(loss / step) for _, loss in losses])
        one = np.zeros(places.max() - places.min() + 1)
        np.add.at(one, places - places.min(), [p for p, _ in losses])
        total = np.ones(1)
        for _ in range(count):
            total = np.convolve(total, one)
        values = (np.arange(len(total)) + count * places.min()) * step
        bounds.append(float(total @ np.maximum(-np.expm1(np.minimum(epsilon - values, 0.0)), 0.0)))
    return bounds[0] - 1e-15, bounds[1] + count * left + 1e-15


@pytest.mark.parametrize(
    ("variance", "sensitivity", "count", "epsilon", "step"),
    [(Fraction(20), 1, 3, 1.0, 1e-4), (Fraction(1), 2, 3, 5.0, 1e-3), (Fraction(20), 1, 30, 3.0, 1e-3)],
)
def test_many_against_enumeration(
    variance: Fraction, sensitivity: int, count: int, epsilon: float, step: float
) -> None:
    low, high = by_enumeration(variance, sensitivity, count, epsilon, step)
    assert high < 1.2 * low
    profile = oc.compose(oc.Skellam(variance=variance, sensitivity=sensitivity).repeated(count))
    assert profile.choice.name == "contour"
    found = profile.delta(str(epsilon), width="1e-5")
    assert low <= found.upper
    assert found.lower <= high
    assert float(found.relative_width) <= 1e-5


def test_it_mixes_with_other_noise() -> None:
    skellam = oc.Skellam(variance=100).repeated(3)
    alone = oc.compose(skellam).epsilon("1e-5", width="1e-4")
    mixed = oc.compose([skellam, oc.Gaussian(variance=100)]).epsilon("1e-5", width="1e-4")
    similar = oc.compose(oc.Gaussian(variance=100).repeated(4)).epsilon("1e-5")
    assert alone.upper < mixed.lower
    assert abs(float(mixed.upper / similar.upper) - 1) < 0.01


def test_the_command_line_takes_a_plan_with_it(tmp_path: Path) -> None:
    plan = {"target": {"delta": "1e-5"}, "release": [{"mechanism": {"kind": "skellam", "variance": "100", "count": 1}}]}
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    command = [sys.executable, "-m", "optcomp", "compose", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    wanted = oc.compose(oc.Skellam(variance=100)).epsilon("1e-5")
    assert f"{float(wanted.upper):.10f}"[:10] in done.stdout

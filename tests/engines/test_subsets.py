"""Limits of the engine for arbitrary different epsilons, and of the sums that it rests on."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import optcomp as oc
from optcomp.engines.auto import build
from optcomp.engines.subsets import Subsets
from optcomp.losses import lower
from optcomp.numerics.elementary import DECAY_ROUNDINGS, RISE_ROUNDINGS, decay_rise
from optcomp.numerics.running import Keys, running_sums
from tests.oracles.brute_force import BruteForce, Exponent, ln, plain, to_fraction

WIDEST = 1e-9
SLACK = Fraction(1, 10**50)
ROUNDING = Fraction(1, 2**53)

Epsilons = list[Exponent]


def mechanism(epsilon: Exponent) -> oc.Mechanism:
    return oc.PureDP(epsilon=epsilon.rational if epsilon.argument == 1 else f"ln({epsilon.argument})")


def profile(epsilons: Epsilons) -> oc.Profile:
    return oc.compose([mechanism(each) for each in epsilons], engine="subsets")


def listed(epsilons: Epsilons) -> BruteForce:
    return BruteForce([(each, Fraction(0)) for each in epsilons])


def assert_holds(answer: oc.Enclosure, truth: Any, widest: float = WIDEST) -> None:
    true = to_fraction(truth)
    assert answer.lower <= true + abs(true) * SLACK
    assert true - abs(true) * SLACK <= answer.upper
    assert answer.relative_width <= widest


def arbitrary(size: int, seed: int = 0) -> list[Fraction]:
    """Different epsilons of 15 digits between 0.01 and 0.4."""
    draw = random.Random(f"arbitrary {size} {seed}")
    return [Fraction(draw.randint(10**13, 4 * 10**14), 10**15) for _ in range(size)]


# ---------------------------------------------------------------------------------------------------- small problems


def problem(index: int) -> Epsilons:
    draw = random.Random(f"subsets {index}")
    makers = [
        lambda: plain(Fraction(draw.randint(1, 10**15), 10**15)),
        lambda: plain(Fraction(draw.randint(1, 999), 10 ** draw.randint(0, 4))),
        lambda: ln(1 + Fraction(draw.randint(1, 30), draw.randint(1, 30))),
        lambda: plain(draw.randint(1, 9) * Fraction(10) ** draw.choice([-12, 0, 4])),
        lambda: plain(Fraction(draw.randint(1, 10**6), draw.randint(10**6, 10**7))),
    ]
    if index % 6 == 5:
        return [draw.choice(makers)() for _ in range(draw.randint(1, 9))]
    return [makers[index % 6]() for _ in range(draw.randint(1, 10))]


@pytest.mark.parametrize("index", range(30))
def test_random_problems(index: int) -> None:
    epsilons = problem(index)
    oracle, found = listed(epsilons), profile(epsilons)
    with mpmath.workdps(80):
        total = to_fraction(oracle.sum.value())
    for share in ("0", "1/7", "1/2", "0.97", "-0.3"):
        x = Fraction(f"{float(total * Fraction(share)):.6g}")
        assert_holds(found.delta(x), oracle.delta(plain(x)))
    at_zero = to_fraction(oracle.delta(plain(0)))
    for factor in ("0.9", "1/2", "1e-3", "1e-12", "1e-40"):
        target = Fraction(factor) * at_zero
        if target < Fraction(9, 10):  # near 1 the slope is too small for an epsilon of nine digits
            assert_holds(found.epsilon(target), oracle.epsilon(target))


def test_tiny_beside_huge() -> None:
    """1e-12 with 1e4: sixteen orders apart, and in the gap of size 1e-12 the delta keeps all its digits."""
    epsilons = [plain(Fraction(1, 10**12)), plain(Fraction(10**4)), plain(Fraction(3, 10**12)), plain(Fraction(2))]
    oracle, found = listed(epsilons), profile(epsilons)
    for x in ("0", "1", "9998", "10002", "10001.999999999999", "10002.0000000000035", "9997.9999999999995"):
        assert_holds(found.delta(x), oracle.delta(plain(Fraction(x))))
    for target in ("1e-3", "1e-13", "1e-20", "0.5"):
        assert_holds(found.epsilon(target), oracle.epsilon(Fraction(target)))


def test_beyond_every_loss_nothing_is_left() -> None:
    epsilons = arbitrary(9)
    found = oc.compose([oc.PureDP(epsilon=each) for each in epsilons], engine="subsets")
    assert found.delta(sum(epsilons)) == oc.Enclosure.exactly(0)
    assert found.delta(sum(epsilons) + 1) == oc.Enclosure.exactly(0)
    below = found.delta(sum(epsilons) - Fraction(1, 10**12))
    assert below.lower > 0


def test_two_epsilons_a_thousand_times_each() -> None:
    """Grouped counts need a tilt; the epsilons have a common step, so another engine knows the answer."""
    parts = [oc.PureDP(epsilon="0.01").repeated(1000), oc.PureDP(epsilon="0.03").repeated(1000)]
    first, second = (oc.compose(parts, engine=name) for name in ("subsets", "lattice"))
    for x in ("0", "2", "5", "17", "-1"):
        answer = first.delta(x)
        assert answer.relative_width <= WIDEST
        assert answer.intersects(second.delta(x))
    for target in ("0.1", "1e-6", "1e-100"):
        answer = first.epsilon(target)
        assert answer.relative_width <= WIDEST
        assert answer.intersects(second.epsilon(target))


# ---------------------------------------------------------------------------------------------------- many different


@pytest.fixture(scope="module")
def thirty_six() -> oc.Profile:
    return oc.compose([oc.PureDP(epsilon=each) for each in arbitrary(36)], engine="subsets")


@pytest.mark.parametrize("x", ["0", "0.7", "2.5", "-1"])
def test_thirty_six_arbitrary_epsilons(thirty_six: oc.Profile, x: str) -> None:
    found = thirty_six.delta(x)
    assert found.relative_width <= 1e-12
    grid = oc.compose(thirty_six.mechanism, engine="bracketing_lattice").delta(x, width="1e-5")
    assert found.intersects(grid)


@pytest.mark.parametrize("target", ["0.1", "1e-6", "1e-30"])
def test_thirty_six_arbitrary_epsilons_the_other_way(thirty_six: oc.Profile, target: str) -> None:
    found = thirty_six.epsilon(target)
    assert found.relative_width <= WIDEST
    if target != "1e-30":
        assert found.intersects(oc.compose(thirty_six.mechanism, engine="bracketing_lattice").epsilon(target))
    assert thirty_six.delta(found.lower).upper >= Fraction(target)
    assert thirty_six.delta(found.upper).lower <= Fraction(target)


def test_forty_arbitrary_epsilons() -> None:
    found = oc.compose([oc.PureDP(epsilon=each) for each in arbitrary(40)], engine="subsets")
    at_one = found.delta(1)
    assert at_one.relative_width <= 2e-12
    back = found.epsilon(at_one.lower)
    assert back.relative_width <= WIDEST
    assert back.upper >= 1
    assert found.epsilon(at_one.upper).lower <= 1


@pytest.mark.parametrize(("size", "takes"), [(1, True), (44, True), (45, False), (60, False)])
def test_how_many_different_epsilons_are_taken(size: int, takes: bool) -> None:
    composite = lower(oc.Sequence(parts=[oc.PureDP(epsilon=each) for each in arbitrary(size)]))
    assert composite.two_points is not None
    assert (Subsets.of(composite.two_points) is not None) == takes
    if not takes:
        with pytest.raises(oc.UnsupportedError) as caught:
            build(composite, "subsets")
        assert caught.value.field == "engine"


def test_counts_that_fit_are_taken_whatever_the_number() -> None:
    parts = [oc.PureDP(epsilon=each).repeated(10**5) for each in arbitrary(2)]
    assert oc.compose(parts, engine="subsets").choice.name == "subsets"


# ---------------------------------------------------------------------------------------------------- running sums


def exact_running(keys: list[int], weights: list[float], step: Fraction, tilt: Fraction) -> list[tuple[Any, Any]]:
    """``mass`` and ``lag`` at every place, by the definition; for few keys."""
    found = []
    for j, at in enumerate(keys):
        mass = lag = mpmath.mpf(0)
        for k, weight in zip(keys[: j + 1], weights[: j + 1], strict=True):
            gap = step * (at - k)
            t = mpmath.mpf(gap.numerator) / gap.denominator
            faded = mpmath.mpf(weight) * mpmath.exp(-t * mpmath.mpf(tilt.numerator) / tilt.denominator)
            mass += faded
            lag -= faded * mpmath.expm1(-t)
        found.append((mass, lag))
    return found


@pytest.mark.parametrize("size", [1, 2, 8, 9, 64, 70])
@pytest.mark.parametrize("tilt", ["0", "1/2", "40"])
@pytest.mark.parametrize("step", [2.0**-10, 3e-9, 0.37])
def test_running_sums_against_their_definition(size: int, tilt: str, step: float) -> None:
    draw = random.Random(f"running {size} {tilt} {step}")
    keys = sorted(draw.choice([draw.randint(0, 3000), draw.randint(0, 40)]) for _ in range(size))
    weights = [draw.random() * 10.0 ** draw.randint(-9, 0) for _ in range(size)]
    shuffled = list(range(size))
    draw.shuffle(shuffled)
    given = np.array([keys[i] for i in shuffled]), np.array([weights[i] for i in shuffled])
    found = running_sums(*given, double_step=step, tilt=float(Fraction(tilt)))
    assert found.keys.tolist() == keys
    allowed = ROUNDING * Fraction(found.roundings) * (1 + Fraction(1, 10**6))
    known = [found.weights.tolist(), found.masses.tolist(), found.lags.tolist()]
    with mpmath.workdps(50):
        exact = exact_running(keys, known[0], Fraction(step), Fraction(tilt))
    for (mass, lag), got_mass, got_lag in zip(exact, known[1], known[2], strict=True):
        for truth, got in ((to_fraction(mass), Fraction(got_mass)), (to_fraction(lag), Fraction(got_lag))):
            assert abs(got - truth) <= truth * (allowed + Fraction(1, 10**40)) + Fraction(1, 10**298)


@pytest.mark.parametrize("size", [3, 20])
def test_running_sums_of_integers_beyond_64_bits(size: int) -> None:
    draw = random.Random(f"long integers {size}")
    ordered = sorted(draw.randint(0, 2**200) for _ in range(size))
    keys: Keys = np.array(ordered, dtype=np.object_)
    step = 2.0**-199
    found = running_sums(keys, np.ones(size), double_step=step, tilt=1.0)
    with mpmath.workdps(80):
        exact = exact_running(ordered, [1.0] * size, Fraction(step), Fraction(1))
    allowed = ROUNDING * Fraction(found.roundings) * (1 + Fraction(1, 10**6))
    for (mass, lag), got_mass, got_lag in zip(exact, found.masses.tolist(), found.lags.tolist(), strict=True):
        assert abs(Fraction(got_mass) - to_fraction(mass)) <= to_fraction(mass) * allowed
        assert abs(Fraction(got_lag) - to_fraction(lag)) <= to_fraction(lag) * allowed


def test_the_promised_roundings_of_a_running_sum_are_worth_something() -> None:
    found = running_sums(np.arange(4096), np.ones(4096), double_step=1e-3, tilt=0.0)
    assert found.roundings <= 1000


# ---------------------------------------------------------------------------------------------------- exponentials


EDGES = [0.0, 5e-324, 1e-310, 2.3e-308, 1e-30, 1e-17, 2.0**-53, 1 / 64, 1 / 64 - 2.0**-59, 0.5, 1.0, 36.7, 690.0, 700.0]


def exponents() -> list[float]:
    draw = random.Random("exponents")
    spread = [10 ** draw.uniform(-20, 2.8) for _ in range(1500)]
    cells = [n / 64 + offset for n in (1, 2, 63, 64, 4000) for offset in (-1e-13, 0.0, 1e-13)]
    return EDGES + [min(t, 690.0) for t in spread] + cells


def test_decay_and_rise_against_many_digits() -> None:
    points = exponents()
    decays, rises = (part.tolist() for part in decay_rise(np.array(points)))
    for t, decay, rise in zip(points, decays, rises, strict=True):
        with mpmath.workdps(50):
            true_decay, true_rise = to_fraction(mpmath.exp(-mpmath.mpf(t))), to_fraction(-mpmath.expm1(-mpmath.mpf(t)))
        room = 1 + Fraction(1, 10**12)
        assert abs(Fraction(decay) - true_decay) <= DECAY_ROUNDINGS * ROUNDING * true_decay * room + Fraction("1e-300")
        least = Fraction(1, 2**1074) if t < 1e-300 else Fraction(0)
        assert abs(Fraction(rise) - true_rise) <= RISE_ROUNDINGS * ROUNDING * true_rise * room + least


def test_the_promised_roundings() -> None:
    assert (DECAY_ROUNDINGS, RISE_ROUNDINGS) == (8, 10)


def test_decay_and_rise_where_nothing_is_left() -> None:
    for t in (744.0, 745.0, 1e5, 1e300, float("inf")):
        decays, rises = decay_rise(np.array([t]))
        assert 0.0 <= decays[0] <= 1e-300
        assert rises[0] == 1.0
    decays, rises = decay_rise(np.array([0.0]))
    assert (decays[0], rises[0]) == (1.0, 0.0)


def test_long_arrays_are_worked_through_in_pieces() -> None:
    points = np.linspace(0.0, 50.0, 40_001)
    whole = decay_rise(points)
    for place in (0, 16_383, 16_384, 32_768, 40_000):
        alone = decay_rise(points[place : place + 1])
        assert (whole[0][place], whole[1][place]) == (alone[0][0], alone[1][0])

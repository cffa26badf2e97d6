"""The two-sided bounds on a grid: they contain the truth, they are as narrow as asked, and their lemmas hold."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import pytest

import optcomp as oc
from optcomp.engines.bracketing_lattice import _SPLIT, BracketingLattice
from optcomp.losses import TwoPoint
from optcomp.numerics.balls import ball, ends, precision
from optcomp.numerics.gaussian_kernel import bump
from tests.oracles.brute_force import BruteForce, Exponent, ln, plain, to_fraction

Losses = tuple[tuple[TwoPoint, int], ...]
FOURTEEN: Losses = tuple((TwoPoint(Fraction(10**14 + 7919 * i**3, 10**15)), 1) for i in range(14))
LEMMA_DIGITS = 40


def draw_losses(index: int) -> tuple[list[oc.Mechanism], BruteForce]:
    """Few losses in every mixture of decimals, long fractions and logarithms, some repeated."""
    draw = random.Random(f"grid {index}")
    parts: list[tuple[Exponent, int]] = []
    for _ in range(draw.randint(1, 4)):
        each = draw.choice(
            [
                plain(Fraction(draw.randint(1, 10**15), 10**15)),
                plain(Fraction(draw.randint(1, 40), 10)),
                ln(1 + Fraction(draw.randint(1, 30), draw.randint(1, 30))),
                plain(Fraction(draw.randint(1, 999), 10**6)),
                plain(Fraction(draw.randint(1, 99), 7)),
            ]
        )
        parts.append((each, draw.choice([1, 1, 2, 5])))
    mechanisms: list[oc.Mechanism] = [
        oc.PureDP(epsilon=each.rational if each.argument == 1 else f"ln({each.argument})").repeated(count)
        for each, count in parts
    ]
    return mechanisms, BruteForce([(each, Fraction(0)) for each, count in parts for _ in range(count)])


def contains(found: oc.Enclosure, truth: Any) -> bool:
    true = to_fraction(truth)
    slack = abs(true) / 10**50
    return bool(found.lower <= true + slack and true - slack <= found.upper)


# ---------------------------------------------------------------------------------------------------- enclosures


@pytest.mark.parametrize(
    ("index", "width"), [*((index, "1e-2") for index in range(24)), *((index, "1e-5") for index in (0, 4, 9, 10, 13))]
)
def test_random_problems(index: int, width: str) -> None:
    """Every answer contains the exact one, and is as narrow as was asked; or the engine says that it cannot."""
    mechanisms, oracle = draw_losses(index)
    profile = oc.compose(mechanisms, engine="bracketing_lattice")
    with mpmath.workdps(60):
        total = to_fraction(oracle.sum.value())
    for share in ("0", "1/3", "0.8", "-0.2"):
        x = Fraction(f"{float(total * Fraction(share)):.5g}")
        try:
            found = profile.delta(x, width=width)
        except oc.UndecidedError:
            continue
        assert found.relative_width <= float(width)
        assert contains(found, oracle.delta(plain(x)))
    at_zero = to_fraction(oracle.delta(plain(0)))
    for factor in ("0.7", "1e-2", "1e-9"):
        try:
            found = profile.epsilon(Fraction(factor) * at_zero, width=width)
        except oc.UndecidedError:
            continue
        assert found.relative_width <= float(width)
        assert contains(found, oracle.epsilon(Fraction(factor) * at_zero))


def test_most_random_problems_are_answered() -> None:
    answered = 0
    for index in range(12):
        try:
            oc.compose(draw_losses(index)[0], engine="bracketing_lattice").delta("0.1", width="1e-4")
        except oc.UndecidedError:
            continue
        answered += 1
    assert answered >= 9


@pytest.mark.parametrize("engine", ["subsets", "lattice", "outcomes"])
@pytest.mark.parametrize("question", ["0", "0.6", "-1"])
def test_exact_engines_agree(engine: str, question: str) -> None:
    parts = [oc.PureDP(epsilon="0.1234").repeated(10), oc.PureDP(epsilon="0.271").repeated(9), oc.PureDP(epsilon="0.4")]
    grid = oc.compose(parts, engine="bracketing_lattice").delta(question, width="1e-6")
    exact = oc.compose(parts, engine=engine).delta(question)
    assert grid.relative_width <= 1e-6
    assert grid.lower <= exact.upper
    assert exact.lower <= grid.upper


@pytest.mark.parametrize("width", ["1e-2", "1e-4", "1e-6", "1e-8"])
def test_the_wanted_width_is_honoured(width: str) -> None:
    profile = oc.compose([oc.PureDP(epsilon=loss.epsilon) for loss, _ in FOURTEEN], engine="bracketing_lattice")
    exact = oc.compose(profile.mechanism, engine="subsets")
    for grid, truth in (
        (profile.delta("0.3", width=width), exact.delta("0.3")),
        (profile.epsilon("1e-3", width=width), exact.epsilon("1e-3")),
    ):
        assert grid.relative_width <= float(width)
        assert grid.intersects(truth)


def test_a_width_out_of_reach_is_undecided() -> None:
    profile = oc.compose([oc.PureDP(epsilon=loss.epsilon) for loss, _ in FOURTEEN], engine="bracketing_lattice")
    for question, point in ((profile.delta, "0.3"), (profile.epsilon, "1e-3")):
        with pytest.raises(oc.UndecidedError) as caught:
            question(point, width="1e-30")
        assert caught.value.field in {"delta", "epsilon"}
        assert "width" in caught.value.condition


def test_a_step_that_is_too_coarse_is_undecided() -> None:
    engine = BracketingLattice(FOURTEEN, width=1e-9, step=Fraction(1, 50))
    with pytest.raises(oc.UndecidedError):
        engine.delta(Fraction("0.3"))


# ---------------------------------------------------------------------------------------------------- second order


@pytest.mark.parametrize("step", [Fraction(1, 200), Fraction(1, 400), Fraction(1, 800)])
@pytest.mark.parametrize("x", ["0.3", "0.9"])
def test_half_the_step_is_a_quarter_of_the_width(step: Fraction, x: str) -> None:
    coarse, fine = (BracketingLattice(FOURTEEN, width=1e9, step=h).delta(Fraction(x)) for h in (step, step / 2))
    assert 3 < coarse.width / fine.width < 5


@pytest.mark.parametrize("step", [Fraction(1, 10), Fraction(1, 25), Fraction(1, 70), Fraction(1, 333)])
def test_every_step_gives_true_bounds(step: Fraction) -> None:
    """Coarse grids too, where the bounds are far apart: the exact answer lies between them."""
    engine = BracketingLattice(FOURTEEN, width=1e9, step=step)
    exact = oc.compose([oc.PureDP(epsilon=loss.epsilon) for loss, _ in FOURTEEN], engine="subsets")
    for x in ("0", "0.3", "1", "1.7", "-0.5"):
        truth, found = exact.delta(x), engine.delta(Fraction(x))
        assert found.lower <= truth.upper
        assert truth.lower <= found.upper
    for target in ("0.1", "1e-3", "1e-9"):
        try:
            found = engine.epsilon(oc.Enclosure.exactly(Fraction(target)))
        except oc.UndecidedError:
            continue
        truth = exact.epsilon(target)
        assert found.lower <= truth.upper
        assert truth.lower <= found.upper


@pytest.mark.parametrize("step", [Fraction(1, 10), Fraction(1, 50)])
def test_exact_when_the_step_divides_every_epsilon(step: Fraction) -> None:
    """Nothing is split, so both bounds are the exact value, up to rounding."""
    losses = ((TwoPoint(Fraction(1, 10)), 20), (TwoPoint(Fraction(3, 10)), 7), (TwoPoint(Fraction(1, 2)), 1))
    engine = BracketingLattice(losses, width=1e9, step=step)
    exact = oc.compose([oc.PureDP(epsilon=loss.epsilon).repeated(n) for loss, n in losses], engine="outcomes")
    for x in ("0", "0.25", "2.5", "-1"):
        found = engine.delta(Fraction(x))
        assert found.relative_width < 1e-10
        assert found.intersects(exact.delta(x))
    found = engine.epsilon(oc.Enclosure.exactly(Fraction(1, 10**6)))
    assert found.relative_width < 1e-9
    assert found.intersects(exact.epsilon("1e-6"))


def test_one_epsilon_off_the_grid_is_enough_to_widen() -> None:
    on = ((TwoPoint(Fraction(1, 10)), 20), (TwoPoint(Fraction(3, 10)), 7))
    off = (*on, (TwoPoint(Fraction(1, 3)), 1))
    narrow, wide = (BracketingLattice(each, width=1e9, step=Fraction(1, 100)).delta(Fraction(1)) for each in (on, off))
    assert narrow.relative_width * 100 < wide.relative_width


def test_beyond_every_loss_nothing_is_left() -> None:
    engine = BracketingLattice(FOURTEEN, width=1e9, step=Fraction(1, 50))
    total = sum(Fraction(str(loss.epsilon)) for loss, _ in FOURTEEN) + Fraction(0)
    assert engine.delta(total) == oc.Enclosure.exactly(0)
    assert engine.delta(total + 1) == oc.Enclosure.exactly(0)
    assert engine.delta(total - Fraction(1, 10**6)).upper > 0


# ---------------------------------------------------------------------------------------------------- the lemmas


def profile_of_one(epsilon: Any, t: Any) -> Any:
    """The profile of one randomized response at ``t = e^x``."""
    return max((mpmath.exp(epsilon) - t) / (1 + mpmath.exp(epsilon)), 1 - t, mpmath.mpf(0))


def splits() -> list[tuple[Any, Any, Any]]:
    """Grid values ``low < epsilon < high`` of all sizes."""
    draw = random.Random("splits")
    found = []
    for _ in range(60):
        step = mpmath.mpf(10) ** draw.uniform(-4, 0.7)
        low = step * draw.choice([0, 0, 1, 2, 5, 30])
        found.append((low, low + step * draw.uniform(0.001, 0.999), low + step))
    return found


def test_the_mixture_lies_above_and_touches() -> None:
    with mpmath.workdps(LEMMA_DIGITS):
        for low, epsilon, high in splits():
            tiny = mpmath.mpf(10) ** (5 - LEMMA_DIGITS) * mpmath.exp(2 * high)  # what exp and tanh round away
            aim, below, above = (mpmath.tanh(each / 2) for each in (epsilon, low, high))
            share = (above - aim) / (above - below)
            assert 0 < share < 1
            for n in range(-60, 61):
                t = mpmath.exp(n * high / 40)
                mixture = share * profile_of_one(low, t) + (1 - share) * profile_of_one(high, t)
                gap = mixture - profile_of_one(epsilon, t)
                assert gap >= -tiny
                if abs(n) * high / 40 <= low:
                    assert abs(gap) <= tiny
            middle = mpmath.exp(epsilon)  # beyond the touching part it lies strictly above
            mixture = share * profile_of_one(low, middle) + (1 - share) * profile_of_one(high, middle)
            assert mixture > profile_of_one(epsilon, middle)


def test_the_logit_moves_by_one_step() -> None:
    with mpmath.workdps(LEMMA_DIGITS):
        for low, epsilon, high in splits():
            a, b = epsilon - low, high - epsilon
            for down, up in ((a, b), (b, a)):  # the upper atom of the loss, and the lower one
                one = -mpmath.expm1(-down) / (mpmath.exp(up) - mpmath.exp(-down))
                other = mpmath.exp(up) * one
                assert 0 < one < other < 1
                moved = mpmath.log(other / (1 - other)) - mpmath.log(one / (1 - one))
                assert abs(moved - (high - low)) <= mpmath.mpf(10) ** (15 - LEMMA_DIGITS)


def quantile(p: Any) -> Any:
    """The normal quantile of ``p <= 1/2``, by Newton's method on the logarithm."""
    z = -mpmath.sqrt(-2 * mpmath.log(p)) if p < 0.1 else -mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * p)
    for _ in range(60):
        tail = mpmath.erfc(-z / mpmath.sqrt(2)) / 2
        step = (mpmath.log(tail) - mpmath.log(p)) * tail / mpmath.npdf(z)
        z -= step
        if abs(step) < mpmath.mpf(10) ** (3 - LEMMA_DIGITS) * (1 + abs(z)):
            break
    return z


def test_the_isoperimetric_profile_lies_above_its_parabola() -> None:
    """``I(p) = phi(Phi^-1(p)) >= 4 p (1 - p)/sqrt(2 pi)``, with equality at 1/2 only; both sides are symmetric."""
    with mpmath.workdps(LEMMA_DIGITS):
        grid = [mpmath.mpf(n) / 1000 for n in range(1, 501)] + [mpmath.mpf(10) ** -n for n in range(4, 30)]
        for p in grid:
            gap = mpmath.npdf(quantile(p)) - 4 * p * (1 - p) / mpmath.sqrt(2 * mpmath.pi)
            assert gap >= -(mpmath.mpf(10) ** (8 - LEMMA_DIGITS))
            if p != mpmath.mpf(1) / 2:
                assert gap > 0


def test_a_step_in_the_logit_is_a_short_step_of_the_quantile() -> None:
    """At most ``h sqrt(2 pi)/4``, and in the middle nearly that much, so the constant cannot be smaller."""
    with mpmath.workdps(LEMMA_DIGITS):
        for h in (mpmath.mpf(1) / 100, mpmath.mpf(1) / 3, mpmath.mpf(3)):
            most = h * mpmath.sqrt(2 * mpmath.pi) / 4
            steps = []
            for y in (-20, -5, -1, -h / 2):
                if y + h > 0:
                    lower = quantile(1 / (1 + mpmath.exp(-y)))
                    steps.append(-quantile(1 / (1 + mpmath.exp(y + h))) - lower)
                else:
                    steps.append(quantile(1 / (1 + mpmath.exp(-y - h))) - quantile(1 / (1 + mpmath.exp(-y))))
            assert all(0 < step <= most for step in steps)
            if h < 1:
                assert steps[-1] > most * mpmath.mpf("0.99")


def test_the_constant_is_at_least_an_eighth_of_pi() -> None:
    with mpmath.workdps(60):
        eighth = to_fraction(mpmath.pi / 8)
    assert eighth <= _SPLIT <= eighth * (1 + Fraction(1, 10**12))


# ---------------------------------------------------------------------------------------------------- the bump

VARIANCES = ["1e-12", "1e-6", "1e-3", "0.25", "4", "30"]


def true_bump(y: Any, variance: Any) -> Any:
    """What a Gaussian of that variance adds to ``(1 - e^-y)_+``."""
    s = mpmath.sqrt(variance)
    whole = mpmath.ncdf(y / s + s / 2) - mpmath.exp(-y) * mpmath.ncdf(y / s - s / 2)
    return whole - max(-mpmath.expm1(-y), 0)


@pytest.mark.parametrize("variance", VARIANCES)
@pytest.mark.parametrize("place", ["0", "0.3", "-0.3", "1", "-1", "3", "-3", "8", "-8"])
def test_the_bump_against_its_definition(variance: str, place: str) -> None:
    exact = Fraction(variance)
    with mpmath.workdps(150):
        y = to_fraction(mpmath.mpf(place) * mpmath.sqrt(mpmath.mpf(exact.numerator) / exact.denominator))
        value = true_bump(mpmath.mpf(y.numerator) / y.denominator, mpmath.mpf(exact.numerator) / exact.denominator)
    with precision(256):
        low, high = ends(bump(ball(y), exact))
    true = to_fraction(value)
    slack = Fraction(1, 10**100)
    assert low <= true + slack
    assert true - slack <= high
    assert high - low <= true / 10**6 + Fraction(1, 10**40)


@pytest.mark.parametrize("variance", VARIANCES)
def test_the_bump_is_largest_at_zero_and_falls(variance: str) -> None:
    exact = Fraction(variance)
    with precision(256):
        s = ball(exact).sqrt()
        for side in (1, -1):
            values = [bump(side * n * s / 4, exact) for n in range(24)]
            assert all(second < first for first, second in pairwise(values))
            assert bump(side * s * 7, exact) < bump(-6 * s, exact)  # k(Z), which bounds it beyond Z on both sides


@pytest.mark.parametrize("variance", ["1e-6", "1e-3", "0.25", "1"])
def test_two_gaussians_bound_from_below(variance: str) -> None:
    """``2 k_v(y) - e^(3v/8) k_4v(y) <= (1 - e^-y)_+`` for the whole kernels, on a fine grid of y."""
    with mpmath.workdps(60):
        v = mpmath.mpf(variance)
        for n in range(-160, 161):
            y = n * mpmath.sqrt(v) / 20
            base = max(-mpmath.expm1(-y), mpmath.mpf(0))
            first, second = (base + true_bump(y, each) for each in (v, 4 * v))
            assert 2 * first - mpmath.exp(3 * v / 8) * second <= base + mpmath.mpf(10) ** -50

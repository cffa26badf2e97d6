"""The contour engines: known values, what they refuse, and numbers that once went wrong."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

import optcomp as oc
from tests.oracles.enumeration import Enumerated, discrete_gaussian, sampled, two_point

ENGINES = ("contour", "contour_balls")
SLACK = Fraction(1, 10**40)


@pytest.fixture(autouse=True)
def _every_warning_is_an_error() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def contains(answer: oc.Enclosure, truth: Decimal | str | Fraction, digits: int | None = None) -> bool:
    """Whether an enclosure contains a number, given exactly or to some significant digits."""
    exact = Fraction(truth)
    off = abs(exact) * (SLACK if digits is None else Fraction(1, 10 ** (digits - 1)))
    return bool(answer.lower - off <= exact <= answer.upper + off)


def gaussian_delta(mu: str, x: str) -> str:
    with mpmath.workdps(40):
        m, e = mpmath.mpf(mu), mpmath.mpf(x)
        value = mpmath.ncdf(m / 2 - e / m) - mpmath.exp(e) * mpmath.ncdf(-m / 2 - e / m)
        return str(mpmath.nstr(value, 35))


def sampled_gaussian_delta(q: str, x: str) -> str:
    """One step with noise multiplier 1, the record removed: the mixture beats the other law from one point on."""
    with mpmath.workdps(40):
        share, e = mpmath.mpf(q), mpmath.mpf(x)
        place = mpmath.log((mpmath.exp(e) - 1 + share) / share) + mpmath.mpf(1) / 2
        without = mpmath.ncdf(-place)
        value = (1 - share) * without + share * mpmath.ncdf(1 - place) - mpmath.exp(e) * without
        return str(mpmath.nstr(value, 35))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("mu", "x"), [("1", "0"), ("1", "4.2246789"), ("0.01", "0.03"), ("5", "60")])
def test_gaussian(engine: str, mu: str, x: str) -> None:
    answer = oc.compose(oc.Gaussian(mu=mu), engine=engine).delta(x)
    assert contains(answer, gaussian_delta(mu, x), 33)
    assert answer.relative_width <= 1e-8


@pytest.mark.parametrize(("q", "x"), [("0.01", "0.5"), ("0.2", "1"), ("0.9", "0.1")])
def test_one_sampled_gaussian_step(q: str, x: str) -> None:
    """One step has a closed form; its waves end too slowly for this engine, which says so or is right."""
    step = oc.PoissonSampled(mechanism=oc.Gaussian(noise_multiplier=1), sampling_probability=q)
    assert contains(oc.compose(step, adjacency="remove_one").delta(x), sampled_gaussian_delta(q, x), 33)
    with suppress(oc.UndecidedError):
        answer = oc.compose(step, adjacency="remove_one", engine="contour").delta(x)
        assert contains(answer, sampled_gaussian_delta(q, x), 33)


@pytest.mark.parametrize(
    ("q", "sigma", "steps", "delta", "truth"),
    [
        ("0.01", "1", 100, "1e-5", "0.718036"),
        ("0.08", "1", 100, "1e-5", "5.613419"),
        ("0.125", "0.8", 1000, "1e-6", "56.72595"),
        ("0.2", "1", 10, "1e-5", "4.9842134"),
    ],
)
def test_sampled_gaussian_steps(q: str, sigma: str, steps: int, delta: str, truth: str) -> None:
    step = oc.PoissonSampled(mechanism=oc.Gaussian(noise_multiplier=sigma), sampling_probability=q)
    answer = oc.compose(step.repeated(steps), adjacency="add_or_remove_one", engine="contour").epsilon(delta)
    assert contains(answer, truth, len(truth.replace(".", "").lstrip("0")))
    assert answer.relative_width <= 1e-9


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("x", ["0", "0.3", "1.2", "2.9"])
def test_discrete_gaussians(engine: str, x: str) -> None:
    truth = Enumerated([(discrete_gaussian(Fraction(2), 1), 2)]).delta(Fraction(x))
    answer = oc.compose(oc.DiscreteGaussian(variance=2).repeated(2), engine=engine).delta(x)
    assert contains(answer, truth)
    assert answer.relative_width <= 1e-8


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_a_sampled_discrete_gaussian(direction: str) -> None:
    share = Fraction(1, 5)
    _, atoms = sampled(discrete_gaussian(Fraction(4), 1), share, direction)
    step = oc.PoissonSampled(mechanism=oc.DiscreteGaussian(variance=4), sampling_probability=share)
    answer = oc.compose(step, adjacency=f"{direction}_one", engine="contour").delta("0.05", width="1e-4")
    assert contains(answer, Enumerated([(atoms, 1)]).delta(Fraction(1, 20)))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("x", ["0", "0.4", "0.8", "1.3"])
def test_a_gaussian_beside_atoms(engine: str, x: str) -> None:
    """The delta of a mixture: ``sum p_i delta_gauss(x - l_i)``, also at negative places."""
    atoms = Enumerated([(two_point(Fraction(2, 5)), 3)]).atoms
    with mpmath.workdps(40):
        shifted = [(mpmath.mpf(str(p)), mpmath.mpf(x) - mpmath.mpf(str(loss))) for loss, p in atoms]
        truth = mpmath.fsum(p * mpmath.mpf(gaussian_delta("0.5", mpmath.nstr(place, 38))) for p, place in shifted)
    answer = oc.compose([oc.Gaussian(mu="0.5"), oc.PureDP(epsilon="0.4").repeated(3)], engine=engine).delta(x)
    assert contains(answer, mpmath.nstr(truth, 33), 30)


@pytest.mark.parametrize("x", ["0", "0.3", "1.1"])
def test_two_laplaces(x: str) -> None:
    """The density of one loss is ``e^((l - 1)/2)/4`` between its two atoms."""
    with mpmath.workdps(30):
        e = mpmath.mpf(x)

        def one(y: mpmath.mpf) -> mpmath.mpf:
            if y >= 1:
                return mpmath.mpf(0)
            return 1 - mpmath.exp((y - 1) / 2) if y > -1 else 1 - mpmath.exp(y)

        ends = one(e - 1) / 2 + one(e + 1) * mpmath.exp(-1) / 2
        borders = sorted({mpmath.mpf(-1), mpmath.mpf(1), *(b for b in (e - 1, e + 1) if -1 < b < 1)})
        truth = ends + mpmath.quad(lambda t: mpmath.exp((t - 1) / 2) / 4 * one(e - t), borders)
    answer = oc.compose(oc.Laplace(scale=1).repeated(2), engine="contour").delta(x, width="1e-6")
    assert contains(answer, mpmath.nstr(truth, 25), 23)


@pytest.mark.parametrize("engine", ENGINES)
def test_beyond_the_largest_loss(engine: str) -> None:
    profile = oc.compose([oc.PureDP(epsilon="0.5"), oc.PureDP(epsilon="0.3")], engine=engine)
    assert profile.delta("0.8") == oc.Enclosure.exactly(0)
    assert profile.delta(100) == oc.Enclosure.exactly(0)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_inverse_meets_the_profile(engine: str) -> None:
    profile = oc.compose([oc.PureDP(epsilon="0.5").repeated(9), oc.PureDP(epsilon="0.3").repeated(7)], engine=engine)
    answer = profile.epsilon("1e-4")
    assert profile.delta(answer.upper).lower <= Fraction(1, 10**4) <= profile.delta(answer.lower).upper


def test_a_hard_width_is_refused() -> None:
    profile = oc.compose(oc.Laplace(scale=1).repeated(3), engine="contour")
    with pytest.raises(oc.UndecidedError):
        profile.delta("0.3", width="1e-25")


def test_a_promise_is_refused() -> None:
    with pytest.raises(oc.UnsupportedError):
        oc.compose(oc.ZeroConcentrated(rho=1), engine="contour").delta(1)


@pytest.mark.parametrize("engine", ENGINES)
def test_other_engines_agree(engine: str) -> None:
    mechanisms = [oc.PureDP(epsilon=f"0.{digit}") for digit in range(1, 9)]
    ours, other = oc.compose(mechanisms, engine=engine), oc.compose(mechanisms)
    for delta in ("1e-3", "1e-6", "0.1"):
        found, known = ours.epsilon(delta), other.epsilon(delta)
        assert max(found.lower, known.lower) <= min(found.upper, known.upper)
        assert math.isfinite(float(found.upper))

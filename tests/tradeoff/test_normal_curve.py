"""The nearest curves of normal noise against dense grids."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
from scipy.special import ndtri

from optcomp import (
    ApproxDP,
    DiscreteLaplace,
    Enclosure,
    FinitePair,
    Gaussian,
    InvalidParameterError,
    Laplace,
    Mechanism,
    PoissonSampled,
    PrivacyRegion,
    Profile,
    PureDP,
    RandomizedResponse,
    Staircase,
    TradeoffCurve,
    compose,
)
from optcomp.tradeoff import NearestGaussians
from optcomp.tradeoff.normal_curve import nearest_to
from optcomp.tradeoff.polygon import Polygon
from tests.theorems.formulas import contains, mpf
from tests.tradeoff.oracles import pair, speaks

Floats = npt.NDArray[np.float64]
ROUNDING = 1e-9  # of the quantiles in floats


def polygon(curve: TradeoffCurve) -> tuple[Floats, Floats]:
    assert curve.vertices is not None
    points = [(float(v.false_alarm.upper), float(v.missed_detection.upper)) for v in curve.vertices]
    return np.array([a for a, _ in points]), np.array([b for _, b in points])


def grid_mu(curve: TradeoffCurve, low: float, high: float, places: int = 4000) -> Floats:
    """The mu of the normal curve through the points of a polygon over a dense grid, corners included."""
    alarms, missed = polygon(curve)
    spread = np.concatenate([np.linspace(low, high, places), np.geomspace(low, high, places), alarms])
    inside = spread[(spread >= low) & (spread <= high)]
    values = np.interp(inside, alarms, missed)
    kept = (values > 1e-13) & (inside > 1e-13) & (inside < 1 - 1e-9)
    found = -ndtri(inside[kept]) - ndtri(values[kept])
    return np.asarray(found, dtype=np.float64)


def check(found: NearestGaussians, grid: Floats, *, below: float, above: float) -> None:
    """Both one-sided, and close: within these distances of the grid."""
    assert float(found.least_below.upper) >= grid.max() - ROUNDING
    assert float(found.least_below.lower) <= grid.max() + below
    assert float(found.greatest_above.lower) <= grid.min() + ROUNDING
    assert float(found.greatest_above.upper) >= grid.min() - above
    assert found.greatest_above.upper <= found.least_below.upper
    if math.isfinite(found.least_below.upper):
        assert found.least_below.width <= 1e-8
    assert found.greatest_above.width <= 1e-8


CURVES: dict[str, Mechanism | Profile] = {
    "pure": PureDP(epsilon="1"),
    "many": PureDP(epsilon="0.2").repeated(40),
    "failing": ApproxDP(epsilon="0.3", delta="0.01").repeated(6),
    "leaky": ApproxDP(epsilon="0.1", delta="0.3"),
    "k-ary": RandomizedResponse(probability="1/2", categories=4).repeated(5),
    "discrete": DiscreteLaplace(scale="2", sensitivity=3).repeated(3),
    "different": compose([PureDP(epsilon="0.5"), PureDP(epsilon="1.5"), ApproxDP(epsilon="1", delta="1e-4")]),
}
RANGES = [("0.001", "0.5"), ("0.2", "0.3"), ("1e-6", "0.999"), ("0.49", "0.51"), ("0.6", "0.9")]


@pytest.mark.parametrize("name", list(CURVES))
@pytest.mark.parametrize(("low", "high"), RANGES)
def test_ranges_against_dense_grids(name: str, low: str, high: str) -> None:
    curve = TradeoffCurve.of(CURVES[name])
    found = curve.nearest_gaussians(false_alarms=(low, high))
    assert found.false_alarms == (Fraction(low), Fraction(high))
    grid = grid_mu(curve, float(low), float(high))
    reaches_zero = curve.missed_detection(high).upper == 0
    if reaches_zero:
        assert found.least_below.lower == math.inf
        assert float(found.greatest_above.lower) <= grid.min() + ROUNDING
        return
    check(found, grid, below=1e-3, above=1e-3)


@pytest.mark.parametrize("name", list(CURVES))
def test_the_whole_against_dense_grids(name: str) -> None:
    curve = TradeoffCurve.of(CURVES[name])
    found = curve.nearest_gaussians()
    assert found.false_alarms is None
    grid = grid_mu(curve, 1e-12, 1 - 1e-9)
    assert float(found.least_below.upper) >= grid.max() - ROUNDING
    assert float(found.greatest_above.lower) <= grid.min() + ROUNDING
    if "failing" in name or name in {"leaky", "different"}:
        assert found.least_below == Enclosure.exactly(math.inf)
        assert float(found.greatest_above.upper) >= grid.min() - 1e-3
    else:
        assert found.greatest_above == Enclosure.exactly(0)
        assert float(found.least_below.lower) <= grid.max() + 1e-3


def test_random_polygons_against_dense_grids() -> None:
    source, seen = random.Random(81), 0
    for _ in range(150):
        base = pair(source, source.randint(2, 6))
        curve = TradeoffCurve.of(base)
        low, high = sorted(Fraction(source.randint(1, 999), 1000) for _ in range(2))
        if low == high:
            continue
        found = curve.nearest_gaussians(false_alarms=(low, high))
        if curve.missed_detection(high).upper == 0:
            assert found.least_below.upper == math.inf
            continue
        grid = grid_mu(curve, float(low), float(high), 1500)
        check(found, grid, below=1e-2, above=1e-2)
        seen += 1
    assert seen > 40


@pytest.mark.nightly
def test_random_polygons_against_dense_grids_for_long() -> None:
    source = random.Random()
    for _ in range(3_000):
        base = pair(source, source.randint(2, 7))
        curve = TradeoffCurve.of(base)
        low, high = sorted(Fraction(source.randint(1, 999), 1000) for _ in range(2))
        if low < high and curve.missed_detection(high).upper > 0:
            grid = grid_mu(curve, float(low), float(high), 1500)
            check(curve.nearest_gaussians(false_alarms=(low, high)), grid, below=1e-1, above=1e-1)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "ln(3)", "5"])
def test_pure_guarantees_have_a_closed_form(epsilon: str) -> None:
    """``2 Phi^-1(e^epsilon/(1+e^epsilon))``, of Dong, Roth, Su."""
    found = TradeoffCurve.of(PureDP(epsilon=epsilon)).nearest_gaussians()
    with mpmath.workdps(60):
        t = mpmath.mpf(3) if epsilon == "ln(3)" else mpmath.exp(mpf(epsilon))
        truth = 2 * mpmath.sqrt(2) * mpmath.erfinv(2 * t / (1 + t) - 1)
        assert contains(found.least_below, truth)
    assert found.least_below.width <= Fraction(1, 10**20)
    assert found.greatest_above == Enclosure.exactly(0)


@pytest.mark.parametrize(("mu", "count"), [("1", 1), ("0.1", 30), ("7", 2)])
def test_normal_noise_is_itself(mu: str, count: int) -> None:
    curve = TradeoffCurve.of(Gaussian(mu=mu).repeated(count))
    for found in (curve.nearest_gaussians(), curve.nearest_gaussians(false_alarms=("0.1", "0.2"))):
        with mpmath.workdps(60):
            assert contains(found.least_below, mpf(mu) * mpmath.sqrt(count))
        assert found.least_below == found.greatest_above
        assert found.least_below.width <= Fraction(1, 10**30)


@pytest.mark.parametrize("scale", ["1", "3"])
def test_laplace_noise_against_its_closed_form(scale: str) -> None:
    curve = TradeoffCurve.of(Laplace(scale=scale))
    low, high = Fraction(1, 1000), Fraction(4, 5)
    found = curve.nearest_gaussians(false_alarms=(low, high))
    rate = 1 / float(Fraction(scale))
    alarms = np.concatenate([np.geomspace(1e-3, 0.8, 4000), np.linspace(1e-3, 0.8, 4000)])
    early, late = 1 - math.exp(rate) * alarms, math.exp(-rate) * (1 - alarms)
    middle = math.exp(-rate) / (4 * alarms)
    values = np.where(alarms < math.exp(-rate) / 2, early, np.where(alarms <= 0.5, middle, late))
    grid = -ndtri(alarms) - ndtri(values)
    assert float(found.least_below.upper) >= grid.max() - ROUNDING
    assert float(found.least_below.lower) <= grid.max() + 1e-9
    assert float(found.greatest_above.lower) <= grid.min() + ROUNDING
    assert float(found.greatest_above.upper) >= grid.min() - 1e-6
    assert found.least_below.width < 0.05


@pytest.mark.parametrize("adjacency", ["add_one", "remove_one", "add_or_remove_one"])
def test_sampled_noise_lies_between(adjacency: str) -> None:
    mechanism = PoissonSampled(mechanism=Gaussian(standard_deviation=1), sampling_probability="0.2")
    curve = TradeoffCurve.of(mechanism, adjacency=adjacency)
    found = curve.nearest_gaussians(false_alarms=("0.001", "0.9"))
    for alarm in ("0.001", "0.01", "0.1", "0.5", "0.9"):
        here = curve.missed_detection(alarm)
        mu = [-ndtri(float(Fraction(alarm))) - ndtri(float(end)) for end in (here.upper, here.lower)]
        assert float(found.least_below.upper) >= mu[0] - ROUNDING
        assert float(found.greatest_above.lower) <= mu[1] + ROUNDING


def test_nothing_and_everything() -> None:
    zero = Enclosure.exactly(0)
    for curve in (TradeoffCurve.of(compose([])), TradeoffCurve.of(PureDP(epsilon="0.5").repeated(0))):
        for found in (curve.nearest_gaussians(), curve.nearest_gaussians(false_alarms=("0.1", "0.9"))):
            assert found.least_below == found.greatest_above == zero
    revealing = TradeoffCurve.of(FinitePair(first=[1, 0], second=[0, 1])).nearest_gaussians()
    assert revealing.least_below == Enclosure.exactly(math.inf)
    assert revealing.greatest_above.upper == math.inf
    useless = TradeoffCurve.of(PrivacyRegion.of([])).nearest_gaussians(false_alarms=("0.1", "0.9"))
    assert useless.least_below == Enclosure.exactly(math.inf)


def test_an_exact_region_with_failure_in_one_order() -> None:
    """The curve starts at (0, 1) and reaches 0 early."""
    curve = TradeoffCurve.of(FinitePair(first=["1/2", "1/2"], second=["1", "0"]))
    found = curve.nearest_gaussians()
    assert found.least_below.upper == math.inf
    assert found.greatest_above.lower == 0


@pytest.mark.parametrize(
    "bounds",
    [("0", "0.5"), ("0.5", "1"), ("0.5", "0.5"), ("0.6", "0.5"), (True, "0.5"), ("0.1", float("nan")), ("-1", 2)],
)
def test_ranges_inside_of_0_and_1(bounds: Any) -> None:
    for curve in (TradeoffCurve.of(PureDP(epsilon=1)), TradeoffCurve.of(Laplace(scale=1))):
        with pytest.raises(InvalidParameterError) as caught:
            curve.nearest_gaussians(false_alarms=bounds)
        assert caught.value.field == "false_alarms"
        assert speaks(caught.value)


def test_a_range_is_needed_for_a_profile() -> None:
    with pytest.raises(InvalidParameterError) as caught:
        TradeoffCurve.of(Laplace(scale=1)).nearest_gaussians()
    assert caught.value.field == "false_alarms"
    assert speaks(caught.value)


@pytest.mark.parametrize("bounds", [("1e-400", "0.5"), ("0.1", "0.99999999999999999999")])
def test_ranges_beyond_floats(bounds: tuple[str, str]) -> None:
    found = TradeoffCurve.of(PureDP(epsilon=1)).nearest_gaussians(false_alarms=bounds)
    assert found.least_below.lower <= found.least_below.upper


def test_no_finite_loss_is_above_every_normal_curve() -> None:
    """No loss exceeds 2700, so that ``f(0.5)`` is at least ``e^-2700 / 2``, and mu at most 74."""
    curve = TradeoffCurve.of(Staircase(epsilon=3, gamma="0.2").repeated(900))
    found = curve.nearest_gaussians(false_alarms=("0.01", "0.5"))
    assert found.greatest_above.lower <= 74


@pytest.mark.parametrize("last", ["0.2", "0.1999"])
def test_level_ends_of_the_upper_polygon_count(last: str) -> None:
    """The curve itself may be level almost up to the last place, as far as the upper polygon tells."""
    places = [Fraction(each) for each in ("0.3", "0.4", "0.5")]
    upper = tuple(zip(places, (Fraction("0.2001"), Fraction(last), Fraction(last)), strict=True))
    found = nearest_to(Polygon(upper, upper), (places[0], places[-1]))
    truth = -ndtri(0.5) - ndtri(float(Fraction(last)))
    assert float(found.greatest_above.lower) <= truth + ROUNDING


def test_the_greatest_mu_above_is_narrow() -> None:
    curve = TradeoffCurve.of(PureDP(epsilon="2").repeated(100))
    found = curve.nearest_gaussians(false_alarms=("0.01", "0.5"))
    assert found.greatest_above.width <= 1e-3

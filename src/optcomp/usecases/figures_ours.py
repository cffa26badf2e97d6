"""Our figures: two plans of the real world, and what was published about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache

from optcomp.composition import Profile, compose
from optcomp.mechanisms import DiscreteGaussian, Gaussian, Mechanism, PoissonSampled, Sequence
from optcomp.plotting import Panel, Picture, Series
from optcomp.quantities import Enclosure
from optcomp.sources import KOV15, ZDW22, statement_of
from optcomp.theorems import Guarantee
from optcomp.theorems.base import certain
from optcomp.theorems.renyi import discrete_gaussian_rho, renyi_epsilon, zcdp_delta, zcdp_epsilon
from optcomp.tradeoff import TradeoffCurve
from optcomp.usecases.figures_curves import compared, theorem_series
from optcomp.usecases.figures_regions import ALARM, MISSED, diagonal, guaranteed_region

__all__ = [
    "CENSUS_PUBLISHED",
    "census_plan",
    "census_profile",
    "census_tradeoff",
    "dpsgd_plan",
    "dpsgd_profile",
    "dpsgd_tradeoff",
]

_ADJACENCY = "add_or_remove_one"

_CENSUS_RHO = Fraction(365, 100)
_CENSUS_LEVELS = (("2", 10), ("27.4", 10), ("8.5", 10), ("26.2", 20), ("23.8", 10), ("11.8", 10), ("0.3", 10))
"""Percent of rho and number of queries of each geographic level."""
CENSUS_PUBLISHED = (Fraction(2197, 100), Fraction(1, 10**10))
"""The published epsilon, and its delta."""

_DPSGD_DELTA = Fraction(1, 10**5)

_CENSUS_DELTAS = tuple(Fraction(digit, 10**power) for power in range(1, 15) for digit in (5, 2, 1))
_DPSGD_DELTAS = tuple(Fraction(digit, 10**power) for power in range(2, 10) for digit in (3, 1))
_CENSUS_STEPS = tuple(Fraction(step, 8) for step in range(181))
_EVEN_ALARMS = tuple(Fraction(step, 40) for step in range(41))
_LEAST_ALARM = 1e-10
_SMALL_ALARMS = tuple(
    sorted(
        {
            *(Fraction(digit, 10 ** (power + 1)) for power in range(1, 11) for digit in (10, 15, 22, 33, 47, 68)),
            *(Fraction(step, 10) for step in range(2, 10)),
            *(1 - Fraction(1, 10**power) for power in range(2, 11)),
            Fraction(1),
        }
    )
)

_OPTIMUM = f"{ZDW22.authors} {ZDW22.year}: the loss of the whole from its characteristic function, enclosed here"
_REGION = f"{KOV15.authors} {KOV15.year}, Theorem 2.1: guarantees as regions"


@cache
def census_plan() -> Mechanism:
    """The persons of the 2020 Census DHC, as its settings were published: the same as in the plan of the examples."""
    return Sequence(
        parts=[
            DiscreteGaussian(rho=_CENSUS_RHO * Fraction(percent) / 100 / queries).repeated(queries)
            for percent, queries in _CENSUS_LEVELS
        ]
    )


@cache
def dpsgd_plan() -> Mechanism:
    """480 steps of DP-SGD on 60,000 examples, 250 a batch, noise multiplier 1.1."""
    step = PoissonSampled(mechanism=Gaussian(noise_multiplier=Fraction(11, 10)), sampling_probability=Fraction(1, 240))
    return step.repeated(480)


@cache
def _profile(plan: Mechanism) -> Profile:
    return compose(plan, adjacency=_ADJACENCY)


def census_profile() -> Picture:
    """Delta against epsilon of the Census plan: the optimum and the conversion."""
    published = Series(
        label="published: 21.97 at 1e-10",
        x=(certain(CENSUS_PUBLISHED[0]),),
        y=(certain(CENSUS_PUBLISHED[1]),),
        kind="points",
        style=3,
    )
    curves = _against_epsilon(census_plan(), _CENSUS_DELTAS, ("zcdp", "optimal"))
    return Picture(
        name="ours_1_census_profile",
        title="2020 Census DHC, persons: what the noise really guarantees",
        caption=(
            "The least epsilon at each delta for one person in the 2020 Census demographic and housing "
            "characteristics: 80 queries with discrete Gaussian noise, rho = 3.65 in all, one record added or "
            "removed. The right curve converts rho to (epsilon, delta) as Canonne, Kamath and Steinke do; the left "
            "curve is the optimum of what was run, and no point below or left of it can be promised. The black "
            "point is the published pair. At the published delta of 1e-10 the optimum is 20.33 and the conversion "
            "gives 21.15."
        ),
        sources=(
            str(statement_of(discrete_gaussian_rho)),
            str(statement_of(zcdp_epsilon)),
            _OPTIMUM,
        ),
        panels=(
            Panel(
                title="DHC persons, rho = 3.65",
                x_label="epsilon",
                y_label="delta",
                series=(*curves, published),
                x_range=(0, 25),
                y_range=(1e-14, 1),
                y_log=True,
                legend="lower left",
            ),
        ),
    )


def dpsgd_profile() -> Picture:
    """Delta against epsilon of the training run: the optimum and the Renyi conversion."""
    return Picture(
        name="ours_2_dpsgd_profile",
        title="A training run by DP-SGD: the optimum and the Renyi conversion",
        caption=(
            "The least epsilon at each delta for one training example: 480 steps, each on a Poisson sample with "
            "probability 250/60000 and with noise multiplier 1.1, the larger of one example added and one removed. "
            "The right curve is what Renyi accountants report at their best order, the method of the usual "
            "tutorials; the left curve is the optimum. At a delta of 1e-5 they say 0.774 and 0.412."
        ),
        sources=(str(statement_of(renyi_epsilon)), _OPTIMUM),
        panels=(
            Panel(
                title="480 steps of DP-SGD",
                x_label="epsilon",
                y_label="delta",
                series=_against_epsilon(dpsgd_plan(), _DPSGD_DELTAS, ("renyi", "optimal")),
                x_range=(0, 1.7),
                y_range=(1e-9, 0.1),
                y_log=True,
                legend="upper right",
            ),
        ),
    )


def _against_epsilon(plan: Mechanism, deltas: Iterable[Fraction], names: Iterable[str]) -> tuple[Series, ...]:
    rows = [(Enclosure.exactly(delta), compared(plan, delta, _ADJACENCY)) for delta in deltas]
    found = []
    for name in names:
        curve = theorem_series(name, ((delta, table.row(name).epsilon) for delta, table in rows))
        found.append(Series(label=curve.label, x=curve.y, y=curve.x, style=curve.style))
    return tuple(found)


def census_tradeoff() -> Picture:
    """False alarm against missed detection of the Census plan."""
    pair = Guarantee(epsilon=certain(CENSUS_PUBLISHED[0]), delta=certain(CENSUS_PUBLISHED[1]))
    return Picture(
        name="ours_3_census_tradeoff",
        title="2020 Census DHC, persons: the tests that remain possible",
        caption=(
            "Missed detection and false alarm of the best tests for whether one person is in the 2020 Census "
            "demographic and housing characteristics (the plan of the profile above). The published pair (21.97, "
            "1e-10), read alone, allows tests that hardly err. The zCDP conversion, taken at 181 epsilons from 0 to "
            "22.5, excludes much more, and the optimal curve shows what the best test really reaches: both errors "
            "can be 8.8 % at once. Both axes are logarithmic; along them the points are intervals, too narrow to be "
            "seen."
        ),
        sources=(str(statement_of(zcdp_delta)), _OPTIMUM, _REGION),
        panels=(
            _tests(
                "DHC persons, rho = 3.65",
                diagonal(_SMALL_ALARMS),
                guaranteed_region([pair], label="published pair", style=3, places=_SMALL_ALARMS),
                guaranteed_region(_concentrated(), label="zCDP conversion", style=1, places=_SMALL_ALARMS),
                _optimal_tests(census_plan(), _SMALL_ALARMS),
                least=_LEAST_ALARM,
            ),
        ),
    )


def _concentrated() -> Iterator[Guarantee]:
    for epsilon in _CENSUS_STEPS:
        yield Guarantee(epsilon=certain(epsilon), delta=zcdp_delta(rho=_CENSUS_RHO, epsilon=epsilon).value)


def dpsgd_tradeoff() -> Picture:
    """False alarm against missed detection of the training run."""
    best = _profile(dpsgd_plan()).epsilon(_DPSGD_DELTA)
    pair = Guarantee(epsilon=best, delta=certain(_DPSGD_DELTA))
    return Picture(
        name="ours_4_dpsgd_tradeoff",
        title="A training run by DP-SGD: the tests that remain possible",
        caption=(
            "Missed detection and false alarm of the best tests for whether one example was in the training data of "
            "the run of the profile above. The Renyi conversion, taken at deltas from 1e-9 to 0.3, allows more than "
            "the optimal curve, and so does the optimal pair at a delta of 1e-5, (0.412, 1e-5), read alone: the "
            "whole curve says more than any one pair. The optimal curve holds for an example added as well as for "
            "one removed."
        ),
        sources=(str(statement_of(renyi_epsilon)), _OPTIMUM, _REGION),
        panels=(
            _tests(
                "480 steps of DP-SGD",
                diagonal(),
                guaranteed_region([pair], label="optimal pair at 1e-5", style=3),
                guaranteed_region(_renyi(), label="Renyi conversion", style=1),
                _optimal_tests(dpsgd_plan(), _EVEN_ALARMS),
            ),
        ),
    )


def _renyi() -> Iterator[Guarantee]:
    for delta in (*_DPSGD_DELTAS, Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)):
        epsilon = compared(dpsgd_plan(), delta, _ADJACENCY).row("renyi").epsilon
        if epsilon is not None:
            yield Guarantee(epsilon=epsilon, delta=certain(delta))


def _optimal_tests(plan: Mechanism, alarms: Iterable[Fraction]) -> Series:
    curve = TradeoffCurve.of(_profile(plan))
    found = [(curve.missed_detection(alarm), certain(alarm)) for alarm in alarms]
    return Series(
        label="optimum",
        x=tuple(missed for missed, _ in found),
        y=tuple(alarm for _, alarm in found),
        style=0,
    )


def _tests(title: str, *series: Series, least: float | None = None) -> Panel:
    """A panel of tests; with a least error, on logarithmic axes that begin there."""
    shown = (0.0 if least is None else least, 1.0)
    return Panel(
        title=title,
        x_label=MISSED,
        y_label=ALARM,
        series=series,
        x_range=shown,
        y_range=shown,
        x_log=least is not None,
        y_log=least is not None,
        square=True,
        legend="upper right" if least is None else "center",
    )

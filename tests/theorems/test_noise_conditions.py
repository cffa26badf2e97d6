"""Noise under composition: the printed numbers, where they suffice, and that they fail where they are refused."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import mpmath
import pytest

import optcomp as oc
from optcomp import Enclosure, InvalidParameterError, compose
from optcomp.theorems import Guarantee
from optcomp.theorems.noise_conditions import (
    each_guarantee,
    earlier_gaussian_variance,
    earlier_geometric_variance,
    earlier_guarantee,
    earlier_laplace_variance,
    earlier_staircase_variance,
    gaussian_variance,
    gaussian_variance_each,
    geometric_variance,
    laplace_variance,
    single_gaussian_variance,
    staircase_variance,
    textbook_gaussian_variance,
)
from tests.theorems.formulas import DIGITS, NARROW, contains, mpf

Variance = Callable[..., Enclosure]


@dataclass(frozen=True)
class Target:
    """What k answers together shall meet, and the sensitivity of each."""

    epsilon: Fraction
    delta: Fraction
    count: int
    sensitivity: Fraction = Fraction(1)

    @property
    def given(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon, "delta": self.delta, "count": self.count}

    def variance(self, of: Variance) -> Enclosure:
        return of(**self.given, sensitivity=self.sensitivity)


def decimal(draw: random.Random, low: float, high: float) -> Fraction:
    return Fraction(f"{10 ** draw.uniform(low, high):.3g}")


def targets(seed: int, *, most: int = 1000, whole: bool = False) -> Iterator[Target]:
    """Epsilons from 1e-3 to 30, deltas from 1e-15 to 1, without end."""
    draw = random.Random(seed)
    while True:
        yield Target(
            epsilon=decimal(draw, -3, 1.5),
            delta=draw.choice([decimal(draw, -15, -0.05), decimal(draw, -3, -0.05)]),
            count=round(10 ** draw.uniform(0, math.log10(most))),
            sensitivity=Fraction(draw.randint(1, 5)) if whole else decimal(draw, -1, 1),
        )


def taken(of: Callable[..., object], seed: int, many: int, **limits: Any) -> list[Target]:
    """The first targets that are not refused."""

    def is_taken(target: Target) -> bool:
        try:
            of(**target.given)
        except InvalidParameterError:
            return False
        return True

    return list(islice(filter(is_taken, targets(seed, **limits)), many))


def log_term(target: Target) -> Any:
    return mpmath.log(mpmath.e + mpf(target.epsilon) / mpf(target.delta))


# ------------------------------------------------------------------------------------------------ as printed


def kov(target: Target) -> Any:
    return mpf(target.epsilon) / mpmath.sqrt(4 * target.count * log_term(target))


def drv(target: Target) -> Any:
    return mpf(target.epsilon) / (2 * mpmath.sqrt(2 * target.count * mpmath.log(2 / mpf(target.delta))))


def laplace(epsilon: Any) -> Any:
    return 2 / epsilon**2


def staircase(epsilon: Any) -> Any:
    b = mpmath.exp(-epsilon)
    third = mpmath.mpf(2) / 3
    return (2**-third * b**third * (1 + b) ** third + b) / (1 - b) ** 2


def geometric(epsilon: Any) -> Any:
    b = mpmath.exp(-epsilon)
    return 2 * b / (1 - b) ** 2


def one_gaussian(target: Target, epsilon: Any) -> Any:
    return 2 * mpmath.log(4 * target.count / mpf(target.delta)) / epsilon**2


PRINTED: dict[Variance, Callable[[Target, Any], Any]] = {
    gaussian_variance: lambda t, d: 8 * t.count * d**2 * log_term(t) / mpf(t.epsilon) ** 2,
    laplace_variance: lambda t, d: 8 * t.count * d**2 * log_term(t) / mpf(t.epsilon) ** 2,
    staircase_variance: lambda t, d: d**2 * staircase(kov(t)),
    geometric_variance: lambda t, d: geometric(kov(t) / d),
    gaussian_variance_each: lambda t, d: d**2 * one_gaussian(t, kov(t)),
    earlier_laplace_variance: lambda t, d: 16 * t.count * d**2 * mpmath.log(2 / mpf(t.delta)) / mpf(t.epsilon) ** 2,
    earlier_staircase_variance: lambda t, d: d**2 * staircase(drv(t)),
    earlier_geometric_variance: lambda t, d: geometric(drv(t) / d),
    earlier_gaussian_variance: lambda t, d: d**2 * one_gaussian(t, drv(t)),
    single_gaussian_variance: lambda t, d: 2 * t.count * d**2 * mpmath.log(2 / mpf(t.delta)) / mpf(t.epsilon) ** 2,
    textbook_gaussian_variance: lambda t, d: (
        2 * t.count * d**2 * mpmath.log(mpf("1.25") / mpf(t.delta)) / mpf(t.epsilon) ** 2
    ),
}
ON_INTEGERS: set[Variance] = {geometric_variance, earlier_geometric_variance}
VARIANCES = pytest.mark.parametrize("of", PRINTED, ids=lambda of: of.__name__)


@VARIANCES
def test_variances_are_as_printed(of: Variance) -> None:
    for target in taken(of, 41, 60, most=10**6, whole=of in ON_INTEGERS):
        found = target.variance(of)
        with mpmath.workdps(2 * DIGITS):
            truth = PRINTED[of](target, mpf(target.sensitivity))
            assert contains(found, truth), target
        assert found.relative_width <= NARROW


@pytest.mark.parametrize(("of", "epsilon"), [(each_guarantee, kov), (earlier_guarantee, drv)])
def test_guarantees_are_as_printed(of: Callable[..., Guarantee], epsilon: Callable[[Target], Any]) -> None:
    for target in taken(of, 42, 100, most=10**6):
        found = of(**target.given)
        with mpmath.workdps(2 * DIGITS):
            assert contains(found.epsilon, epsilon(target)), target
        assert found.epsilon.relative_width <= NARROW
        assert found.delta == Enclosure.exactly(target.delta / (2 * target.count))
        assert float(found.epsilon) <= found.epsilon.lower  # who takes one float gets the safe side


def test_an_epsilon_may_be_a_logarithm() -> None:
    for of in PRINTED:
        exact = of(epsilon="ln(2)", delta="1e-6", count=10)
        below, above = (of(epsilon=e, delta="1e-6", count=10) for e in ("0.69314718055", "0.69314718056"))
        assert above.lower < exact.lower <= exact.upper < below.upper


# ------------------------------------------------------------------------------------------------ sufficient


def gaussian(target: Target, of: Variance) -> oc.Mechanism:
    return oc.Gaussian(variance=Fraction(target.variance(of).upper), sensitivity=target.sensitivity)


def guaranteed(target: Target, of: Callable[..., Guarantee]) -> oc.Mechanism:
    each = of(**target.given)
    return oc.ApproxDP(epsilon=each.epsilon.lower, delta=each.delta.lower)


def pure(target: Target, of: Callable[..., Guarantee]) -> oc.Mechanism:
    return oc.PureDP(epsilon=of(**target.given).epsilon.lower)


def laplace_noise(target: Target, of: Variance) -> oc.Mechanism:
    with mpmath.workdps(DIGITS):  # the scale a little below: less noise than what suffices
        root = mpmath.sqrt(mpf(Fraction(target.variance(of).upper)) / 2) * (1 - mpmath.mpf(10) ** -30)
        return oc.Laplace(scale=Fraction(mpmath.nstr(root, 40)), sensitivity=target.sensitivity)


def staircase_noise(target: Target, of: Callable[..., Guarantee]) -> oc.Mechanism:
    return oc.Staircase.optimal(epsilon=of(**target.given).epsilon.lower, sensitivity=target.sensitivity)


def spent(target: Target, mechanism: oc.Mechanism) -> Fraction:
    """The certified delta of all answers together."""
    return Fraction(compose(mechanism.repeated(target.count)).delta(epsilon=target.epsilon).upper)


@dataclass(frozen=True)
class Case:
    """Noise, the form that says how much, and the largest share of the target's delta that it may spend."""

    noise: Callable[..., oc.Mechanism]
    of: Callable[..., Any]
    many: int
    share: str
    most: int = 10**4

    def __str__(self) -> str:
        return f"{self.noise.__name__}-{self.of.__name__}"

    def shares(self, seed: int) -> dict[Target, Fraction]:
        """The certified delta of all answers together over the target."""
        found = taken(self.of, seed, self.many, most=self.most)
        return {target: spent(target, self.noise(target, self.of)) / target.delta for target in found}


CASES = [  # the shares are those of the page noise-conditions, rounded up
    Case(gaussian, gaussian_variance, 500, "0.01", most=10**6),
    Case(gaussian, gaussian_variance_each, 200, "1e-8"),
    Case(gaussian, earlier_gaussian_variance, 100, "1e-10"),
    Case(gaussian, single_gaussian_variance, 200, "1"),
    Case(gaussian, textbook_gaussian_variance, 200, "0.3"),
    Case(guaranteed, each_guarantee, 350, "0.6", most=1000),
    Case(guaranteed, earlier_guarantee, 100, "0.6", most=1000),
    Case(pure, each_guarantee, 100, "0.1", most=1000),
    Case(laplace_noise, laplace_variance, 100, "0.1", most=100),
    Case(laplace_noise, earlier_laplace_variance, 50, "1e-6", most=100),
    Case(staircase_noise, each_guarantee, 100, "0.1", most=100),
]


def test_there_are_two_thousand_settings() -> None:
    assert sum(case.many for case in CASES) == 2000


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_given_suffices(case: Case) -> None:
    found = case.shares(43)
    assert len(found) >= case.many - 2  # a few may be drawn twice
    assert max(found.values()) <= Fraction(case.share)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 120))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_given_suffices_at_length(case: Case, seed: int) -> None:
    assert max(case.shares(seed).values()) <= 1


def test_geometric_noise_suffices() -> None:
    for target in taken(each_guarantee, 44, 40, most=50, whole=True):
        reach = int(target.sensitivity)
        noise = oc.DiscreteLaplace(epsilon=each_guarantee(**target.given).epsilon.lower, sensitivity=reach)
        assert spent(target, noise) <= target.delta, target


def test_the_gaussian_theorem_leaves_a_factor_of_seven() -> None:
    """What its proof here shows, up to ``epsilon = 8 L``."""
    for target in islice(targets(45, most=100), 300):
        with mpmath.workdps(20):
            if mpf(target.epsilon) > 8 * log_term(target):
                continue
        assert 7 * spent(target, gaussian(target, gaussian_variance)) < target.delta, target


def edge_of(factor: str, delta: str) -> Fraction:
    """The largest epsilon with five digits below ``factor ln(e + epsilon/delta)``."""
    with mpmath.workdps(30):
        found = mpf(factor)
        for _ in range(200):
            found = mpf(factor) * mpmath.log(mpmath.e + found / mpf(delta))
        return Fraction(math.floor(found * 10**3), 10**3)


@pytest.mark.parametrize("delta", ["0.99", "0.5", "0.01", "1e-6", "1e-15", "1e-300"])
@pytest.mark.parametrize("count", [1, 3, 1000, 10**6, 10**9])
def test_nothing_is_refused_where_it_is_proved(delta: str, count: int) -> None:
    for of in (laplace_variance, staircase_variance, geometric_variance, each_guarantee):
        of(epsilon=edge_of("2.34", delta), delta=delta, count=count)
        of(epsilon="0.9", delta=delta, count=count)  # the printed range
        of(epsilon="0.001", delta=delta, count=count)
        if count <= 4:
            of(epsilon=1000, delta=delta, count=count)
    gaussian_variance(epsilon=edge_of("8", delta), delta=delta, count=count)
    single_gaussian_variance(epsilon="2.7725", delta=delta, count=count)
    textbook_gaussian_variance(epsilon=1, delta=delta, count=count)


@pytest.mark.parametrize("of", [single_gaussian_variance, textbook_gaussian_variance])
def test_the_conditions_for_one_answer_hold_for_each_delta(of: Variance) -> None:
    top = Fraction(1) if of is textbook_gaussian_variance else Fraction("2.7725")
    for step in range(1, 100):
        target = Target(top, Fraction(step, 100), 1)
        assert spent(target, gaussian(target, of)) <= target.delta


# ------------------------------------------------------------------------------------------------ refused


def printed_gaussian(target: Target, of: Variance) -> oc.Mechanism:
    """Noise of the printed variance, refused or not."""
    with mpmath.workdps(40):
        value = PRINTED[of](target, mpf(1)) * (1 + mpmath.mpf(10) ** -20)  # more noise than printed
        return oc.Gaussian(variance=Fraction(mpmath.nstr(value, 30)))


@dataclass(frozen=True)
class Limit:
    """Where a condition stops holding."""

    of: Variance
    delta: str
    holds: str
    fails: str


LIMITS = [
    Limit(gaussian_variance, "0.5", "83.04", "83.05"),
    Limit(gaussian_variance, "0.1", "91.32", "91.33"),
    Limit(gaussian_variance, "0.01", "109.98", "110"),
    Limit(gaussian_variance, "1e-5", "169.26", "169.27"),
    Limit(gaussian_variance, "1e-10", "266.77", "266.78"),
    Limit(single_gaussian_variance, "0.5", "6.395", "6.396"),
    Limit(single_gaussian_variance, "0.1", "7.087", "7.088"),
    Limit(single_gaussian_variance, "1e-3", "8.512", "8.513"),
    Limit(single_gaussian_variance, "1e-6", "9.732", "9.733"),
    Limit(single_gaussian_variance, "1e-12", "11.143", "11.144"),
]


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{limit.of.__name__}-{limit.delta}")
@pytest.mark.parametrize("count", [1, 100])
def test_a_condition_is_refused_exactly_where_it_fails(limit: Limit, count: int) -> None:
    outside = Target(Fraction(limit.fails), Fraction(limit.delta), count)
    with pytest.raises(InvalidParameterError, match="certify") as caught:
        outside.variance(limit.of)
    assert caught.value.field == "epsilon"
    whole = compose(printed_gaussian(outside, limit.of).repeated(count))
    assert whole.delta(epsilon=outside.epsilon).lower > outside.delta
    inside = Target(Fraction(limit.holds), outside.delta, count)
    assert spent(inside, gaussian(inside, limit.of)) <= inside.delta


@pytest.mark.parametrize(("epsilon", "delta"), [("10", "1e-5"), ("1.0000000000000000001", "1e-5"), ("ln(3)", "0.1")])
def test_the_textbook_is_refused_above_1(epsilon: str, delta: str) -> None:
    with pytest.raises(InvalidParameterError, match="at most 1"):
        textbook_gaussian_variance(epsilon=epsilon, delta=delta)


def test_the_textbook_is_false_at_10() -> None:
    target = Target(Fraction(10), Fraction("1e-5"), 1)
    noise = printed_gaussian(target, textbook_gaussian_variance)
    assert isinstance(noise, oc.Gaussian)
    assert Fraction("0.484480525") ** 2 < noise.variance < Fraction("0.484480527") ** 2
    found = compose(noise).delta(epsilon=10)
    assert Fraction("2.265373e-5") < found.lower <= found.upper < Fraction("2.265375e-5")


def test_the_corollary_is_refused_where_it_is_false() -> None:
    target = Target(Fraction("33.3"), Fraction("0.092"), 1000)
    with mpmath.workdps(40):
        each = Fraction(mpmath.nstr(kov(target), 30))
    broken = oc.ApproxDP(epsilon=each, delta=target.delta / 2000).repeated(1000)
    assert compose(broken).delta(epsilon=target.epsilon).lower > target.delta
    refusing: list[Callable[..., object]] = [
        each_guarantee,
        laplace_variance,
        staircase_variance,
        geometric_variance,
        gaussian_variance_each,
    ]
    for of in refusing:
        with pytest.raises(InvalidParameterError, match="certify"):
            of(**target.given)


@pytest.mark.parametrize(
    "of",
    [
        earlier_guarantee,
        earlier_laplace_variance,
        earlier_staircase_variance,
        earlier_geometric_variance,
        earlier_gaussian_variance,
    ],
)
def test_the_earlier_forms_are_refused_where_advanced_composition_proves_less(of: Callable[..., object]) -> None:
    of(epsilon=1, delta="1e-6", count=1000)
    with pytest.raises(InvalidParameterError, match="advanced composition"):
        of(epsilon=40, delta="0.5", count=1000)


def test_one_of_many_answers_is_checked_too() -> None:
    """Few answers may have a large epsilon each, at which Gaussian noise needs more than the old condition."""
    each_guarantee(epsilon=100, delta="0.5", count=1)
    with pytest.raises(InvalidParameterError, match="one answer"):
        gaussian_variance_each(epsilon=100, delta="0.5", count=1)


# ------------------------------------------------------------------------------------------------ known values


@dataclass(frozen=True)
class Row:
    """A line of the table at the end of section 4 of the theory sheet."""

    count: int
    epsilon: str
    delta: str
    closed: str
    gaussian: str
    laplace: str


TABLE = [
    Row(1, "1", "1e-6", "110.5241", "17.847912", "1.9999920"),
    Row(10, "1", "1e-5", "921.0362", "139.17612", "196.04458"),
    Row(100, "1", "1e-6", "11052.41", "1784.7912", "3442.4225"),
    Row(100, "0.5", "0.05", "8137.73", "413.3945", "812.9619"),
    Row(1000, "0.1", "0.1", "1050609", "8104.979", "16152.57"),
]


def half_unit(text: str) -> Fraction:
    return Fraction(1, 2 * 10 ** len(text.partition(".")[2]))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.count}-{row.epsilon}-{row.delta}")
def test_the_table_of_section_4(row: Row) -> None:
    closed_forms: list[Variance] = [gaussian_variance, laplace_variance]
    for of in closed_forms:
        found = of(epsilon=row.epsilon, delta=row.delta, count=row.count)
        assert abs(Fraction(found.lower) - Fraction(row.closed)) <= half_unit(row.closed)
    for noise, least in ((gaussian_of, row.gaussian), (laplace_of, row.laplace)):
        too_little, enough = (
            compose(noise(Fraction(least) + side * 2 * half_unit(least)).repeated(row.count)).delta(row.epsilon)
            for side in (-1, 1)
        )
        assert enough.upper <= Fraction(row.delta) < too_little.lower


def gaussian_of(variance: Fraction) -> oc.Mechanism:
    return oc.Gaussian(variance=variance)


def laplace_of(variance: Fraction) -> oc.Mechanism:
    with mpmath.workdps(40):
        return oc.Laplace(scale=Fraction(mpmath.nstr(mpmath.sqrt(mpf(variance) / 2), 30)))


def test_the_best_staircase_has_the_variance() -> None:
    """With epsilon 1 for one answer: ``4 L = epsilon^2`` gives the epsilon of the whole."""
    with mpmath.workdps(30):
        assert abs(staircase(mpmath.mpf(1)) - mpf("1.918104")) < 1e-6
        assert abs(staircase(mpmath.mpf(4)) - mpf("0.0649788")) < 1e-7
        wanted = mpmath.mpf(3)
        for _ in range(200):
            wanted = 2 * mpmath.sqrt(mpmath.log(mpmath.e + wanted / mpf("0.01")))
        given: dict[str, Any] = {"epsilon": Fraction(mpmath.nstr(wanted, 25)), "delta": "0.01", "count": 1}
    assert abs(Fraction(each_guarantee(**given).epsilon.lower) - 1) < Fraction(1, 10**20)
    assert abs(Fraction(staircase_variance(**given).lower) - Fraction("1.918104")) < Fraction(1, 10**6)


# ------------------------------------------------------------------------------------------------ edges


@VARIANCES
class TestEdges:
    def test_nothing_needs_no_noise(self, of: Variance) -> None:
        for epsilon, delta in ((1, "0.1"), (0, "0.1"), (1, 0), (0, 0), (1000, "0.5")):
            assert of(epsilon=epsilon, delta=delta, count=0) == Enclosure.exactly(0)
            assert of(epsilon=epsilon, delta=delta, count=7, sensitivity=0) == Enclosure.exactly(0)

    def test_without_epsilon_or_delta_no_variance_is_given(self, of: Variance) -> None:
        for epsilon, delta in ((0, "0.1"), (1, 0), (0, 0), (0, 1), (1000, 0)):
            assert of(epsilon=epsilon, delta=delta, count=3) == Enclosure.exactly(math.inf)

    def test_delta_1_is_never_refused(self, of: Variance) -> None:
        for epsilon in ("0.1", 1, 1000, 10**6):
            assert 0 <= of(epsilon=epsilon, delta=1, count=10**4).lower < math.inf

    def test_more_answers_and_more_sensitivity_need_more(self, of: Variance) -> None:
        base = of(epsilon="0.5", delta="1e-6", count=5)
        assert base.upper < of(epsilon="0.5", delta="1e-6", count=6).lower
        assert base.upper < of(epsilon="0.5", delta="1e-6", count=5, sensitivity=2).lower
        assert of(epsilon="0.5", delta="1e-5", count=5).upper < base.lower
        assert of(epsilon="0.6", delta="1e-6", count=5).upper < base.lower

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("epsilon", -1),
            ("epsilon", "nan"),
            ("epsilon", "inf"),
            ("delta", "1.01"),
            ("delta", -1),
            ("count", -1),
            ("count", 1.5),
            ("count", True),
            ("sensitivity", -1),
            ("sensitivity", "inf"),
        ],
    )
    def test_what_is_out_of_range_is_refused(self, of: Variance, field: str, value: object) -> None:
        given: dict[str, Any] = {"epsilon": 1, "delta": "0.1", "count": 2, "sensitivity": 1}
        with pytest.raises(InvalidParameterError) as caught:
            of(**given | {field: value})
        assert caught.value.field == field

    def test_far_away_numbers(self, of: Variance) -> None:
        for epsilon, delta in (("1e-300", "1e-300"), ("1e-6", "1e-5000"), ("1e-9", "0.999999999")):
            assert 0 < of(epsilon=epsilon, delta=delta, count=10**15).lower < math.inf


@pytest.mark.parametrize("of", [each_guarantee, earlier_guarantee])
def test_guarantees_at_the_edges(of: Callable[..., Guarantee]) -> None:
    with pytest.raises(InvalidParameterError, match="at least 1"):
        of(epsilon=1, delta="0.1", count=0)
    for epsilon, delta in ((0, "0.5"), (1, 0), (0, 0)):
        found = of(epsilon=epsilon, delta=delta, count=4)
        assert found == Guarantee(Enclosure.exactly(0), Enclosure.exactly(Fraction(delta) / 8))
    assert of(epsilon=1000, delta=1, count=5000).delta == Enclosure.exactly(Fraction(1, 10**4))


@pytest.mark.parametrize("of", [geometric_variance, earlier_geometric_variance])
def test_noise_on_the_integers_has_a_whole_sensitivity(of: Variance) -> None:
    of(epsilon=1, delta="0.1", count=2, sensitivity="3.0")
    with pytest.raises(InvalidParameterError, match="whole"):
        of(epsilon=1, delta="0.1", count=2, sensitivity="0.5")

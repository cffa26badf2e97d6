"""The route through concentrated differential privacy, against a search over orders at high precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from optcomp import Enclosure, InvalidParameterError, PureDP, compose
from optcomp.theorems import Term
from optcomp.theorems.renyi import pure_dp_rho, zcdp_delta, zcdp_epsilon
from tests.theorems.formulas import DIGITS, NARROW, Setting, contains, equal_settings, mpf

RHOS = ["1e-12", "1e-6", "0.001", "0.05", "0.5", "3.65", "40", "1000", "1e6"]
DELTAS = ["1e-300", "1e-30", "1e-10", "1e-6", "0.01", "0.3", "0.9", "0.999999"]
EPSILONS = {  # beside each rho, where delta is neither 1 nor beyond all floats
    "1e-12": ["0", "1e-9", "1e-6", "1e-5"],
    "1e-6": ["0", "1e-4", "0.001", "0.03"],
    "0.05": ["0", "0.1", "1", "4", "10"],
    "0.5": ["0", "0.001", "1", "5", "20", "100"],
    "3.65": ["0", "2", "20", "60"],
    "40": ["30", "60", "300"],
    "1e6": ["999990", "1010000", "1020000"],
}
SOME_ORDERS = ["1e-9", "1e-6", "1e-3", "0.01", "0.1", "0.5", "1", "2", "5", "17", "100", "1e4", "1e7"]


def epsilon_at(shift: Any, rho: Any, delta: Any) -> Any:
    """The conversion solved for epsilon, at the order 1 + shift."""
    order = 1 + shift
    return rho * order + (-mpmath.log(delta) + shift * mpmath.log(shift / order) - mpmath.log(order)) / shift


def delta_at(shift: Any, rho: Any, epsilon: Any) -> Any:
    """The conversion as printed, at the order 1 + shift."""
    order = 1 + shift
    return mpmath.exp(shift * (order * rho - epsilon)) / shift * (shift / order) ** order


def least(value: Callable[[Any], Any]) -> Any:
    """The least value over shifts from 1e-30 to 1e30, by golden section in the logarithm."""
    low, high = mpmath.log(mpmath.mpf(10) ** -30), mpmath.log(mpmath.mpf(10) ** 30)
    ratio = (mpmath.sqrt(5) - 1) / 2
    inner = [high - ratio * (high - low), low + ratio * (high - low)]
    values = [value(mpmath.exp(point)) for point in inner]
    for _ in range(160):
        if values[0] < values[1]:
            high, inner[1], values[1] = inner[1], inner[0], values[0]
            inner[0] = high - ratio * (high - low)
            values[0] = value(mpmath.exp(inner[0]))
        else:
            low, inner[0], values[0] = inner[0], inner[1], values[1]
            inner[1] = low + ratio * (high - low)
            values[1] = value(mpmath.exp(inner[1]))
    return min(values)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("rho", RHOS)
def test_epsilon_is_the_least_over_orders(rho: str, delta: str) -> None:
    found = zcdp_epsilon(rho=rho, delta=delta)
    with mpmath.workdps(100):
        best = least(lambda shift: epsilon_at(shift, mpf(rho), mpf(delta)))
        assert contains(found.value, max(best, mpmath.mpf(0)))
        for shift in SOME_ORDERS:
            value = epsilon_at(mpf(shift), mpf(rho), mpf(delta))
            assert mpf(found.value.lower) <= max(value, mpmath.mpf(0))  # an upper bound for the least
    assert found.value.relative_width <= NARROW
    assert found.order is not None


@pytest.mark.parametrize(("rho", "epsilon"), [(rho, epsilon) for rho, group in EPSILONS.items() for epsilon in group])
def test_delta_is_the_least_over_orders(rho: str, epsilon: str) -> None:
    found = zcdp_delta(rho=rho, epsilon=epsilon)
    with mpmath.workdps(100):
        best = least(lambda shift: delta_at(shift, mpf(rho), mpf(epsilon)))
        assert contains(found.value, min(best, mpmath.mpf(1)))
        for shift in SOME_ORDERS:
            assert mpf(found.value.lower) <= delta_at(mpf(shift), mpf(rho), mpf(epsilon))
    assert found.value.upper <= 1
    assert found.value.relative_width <= 1e-20


@pytest.mark.parametrize("delta", ["1e-30", "1e-6", "0.01"])
@pytest.mark.parametrize("rho", ["1e-12", "0.05", "3.65", "1e6"])
def test_the_order_is_the_one_that_is_reached(rho: str, delta: str) -> None:
    """Where ``rho (order-1)^2 + ln order = ln(1/delta)``."""
    order = zcdp_epsilon(rho=rho, delta=delta).order
    assert order is not None
    with mpmath.workdps(DIGITS):
        low, high = (mpf(rho) * (x - 1) ** 2 + mpmath.log(x) for x in (mpf(order.lower), mpf(order.upper)))
        assert low <= -mpmath.log(mpf(delta)) <= high


@pytest.mark.parametrize("delta", ["1e-30", "1e-10", "1e-6", "0.01"])
@pytest.mark.parametrize("rho", ["1e-12", "0.001", "0.5", "3.65", "1000"])
def test_the_two_directions_agree(rho: str, delta: str) -> None:
    epsilon = Fraction(zcdp_epsilon(rho=rho, delta=delta).value.upper)
    if epsilon > 0:
        back = zcdp_delta(rho=rho, epsilon=epsilon).value
        assert back.lower <= Fraction(delta)
        assert back.upper >= Fraction(delta) * (1 - Fraction(1, 10**20))


@pytest.mark.parametrize("setting", equal_settings(seed=16, many=150))
def test_it_is_never_below_the_optimum(setting: Setting) -> None:
    rho = pure_dp_rho([Term(epsilon=setting.epsilon, count=setting.count)])
    profile = compose(PureDP(epsilon=setting.epsilon).repeated(setting.count))
    delta = min(setting.slack, Fraction(999, 1000))
    assert profile.epsilon(delta=delta).lower <= zcdp_epsilon(rho=rho, delta=delta).value.upper


@pytest.mark.parametrize("setting", [s for s in equal_settings(seed=17, many=150) if s.count * s.epsilon**2 < 100])
def test_delta_is_never_below_the_optimum(setting: Setting) -> None:
    rho = pure_dp_rho([Term(epsilon=setting.epsilon, count=setting.count)])
    profile = compose(PureDP(epsilon=setting.epsilon).repeated(setting.count))
    reach = Fraction(rho.upper) + 4 * setting.epsilon * math.isqrt(setting.count)
    for share in (Fraction(1, 3), Fraction(1)):
        epsilon = reach * share
        assert profile.delta(epsilon=epsilon).lower <= zcdp_delta(rho=rho, epsilon=epsilon).value.upper


def test_rho_is_a_sum_of_squares() -> None:
    terms = [Term(epsilon="0.1", delta="0.01", count=100), Term(epsilon="3", count=2), Term(epsilon=7, count=0)]
    assert pure_dp_rho(terms) == Enclosure.exactly(Fraction(19, 2))
    assert pure_dp_rho([]) == Enclosure.exactly(0)
    with_logarithm = pure_dp_rho([Term(epsilon="ln(3)", count=4), Term(epsilon="0.1")])
    with mpmath.workdps(DIGITS):
        assert contains(with_logarithm, 2 * mpmath.log(3) ** 2 + mpf("0.005"))
    assert with_logarithm.relative_width <= NARROW


def test_edges() -> None:
    assert zcdp_epsilon(rho=0, delta="1e-6").value == Enclosure.exactly(0)
    assert zcdp_epsilon(rho=0, delta=0).value == Enclosure.exactly(0)
    assert zcdp_epsilon(rho="0.5", delta=1).value == Enclosure.exactly(0)
    assert zcdp_epsilon(rho="0.5", delta=0).value == Enclosure.exactly(math.inf)
    assert zcdp_delta(rho=0, epsilon=0).value == Enclosure.exactly(0)
    assert zcdp_delta(rho=0, epsilon=5).value == Enclosure.exactly(0)


def test_an_uncertain_rho_widens_the_answer_on_both_sides() -> None:
    rho = Enclosure(Fraction(1, 2), Fraction(3, 4))
    low, high = (zcdp_epsilon(rho=end, delta="1e-6").value for end in ("0.5", "0.75"))
    found = zcdp_epsilon(rho=rho, delta="1e-6").value
    assert (found.lower, found.upper) == (low.lower, high.upper)
    least_delta, most_delta = (zcdp_delta(rho=end, epsilon=4).value for end in ("0.5", "0.75"))
    spread = zcdp_delta(rho=rho, epsilon=4).value
    assert (spread.lower, spread.upper) == (least_delta.lower, most_delta.upper)
    from_zero = Enclosure(Fraction(0), Fraction(1, 2))
    assert zcdp_epsilon(rho=from_zero, delta="1e-6").value.lower == 0
    assert zcdp_delta(rho=from_zero, epsilon=4).value.lower == 0


def test_rho_may_be_a_logarithm() -> None:
    found = zcdp_epsilon(rho="ln(3/2)", delta="1e-6").value
    with mpmath.workdps(100):
        assert contains(found, least(lambda shift: epsilon_at(shift, mpmath.log(mpf("3/2")), mpf("1e-6"))))


@pytest.mark.parametrize(
    ("function", "given", "field"),
    [
        (zcdp_epsilon, {"rho": "-1", "delta": "0.1"}, "rho"),
        (zcdp_epsilon, {"rho": "nan", "delta": "0.1"}, "rho"),
        (zcdp_epsilon, {"rho": "1", "delta": "-0.1"}, "delta"),
        (zcdp_epsilon, {"rho": "1", "delta": "1.1"}, "delta"),
        (zcdp_delta, {"rho": "-1", "epsilon": "1"}, "rho"),
        (zcdp_delta, {"rho": "1", "epsilon": "-1"}, "epsilon"),
        (zcdp_delta, {"rho": "1", "epsilon": "inf"}, "epsilon"),
    ],
)
def test_a_wrong_number_is_refused_by_name(function: Any, given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        function(**given)
    assert caught.value.field == field

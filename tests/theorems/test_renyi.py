"""The route through concentrated differential privacy, against a search over orders at high precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from optcomp import Enclosure, InvalidParameterError, PureDP, compose
from optcomp.errors import UndecidedError
from optcomp.numerics.balls import Ball, ball, enclose, precision
from optcomp.theorems import Term
from optcomp.theorems.renyi import (
    Cumulant,
    bounded_range_cumulant,
    bounded_range_rho,
    discrete_gaussian_rho,
    gaussian_rho,
    pure_dp_rho,
    renyi_delta,
    renyi_epsilon,
    renyi_epsilon_at,
    zcdp_delta,
    zcdp_epsilon,
)
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


PROMISED = 1e-12


def of_rho(rho: str) -> Cumulant:
    return lambda x: ball(Fraction(rho)) * x * (1 + x)


def of_laplace(ratio: str, count: int) -> Cumulant:
    """``ln E[e^(x L)]`` as in table II of Mironov 2017."""

    def cumulant(x: Ball) -> Ball:
        rate = ball(Fraction(ratio))
        return count * ((1 + x) / (1 + 2 * x) * (x * rate).exp() + x / (1 + 2 * x) * (-(1 + x) * rate).exp()).log()

    return cumulant


def laplace_divergence(order: Any, ratio: Any) -> Any:
    up, down = order / (2 * order - 1), (order - 1) / (2 * order - 1)
    return mpmath.log(up * mpmath.exp((order - 1) * ratio) + down * mpmath.exp(-order * ratio)) / (order - 1)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("rho", RHOS)
def test_the_curve_of_rho_gives_what_rho_gives(rho: str, delta: str) -> None:
    found, known = renyi_epsilon(of_rho(rho), delta=delta), zcdp_epsilon(rho=rho, delta=delta)
    assert found.value.intersects(known.value)
    assert found.value.relative_width <= PROMISED
    if known.value.upper > 0:
        assert found.order is not None
        assert known.order is not None
        assert found.order.intersects(known.order)


@pytest.mark.parametrize(("rho", "epsilon"), [(rho, epsilon) for rho, group in EPSILONS.items() for epsilon in group])
def test_the_curve_of_rho_gives_the_delta_of_rho(rho: str, epsilon: str) -> None:
    found, known = renyi_delta(of_rho(rho), epsilon=epsilon), zcdp_delta(rho=rho, epsilon=epsilon)
    assert found.value.intersects(known.value)
    assert found.value.relative_width <= PROMISED


@pytest.mark.parametrize("delta", ["1e-30", "1e-6", "0.3"])
@pytest.mark.parametrize(("ratio", "count"), [("0.01", 1000), ("0.5", 30), ("3", 2), ("1", 1)])
def test_a_curve_is_minimised_over_all_orders(ratio: str, count: int, delta: str) -> None:
    found = renyi_epsilon(of_laplace(ratio, count), delta=delta)
    with mpmath.workdps(100):

        def value(shift: Any) -> Any:
            divergence = count * laplace_divergence(1 + shift, mpf(ratio))
            return divergence + epsilon_at(shift, mpf(0), mpf(delta))

        best = max(least(value), mpmath.mpf(0))
        assert contains(found.value, best)
        for shift in SOME_ORDERS:
            one = renyi_epsilon_at(of_laplace(ratio, count), delta=delta, order=1 + Fraction(shift))
            assert contains(one, max(value(mpf(shift)), mpmath.mpf(0)))
            assert found.value.lower <= one.upper
    assert found.value.relative_width <= PROMISED


@pytest.mark.parametrize("epsilon", ["-1", "0", "2", "10", "14.9", "ln(3)"])
def test_a_curve_gives_the_least_delta_at_any_epsilon(epsilon: str) -> None:
    found = renyi_delta(of_laplace("0.5", 30), epsilon=epsilon)
    with mpmath.workdps(100):
        wanted = mpmath.log(3) if epsilon == "ln(3)" else mpf(epsilon)

        def value(shift: Any) -> Any:
            divergence = 30 * laplace_divergence(1 + shift, mpf("0.5"))
            return shift * divergence - shift * wanted + mpmath.log(delta_at(shift, mpf(0), mpf(0)))

        assert contains(found.value, min(mpmath.exp(least(value)), mpmath.mpf(1)))
    assert found.value.upper <= 1
    assert found.value.relative_width <= PROMISED


@pytest.mark.parametrize("largest", ["0.001", "0.7", "1", "3", "4.9", "4.908", "5", "1000"])
def test_orders_may_end(largest: str) -> None:
    """The best order for rho 1/2 and delta 1e-6 is 5.907."""
    end = Fraction(largest)
    found = renyi_epsilon(of_rho("0.5"), delta="1e-6", largest=end)
    best = zcdp_epsilon(rho="0.5", delta="1e-6")
    assert best.order is not None
    assert found.order is not None
    assert found.order.upper <= 1 + end * (1 + Fraction(1, 2**60))
    if 1 + end >= best.order.upper:
        assert found.value.intersects(best.value)
    else:
        at_the_end = renyi_epsilon_at(of_rho("0.5"), delta="1e-6", order=1 + end)
        assert found.value.intersects(at_the_end)
        assert found.value.upper > best.value.upper
    assert found.value.relative_width <= PROMISED


@pytest.mark.parametrize("largest", ["0.001", "1", "1000"])
def test_orders_may_end_for_delta_too(largest: str) -> None:
    end = Fraction(largest)
    found = renyi_delta(of_rho("0.5"), epsilon=5, largest=end)
    with mpmath.workdps(100):
        best = delta_at(mpf(min(end, Fraction("4.693159589"))), mpf("0.5"), mpf(5))
        assert found.value.upper <= Fraction(str(best)) * (1 + Fraction(1, 10**12))
        assert found.value.lower >= Fraction(str(best)) * (1 - Fraction(1, 10**12))


def test_a_best_order_at_infinity_is_not_found() -> None:
    """Beyond the largest loss the delta is 0, and no order reaches it."""
    with pytest.raises(UndecidedError, match="order could not be bracketed"):
        renyi_delta(of_laplace("0.5", 2), epsilon=2)


def test_edges_of_a_curve() -> None:
    assert renyi_epsilon(of_rho("0.5"), delta=1).value == Enclosure.exactly(0)
    assert renyi_epsilon(of_rho("0.5"), delta=0).value == Enclosure.exactly(math.inf)
    nearly_one = renyi_delta(of_rho("100000"), epsilon=0).value
    assert nearly_one.upper == 1
    assert nearly_one.lower > Fraction(999, 1000)
    with pytest.raises(InvalidParameterError, match="delta"):
        renyi_epsilon(of_rho("0.5"), delta=2)
    with pytest.raises(InvalidParameterError, match="epsilon"):
        renyi_delta(of_rho("0.5"), epsilon="inf")


@pytest.mark.parametrize("order", ["1.001", "1.5", "2", "7", "100", "1e5"])
@pytest.mark.parametrize("epsilon", ["0.001", "0.3", "1", "12"])
def test_the_worst_place_of_a_range(epsilon: str, order: str) -> None:
    """Against a search over places; below the rho of the range, below the epsilon, and above every place."""
    excess = Fraction(order) - 1
    rate = Fraction(epsilon)
    with precision(256):
        found = enclose(bounded_range_cumulant(ball(excess), epsilon=rate))
    with mpmath.workdps(DIGITS):
        x, length = mpf(excess), mpf(rate)

        def at(place: Any) -> Any:
            high = mpmath.expm1(length - place) / -mpmath.expm1(-length) * mpmath.exp(place - length)
            low = mpmath.expm1(place) / mpmath.expm1(length)
            return mpmath.log(high * mpmath.exp(x * place) + low * mpmath.exp(x * (place - length)))

        values = [at(length * step / 400) for step in range(1, 400)]
        assert max(values) <= mpf(found.upper)
        assert mpf(found.lower) <= max(values) + x * length / 400
        assert mpf(found.lower) <= x * (1 + x) * length**2 / 8
        assert mpf(found.lower) <= x * length


def test_rhos_of_noise() -> None:
    assert gaussian_rho(sensitivity=3, variance="4.5") == Enclosure.exactly(1)
    assert discrete_gaussian_rho(sensitivity=2, variance=8) == Enclosure.exactly(Fraction(1, 4))
    assert bounded_range_rho([Term(epsilon="0.2", count=10)]) == Enclosure.exactly(Fraction(1, 20))

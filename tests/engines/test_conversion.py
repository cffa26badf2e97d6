"""Promises: converted as well as orders allow, never better than what they promise, never below the truth."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import pytest

from optcomp.engines.closed_form import ClosedForm
from optcomp.engines.conversion import Conversion
from optcomp.errors import UnsupportedError
from optcomp.losses import lower
from optcomp.losses.promises import ConcentratedLoss, RenyiLoss, furthest
from optcomp.mechanisms import (
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    PureDP,
    RenyiCurve,
    Sequence,
    ZeroConcentrated,
)
from optcomp.numerics.balls import ball, complex_ball, enclose, precision
from optcomp.quantities import Enclosure
from optcomp.sources import statement_of

DELTAS = ["1e-12", "1e-6", "0.01", "0.4"]
NARROW = 1e-12
DIGITS = 60
ROUNDING = Fraction(1, 10**35)  # of the searches here, relative


def engine(*mechanisms: Mechanism) -> Conversion:
    found = Conversion.of(lower(Sequence(parts=mechanisms)).losses)
    assert found is not None
    return found


def epsilon_of(mechanisms: list[Mechanism], delta: str | Fraction) -> Enclosure:
    return engine(*mechanisms).epsilon(Enclosure.exactly(Fraction(delta)))


def truth_of(mu_squared: Fraction) -> ClosedForm:
    """Gaussian noise alone, whose optimum is known."""
    found = ClosedForm.of(lower(Gaussian(variance=1 / mu_squared)).losses)
    assert found is not None
    return found


def mpf(value: Fraction | str) -> Any:
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def exact(value: Any) -> Fraction:
    mantissa, exponent = value.man_exp  # without the sign
    size = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -size if value < 0 else size


def price(x: Any) -> Any:
    return x * mpmath.log(x / (1 + x)) - mpmath.log(1 + x)


def least(value: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """The least of a function with one valley, by golden section in the logarithm; the ends are looked at too."""
    first, last = mpmath.log(low), mpmath.log(high)
    ratio = (mpmath.sqrt(5) - 1) / 2
    for _ in range(200):
        left, right = last - ratio * (last - first), first + ratio * (last - first)
        if value(mpmath.exp(left)) <= value(mpmath.exp(right)):
            last = right
        else:
            first = left
    return min(value(mpmath.exp((first + last) / 2)), value(low), value(high))


def test_the_known_value_of_a_hundred_small_mechanisms() -> None:
    """0.1-DP a hundred times is 0.5-zCDP; epsilon 5.2215 at 1e-6."""
    found = epsilon_of([ZeroConcentrated(rho="0.005").repeated(100)], "1e-6")
    assert Fraction("5.22153444453016") <= found.lower <= found.upper <= Fraction("5.22153444453018")


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("mu", ["0.01", "0.3", "1", "4", "30"])
def test_a_promise_is_never_below_the_truth_behind_it(mu: str, delta: str) -> None:
    squared = Fraction(mu) ** 2
    promise, truth = [ZeroConcentrated(rho=squared / 2)], truth_of(squared)
    target = Enclosure.exactly(Fraction(delta))
    found, optimum = engine(*promise).epsilon(target), truth.epsilon(target)
    assert optimum.lower <= found.upper
    assert optimum.upper <= found.lower or found.lower == 0
    for epsilon in (Fraction(0), squared / 2, squared / 2 + 3 * Fraction(mu)):
        assert truth.delta(epsilon).lower <= engine(*promise).delta(epsilon).upper


@pytest.mark.parametrize("seed", range(25))
def test_random_mixes_of_gaussian_noise_and_promises_about_it(seed: int) -> None:
    """Each part is Gaussian noise, handed over as itself, as its rho, or as some orders of its curve."""
    draw = random.Random(seed)
    parts: list[Mechanism] = [ZeroConcentrated(rho="0.0001")]
    total = Fraction("0.0002")
    for _ in range(draw.randint(1, 4)):
        mu, count = Fraction(draw.randint(1, 150), 100), draw.choice([1, 1, 2, 10])
        total += count * mu**2
        orders = sorted({1 + Fraction(draw.randint(1, 800), 40) for _ in range(draw.randint(1, 6))})
        part: Mechanism = draw.choice(
            [
                Gaussian(mu=mu),
                ZeroConcentrated(rho=mu**2 / 2),
                RenyiCurve(orders=orders, divergences=[order * mu**2 / 2 for order in orders]),
            ]
        )
        parts.append(part.repeated(count))
    truth = truth_of(total)
    whole = engine(ZeroConcentrated(rho=total / 2))
    for delta in DELTAS:
        target = Enclosure.exactly(Fraction(delta))
        found = engine(*parts).epsilon(target)
        assert truth.epsilon(target).lower <= found.upper
        assert whole.epsilon(target).lower <= found.upper  # knowing a few orders is no better than knowing all
        assert found.relative_width <= NARROW
    for epsilon in (Fraction(1, 2), total, 3 * total + 1):
        delta_found = engine(*parts).delta(epsilon)
        assert truth.delta(epsilon).lower <= delta_found.upper
        assert delta_found.relative_width <= NARROW


@pytest.mark.parametrize("delta", DELTAS)
def test_mixes_are_the_least_over_all_orders(delta: str) -> None:
    """Against a search with the printed divergences of Laplace noise and of randomized response."""
    mechanisms = [ZeroConcentrated(rho="0.2"), Laplace(scale=2).repeated(3), PureDP(epsilon="0.7")]

    def laplace(x: Any) -> Any:
        up, down = (1 + x) / (1 + 2 * x), x / (1 + 2 * x)
        return mpmath.log(up * mpmath.exp(x / 2) + down * mpmath.exp(-(1 + x) / 2))

    def response(x: Any) -> Any:
        rate = mpf("0.7")
        return mpmath.log((mpmath.exp((1 + x) * rate) + mpmath.exp(-x * rate)) / (1 + mpmath.exp(rate)))

    with mpmath.workdps(DIGITS):

        def height(x: Any) -> Any:
            return mpf("0.2") * x * (1 + x) + 3 * laplace(x) + response(x) + price(x)

        wanted = mpf(delta)
        best = max(least(lambda x: (height(x) - mpmath.log(wanted)) / x, mpf("1e-9"), mpf("1e9")), mpmath.mpf(0))
        found = epsilon_of(mechanisms, delta)
        assert found.lower <= exact(best) * (1 + ROUNDING)
        assert exact(best) * (1 - ROUNDING) <= found.upper
        best = min(mpmath.exp(least(lambda x: height(x) - 3 * x, mpf("1e-9"), mpf("1e9"))), mpmath.mpf(1))
        delta_found = engine(*mechanisms).delta(Fraction(3))
        assert delta_found.lower <= exact(best) * (1 + ROUNDING)
        assert exact(best) * (1 - ROUNDING) <= delta_found.upper


CURVES = [
    (["2", "4", "8", "16"], ["1", "2", "4", "8"]),
    (["1.01", "1.5", "3", "64"], ["0.1", "0.1", "0.1", "3"]),
    (["1.25", "2", "32"], ["0.3", "5", "5"]),  # the middle point lies above the line through the others
    (["7"], ["0.5"]),
    (["1.0001"], ["0.02"]),
    (["2", "1000000"], ["0.001", "2"]),
]


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize(("orders", "divergences"), CURVES)
def test_a_curve_is_used_at_its_orders_and_by_convexity_between_them(
    orders: list[str], divergences: list[str], delta: str
) -> None:
    found = epsilon_of([RenyiCurve(orders=orders, divergences=divergences).repeated(2)], delta)
    assert found.relative_width <= NARROW
    known = zip(map(Fraction, orders), map(Fraction, divergences), strict=True)
    with mpmath.workdps(DIGITS):
        points = [(mpmath.mpf(0), mpmath.mpf(0)), *((mpf(a - 1), mpf((a - 1) * d)) for a, d in known)]

        def hull(x: Any) -> Any:
            """The lower convex hull by definition: the least over all chords around x."""
            return min(
                low + (high - low) * (x - left) / (right - left)
                for left, low in points
                for right, high in points
                if left < x <= right
            )

        def value(x: Any) -> Any:
            return (2 * hull(x) - mpmath.log(mpf(delta)) + price(x)) / x

        for place, _ in points[1:]:
            assert found.lower <= max(exact(value(place)), Fraction(0)) * (1 + ROUNDING)
        tiny = mpf("1e-12")
        pieces = pairwise([tiny, *(place for place, _ in points[1:])])
        best = max(exact(min(least(value, left, right) for left, right in pieces)), Fraction(0))
        assert found.lower <= best * (1 + ROUNDING)
        assert best * (1 - ROUNDING) <= found.upper


def test_the_two_questions_agree() -> None:
    whole = engine(ZeroConcentrated(rho="0.4"), RenyiCurve(orders=[2, 5, 9], divergences=[1, 2, 4]), Laplace(scale=3))
    for delta in DELTAS:
        epsilon = whole.epsilon(Enclosure.exactly(Fraction(delta)))
        assert whole.delta(Fraction(epsilon.upper)).lower <= Fraction(delta)
        assert whole.delta(Fraction(epsilon.lower)).upper >= Fraction(delta)


def test_an_uncertain_target_widens_the_answer_on_both_sides() -> None:
    whole = engine(ZeroConcentrated(rho="0.4"))
    low, high = Fraction("1e-6"), Fraction("1e-5")
    found = whole.epsilon(Enclosure(low, high))
    assert found.lower == whole.epsilon(Enclosure.exactly(high)).lower
    assert found.upper == whole.epsilon(Enclosure.exactly(low)).upper


def test_several_ranges_enter_at_their_worst_place() -> None:
    """For small ranges that is nearly rho = epsilon^2/8, which is below the rho of the pair that engines compose."""
    with_ranges = [ZeroConcentrated(rho="0.001"), Exponential(epsilon="0.1").repeated(400)]
    by_rho = epsilon_of([ZeroConcentrated(rho=Fraction("0.501"))], "1e-6")
    found = epsilon_of(with_ranges, "1e-6")
    assert found.upper <= by_rho.lower
    assert found.lower >= by_rho.upper * Fraction(99, 100)


def test_compositions_without_a_promise_are_left_to_others() -> None:
    assert Conversion.of(lower(Gaussian(mu=1)).losses) is None
    assert Conversion.of(()) is None
    assert lower(Sequence(parts=[ZeroConcentrated(rho=0), RenyiCurve(orders=[2, 3], divergences=[0, 0])])).losses == ()


def test_it_is_labelled_as_a_conversion() -> None:
    assert Conversion.name == "conversion"
    assert "conversion of the promises, no optimum" in str(statement_of(Conversion.delta))


def test_a_promise_has_a_growth_for_real_numbers_only() -> None:
    curve = RenyiLoss((Fraction(2), Fraction(4)), (Fraction(1), Fraction(3)))
    with precision(128):
        for loss in (ConcentratedLoss(Fraction(1)), curve):
            assert enclose(loss.growth(ball(0))) == Enclosure.exactly(1)
            assert not loss.largest_ball().is_finite()
            with pytest.raises(UnsupportedError, match="promise about Renyi divergences"):
                loss.growth(complex_ball(ball(1), ball(1)))
            with pytest.raises(UnsupportedError, match="promise about Renyi divergences"):
                loss.growth(ball(-1))
            with pytest.raises(UnsupportedError, match="promise about Renyi divergences"):
                loss.above(ball(0))
        assert enclose(curve.growth(ball(1)).log()).intersects(Enclosure.exactly(1))
        assert enclose(curve.growth(ball(3)).log()).intersects(Enclosure.exactly(9))
        assert enclose(curve.growth(ball(2)).log()).intersects(Enclosure.exactly(5))
        assert not curve.growth(ball(4)).is_finite()


def test_orders_end_with_the_first_promise_that_ends() -> None:
    losses = lower(
        Sequence(
            parts=[
                ZeroConcentrated(rho=1),
                RenyiCurve(orders=[2, 9], divergences=[1, 2]),
                RenyiCurve(orders=[3, 5], divergences=[1, 2]),
            ]
        )
    ).losses
    assert furthest(losses) == 4
    assert furthest(lower(ZeroConcentrated(rho=1)).losses) is None

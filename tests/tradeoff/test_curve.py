"""Trade-off curves against closed forms at 60 digits, against each other, and against false profiles."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import mpmath
import pytest

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
    UndecidedError,
    UnsupportedError,
    compose,
)
from optcomp.mechanisms import Sequence as Alongside
from optcomp.quantities import Real, exponential
from optcomp.tradeoff.duality import ProfileCurve
from optcomp.tradeoff.normal_curve import NormalCurve
from optcomp.tradeoff.polygon import Polygon
from tests.theorems.formulas import contains, mpf
from tests.tradeoff.oracles import best_missed, pair, speaks

WIDEST = Fraction(1, 10**7)  # where a dual profile has a kink
NARROW = Fraction(1, 10**8)  # where it has none
ALARMS = [Fraction(each) for each in ("1e-30", "1e-9", "0.001", "0.05", "1/3", "0.5", "0.77", "0.999", "1")]


def missed(curve: TradeoffCurve, alarm: Fraction) -> Enclosure:
    found = curve.missed_detection(alarm)
    assert found.safe_side == "lower"
    assert 0 <= found.lower <= found.upper <= 1 - alarm
    assert found.width <= WIDEST
    return found


# ------------------------------------------------------------------------------------------ closed forms


@pytest.mark.parametrize(("deviation", "count"), [("1", 1), ("1", 3), ("10", 7), ("1/5", 1), ("1000", 10**6)])
def test_normal_noise_against_60_digits(deviation: str, count: int) -> None:
    """From the reported value at which the test rejects, so that no quantile is needed here."""
    curve = TradeoffCurve.of(Gaussian(standard_deviation=deviation).repeated(count))
    assert isinstance(curve.shape, NormalCurve)
    with mpmath.workdps(60):
        mu = mpmath.sqrt(count) / mpf(deviation)
        for place in ("-5", "-1", "0", "0.3", "2", "6", "12"):
            threshold = mpf(place)
            exact = mpmath.ncdf(-threshold)
            alarm = Fraction(int(mpmath.floor(exact * mpmath.mpf(10) ** 58)), 10**58)
            step = Fraction(1, 10**57)
            truth = mpmath.ncdf(threshold - mu)
            assert contains(Enclosure(Fraction(curve.missed_detection(alarm + step).lower), Fraction(1)), truth)
            assert contains(Enclosure(Fraction(0), Fraction(curve.missed_detection(alarm).upper)), truth)
            if alarm:
                assert missed(curve, alarm).width <= Fraction(1, 10**25)
        for epsilon in ("-2", "0", "0.7", "3"):
            level = mpf(epsilon)
            delta = mpmath.ncdf(mu / 2 - level / mu) - mpmath.exp(level) * mpmath.ncdf(-mu / 2 - level / mu)
            answer = curve.delta(epsilon)
            assert answer.lower <= Fraction(str(delta)) + Fraction(1, 10**40)
            assert answer.upper >= Fraction(str(delta)) - Fraction(1, 10**40)


def laplace(rate: Any, alarm: Any) -> Any:
    """Dong, Roth, Su: Laplace noise, with ``rate`` the sensitivity over the scale."""
    if alarm < mpmath.exp(-rate) / 2:
        return 1 - mpmath.exp(rate) * alarm
    return mpmath.exp(-rate) / (4 * alarm) if alarm <= 0.5 else mpmath.exp(-rate) * (1 - alarm)


@pytest.mark.parametrize("scale", ["1", "1/4", "20"])
def test_laplace_noise_against_its_closed_form(scale: str) -> None:
    curve = TradeoffCurve.of(Laplace(scale=scale))
    with mpmath.workdps(60):
        for alarm in ALARMS:
            found = missed(curve, alarm)
            assert contains(found, laplace(1 / mpf(scale), mpf(alarm)))
            assert found.width <= NARROW


def sampled_curves(share: Any, mu: Any) -> tuple[Callable[[Any], tuple[Any, Any]], Callable[[Any], tuple[Any, Any]]]:
    """Both errors by threshold when a record is removed, and when one is added: in the order of the profile."""

    def removed(threshold: Any) -> tuple[Any, Any]:
        with_record = (1 - share) * mpmath.ncdf(threshold) + share * mpmath.ncdf(threshold - mu)
        return mpmath.ncdf(-threshold), with_record

    def added(threshold: Any) -> tuple[Any, Any]:
        return removed(threshold)[::-1]

    return removed, added


def bracketed(curve: TradeoffCurve, alarm: Any, truth: Any) -> None:
    """The curve falls: one step of 1e-45 to either side of an irrational false alarm is enough."""
    below = Fraction(int(mpmath.floor(alarm * mpmath.mpf(10) ** 45)), 10**45)
    exact = Fraction(int(mpmath.floor(truth * mpmath.mpf(10) ** 50)), 10**50)
    found = missed(curve, below)
    assert found.width <= NARROW
    assert found.upper >= exact
    assert missed(curve, below + Fraction(1, 10**45)).lower <= exact + Fraction(1, 10**40)


@pytest.mark.parametrize(("share", "deviation"), [("0.1", "1"), ("0.5", "2"), ("0.01", "0.5")])
def test_one_sampled_gaussian_in_each_order(share: str, deviation: str) -> None:
    mechanism = PoissonSampled(mechanism=Gaussian(standard_deviation=deviation), sampling_probability=share)
    with mpmath.workdps(60):
        orders = sampled_curves(mpf(share), 1 / mpf(deviation))
        both = TradeoffCurve.of(mechanism, adjacency="add_or_remove_one")
        for adjacency, order in zip(("remove_one", "add_one"), orders, strict=True):
            curve = TradeoffCurve.of(mechanism, adjacency=adjacency)
            for place in ("-1.5", "0.2", "1", "2.5"):
                alarm, truth = order(mpf(place))
                bracketed(curve, alarm, truth)
                above = Fraction(int(mpmath.ceil(alarm * mpmath.mpf(10) ** 45)), 10**45)
                assert missed(both, above).lower <= Fraction(str(truth)) + Fraction(1, 10**40)


@pytest.mark.parametrize(("share", "deviation"), [("0.1", "1"), ("0.5", "2")])
def test_one_sampled_gaussian_in_both_orders(share: str, deviation: str) -> None:
    """Lines that support the worse of both profiles, by numerical integration, lie below the curve."""
    mechanism = PoissonSampled(mechanism=Gaussian(standard_deviation=deviation), sampling_probability=share)
    curve = TradeoffCurve.of(mechanism, adjacency="add_or_remove_one")
    with mpmath.workdps(30):
        q, mu = mpf(share), 1 / mpf(deviation)

        def mixed(x: Any) -> Any:
            return (1 - q) * mpmath.npdf(x) + q * mpmath.npdf(x - mu)

        def worse(t: Any) -> Any:
            found = []
            for upper, lower in ((mixed, mpmath.npdf), (mpmath.npdf, mixed)):
                # the two densities cross once: where their ratio, which rises or falls in x, is t
                odds = t if upper is mixed else 1 / t
                inner = (odds - 1 + q) / q
                crossing = mpmath.log(inner) / mu + mu / 2 if inner > 0 else -mpmath.inf
                ends = (crossing, mpmath.inf) if upper is mixed else (-mpmath.inf, crossing)
                pieces = [
                    max(min(mpmath.mpf(x), mpmath.mpf(12)), mpmath.mpf(-12)) for x in (ends[0], -3, 0, 1, 3, ends[1])
                ]
                inside = sorted({x for x in pieces if ends[0] <= x <= ends[1]})
                found.append(
                    mpmath.quad(lambda x, u=upper, v=lower: u(x) - t * v(x), inside) if len(inside) > 1 else mpf(0)
                )
            return max(found)

        lines = [(t, worse(t)) for t in (mpmath.exp(mpmath.mpf(step) / 8) for step in range(-12, 13))]
        for alarm in (Fraction(1, 100), Fraction(1, 5), Fraction(1, 2), Fraction(4, 5)):
            best = max(1 - delta - t * mpf(alarm) for t, delta in lines)
            found = missed(curve, alarm)
            assert found.upper >= Fraction(str(best)) - Fraction(1, 10**15)
            assert found.lower <= Fraction(str(best)) + Fraction(1, 100)


# ----------------------------------------------------------------------------------- three ways, decimals

EQUAL = [("0.1", "0.001", 30), ("0.5", "0", 7), ("1", "0.2", 3), ("0.05", "1e-6", 60), ("2.5", "0", 2)]


@pytest.mark.parametrize(("epsilon", "delta", "count"), EQUAL)
def test_three_ways_to_a_curve_intersect(epsilon: str, delta: str, count: int) -> None:
    profile = compose(ApproxDP(epsilon=epsilon, delta=delta).repeated(count))
    listed = TradeoffCurve.of(profile)
    region = TradeoffCurve.of(PrivacyRegion.of_equal(epsilon=epsilon, delta=delta, count=count))
    dual = TradeoffCurve(ProfileCurve(profile), profile)
    assert listed.vertices is not None
    source = random.Random(count)
    alive = (1 - Fraction(delta)) ** count
    alarms = [Fraction(0), alive, *ALARMS, *(Fraction(source.random()) for _ in range(6))]
    alarms += [Fraction(each.false_alarm.upper) for each in listed.vertices[1:-1:7]]
    for alarm in alarms:
        one, other, third = missed(listed, alarm), missed(region, alarm), dual.missed_detection(alarm)
        assert one.intersects(other)
        assert one.intersects(third)
        assert other.intersects(third)
        assert one.width <= Fraction(1, 10**20)
    assert alive in missed(listed, Fraction(0))
    for epsilon_there in ("-3", "-0.2", "0", "0.05", "0.5", "1.7", "4", "ln(2)"):
        truth = profile.delta(epsilon_there)
        for curve in (listed, region, dual):
            assert curve.delta(epsilon_there).intersects(truth)
        assert listed.delta(epsilon_there).width <= Fraction(1, 10**15)


VARIOUS: list[tuple[Mechanism, str | None]] = [
    (
        Alongside(
            parts=[PureDP(epsilon="0.3"), PureDP(epsilon="0.7").repeated(3), ApproxDP(epsilon="1", delta="0.01")]
        ),
        None,
    ),
    (Alongside(parts=[PureDP(epsilon="ln(2)"), PureDP(epsilon="0.7")]), None),
    (Alongside(parts=[PureDP(epsilon="ln(2)").repeated(2), PureDP(epsilon="ln(3)")]), None),
    (DiscreteLaplace(scale="2", sensitivity=3).repeated(4), None),
    (DiscreteLaplace(scale="1").repeated(2), None),
    (RandomizedResponse(probability="1/2", categories=5).repeated(4), None),
    (RandomizedResponse(probability="1/10", categories=4), None),
    (RandomizedResponse(probability="3/4"), None),
    (Staircase(epsilon="1", gamma="0.3").repeated(3), None),
    (Alongside(parts=[Staircase(epsilon="1", gamma="0.5"), PureDP(epsilon="0.5")]), None),
    (PoissonSampled(mechanism=RandomizedResponse(probability="3/4"), sampling_probability="0.1"), "add_one"),
    (PoissonSampled(mechanism=ApproxDP(epsilon="1", delta="0.1"), sampling_probability="0.3"), "remove_one"),
    (PoissonSampled(mechanism=ApproxDP(epsilon="1", delta="0.1"), sampling_probability="0.3"), "add_or_remove_one"),
    (Alongside(parts=[Laplace(scale="1"), ApproxDP(epsilon="0.5", delta="0.2")]), None),
    (Gaussian(standard_deviation="1").repeated(2), None),
    (PureDP(epsilon="0.5").repeated(0), None),
]


@pytest.mark.parametrize(("mechanism", "adjacency"), VARIOUS)
def test_curves_and_profiles_belong_together(mechanism: Mechanism, adjacency: str | None) -> None:
    """The corners against the dual of the profile; and the profile against the dual of the curve."""
    profile = compose(mechanism, adjacency=adjacency)
    curve, dual = TradeoffCurve.of(profile), TradeoffCurve(ProfileCurve(profile), profile)
    alarms = [Fraction(0), *ALARMS[1:]]
    found = [missed(curve, alarm) for alarm in alarms]
    for alarm, one in zip(alarms, found, strict=True):
        assert one.intersects(missed(dual, alarm))
    for one, other in pairwise(found):
        assert other.lower <= one.upper
    for epsilon in ("-2", "-0.3", "0", "0.4", "1", "ln(3)", "5"):
        back, truth = curve.delta(epsilon), profile.delta(epsilon)
        assert back.intersects(truth)
        odds = mpmath.exp(mpf(epsilon)) if "l" not in epsilon else mpmath.mpf(3)
        for alarm, one in zip(alarms, found, strict=True):
            height = Fraction(one.upper) + Fraction(float(odds)) * alarm  # the line lies below the curve
            assert 1 - Fraction(truth.upper) <= height + Fraction(1, 10**9)
    assert curve.missed_detection(1).upper == 0
    assert curve.missed_detection(0).intersects(Enclosure.exactly(1 - Fraction(profile.failure.upper)))


@pytest.mark.parametrize(("mechanism", "adjacency"), VARIOUS)
def test_curves_are_convex(mechanism: Mechanism, adjacency: str | None) -> None:
    curve = TradeoffCurve.of(mechanism, adjacency=adjacency)
    alarms = [Fraction(place, 8) for place in range(9)]
    found = [missed(curve, alarm) for alarm in alarms]
    for left, middle, right in zip(found, found[1:], found[2:], strict=False):
        assert middle.lower <= (Fraction(left.upper) + Fraction(right.upper)) / 2


def test_exact_corners_of_different_rational_mechanisms() -> None:
    """The list of losses against FinitePair, exactly."""
    pairs = {"ln(2)": ["2/3", "1/3"], "ln(3)": ["3/4", "1/4"], "ln(3/2)": ["3/5", "2/5"]}
    for chosen in (["ln(2)", "ln(3)"], ["ln(2)", "ln(2)", "ln(3/2)"], list(pairs), ["ln(3)"] * 5):
        profile = compose([PureDP(epsilon=each) for each in chosen])
        whole = FinitePair(first=[1], second=[1])
        for each in chosen:
            whole = whole.product(FinitePair(first=pairs[each], second=pairs[each][::-1]))
        corners = TradeoffCurve.of(profile).vertices
        assert corners is not None
        exact = [(each.false_alarm.lower, each.missed_detection.lower) for each in corners]
        assert exact == [(point.false_alarm, point.missed_detection) for point in whole.tradeoff]
        assert all(each.false_alarm.is_exact and each.missed_detection.is_exact for each in corners)
    failing = [ApproxDP(epsilon="ln(2)", delta="1/10"), PureDP(epsilon="ln(3)"), ApproxDP(epsilon="ln(5)", delta="1/7")]
    whole = FinitePair(first=["3/4", "1/4"], second=["1/4", "3/4"])
    whole = whole.product(FinitePair.randomized_response(epsilon="ln(2)", delta="1/10"))
    whole = whole.product(FinitePair.randomized_response(epsilon="ln(5)", delta="1/7"))
    corners = TradeoffCurve.of(compose(failing)).vertices
    assert corners is not None
    exact = [(each.false_alarm.lower, each.missed_detection.lower) for each in corners]
    assert exact == [(point.false_alarm, point.missed_detection) for point in whole.tradeoff]
    kary = RandomizedResponse(probability="1/2", categories=5).repeated(3)
    rows = ["1/2", "1/8", "3/8"]
    power = FinitePair(first=rows, second=[rows[1], rows[0], rows[2]]).repeated(3)
    corners = TradeoffCurve.of(kary).vertices
    assert corners is not None
    assert [each.false_alarm.lower for each in corners] == [point.false_alarm for point in power.tradeoff]


def test_a_great_many() -> None:
    many = TradeoffCurve.of(PureDP(epsilon="0.001").repeated(200_000))
    normal = TradeoffCurve.of(Gaussian(mu="0.44721359"))  # sqrt(200000) * 0.001, in the limit
    for alarm in (Fraction(1, 1000), Fraction(1, 5), Fraction(1, 2)):
        assert abs(Fraction(missed(many, alarm).lower) - Fraction(missed(normal, alarm).lower)) < Fraction(1, 1000)
    assert many.vertices is None
    assert missed(TradeoffCurve.of(PureDP(epsilon="1").repeated(10**6)), Fraction(1, 100)).upper < Fraction(1, 10**6)


@pytest.mark.parametrize("alarm", ["1e-20", "1e-12"])
def test_a_curve_next_to_zero_is_narrow(alarm: str) -> None:
    parts = [PureDP(epsilon=each).repeated(400) for each in ("0.3", "0.5001", "1.7")]
    found = TradeoffCurve.of(compose(parts)).missed_detection(alarm)
    assert found.width <= WIDEST


@pytest.mark.parametrize(("epsilon", "count"), [("3", 2), ("0.5", 3)])
def test_the_dual_is_narrow_at_corners(epsilon: str, count: int) -> None:
    profile = compose(PureDP(epsilon=epsilon).repeated(count))
    corners = TradeoffCurve.of(profile).vertices
    assert corners is not None
    for corner in corners:
        found = ProfileCurve(profile).missed_detection(Fraction(corner.false_alarm.upper))
        assert found.width <= WIDEST


# ---------------------------------------------------------------------------------------- false profiles


def known_missed(profile: Any, alarm: Fraction) -> Enclosure:
    """What the dual says; where gaps are everywhere, what it says with its refusal: that is sound as well."""
    try:
        return ProfileCurve(profile).missed_detection(alarm)
    except UndecidedError as error:
        return error.reached if isinstance(error.reached, Enclosure) else Enclosure(Fraction(0), Fraction(1))


class FalseProfile:
    """The profile of a finite pair, in intervals of random width, with gaps."""

    def __init__(self, source: random.Random, base: FinitePair) -> None:
        self.base, self.source = base, source
        self.slack = source.choice([0.0, 1e-12, 1e-9, 1e-4, 1e-2, 0.3])
        self.gaps = source.choice([0.0, 0.0, 0.1, 0.5, 1.0])
        self.failure = self.around(base.failure)

    @property
    def is_perfect(self) -> bool:
        return not (self.slack or self.gaps)

    def around(self, truth: Fraction) -> Enclosure:
        below, above = (Fraction(self.slack * self.source.random()) for _ in range(2))
        return Enclosure(max(truth - below, Fraction(0)), min(truth + above, Fraction(1)))

    def delta(self, epsilon: Real) -> Enclosure:
        odds = exponential(epsilon)
        assert odds is not None
        found = self.around(self.base.delta_at(odds))
        if self.source.random() >= self.gaps:
            return found
        if self.source.random() < 0.5:
            raise UnsupportedError(field="epsilon", value=0, condition="is a gap", remedy="None.")
        reached = self.source.choice([found, None])
        raise UndecidedError(field="epsilon", value=0, condition="is a gap", remedy="None.", reached=reached)


def attack(source: random.Random, rounds: int) -> Fraction:
    """Both ends against the exact curve; the largest width where nothing was in the way."""
    widest = Fraction(0)
    for _ in range(rounds):
        base = pair(source, source.randint(1, 7))
        profile: Any = FalseProfile(source, base)
        corners = [(point.false_alarm, point.missed_detection) for point in base.swapped.tradeoff]
        alarm = source.choice(
            [
                Fraction(source.randint(0, 20), 20),
                Fraction(source.random()),
                Fraction(10) ** -source.randint(1, 30),
                1 - Fraction(10) ** -source.randint(1, 30),
                source.choice(corners)[0],
            ]
        )
        found = known_missed(profile, alarm)
        assert found.lower <= best_missed(corners, alarm) <= found.upper
        if profile.is_perfect:
            widest = max(widest, Fraction(found.width))
    return widest


@pytest.mark.parametrize("seed", range(4))
def test_both_ends_against_exact_curves(seed: int) -> None:
    assert attack(random.Random(50 + seed), 100) <= Fraction(1, 10**6)


@pytest.mark.nightly
def test_both_ends_against_exact_curves_for_long() -> None:
    attack(random.Random(), 6_000)


def on(points: Sequence[tuple[Fraction, Fraction]], place: Fraction) -> Fraction:
    """The value of a polygon, drawn as it stands."""
    return min(
        min(b, d) if c == a else b + (d - b) * (place - a) / (c - a)
        for (a, b), (c, d) in pairwise(points)
        if a <= place <= c
    )


def sampled(source: random.Random, *, positive: bool) -> None:
    """Polygons from supporting lines lie on their sides of the curve."""
    base = pair(source, source.randint(1, 7))
    profile: Any = FalseProfile(source, base)
    corners = [(point.false_alarm, point.missed_detection) for point in base.swapped.tradeoff]
    end = min(alarm for alarm, b in corners if b == 0)
    places = sorted({Fraction(source.randint(1, 99), 100) for _ in range(source.randint(2, 8))})
    if len(places) < 2:
        return
    try:
        polygon: Polygon = ProfileCurve(profile).sampled(places)
    except UndecidedError:  # gaps everywhere
        return
    if positive and (places[-1] >= end or min(b for _, b in polygon.lower) <= 0):
        return
    first, last = places[0], places[-1]
    for step in range(40):
        alarm = first + (last - first) * Fraction(step, 39)
        assert on(polygon.lower, alarm) <= best_missed(corners, alarm) <= on(polygon.upper, alarm)


def test_polygons_from_supporting_lines() -> None:
    source = random.Random(60)
    for _ in range(60):
        sampled(source, positive=True)


def test_polygons_from_supporting_lines_that_reach_zero() -> None:
    source = random.Random(61)
    for _ in range(50):
        sampled(source, positive=False)


# ------------------------------------------------------------------------------------- shapes and orders


def test_pairs_in_both_orders() -> None:
    source = random.Random(70)
    for _ in range(60):
        found = pair(source, source.randint(1, 6))
        curve, other = TradeoffCurve.of(found), TradeoffCurve.of(found.swapped)
        both = curve.symmetrised
        corners = [(p.false_alarm, p.missed_detection) for p in (*found.tradeoff, *found.swapped.tradeoff)]
        for place in range(11):
            alarm = Fraction(place, 10)
            assert curve.inverse.missed_detection(alarm) == other.missed_detection(alarm)
            truth = best_missed(corners, alarm)
            assert both.missed_detection(alarm) == Enclosure(truth, truth, "lower")
            assert both.inverse.missed_detection(alarm) == both.missed_detection(alarm)
        for odds in ("1/3", "1", "2", "7"):
            epsilon = f"ln({odds})" if odds != "1" else 0
            t = Fraction(odds)
            assert curve.delta(epsilon).lower == curve.delta(epsilon).upper == found.swapped.delta_at(t)
            assert both.delta(epsilon).upper == max(found.delta_at(t), found.swapped.delta_at(t))


def test_profiles_give_symmetric_curves() -> None:
    """Below its corner, ``f(f(a)) = a`` where the curve falls strictly."""
    for mechanism in (Gaussian(standard_deviation=1), Laplace(scale=1).repeated(2), PureDP(epsilon="0.4").repeated(5)):
        curve = TradeoffCurve.of(mechanism)
        for alarm in (Fraction(1, 50), Fraction(1, 3)):
            there = curve.missed_detection(alarm)
            assert curve.missed_detection(Fraction(there.upper)).lower <= alarm + Fraction(1, 10**7)
            assert curve.missed_detection(Fraction(there.lower)).upper >= alarm - Fraction(1, 10**7)
    assert TradeoffCurve.of(Laplace(scale=1)).symmetrised.vertices is None
    curve = TradeoffCurve.of(Laplace(scale=1))
    assert curve.inverse is curve
    sampled = PoissonSampled(mechanism=Laplace(scale=1), sampling_probability="0.1")
    one, other = (TradeoffCurve.of(sampled, adjacency=adjacency) for adjacency in ("add_one", "remove_one"))
    assert one.inverse.missed_detection("0.1") == other.missed_detection("0.1")
    assert one.inverse.inverse.missed_detection("0.1") == one.missed_detection("0.1")
    assert one.oriented.missed_detection("0.1") == other.oriented.missed_detection("0.1")


def test_no_mechanism_and_none_private() -> None:
    nothing = TradeoffCurve.of(compose([]))
    assert all(missed(nothing, alarm) == Enclosure(1 - alarm, 1 - alarm, "lower") for alarm in ALARMS)
    open_book = TradeoffCurve.of(ApproxDP(epsilon=1, delta=1))
    assert all(missed(open_book, alarm).upper == 0 for alarm in (Fraction(0), *ALARMS))


@pytest.mark.parametrize("epsilon", ["1e6", "1e9"])
def test_huge_epsilons(epsilon: str) -> None:
    found = TradeoffCurve.of(ApproxDP(epsilon=1, delta="0.25")).delta(epsilon)
    assert Fraction(1, 4) in found
    assert found.width <= WIDEST


@pytest.mark.parametrize("value", ["-0.1", "1.1", True, float("nan"), None, "x"])
def test_false_alarms_are_probabilities(value: Any) -> None:
    for curve in (TradeoffCurve.of(PureDP(epsilon=1)), TradeoffCurve.of(Laplace(scale=1))):
        with pytest.raises(InvalidParameterError) as caught:
            curve.missed_detection(value)
        assert caught.value.field == "false_alarm"
        assert speaks(caught.value)


@pytest.mark.parametrize("source", [None, 3, "gaussian", [PureDP(epsilon=1)], FinitePair])
def test_other_sources_are_refused(source: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        TradeoffCurve.of(source)
    assert caught.value.field == "source"
    assert speaks(caught.value)


def test_profiles_are_sources() -> None:
    assert isinstance(TradeoffCurve.of(compose(PureDP(epsilon=1))).source, Profile)
    assert "corners" in repr(TradeoffCurve.of(PureDP(epsilon=1)))
    assert "NormalCurve" in repr(TradeoffCurve.of(Gaussian(mu=1)))


def test_two_rows_are_a_finite_pair() -> None:
    rows = (["3/4", "1/4"], ["1/4", "3/4"])
    assert TradeoffCurve.of(rows).vertices == TradeoffCurve.of(FinitePair(first=rows[0], second=rows[1])).vertices

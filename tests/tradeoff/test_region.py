"""Regions against exact brute force over all crossings of lines, and as the three faces of Theorem 3.3."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import mpmath
import pytest

from optcomp import (
    ApproxDP,
    Enclosure,
    FinitePair,
    InvalidParameterError,
    Logarithm,
    PrivacyRegion,
    TradeoffCurve,
    UndecidedError,
    compose,
)
from optcomp.quantities import exponential
from optcomp.theorems.kov15 import Corner
from optcomp.tradeoff import Constraint
from tests.theorems.formulas import mpf
from tests.tradeoff.oracles import speaks

Rows = list[tuple[Fraction, Fraction]]  # e^epsilon with delta
ODDS = [Fraction(each) for each in ("1", "5/4", "3/2", "2", "3", "5", "12")]
DELTAS = [Fraction(each) for each in ("0", "1/20", "1/8", "1/4", "1/3", "1/2", "4/5", "1")]


def region(rows: Rows) -> PrivacyRegion:
    return PrivacyRegion.of((Logarithm.of(t), delta) for t, delta in rows)


def half_planes(rows: Rows) -> list[tuple[Fraction, Fraction, Fraction]]:
    """``x a + y b >= z``."""
    one, zero = Fraction(1), Fraction(0)
    both = [each for t, delta in rows for each in ((one, t, 1 - delta), (t, one, 1 - delta))]
    return [(one, zero, zero), (zero, one, zero), *both]


def brute_corners(rows: Rows) -> list[tuple[Fraction, Fraction]]:
    """Every crossing of two lines that keeps all the others."""
    planes, found = half_planes(rows), set()
    for (a, b, c), (d, e, f) in combinations(planes, 2):
        whole = a * e - b * d
        if whole:
            x, y = (c * e - b * f) / whole, (a * f - c * d) / whole
            if all(p * x + q * y >= r for p, q, r in planes):
                found.add((x, y))
    return sorted(found)


def brute_includes(outer: Rows, inner: Rows) -> bool:
    return all(a + t * b >= 1 - delta for a, b in brute_corners(inner) for t, delta in outer)


def rows_of(source: random.Random, most: int = 4) -> Rows:
    return [(source.choice(ODDS), source.choice(DELTAS)) for _ in range(source.randint(0, most))]


def exact_points(corners: tuple[Corner, ...]) -> list[tuple[Fraction, Fraction]]:
    assert all(each.false_alarm.is_exact and each.missed_detection.is_exact for each in corners)
    return [(Fraction(each.false_alarm.lower), Fraction(each.missed_detection.lower)) for each in corners]


def test_inclusion_against_all_crossings() -> None:
    source = random.Random(31)
    seen = {True: 0, False: 0}
    for _ in range(1200):
        one, other = rows_of(source), rows_of(source)
        truth = brute_includes(one, other)
        assert region(one).includes(region(other)) == truth
        same = truth and brute_includes(other, one)
        assert region(one).same_as(region(other)) == same
        seen[truth] += 1
    assert min(seen.values()) > 200


def test_exact_ties_between_rational_odds() -> None:
    """A line through a corner of the region, and the same line a hair higher."""
    source = random.Random(32)
    hair = Fraction(1, 10**40)
    ties = 0
    for _ in range(250):
        inner = [row for row in rows_of(source, 5) if row[1] < 1]
        t = source.choice(ODDS)
        touching = 1 - min(a + t * b for a, b in brute_corners(inner))
        if touching > 0:
            assert region([(t, touching)]).includes(region(inner))
            assert not region([(t, touching - min(hair, touching))]).includes(region(inner))
            assert region([*inner, (t, touching)]).same_as(region(inner))
            ties += 1
    assert ties > 100


def test_intersections() -> None:
    source = random.Random(33)
    for _ in range(200):
        one, other, third = rows_of(source, 3), rows_of(source, 3), rows_of(source, 3)
        both = region(one).intersection(region(other))
        assert both.same_as(region(one + other))
        assert region(one).includes(both)
        assert region(other).includes(both)
        inside = region(one).includes(region(third)) and region(other).includes(region(third))
        assert both.includes(region(third)) == inside


def test_points_against_the_half_planes() -> None:
    source = random.Random(34)
    for _ in range(25):
        rows = rows_of(source)
        found, planes = region(rows), half_planes(rows)
        corners = brute_corners(rows)
        grid = [(Fraction(i, 12), Fraction(j, 12)) for i in range(13) for j in range(13)]
        hair = Fraction(1, 10**50)
        grid += [point for point in corners if max(point) <= 1]
        grid += [(a, b - hair) for a, b in corners if hair <= b <= 1 and a <= 1]
        for a, b in grid:
            low, high = (a, b) if a + b <= 1 else (1 - a, 1 - b)
            truth = all(p * low + q * high >= r for p, q, r in planes)
            assert found.contains(false_alarm=a, missed_detection=b) == truth


def test_corners_against_all_crossings() -> None:
    source = random.Random(35)
    for _ in range(300):
        rows = rows_of(source, 5)
        points = exact_points(region(rows).corners())
        expected = [(a, b) for a, b in brute_corners(rows) if max(a, b) <= 1 and a + b <= 1]
        ends = {(Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))}
        assert points == sorted(set(points), key=lambda point: (point[0], -point[1]))
        assert set(points) | ends == set(expected) | ends
        assert all((b, a) in points for a, b in points)


E_ROWS = [
    ([("1", "0.1")], [("2", "0.1")], False),
    ([("2", "0.1")], [("1", "0.1")], True),
    ([("1", "0")], [("1", "0"), ("2", "0")], True),
    ([("3", "0.25")], [("1", "0.25"), ("2", "0.1")], True),
    ([("0.5", "0.2")], [("1", "0.1"), ("0", "0.3")], False),
    ([("0", "1/2")], [("ln(3)", "0")], True),
    ([("0", "0.4999999999999999999999999999999999999999")], [("ln(3)", "0")], False),
    ([("1", "1")], [], True),
    ([], [("1", "0")], True),
    ([("1", "0.999999")], [], False),
]


@pytest.mark.parametrize(("outer", "inner", "truth"), E_ROWS)
def test_ties_with_powers_of_e(outer: list[tuple[str, str]], inner: list[tuple[str, str]], truth: bool) -> None:
    assert PrivacyRegion.of(outer).includes(PrivacyRegion.of(inner)) is truth


def test_lines_through_a_shared_end_are_decided_with_powers_of_e() -> None:
    """All of these meet in (0, 1 - delta): the flattest of them alone counts."""
    for delta in ("0", "0.1", "1/3"):
        flat = PrivacyRegion.of([("1", delta)])
        many = PrivacyRegion.of([(epsilon, delta) for epsilon in ("3", "1", "ln(3)", "2", "1", "7/3")])
        assert flat.same_as(many)
        assert len(many.corners()) == len(flat.corners())
        assert flat.contains(false_alarm=0, missed_detection=1 - Fraction(delta))
        assert not flat.contains(false_alarm=0, missed_detection=1 - Fraction(delta) - Fraction(1, 10**60))


def test_inclusion_with_powers_of_e_against_60_digits() -> None:
    source = random.Random(36)
    epsilons = ["0", "0.1", "0.5", "1", "2", "3.3", "ln(2)", "ln(7/2)"]
    seen = {True: 0, False: 0}
    with mpmath.workdps(60):
        value = {each: mpmath.exp(mpf(each)) if "l" not in each else mpf(each[3:-1]) for each in epsilons}
        for _ in range(250):
            rows = [
                [(source.choice(epsilons), Fraction(source.randint(0, 199), 211)) for _ in range(source.randint(1, 4))]
                for _ in range(2)
            ]
            planes = [(mpf(1), mpf(0), mpf(0)), (mpf(0), mpf(1), mpf(0))]
            for epsilon, delta in rows[1]:
                planes += [(mpf(1), value[epsilon], mpf(1 - delta)), (value[epsilon], mpf(1), mpf(1 - delta))]
            corners = []
            for (a, b, c), (d, e, f) in combinations(planes, 2):
                whole = a * e - b * d
                if abs(whole) > 1e-40:
                    x, y = (c * e - b * f) / whole, (a * f - c * d) / whole
                    if all(p * x + q * y >= r - mpf("1e-45") for p, q, r in planes):
                        corners.append((x, y))
            truth = all(
                a + value[epsilon] * b >= mpf(1 - delta) - mpf("1e-40")
                for a, b in corners
                for epsilon, delta in rows[0]
            )
            assert PrivacyRegion.of(rows[0]).includes(PrivacyRegion.of(rows[1])) == truth
            seen[truth] += 1
    assert min(seen.values()) > 40


def test_deltas_in_intervals_are_undecided_only_where_it_depends() -> None:
    third, near = Fraction(1, 3), Fraction(1, 2)
    hazy = PrivacyRegion((Constraint(Fraction(1), Enclosure(third, near)),))
    assert not hazy.is_exact
    for outer, inner in (
        (hazy, PrivacyRegion((Constraint(Fraction(1), Enclosure(third, near)),))),
        (hazy, PrivacyRegion.of([("1", "0.4")])),
        (PrivacyRegion.of([("1", "0.4")]), hazy),
    ):
        with pytest.raises(UndecidedError):
            outer.includes(inner)
    assert hazy.includes(hazy)
    assert hazy.includes(PrivacyRegion.of([("1", third)]))
    assert not hazy.includes(PrivacyRegion.of([("1", "0.51")]))
    assert PrivacyRegion.of([("1", near)]).includes(hazy)
    assert not PrivacyRegion.of([("1", "0.33")]).includes(hazy)
    assert hazy.contains(false_alarm=0, missed_detection=1 - third)
    assert not hazy.contains(false_alarm=0, missed_detection=near - Fraction(1, 1000))
    with pytest.raises(UndecidedError):
        hazy.contains(false_alarm=0, missed_detection=Fraction(6, 10))
    curve = TradeoffCurve.of(hazy).missed_detection(0)
    assert (curve.lower, curve.upper) == (near, 1 - third)


def test_curves_of_regions_with_powers_of_e_against_60_digits() -> None:
    source = random.Random(37)
    epsilons = ["0", "0.01", "0.5", "1", "2", "6", "ln(2)", "ln(7/2)"]
    with mpmath.workdps(60):
        value = {each: mpmath.exp(mpf(each)) if "l" not in each else mpf(each[3:-1]) for each in epsilons}
        for _ in range(80):
            rows = [
                (source.choice(epsilons), Fraction(source.randint(0, 100), 101)) for _ in range(source.randint(1, 5))
            ]
            curve = TradeoffCurve.of(PrivacyRegion.of(rows))
            for place in range(13):
                alarm = Fraction(place, 12)
                truth = max(
                    max(1 - mpf(delta) - value[t] * mpf(alarm), (1 - mpf(delta) - mpf(alarm)) / value[t], mpf(0))
                    for t, delta in rows
                )
                found = curve.missed_detection(alarm)
                assert found.lower <= Fraction(str(truth)) + Fraction(1, 10**50)
                assert found.upper >= Fraction(str(truth)) - Fraction(1, 10**50)
                assert found.width <= Fraction(1, 10**30)


SETTINGS = [
    (t, delta, count)
    for t in ("3/2", "2", "101/100")
    for delta in ("0", "1/10", "1/1000")
    for count in (1, 2, 3, 7, 16, 60)
]


@pytest.mark.parametrize(("t", "delta", "count"), SETTINGS)
def test_three_ways_to_the_region_coincide_exactly(t: str, delta: str, count: int) -> None:
    """From the probabilities, from Theorem 3.3, and by duality from the profile."""
    power = FinitePair.randomized_response(epsilon=f"ln({t})", delta=delta).repeated(count)
    listed = [(point.false_alarm, point.missed_detection) for point in power.tradeoff]
    theorem = PrivacyRegion.of_equal(epsilon=f"ln({t})", delta=delta, count=count)
    assert theorem.is_exact
    assert exact_points(theorem.corners()) == listed
    knots = [knot for knot in power.profile if knot.exp_epsilon >= 1]
    dual = region([(knot.exp_epsilon, knot.delta) for knot in knots])
    if count % 2:  # 0 is no knot: the last edges meet on the diagonal
        assert knots[0].exp_epsilon > 1
    assert dual.same_as(theorem)
    assert exact_points(dual.corners()) == listed
    steps = {exponential(each.epsilon): each.delta.lower for each in theorem.constraints}
    assert steps == {knot.exp_epsilon: knot.delta for knot in knots} or count % 2 == 0
    assert all(steps[knot.exp_epsilon] == knot.delta for knot in knots)
    corners = TradeoffCurve.of(compose(ApproxDP(epsilon=f"ln({t})", delta=delta).repeated(count))).vertices
    assert corners is not None
    assert exact_points(corners) == listed


def test_a_region_of_equal_mechanisms_holds_what_it_should() -> None:
    """Some mechanisms lie inside one more of them, and tight constraints cannot be lowered."""
    for count in range(1, 8):
        small = PrivacyRegion.of_equal(epsilon="ln(3/2)", delta="1/50", count=count)
        large = PrivacyRegion.of_equal(epsilon="ln(3/2)", delta="1/50", count=count + 1)
        assert large.includes(small)
        assert not small.includes(large)
    assert PrivacyRegion.of_equal(epsilon="ln(2)", delta=0, count=0).same_as(PrivacyRegion.of([(0, 0)]))
    assert PrivacyRegion.of_equal(epsilon=0, delta="1/2", count=2).same_as(PrivacyRegion.of([(0, "3/4")]))
    assert PrivacyRegion.of_equal(epsilon=1, delta=1, count=3).same_as(PrivacyRegion.of([]))


@pytest.mark.parametrize(
    ("epsilon", "delta", "field"),
    [
        ("-1", "0.1", "epsilon"),
        (True, "0.1", "epsilon"),
        (float("nan"), "0.1", "epsilon"),
        (None, "0.1", "epsilon"),
        ("1", "-0.1", "delta"),
        ("1", "1.1", "delta"),
        ("1", True, "delta"),
        ("1", float("nan"), "delta"),
    ],
)
def test_refusals(epsilon: Any, delta: Any, field: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        PrivacyRegion.of([(epsilon, delta)])
    with pytest.raises(InvalidParameterError) as equal:
        PrivacyRegion.of_equal(epsilon=epsilon, delta=delta, count=2)
    for error in (caught.value, equal.value):
        assert error.field == field
        assert speaks(error)


@pytest.mark.parametrize("count", [-1, True, 1.5, "2"])
def test_a_count_is_needed(count: Any) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        PrivacyRegion.of_equal(epsilon=1, delta=0, count=count)
    assert caught.value.field == "count"
    assert speaks(caught.value)


@pytest.mark.parametrize("value", ["-0.1", "1.5", True, float("nan"), None])
def test_points_are_probabilities(value: Any) -> None:
    for field in ("false_alarm", "missed_detection"):
        with pytest.raises(InvalidParameterError) as caught:
            PrivacyRegion.of([]).contains(**{"false_alarm": 0, "missed_detection": 0, field: value})
        assert caught.value.field == field
        assert speaks(caught.value)

"""Where the theorems are pushed to the ends of their ranges."""

from __future__ import annotations

import pytest

from optcomp import PureDP, compare
from optcomp.theorems import Term
from optcomp.theorems.drv10 import advanced_composition
from optcomp.theorems.kov15 import closed_form, optimal_corners, optimal_region
from optcomp.theorems.renyi import zcdp_delta, zcdp_epsilon


@pytest.mark.parametrize(("count", "delta"), [(1000, "0.5"), (10**6, "1e-3"), (10**12, "0.5"), (10**30, "1e-9")])
def test_a_delta_is_never_above_1(count: int, delta: str) -> None:
    assert closed_form([Term(epsilon="0.1", delta=delta, count=count)], slack="0.1").delta.upper <= 1


@pytest.mark.parametrize(
    ("epsilon", "delta", "count"), [("1", "1e-60", 1), ("1", "1e-30", 2), ("0.001", "0", 200), ("2.5", "1e-300", 41)]
)
def test_tiny_vertices_keep_their_digits(epsilon: str, delta: str, count: int) -> None:
    for vertex in optimal_region(epsilon=epsilon, delta=delta, count=count):
        assert vertex.delta.relative_width <= 1e-25


def test_no_corner_comes_twice() -> None:
    corners = optimal_corners(epsilon="0.5", delta="0.1", count=0)
    assert len(corners) == len(set(corners))


@pytest.mark.parametrize("rho", ["100", "150"])
def test_delta_below_rho_is_known_well(rho: str) -> None:
    assert zcdp_delta(rho=rho, epsilon=0).value.relative_width <= 1e-20


@pytest.mark.parametrize("rho", ["200", "1e6"])
def test_an_order_close_to_1_is_found(rho: str) -> None:
    found = zcdp_delta(rho=rho, epsilon=0).value
    assert 0.99 < found.lower <= found.upper <= 1


def test_a_delta_close_to_1_has_an_epsilon() -> None:
    delta = "0." + "9" * 100
    found = zcdp_epsilon(rho="0.5", delta=delta).value
    assert found.upper == 0


@pytest.mark.parametrize(("rho", "epsilon"), [("1e-8", "1"), ("1e-12", "1"), ("0.5", "1e5")])
def test_a_delta_beyond_all_floats_is_bounded(rho: str, epsilon: str) -> None:
    assert zcdp_delta(rho=rho, epsilon=epsilon).value.upper < 1e-300


def test_a_huge_epsilon_has_corners() -> None:
    first, *_, last = optimal_corners(epsilon="1e9", delta=0, count=2)
    assert first.false_alarm.lower == last.missed_detection.lower == 1


def test_a_huge_epsilon_has_vertices() -> None:
    assert optimal_region(epsilon="1e20", delta=0, count=5)[0].delta.upper == 0


@pytest.mark.parametrize("rho", ["60", "100", "150"])
def test_a_converted_delta_is_never_above_1(rho: str) -> None:
    found = zcdp_delta(rho=rho, epsilon=0).value
    assert found.lower <= found.upper <= 1


def test_a_huge_epsilon_has_an_advanced_composition() -> None:
    assert advanced_composition([Term(epsilon="1e9")], slack="0.1").epsilon.lower > 1e300


def test_huge_epsilons_can_be_compared() -> None:
    epsilon = compare([PureDP(epsilon="1e9")], delta="0.1").row("basic").epsilon
    assert epsilon is not None
    assert epsilon.upper == 10**9

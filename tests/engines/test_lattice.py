"""Limits of the engine for epsilons with a common step."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import optcomp as oc
from optcomp.engines.auto import TABLE, build, select
from optcomp.engines.lattice import Lattice
from optcomp.losses import lower
from optcomp.numerics import lattice as measures
from optcomp.numerics.fft import convolve_by_fft
from tests.oracles.brute_force import BruteForce, ln, plain, to_fraction
from tests.oracles.inversion import lattice_delta

WIDEST = 1e-9
SLACK = Fraction(1, 10**50)
SLACK_OF_INVERSION = Fraction(1, 10**21)

Groups = list[tuple[int, int]]


def on_lattice(step: Fraction | str, groups: Groups) -> oc.Profile:
    parts = [oc.PureDP(epsilon=Fraction(step) * multiple).repeated(count) for multiple, count in groups]
    return oc.compose(parts, engine="lattice")


def listed(step: Fraction | str, groups: Groups) -> BruteForce:
    return BruteForce([(plain(Fraction(step) * m), Fraction(0)) for m, count in groups for _ in range(count)])


def assert_holds(answer: oc.Enclosure, truth: Any, slack: Fraction = SLACK) -> None:
    true = to_fraction(truth)
    assert answer.lower <= true + true * slack
    assert true - true * slack <= answer.upper
    assert answer.relative_width <= WIDEST


@pytest.mark.parametrize("step", ["1e-12", "0.1", "1", "1e4", "1e6"])
@pytest.mark.parametrize("groups", [[(1, 1), (2, 1)], [(1, 3), (3, 2), (7, 1)], [(2, 2), (5, 3)]])
def test_extreme_steps(step: str, groups: Groups) -> None:
    oracle, profile = listed(step, groups), on_lattice(step, groups)
    total = oracle.sum.rational
    for share in (Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(99, 100), Fraction(-1, 2)):
        assert_holds(profile.delta(share * total), oracle.delta(plain(share * total)))
    assert profile.delta(total) == oc.Enclosure.exactly(0)
    assert profile.delta(total + 1) == oc.Enclosure.exactly(0)


@pytest.mark.parametrize("share", ["0", "1/7", "99/100", "-1/2"])
def test_a_step_too_small_for_a_float_is_refused_or_answered_but_never_wrong(share: str) -> None:
    groups = [(1, 3), (3, 2)]
    oracle, profile = listed("1e-400", groups), on_lattice("1e-400", groups)
    x = Fraction(share) * oracle.sum.rational
    try:
        found = profile.delta(x)
    except (oc.UndecidedError, oc.UnsupportedError):
        return
    assert_holds(found, oracle.delta(plain(x)))


@pytest.mark.parametrize("step", ["1e-400", "1e300", "1e400"])
@pytest.mark.parametrize("share", ["0.9", "0.5", "1e-3", "1e-40"])
def test_a_step_beyond_floats_is_refused_or_inverted_but_never_wrong(step: str, share: str) -> None:
    groups = [(1, 1), (2, 1)]
    oracle, profile = listed(step, groups), on_lattice(step, groups)
    target = Fraction(share) * to_fraction(oracle.delta(plain(0)))
    try:
        found = profile.epsilon(target)
    except (oc.UndecidedError, oc.UnsupportedError):
        return
    assert_holds(found, oracle.epsilon(target))


@pytest.mark.parametrize("step", ["1e-12", "0.1", "1", "30", "1e4"])
@pytest.mark.parametrize("groups", [[(1, 1), (2, 1)], [(1, 3), (3, 2), (7, 1)]])
@pytest.mark.parametrize("share", ["0.99", "0.9", "0.8", "0.5", "1e-3", "1e-18", "1e-40", "1e-300", "1e-4000"])
def test_targets_down_to_the_smallest(step: str, groups: Groups, share: str) -> None:
    oracle, profile = listed(step, groups), on_lattice(step, groups)
    target = Fraction(share) * to_fraction(oracle.delta(plain(0)))
    assert_holds(profile.epsilon(target), oracle.epsilon(target))


@pytest.mark.parametrize("tenths", range(1, 76, 3))
def test_ordinary_targets_of_a_small_problem(tenths: int) -> None:
    """Epsilons 1 and 2: every delta between 0 and delta(0) = 0.7616 has its answer."""
    target = Fraction(tenths, 100)
    assert_holds(on_lattice("1", [(1, 1), (2, 1)]).epsilon(target), listed("1", [(1, 1), (2, 1)]).epsilon(target))


@pytest.mark.parametrize("epsilon", ["700", "6.08", "20"])
def test_targets_close_to_one_are_met_at_zero(epsilon: str) -> None:
    """One mechanism at a target above delta(0): no epsilon is needed at all."""
    profile = oc.compose(oc.PureDP(epsilon=epsilon), engine="lattice")
    at_zero = profile.delta(0)
    assert isinstance(at_zero.upper, Fraction)
    target = (at_zero.upper + 1) / 2
    if target < 1:
        assert profile.epsilon(target) == oc.Enclosure.exactly(0)


@pytest.mark.parametrize(
    ("step", "groups", "x"),
    [
        ("0.01", [(1, 10**5), (2, 10**5)], "60"),
        ("0.1", [(1, 10**4), (3, 10**3)], "200"),
        ("0.001", [(1, 10**6), (5, 10**4)], "10"),
        ("0.5", [(1, 300), (2, 300), (3, 300)], "700"),
        ("3e-5", [(1, 10**9)], "2"),
    ],
)
def test_large_counts(step: str, groups: Groups, x: str) -> None:
    truth = lattice_delta(Fraction(step), groups, Fraction(x))
    assert_holds(on_lattice(step, groups).delta(x), truth, SLACK_OF_INVERSION)


@pytest.mark.parametrize("count", [10**10, 10**11, 10**13, 10**16])
def test_counts_are_refused_before_any_work_or_answered(count: int) -> None:
    """Roundings add up with the count: where the promised width is out of reach, the engine must not take it."""
    profile = oc.compose(oc.PureDP(epsilon="1e-5").repeated(count), engine="lattice")
    try:
        _ = profile.choice
    except oc.UnsupportedError:
        return
    x = Fraction(count, 10**10) / 2 + 2
    assert_holds(profile.delta(x), lattice_delta(Fraction(1, 10**5), [(1, count)], x), SLACK_OF_INVERSION)


@pytest.mark.parametrize("target", ["1e-3", "1e-10", "1e-100", "1e-300"])
def test_large_counts_the_other_way(target: str) -> None:
    step, groups = Fraction(1, 100), [(1, 10**4), (2, 10**4)]
    found = on_lattice(step, groups).epsilon(target)
    assert found.relative_width <= WIDEST
    below, above = (to_fraction(lattice_delta(step, groups, Fraction(end))) for end in (found.lower, found.upper))
    assert below * (1 + SLACK_OF_INVERSION) >= Fraction(target)
    assert above * (1 - SLACK_OF_INVERSION) <= Fraction(target)


def test_the_fourier_way_is_taken_and_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two long laws: the transform must really be used here, and its errors be within the account."""
    used: list[int] = []

    def spy(first: measures.Floats, second: measures.Floats) -> tuple[measures.Floats, float]:
        used.append(len(first) + len(second))
        return convolve_by_fft(first, second)

    monkeypatch.setattr(measures, "convolve_by_fft", spy)
    step, groups = Fraction(1, 100), [(1, 10**5), (2, 10**5)]
    for x in ("45", "60", "90"):
        truth = lattice_delta(step, groups, Fraction(x))
        assert_holds(on_lattice(step, groups).delta(x), truth, SLACK_OF_INVERSION)
    assert used


def test_the_fourier_way_in_the_far_tail() -> None:
    """A delta near 1e-300: the tilt keeps the relative error small although the transform's error is absolute."""
    step, groups = Fraction(1, 100), [(1, 10**5), (2, 10**5)]
    truth = lattice_delta(step, groups, Fraction(310))
    assert truth < 1e-200
    assert_holds(on_lattice(step, groups).delta(310), truth, SLACK_OF_INVERSION)


@pytest.mark.parametrize("x", ["-2", "0", "1.4", "13/3", "14", "20"])
def test_equal_mechanisms_agree_with_the_closed_form(x: str) -> None:
    mechanism = oc.PureDP(epsilon="0.7").repeated(20)
    first, second = (oc.compose(mechanism, engine=name).delta(x) for name in ("binomial", "lattice"))
    assert first.intersects(second)


def test_knots() -> None:
    oracle, profile = listed("1/7", [(1, 2), (3, 2)]), on_lattice("1/7", [(1, 2), (3, 2)])
    for knot in oracle.knots[1:]:
        assert_holds(profile.delta(knot.rational), oracle.delta(knot))
    assert profile.delta(oracle.knots[0].rational) == oc.Enclosure.exactly(0)


def test_a_lattice_of_logarithms() -> None:
    parts = [(ln(Fraction(3, 2)), Fraction(0)), (ln(Fraction(9, 4)), Fraction(0)), (ln(Fraction(27, 8)), Fraction(0))]
    oracle = BruteForce(parts)
    profile = oc.compose([oc.PureDP(epsilon=f"ln({each.argument})") for each, _ in parts], engine="lattice")
    for exponential in (Fraction(1), Fraction(3, 2), Fraction(9, 4), Fraction(2), Fraction(81, 16)):
        exact, found = oracle.exact_delta(exponential), profile.delta(f"ln({exponential})")
        assert found.lower <= exact <= found.upper
        assert found.relative_width <= WIDEST


def test_no_common_step_is_refused() -> None:
    composite = lower(oc.Sequence(parts=[oc.PureDP(epsilon=1), oc.PureDP(epsilon="ln(3)")]))
    with pytest.raises(oc.UnsupportedError) as caught:
        build(composite, "lattice")
    assert caught.value.field == "engine"
    assert caught.value.value == "lattice"


def test_a_step_too_fine_is_refused_before_any_work() -> None:
    parts = [oc.PureDP(epsilon=1), oc.PureDP(epsilon="1.000000000001")]
    with pytest.raises(oc.UnsupportedError) as caught:
        build(lower(oc.Sequence(parts=parts)), "lattice")
    assert caught.value.field == "engine"


def test_when_no_engine_takes_a_problem_the_error_names_the_epsilons() -> None:
    composite = lower(oc.Sequence(parts=[oc.PureDP(epsilon=10**30), oc.PureDP(epsilon="ln(3)")]))
    if all(rule.build(composite) is None for rule in TABLE):
        with pytest.raises(oc.UnsupportedError) as caught:
            select(composite)
        assert caught.value.field == "epsilon"
    else:
        assert select(composite).reason


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        build(lower(oc.PureDP(epsilon=1)), "abacus")
    assert caught.value.field == "engine"
    assert "lattice" in caught.value.condition


def test_the_step_is_the_largest_common_one() -> None:
    losses = lower(oc.Sequence(parts=[oc.PureDP(epsilon="0.6"), oc.PureDP(epsilon="1/3")])).two_points
    assert losses is not None
    engine = Lattice.of(losses)
    assert engine is not None
    assert engine.step == Fraction(1, 15)
    assert engine.total == 14

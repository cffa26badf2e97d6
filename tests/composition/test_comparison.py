"""Every row against its printed formula in mpmath, and no theorem below the optimum."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optcomp.composition import Comparison, Row, compare, compose
from optcomp.engines.conversion import Conversion
from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.losses import lower
from optcomp.mechanisms import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    RenyiCurve,
    Sequence,
    Staircase,
    ZeroConcentrated,
)
from optcomp.quantities import Enclosure
from optcomp.theorems.renyi import zcdp_epsilon

NAMES = [
    "basic",
    "advanced",
    "short_form",
    "half_drift_form",
    "closed_form",
    "zcdp",
    "renyi",
    "approximation",
    "fully_adaptive",
    "optimal",
]
DIGITS = 60
TOLERANCE = Fraction(1, 10**45)  # far above the error of mpmath at 60 digits
WIDEST = Fraction(1, 10**25)


@dataclass(frozen=True)
class Group:
    epsilon: Fraction
    delta: Fraction
    count: int

    @property
    def mechanism(self) -> Mechanism:
        return ApproxDP(epsilon=self.epsilon, delta=self.delta).repeated(self.count)


def mp(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def fraction(value: Any) -> Fraction:
    mantissa, exponent = mpmath.mp.mpf(value).man_exp
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def squares(groups: list[Group]) -> Any:
    return sum((g.count * mp(g.epsilon) ** 2 for g in groups), mpmath.mpf(0))


def largest(groups: list[Group]) -> Any:
    return sum((g.count * mp(g.epsilon) for g in groups), mpmath.mpf(0))


def additive_slack(groups: list[Group], delta: Fraction) -> Fraction:
    return delta - sum((g.count * g.delta for g in groups), start=Fraction(0))


def multiplicative_slack(groups: list[Group], delta: Fraction) -> Fraction:
    return 1 - (1 - delta) / math.prod((1 - g.delta) ** g.count for g in groups)


def advanced(groups: list[Group], delta: Fraction) -> Any:
    drift = sum(g.count * mp(g.epsilon) * mpmath.expm1(mp(g.epsilon)) for g in groups)
    return drift + mpmath.sqrt(2 * -mpmath.log(mp(additive_slack(groups, delta))) * squares(groups))


def fully_adaptive(groups: list[Group], delta: Fraction) -> Any:
    whole = squares(groups)
    return mpmath.sqrt(2 * whole * -mpmath.log(mp(additive_slack(groups, delta)))) + whole / 2


def least_of_three(groups: list[Group], delta: Fraction, drift: Any) -> Any:
    slack, whole = mp(multiplicative_slack(groups, delta)), squares(groups)
    return min(
        largest(groups),
        drift + mpmath.sqrt(2 * whole * mpmath.log(mpmath.e + mpmath.sqrt(whole) / slack)),
        drift + mpmath.sqrt(2 * whole * -mpmath.log(slack)),
    )


def closed_form(groups: list[Group], delta: Fraction) -> Any:
    """As printed, with the fraction ``(e^eps - 1) eps / (e^eps + 1)``."""
    drift = sum(g.count * mpmath.expm1(mp(g.epsilon)) * mp(g.epsilon) / (mpmath.exp(mp(g.epsilon)) + 1) for g in groups)
    return least_of_three(groups, delta, drift)


def zcdp(groups: list[Group], delta: Fraction) -> Any:
    rho = squares(groups) / 2
    return least_over_orders(lambda order: rho * order, multiplicative_slack(groups, delta))


def renyi(groups: list[Group], delta: Fraction) -> Any:
    """With the divergence of randomized response as it is printed in the paper of Mironov, Proposition 5."""

    def divergence(order: Any, epsilon: Any) -> Any:
        share = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
        other = 1 - share
        return mpmath.log(share**order * other ** (1 - order) + other**order * share ** (1 - order)) / (order - 1)

    return least_over_orders(
        lambda order: sum((g.count * divergence(order, mp(g.epsilon)) for g in groups), mpmath.mpf(0)),
        multiplicative_slack(groups, delta),
    )


def least_over_orders(divergence: Callable[[Any], Any], delta: Fraction) -> Any:
    """The least over the Renyi order, by a golden section that knows nothing of the derivative."""
    log_delta = mpmath.log(mp(delta))

    def at(logarithm: Any) -> Any:
        order = 1 + mpmath.exp(logarithm)
        return divergence(order) + (-log_delta + (order - 1) * mpmath.log(1 - 1 / order) - mpmath.log(order)) / (
            order - 1
        )

    low, high = mpmath.mpf(-15), mpmath.mpf(45)
    golden = (mpmath.sqrt(5) - 1) / 2
    for _ in range(180):
        first, second = high - golden * (high - low), low + golden * (high - low)
        if at(first) <= at(second):
            high = second
        else:
            low = first
    return max(at((low + high) / 2), mpmath.mpf(0))


def check(row: Row, expected: Any) -> None:
    assert row.epsilon is not None, row
    truth = fraction(expected)
    room = TOLERANCE * max(Fraction(1), truth)
    assert row.epsilon.lower <= truth + room
    assert truth - room <= row.epsilon.upper
    assert row.epsilon.upper - row.epsilon.lower <= WIDEST * max(truth, Fraction(1, 10**20))


def found(groups: list[Group], delta: Fraction) -> Comparison:
    return compare([group.mechanism for group in groups], delta=delta)


groups_of_any_kind = st.lists(
    st.builds(
        Group,
        epsilon=st.integers(1, 120).map(lambda n: Fraction(n, 100)),
        delta=st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 10**9), Fraction(1, 10**4), Fraction(1, 100)]),
        count=st.integers(1, 15),
    ),
    min_size=1,
    max_size=3,
)
totals = st.sampled_from([Fraction(1, 10**12), Fraction(1, 10**6), Fraction(1, 100), Fraction(3, 10), Fraction(9, 10)])


@given(groups=groups_of_any_kind, delta=totals)
def test_every_row_holds_its_formula(groups: list[Group], delta: Fraction) -> None:
    comparison = found(groups, delta)
    with mpmath.workdps(DIGITS):
        left = additive_slack(groups, delta)
        basic = comparison.row("basic").epsilon
        assert (basic is None) == (left < 0)
        assert basic is None or basic.lower == basic.upper == sum(g.count * g.epsilon for g in groups)
        for name, formula in [("advanced", advanced), ("fully_adaptive", fully_adaptive)]:
            if left > 0:
                check(comparison.row(name), formula(groups, delta))
            else:
                assert comparison.row(name).epsilon is None
        share, closed = multiplicative_slack(groups, delta), comparison.row("closed_form").epsilon
        if share > 0:
            check(comparison.row("closed_form"), closed_form(groups, delta))
        elif share == 0:
            assert closed is not None
            assert closed.lower == closed.upper == sum(g.count * g.epsilon for g in groups)
        else:
            assert closed is None


@settings(max_examples=25)  # the golden section is slow
@given(groups=groups_of_any_kind, delta=totals)
def test_the_concentrated_row_is_the_least_over_all_orders(groups: list[Group], delta: Fraction) -> None:
    row = found(groups, delta).row("zcdp")
    with mpmath.workdps(DIGITS):
        if multiplicative_slack(groups, delta) > 0:
            check(row, zcdp(groups, delta))
        else:
            assert row.epsilon is None


@settings(max_examples=25)  # the golden section is slow
@given(groups=groups_of_any_kind, delta=totals)
def test_the_renyi_row_is_the_least_over_all_orders(groups: list[Group], delta: Fraction) -> None:
    row = found(groups, delta).row("renyi")
    with mpmath.workdps(DIGITS):
        if multiplicative_slack(groups, delta) > 0:
            assert row.epsilon is not None
            truth = fraction(renyi(groups, delta))
            room = TOLERANCE * max(Fraction(1), truth)
            assert row.epsilon.lower - room <= truth <= row.epsilon.upper + room
            assert row.epsilon.upper - row.epsilon.lower <= Fraction(1, 10**12) * max(truth, Fraction(1, 10**12))
        else:
            assert row.epsilon is None


@given(groups=groups_of_any_kind, delta=totals)
def test_no_theorem_is_below_the_optimum(groups: list[Group], delta: Fraction) -> None:
    comparison = found(groups, delta)
    optimum = comparison.row("optimal").epsilon
    assert optimum is not None
    for row in comparison.rows[:-1]:
        assert row.epsilon is None or row.epsilon.upper >= optimum.lower, row


@given(
    epsilon=st.integers(1, 150).map(lambda n: Fraction(n, 100)),
    count=st.integers(1, 300),
    failing=st.sampled_from([Fraction(0), Fraction(1, 10**8)]),
    delta=totals,
)
def test_the_short_forms_of_equal_mechanisms(epsilon: Fraction, count: int, failing: Fraction, delta: Fraction) -> None:
    groups = [Group(epsilon, failing, count)]
    comparison = found(groups, delta)
    if multiplicative_slack(groups, delta) <= 0:
        assert comparison.row("half_drift_form").epsilon is None
        assert "some mechanism fails" in comparison.row("half_drift_form").note
        return
    with mpmath.workdps(DIGITS):
        check(comparison.row("half_drift_form"), least_of_three(groups, delta, squares(groups) / 2))
        if epsilon <= Fraction(9, 10):
            check(comparison.row("short_form"), least_of_three(groups, delta, squares(groups)))
        else:
            assert comparison.row("short_form").epsilon is None
            assert comparison.row("short_form").note == "epsilon must be at most 0.9 for the short form"


@given(groups=groups_of_any_kind, delta=totals)
def test_waste_encloses_the_excess_over_the_optimum(groups: list[Group], delta: Fraction) -> None:
    comparison = found(groups, delta)
    optimum = comparison.row("optimal").epsilon
    assert optimum is not None
    assert comparison.row("optimal").waste is None
    for row in comparison.rows[:-1]:
        if row.epsilon is None or optimum.lower == 0 or math.inf in {row.epsilon.upper, optimum.upper}:
            assert row.waste is None
            continue
        assert row.waste is not None
        for theirs in (row.epsilon.lower, row.epsilon.upper):
            for ours in (optimum.lower, optimum.upper):
                assert 100 * (Fraction(theirs) / Fraction(ours) - 1) in row.waste
        assert row.waste.upper >= 0


@given(groups=groups_of_any_kind, delta=totals)
def test_the_last_row_is_what_compose_says(groups: list[Group], delta: Fraction) -> None:
    mechanisms = [group.mechanism for group in groups]
    profile = compose(mechanisms)
    comparison = compare(mechanisms, delta=delta)
    assert [row.name for row in comparison.rows] == NAMES
    assert comparison.delta == delta
    assert comparison.rows[-1].epsilon == profile.epsilon(delta)
    assert comparison.rows[-1].note == profile.choice.name


def test_forms_that_are_not_printed_as_equations_have_their_known_values() -> None:
    """100 mechanisms of 0.1 at 1e-6: digits made with mpmath by hand, outside of this suite."""
    comparison = compare(PureDP(epsilon="0.1").repeated(100), delta="1e-6")
    for name, digits in {
        "basic": "10",
        "advanced": "6.308230950513408226747199623003462686",
        "short_form": "6.256521769756931978630121358100996004",
        "half_drift_form": "5.756521769756931978630121358100996004",
        "fully_adaptive": "5.756521769756931978630121358100996004",
    }.items():
        epsilon = comparison.row(name).epsilon
        assert epsilon is not None
        assert abs(Fraction(epsilon.upper) - Fraction(digits)) < Fraction(1, 10**30)


def test_deltas_that_add_up_to_the_total_leave_the_additive_theorems_no_slack() -> None:
    comparison = compare(ApproxDP(epsilon="0.1", delta="0.01").repeated(10), delta="0.1")
    basic, closed = comparison.row("basic").epsilon, comparison.row("closed_form").epsilon
    assert basic is not None
    assert basic.upper == 1
    for name in ("advanced", "fully_adaptive"):
        assert comparison.row(name).epsilon is None
        assert comparison.row(name).note == "no slack is left: the deltas add up to the total or more"
    assert closed is not None  # 1 - 0.99^10 is below 0.1, so the multiplicative slack is above 0


def test_deltas_above_the_total_leave_basic_composition_nothing_to_say() -> None:
    comparison = compare(ApproxDP(epsilon="0.1", delta="0.01").repeated(10), delta="0.097")
    assert comparison.row("basic").note == "the deltas alone add up to more than the total"
    assert comparison.row("basic").epsilon is None
    assert comparison.row("closed_form").epsilon is not None
    assert comparison.row("optimal").epsilon is not None


def test_a_failure_mass_above_the_total_leaves_no_theorem_anything_to_say() -> None:
    comparison = compare([ApproxDP(epsilon="0.1", delta="0.5"), PureDP(epsilon="0.2")], delta="0.49")
    assert [row.epsilon for row in comparison.rows[:-1]] == [None] * 9
    for name in ("closed_form", "zcdp", "renyi"):
        assert comparison.row(name).note == "no slack is left: some mechanism fails with more than the total"
    optimum = comparison.row("optimal").epsilon
    assert optimum is not None
    assert optimum.lower == math.inf


def test_a_failure_mass_equal_to_the_total_leaves_the_sum() -> None:
    comparison = compare([ApproxDP(epsilon="0.1", delta="0.1"), ApproxDP(epsilon="0.2", delta="0.1")], delta="0.19")
    for name in ("closed_form", "optimal"):
        epsilon = comparison.row(name).epsilon
        assert epsilon is not None
        assert epsilon.lower == epsilon.upper == Fraction(3, 10)
    for name in ("zcdp", "renyi"):
        assert comparison.row(name).note == "no slack is left: the conversion needs a positive delta"


@pytest.mark.parametrize("name", ["short_form", "half_drift_form"])
def test_forms_for_equal_mechanisms_refuse_different_ones(name: str) -> None:
    row = compare([PureDP(epsilon="0.1"), PureDP(epsilon="0.2")], delta="1e-6").row(name)
    assert row.epsilon is None
    assert row.note == "the mechanisms are not all equal"


@pytest.mark.parametrize(("epsilon", "applies"), [("0.9", True), ("ln(2)", True), ("ln(3)", False), ("0.91", False)])
def test_the_short_form_ends_at_nine_tenths(epsilon: str, applies: bool) -> None:
    comparison = compare(PureDP(epsilon=epsilon).repeated(5), delta="1e-6")
    assert (comparison.row("short_form").epsilon is not None) is applies
    assert comparison.row("half_drift_form").epsilon is not None


def test_the_other_mechanisms_of_a_pure_list_do_not_matter_when_they_are_run_zero_times() -> None:
    one = compare([PureDP(epsilon="0.1").repeated(7)], delta="1e-6")
    both = compare([PureDP(epsilon="0.1").repeated(7), PureDP(epsilon="0.2").repeated(0)], delta="1e-6")
    assert one == both


def test_a_total_of_zero_keeps_what_needs_no_slack() -> None:
    comparison = compare(PureDP(epsilon="0.1").repeated(30), delta=0)
    for name in ("basic", "short_form", "half_drift_form", "closed_form", "optimal"):
        epsilon = comparison.row(name).epsilon
        assert epsilon is not None
        assert epsilon.lower == epsilon.upper == 3
    for name in ("advanced", "zcdp", "renyi", "fully_adaptive"):
        assert comparison.row(name).epsilon is None
        assert comparison.row(name).note.startswith("no slack is left")


def test_a_total_of_one_is_free() -> None:
    comparison = compare(PureDP(epsilon="0.1").repeated(30), delta=1)
    optimum, concentrated = comparison.row("optimal").epsilon, comparison.row("zcdp").epsilon
    assert optimum is not None
    assert concentrated is not None
    assert optimum.upper == concentrated.upper == 0
    assert {row.waste for row in comparison.rows} == {None}
    assert all(row.epsilon is not None for row in comparison.rows)


@pytest.mark.parametrize("delta", [0, "1e-6", 1])
def test_nothing_run_costs_nothing(delta: str | int) -> None:
    for nothing in ([], [Sequence(parts=[])], [PureDP(epsilon="0.1").repeated(0)]):
        comparison = compare(nothing, delta=delta)
        optimum, basic = comparison.row("optimal").epsilon, comparison.row("basic").epsilon
        assert optimum is not None
        assert basic is not None
        assert optimum.upper == basic.upper == 0
        assert {row.epsilon.upper for row in comparison.rows if row.epsilon is not None} == {0}
        assert {row.waste for row in comparison.rows} == {None}


def test_an_optimum_out_of_reach_leaves_the_other_rows_and_a_note() -> None:
    mechanisms = [PureDP(epsilon=Fraction(7919 * place**3 + 1, 10**220)) for place in range(50)]
    comparison = compare(mechanisms, delta="1e-6")
    optimum = comparison.row("optimal")
    assert optimum.epsilon is None
    assert optimum.note  # the words are those of the engine that was asked last
    for name in ("basic", "advanced", "closed_form", "zcdp", "renyi", "fully_adaptive"):
        assert comparison.row(name).epsilon is not None
        assert comparison.row(name).waste is None


def test_logarithms_of_different_bases_are_added_in_balls() -> None:
    comparison = compare([PureDP(epsilon="ln(2)"), PureDP(epsilon="ln(3)")], delta="0.01")
    basic = comparison.row("basic").epsilon
    assert basic is not None
    with mpmath.workdps(DIGITS):
        assert abs(fraction(mpmath.log(6)) - Fraction(basic.upper)) < Fraction(1, 10**30)


def test_randomized_response_is_compared_by_its_logarithm() -> None:
    coin = compare(RandomizedResponse(probability="0.75").repeated(12), delta="1e-6")
    assert coin.rows == compare(PureDP(epsilon="ln(3)").repeated(12), delta="1e-6").rows


def test_adaptive_rows_are_marked() -> None:
    comparison = compare(PureDP(epsilon="0.1"), delta="1e-6")
    assert {row.name for row in comparison.rows if row.adaptive} == {"basic", "fully_adaptive"}


def test_every_row_names_its_source() -> None:
    comparison = compare(PureDP(epsilon="0.1"), delta="1e-6")
    assert all(any(digit.isdigit() for digit in row.source) for row in comparison.rows)


def test_a_row_that_does_not_exist_is_refused_with_the_names() -> None:
    with pytest.raises(InvalidParameterError, match=r"name must be one of basic, .*optimal, got 'best'"):
        compare(PureDP(epsilon="0.1"), delta="1e-6").row("best")


@pytest.mark.parametrize("delta", [-1, 2, "x", True, float("nan")])
def test_a_total_that_is_no_probability_is_refused(delta: Any) -> None:
    with pytest.raises(InvalidParameterError, match="delta"):
        compare(PureDP(epsilon="0.1"), delta=delta)


def test_something_that_is_no_mechanism_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match=r"parts\[1\]"):
        compare([PureDP(epsilon="0.1"), 0.1], delta="1e-6")  # type: ignore[list-item]


BOUNDED = [
    Laplace(scale=2),
    DiscreteLaplace(scale=3, sensitivity=2),
    Staircase(epsilon="0.5", gamma="0.3"),
    RandomizedResponse(probability="0.5", categories=4),
    Exponential(epsilon="0.5"),
]
WITHOUT = {
    "gaussian": Gaussian(mu="0.5"),
    "discrete_gaussian": DiscreteGaussian(variance=9),
    "zero_concentrated": ZeroConcentrated(rho="0.01"),
    "renyi_curve": RenyiCurve(orders=[2, 8], divergences=["0.1", "0.5"]),
    "poisson_sampled": PoissonSampled(mechanism=PureDP(epsilon=1), sampling_probability="0.1"),
}
ABOUT_GUARANTEES = [
    "basic",
    "advanced",
    "short_form",
    "half_drift_form",
    "closed_form",
    "approximation",
    "fully_adaptive",
]


@pytest.mark.parametrize("kind", WITHOUT)
def test_theorems_about_guarantees_say_which_mechanism_has_none(kind: str) -> None:
    mechanisms = [PureDP(epsilon="0.1"), Gaussian(mu=9).repeated(0), Sequence(parts=[WITHOUT[kind].repeated(2)])]
    comparison = compare(mechanisms, delta="1e-6", adjacency="add_or_remove_one")
    for name in ABOUT_GUARANTEES:
        assert comparison.row(name).epsilon is None
        assert comparison.row(name).note == f"says nothing: {kind} has no (epsilon, delta) guarantee of its own"
    assert comparison.row("renyi").epsilon is not None
    assert comparison.row("renyi").note.startswith("at order ")


@pytest.mark.parametrize("mechanism", BOUNDED, ids=lambda each: each.kind)
def test_theorems_about_guarantees_take_the_largest_loss(mechanism: Mechanism) -> None:
    largest = compose(mechanism).largest_epsilon
    comparison = compare(mechanism.repeated(20), delta="1e-6")
    as_pure = compare(PureDP(epsilon=Fraction(largest.upper)).repeated(20), delta="1e-6")
    for name in ABOUT_GUARANTEES:
        assert (comparison.row(name).epsilon is None) == (as_pure.row(name).epsilon is None)
    basic, closed = comparison.row("closed_form").epsilon, as_pure.row("closed_form").epsilon
    assert basic is not None
    assert closed is not None
    assert abs(Fraction(basic.upper) - Fraction(closed.upper)) < Fraction(1, 10**15)


def test_rho_is_added_up_over_all_that_have_one() -> None:
    mechanisms = [
        PureDP(epsilon="0.2").repeated(3),
        Laplace(scale=5),
        Gaussian(mu="0.5").repeated(2),
        DiscreteGaussian(variance=8, sensitivity=2),
        ZeroConcentrated(rho="0.03").repeated(2),
        Exponential(epsilon="0.4"),
    ]
    rho = 4 * Fraction("0.02") + 2 * Fraction("0.125") + Fraction(1, 4) + Fraction("0.06") + Fraction("0.02")
    assert compare(mechanisms, delta="1e-6").row("zcdp").epsilon == zcdp_epsilon(rho=rho, delta="1e-6").value


@pytest.mark.parametrize("kind", ["renyi_curve", "poisson_sampled"])
def test_the_concentrated_row_says_which_mechanism_has_no_rho(kind: str) -> None:
    row = compare([Gaussian(mu=1), WITHOUT[kind]], delta="1e-6", adjacency="add_or_remove_one").row("zcdp")
    assert row.epsilon is None
    assert row.note == f"says nothing: {kind} has no zero-concentrated guarantee of its own"


@pytest.mark.parametrize("delta", ["1e-12", "1e-6", "0.1"])
@pytest.mark.parametrize("mu", ["0.01", "0.5", "3", "20"])
def test_gaussian_noise_is_its_own_rho(mu: str, delta: str) -> None:
    comparison = compare(Gaussian(mu=mu), delta=delta)
    concentrated, renyi_row, optimum = (comparison.row(name).epsilon for name in ("zcdp", "renyi", "optimal"))
    assert concentrated is not None
    assert renyi_row is not None
    assert optimum is not None
    assert concentrated.intersects(renyi_row)
    assert optimum.upper <= renyi_row.upper


@pytest.mark.parametrize("delta", ["1e-10", "1e-5", "0.05"])
@pytest.mark.parametrize(
    "mechanism",
    [*BOUNDED, DiscreteGaussian(variance=2), WITHOUT["poisson_sampled"], ApproxDP(epsilon=1, delta="1e-11")],
    ids=lambda each: each.kind,
)
def test_no_row_is_below_the_optimum_of_one_mechanism(mechanism: Mechanism, delta: str) -> None:
    comparison = compare(mechanism, delta=delta, adjacency="add_or_remove_one")
    optimum = comparison.row("optimal").epsilon
    assert optimum is not None
    for row in comparison.rows[:-1]:
        assert row.epsilon is None or row.epsilon.upper >= optimum.lower, row


def test_the_optimal_row_names_the_theorem_that_was_computed() -> None:
    assert "Kairouz, Oh, Viswanath" in compare(PureDP(epsilon=1), delta="1e-6").row("optimal").source
    assert "Balle, Wang" in compare(Gaussian(mu=1), delta="1e-6").row("optimal").source


def test_several_ranges_have_a_sound_bound_and_no_known_optimum() -> None:
    """The composed pair has variance epsilon^2/3 for each; no place of the range has more than epsilon^2/4."""
    comparison = compare(Exponential(epsilon="0.1").repeated(1000), delta="1e-6")
    renyi_row, concentrated = comparison.row("renyi").epsilon, comparison.row("zcdp").epsilon
    assert renyi_row is not None
    assert concentrated is not None
    assert renyi_row.upper <= concentrated.lower
    assert {row.waste for row in comparison.rows} == {None}
    if comparison.row("optimal").epsilon is not None:
        assert "above the optimum" in comparison.row("optimal").note


def test_of_one_range_the_conversion_is_as_good_as_the_optimum() -> None:
    """The conversion is tight for two-point pairs, and the worst place of the range is one."""
    comparison = compare(Exponential(epsilon=1), delta="1e-3")
    renyi_row, optimum = comparison.row("renyi").epsilon, comparison.row("optimal").epsilon
    assert renyi_row is not None
    assert optimum is not None
    assert renyi_row.intersects(optimum)
    assert "above the optimum" not in comparison.row("optimal").note


@pytest.mark.parametrize("kind", ["zero_concentrated", "renyi_curve"])
def test_a_promise_has_no_optimum(kind: str) -> None:
    mechanisms = Sequence(parts=[ApproxDP(epsilon="0.1", delta="1e-7").repeated(3), WITHOUT[kind].repeated(4)])
    comparison = compare(mechanisms, delta="1e-6")
    assert comparison.row("optimal").epsilon is None
    assert comparison.row("optimal").note.startswith(f"says nothing: {kind} is a promise")
    engine = Conversion.of(lower(mechanisms).losses)
    assert engine is not None
    slack = 1 - (1 - Fraction("1e-6")) / (1 - Fraction("1e-7")) ** 3
    row = comparison.row("renyi").epsilon
    assert row is not None
    assert row.intersects(engine.epsilon(Enclosure.exactly(slack)))


def test_promises_that_cost_nothing_are_free() -> None:
    free = [ZeroConcentrated(rho=0), RenyiCurve(orders=[2], divergences=[0])]
    assert {str(row.epsilon) for row in compare(free, delta="1e-6").rows} <= {"0", "None"}


def sampled_divergence(order: int, mu: Any, share: Any) -> Any:
    """The binomial formula for a sampled Gaussian and a whole order (Mironov, Talwar, Zhang 2019)."""
    terms = (
        mpmath.binomial(order, k) * (1 - share) ** (order - k) * share**k * mpmath.exp(mu**2 * k * (k - 1) / 2)
        for k in range(order + 1)
    )
    return mpmath.log(sum(terms, mpmath.mpf(0))) / (order - 1)


@pytest.mark.parametrize(("share", "count", "about"), [("0.1", 50, 6), ("0.01", 2000, 8), ("0.2", 10, 6)])
def test_the_renyi_row_of_a_sampled_mechanism(share: str, count: int, about: int) -> None:
    """At most the best whole order, and at least the optimum of a single one."""
    sampled = PoissonSampled(mechanism=Gaussian(mu=1), sampling_probability=share).repeated(count)
    row = compare(sampled, delta="1e-5", adjacency="add_or_remove_one").row("renyi")
    assert row.epsilon is not None
    with mpmath.workdps(DIGITS):
        whole = min(
            count * sampled_divergence(order, mpmath.mpf(1), mp(Fraction(share)))
            + (mpmath.log(10**5) + (order - 1) * mpmath.log(1 - mpmath.mpf(1) / order) - mpmath.log(order))
            / (order - 1)
            for order in range(2, 4 * about)
        )
        assert row.epsilon.upper <= fraction(whole) * (1 + Fraction(1, 10**12))
        assert row.epsilon.lower >= fraction(whole) * Fraction(9, 10)
    for direction in ("add_one", "remove_one"):
        one = compare(sampled, delta="1e-5", adjacency=direction).row("renyi").epsilon
        assert one is not None
        assert one.lower <= row.epsilon.upper


def test_a_sampled_mechanism_needs_the_relation() -> None:
    with pytest.raises(InvalidParameterError, match="adjacency"):
        compare(WITHOUT["poisson_sampled"], delta="1e-6")
    with pytest.raises(UnsupportedError, match="adjacency"):
        compare(WITHOUT["poisson_sampled"], delta="1e-6", adjacency="replace_one")
    with pytest.raises(InvalidParameterError, match="adjacency"):
        compare(PureDP(epsilon=1), delta="1e-6", adjacency="neighbours")

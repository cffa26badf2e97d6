"""Every row against its printed formula in mpmath, and no theorem below the optimum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optcomp.composition import Comparison, Row, compare, compose
from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import ApproxDP, Mechanism, PureDP, RandomizedResponse, Sequence

NAMES = [
    "basic",
    "advanced",
    "short_form",
    "half_drift_form",
    "closed_form",
    "zcdp",
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
    """The least over the Renyi order, by a golden section that knows nothing of the derivative."""
    rho, log_delta = squares(groups) / 2, mpmath.log(mp(multiplicative_slack(groups, delta)))

    def at(logarithm: Any) -> Any:
        order = 1 + mpmath.exp(logarithm)
        return rho * order + (-log_delta + (order - 1) * mpmath.log(1 - 1 / order) - mpmath.log(order)) / (order - 1)

    low, high = mpmath.mpf(-15), mpmath.mpf(25)
    golden = (mpmath.sqrt(5) - 1) / 2
    for _ in range(170):
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
    assert [row.epsilon for row in comparison.rows[:-1]] == [None] * 8
    for name in ("closed_form", "zcdp"):
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
    assert comparison.row("zcdp").note == "no slack is left: the conversion needs a positive delta"


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
    for name in ("advanced", "zcdp", "fully_adaptive"):
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
    assert "must lie between 1e-100 and 1e+100" in optimum.note
    for name in ("basic", "advanced", "closed_form", "zcdp", "fully_adaptive"):
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

"""Faults that programs of this kind have had, one test each."""

from __future__ import annotations

import itertools
import json
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import optcomp as oc
from optcomp.composition import Verdict, verdict
from optcomp.interop import OpacusAccountant
from optcomp.theorems import Term
from optcomp.theorems.renyi import bounded_range_rho, pure_dp_rho
from optcomp.usecases import DpsgdRequest, account_dpsgd

ZERO, INFINITE = oc.Enclosure.exactly(0), oc.Enclosure.exactly(math.inf)


def near(answer: oc.Enclosure, printed: str) -> bool:
    """Whether the answer is the printed number, known to half a unit of its last place."""
    value = Fraction(printed)
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    return answer.intersects(oc.Enclosure(value - half, value + half)) and answer.width <= half


def test_an_integer_epsilon_is_the_same_number_as_any_other_way_to_write_it() -> None:
    """An epsilon given as the integer 1 was refused by a type check."""
    ways: list[Any] = [1, 1.0, "1", "1.0", "1e0", "2/2", Decimal(1), Decimal("1.00"), Fraction(1)]
    expected = oc.compose(oc.PureDP(epsilon="1").repeated(4))
    for way in ways:
        assert oc.PureDP(epsilon=way) == oc.PureDP(epsilon=1)
        assert oc.compose(oc.PureDP(epsilon=way).repeated(4)).epsilon(delta="1e-6") == expected.epsilon(delta="1e-6")
        assert expected.delta(epsilon=way) == expected.delta(epsilon=1)


@pytest.mark.parametrize("flag", [True, False])
def test_a_truth_value_is_no_number(flag: Any) -> None:
    """``True`` passed for the epsilon 1."""
    profile = oc.compose(oc.PureDP(epsilon=1))
    for ask in (
        lambda: oc.PureDP(epsilon=flag),
        lambda: oc.ApproxDP(epsilon=1, delta=flag),
        lambda: oc.RandomizedResponse(probability=flag),
        lambda: profile.epsilon(delta=flag),
        lambda: profile.delta(epsilon=flag),
    ):
        with pytest.raises(oc.InvalidParameterError):
            ask()


def test_no_step_at_all_costs_nothing() -> None:
    """A count of 0 ended in a division by zero or a NaN."""
    profile = oc.compose(oc.ApproxDP(epsilon="0.5", delta="1e-6").repeated(0))
    for delta in ("0", "1e-6", "1"):
        assert profile.epsilon(delta=delta) == ZERO
    for epsilon in ("0", "1"):
        assert profile.delta(epsilon=epsilon) == ZERO


@pytest.mark.parametrize("count", [-1, 2.5, 2.0, True, False, "2", None, math.nan, math.inf])
def test_a_count_is_checked_when_it_is_given(count: Any) -> None:
    """A negative or fractional count passed, and crashed late or not at all."""
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.PureDP(epsilon=1).repeated(count)
    assert caught.value.field == "count"


def test_counts_from_zero_on_are_fine() -> None:
    """The check of the count must not refuse 0."""
    assert oc.PureDP(epsilon=1).repeated(0).count == 0
    assert oc.PureDP(epsilon=1).repeated(10**12).count == 10**12


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, "inf", "nan", Decimal("Infinity"), Decimal("NaN")])
def test_infinities_and_nans_are_refused_where_they_enter(value: Any) -> None:
    """An infinite or undefined parameter passed through a product of bounds."""
    for ask in (
        lambda: oc.PureDP(epsilon=value),
        lambda: oc.ApproxDP(epsilon=value, delta=0),
        lambda: oc.ApproxDP(epsilon=1, delta=value),
        lambda: oc.RandomizedResponse(probability=value),
    ):
        with pytest.raises(oc.InvalidParameterError):
            ask()


def test_epsilon_zero_means_perfect_privacy() -> None:
    """An epsilon of 0 crashed, or was read as "switched off"."""
    silent = oc.PureDP(epsilon=0)
    assert oc.compose(silent.repeated(10**6)).epsilon(delta=0) == ZERO
    assert oc.compose(silent.repeated(10**6)).delta(epsilon=0) == ZERO
    other = oc.PureDP(epsilon="0.3").repeated(5)
    assert oc.compose([silent, other]).epsilon(delta="1e-3") == oc.compose(other).epsilon(delta="1e-3")


def test_a_target_below_the_failure_mass_is_infinite() -> None:
    """The mass at infinity was left out, so a delta that cannot be reached got a finite epsilon."""
    ten = oc.compose(oc.ApproxDP(epsilon="0.5", delta="1e-6").repeated(10))
    mass = 1 - (1 - Fraction(1, 10**6)) ** 10
    assert ten.failure.lower <= mass <= ten.failure.upper
    assert ten.epsilon(delta="9.9999e-6") == INFINITE
    assert ten.epsilon(delta=mass - Fraction(1, 10**100)) == INFINITE
    assert ten.epsilon(delta=mass) == oc.Enclosure.exactly(5)
    assert near(ten.epsilon(delta="1.1e-5"), "4.99988546481")


def test_an_unreachable_target_is_never_a_sentinel() -> None:
    """-1 came back for a delta that is too small."""
    ten = oc.compose(oc.ApproxDP(epsilon="0.5", delta="1e-6").repeated(10))
    for delta in ("0", "1e-300", "1e-6", "9.99e-6", "1e-5", "1e-4", "0.5", "0.999999", "1"):
        found = ten.epsilon(delta=delta)
        assert 0 <= found.lower <= found.upper
        assert float(found) >= 0
        assert (found == INFINITE) is (Fraction(delta) < Fraction(ten.failure.lower))


@pytest.mark.parametrize(
    ("epsilon", "count", "printed"), [("0.001", 10**6, "4.88654374376"), ("0.01", 10**4, "4.88551560101")]
)
def test_many_small_losses_do_not_overflow(epsilon: str, count: int, printed: str) -> None:
    """The sum over all terms overflowed in e^(k epsilon)."""
    profile = oc.compose(oc.PureDP(epsilon=epsilon).repeated(count))
    assert near(profile.epsilon(delta="1e-6"), printed)


def test_a_budget_split_in_decimals_adds_up_exactly() -> None:
    """0.1 + 0.9 was more than 1 in binary floats, so the last release was refused."""
    for first, second in (("0.1", "0.9"), (0.1, 0.9), (Decimal("0.1"), Decimal("0.9")), (Fraction(1, 10), 0.9)):
        whole = oc.compose([oc.PureDP(epsilon=first), oc.PureDP(epsilon=second)])
        assert whole.epsilon(delta=0) == oc.Enclosure.exactly(1)
        assert whole.epsilon(delta=0) <= 1


def test_eleven_elevenths_are_one() -> None:
    """Eleven spends of 1/11 exceeded 1."""
    one = oc.Enclosure.exactly(1)
    assert oc.compose(oc.PureDP(epsilon=Fraction(1, 11)).repeated(11)).epsilon(delta=0) == one
    assert oc.compose([oc.PureDP(epsilon="1/11")] * 11).epsilon(delta=0) == one
    assert oc.compose([oc.PureDP(epsilon="1/11")] * 11).largest_epsilon == one
    assert oc.compose([oc.PureDP(epsilon="1/11")] * 12).epsilon(delta=0) > 1


def test_a_float_is_read_by_its_shortest_decimal() -> None:
    """1/11 as a float is a long decimal a little off, and eleven of it are not 1: that is said, not hidden."""
    total = oc.compose([oc.PureDP(epsilon=1 / 11)] * 11).epsilon(delta=0)
    assert total == oc.Enclosure.exactly(11 * Fraction(repr(1 / 11)))
    assert total != oc.Enclosure.exactly(1)


# ------------------------------------------------------------------------------------------------- wrong numbers


def gaussian(**how: Any) -> oc.Gaussian:
    return oc.Gaussian(**how)


def sampled(share: str, multiplier: str, steps: int) -> oc.Profile:
    step = oc.PoissonSampled(mechanism=oc.Gaussian(noise_multiplier=multiplier), sampling_probability=share)
    return oc.compose(step.repeated(steps), adjacency="add_or_remove_one")


def near_or_below(answer: oc.Enclosure, printed: str) -> bool:
    """The same where what is printed comes from bounds from above that are a little off."""
    value = Fraction(printed)
    return value * (1 - SLACK) - half_a_unit(printed) <= answer.lower <= answer.upper <= value + half_a_unit(printed)


SLACK = Fraction(3, 10**5)


def half_a_unit(printed: str) -> Fraction:
    return Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))


SAMPLED = [
    # share, noise multiplier, steps, delta, least epsilon
    ("0.01", "1", 100, "1e-5", "0.718036"),  # a central limit theorem says 0.4575, which is no guarantee
    ("0.08", "1", 100, "1e-5", "5.613419"),  # the same: 4.6252
    ("0.00105", "1", 1, "1e-4", "0.00240440"),  # not 0 because some order of Renyi is close to 1
    ("0.2", "20", 60, "1/500", "0.12316"),
    ("1024/50000", "1.54", 1464, "1e-5", "2.3863"),
    ("256/60000", "1.1", 14063, "1e-5", "2.38171"),
    ("256/60000", "1.1", 14100, "1e-5", "2.38514"),
    ("250/60000", "1.1", 480, "1e-5", "0.41102"),  # no noise at all gave 16890 in a tutorial
    ("0.125", "0.8", 1000, "1e-6", "56.72595"),  # quadrature points that missed the mass
    ("0.2", "1", 10, "1e-5", "4.9842134"),
    ("0.01", "1.1", 500, "1e-5", "1.08259"),
    ("0.02", "1.5", 300, "1e-5", "1.05646"),
]


@pytest.mark.parametrize(("share", "multiplier", "steps", "delta", "printed"), SAMPLED)
def test_sampled_gaussians(share: str, multiplier: str, steps: int, delta: str, printed: str) -> None:
    """Approximations, fixed quadrature points and small grids gave too little, or nothing at all."""
    assert near_or_below(sampled(share, multiplier, steps).epsilon(delta=delta), printed)


CALIBRATED = [
    # share, steps, epsilon, delta, the noise multiplier that just keeps it
    ("0.01", 1000, "1", "1e-5", "1.41461952"),
    ("0.01", 1, "1", "1e-6", "0.77643640618"),
    ("0.05", 200, "10", "1e-5", "0.71573"),
    ("0.05", 200, "50", "1e-5", "0.38309"),
    ("0.05", 200, "100", "1e-5", "0.29422"),
    ("1000/67349", 202, "0.1", "1/134698", "6.7924"),
    ("1000/67349", 674, "0.1", "1/134698", "12.2233"),
]


@pytest.mark.parametrize(("share", "steps", "epsilon", "delta", "printed"), CALIBRATED)
def test_the_noise_of_a_sampled_run_keeps_the_target_and_hardly_less_does(
    share: str, steps: int, epsilon: str, delta: str, printed: str
) -> None:
    """The middle of a bisection was returned, a search fell off its end, or large epsilons were refused."""
    more, less = (str(float(Fraction(printed) + sign * 2 * half_a_unit(printed))) for sign in (1, -1))
    assert sampled(share, more, steps).epsilon(delta=delta).upper <= Fraction(epsilon)
    assert sampled(share, less, steps).epsilon(delta=delta).lower >= Fraction(epsilon) * (1 - SLACK)


GAUSSIANS = [
    # epsilon, delta, count, the standard deviation that just keeps it
    ("10", "1e-5", 1, "0.49988861970901"),
    ("1", "1e-5", 1, "3.7306316348159"),
    ("1", "1e-6", 1, "4.224678889326835"),
    ("100", "1e-6", 1, "0.097837223974441"),
    ("1000", "1e-6", 1, "0.024850366686948"),
    ("1", "1e-5", 60, "28.897348385"),
    ("0", "1e-6", 1, "398942.28040133"),
    ("0.01", "1e-5", 1, "243.78543767568"),
]


@pytest.mark.parametrize(("epsilon", "delta", "count", "printed"), GAUSSIANS)
def test_the_noise_of_gaussians_keeps_the_target_and_hardly_less_does(
    epsilon: str, delta: str, count: int, printed: str
) -> None:
    """Cancellation at large epsilons, an endless search at 0, and far too much noise or memory at small ones."""
    more, less = (Fraction(printed) + sign * half_a_unit(printed) for sign in (1, -1))
    for noise, kept in ((more, True), (less, False)):
        found = oc.compose(gaussian(standard_deviation=noise).repeated(count)).delta(epsilon=epsilon)
        assert found.upper <= Fraction(delta) if kept else found.lower >= Fraction(delta)


def test_the_textbook_noise_is_refused_for_large_epsilons() -> None:
    """The noise sqrt(2 ln(1.25/delta))/epsilon was used where its theorem says nothing, and spent too much."""
    found = oc.compose(gaussian(standard_deviation="0.484480526")).delta(epsilon=10)
    assert found.lower > Fraction("1e-5")
    assert near(found, "0.00002265374")


def test_noise_is_named_and_not_swapped() -> None:
    """Standard deviation and epsilon were swapped by position, and nobody noticed."""
    for kind in (oc.Gaussian, oc.Laplace, oc.DiscreteGaussian, oc.DiscreteLaplace, oc.Staircase, oc.PoissonSampled):
        with pytest.raises(TypeError):
            kind(1, 1)  # type: ignore[arg-type, call-arg]
    assert near(oc.compose(gaussian(standard_deviation=1)).delta(epsilon="4.2246789"), "0.00001901277")


def test_two_ways_to_say_how_much_noise_are_one_too_many() -> None:
    """A noise multiplier beside a standard deviation was taken or left in silence."""
    with pytest.raises(oc.InvalidParameterError):
        gaussian(standard_deviation=1, noise_multiplier=1)
    with pytest.raises(oc.InvalidParameterError):
        oc.Laplace(scale=1, epsilon=1)
    assert gaussian(noise_multiplier=2, sensitivity=3) == gaussian(standard_deviation=6, sensitivity=3)
    assert oc.Laplace(epsilon=2, sensitivity=3) == oc.Laplace(scale="3/2", sensitivity=3)


def test_one_sampled_step_and_the_same_step_unsampled() -> None:
    """Two routes to one calibration disagreed, since one of them took the classical noise."""
    base = oc.compose(gaussian(standard_deviation="0.77643640618"))
    assert near(base.delta(epsilon="5.15229793824"), "0.0001000000")


def test_replacing_costs_more_than_adding() -> None:
    """The multiplier of one relation was used for the other, four times too little in Renyi terms."""
    assert near(oc.compose(gaussian(standard_deviation=1)).epsilon(delta="1e-5"), "4.3771780957")
    twice = oc.compose(gaussian(standard_deviation=1, sensitivity=2), adjacency="replace_one")
    assert near(twice.epsilon(delta="1e-5"), "9.9972561464")
    assert twice.adjacency == "replace_one"


@pytest.mark.parametrize(
    ("share", "delta", "printed"),
    [
        ("0.00033", "1.10e-18", "0.06721"),
        ("0.00033", "1.13e-18", "0.06719"),
        ("0.00038", "1.10e-18", "0.07757"),
        ("0.00038", "1.13e-18", "0.07754"),
    ],
)
def test_a_tiny_delta_of_a_long_run(share: str, delta: str, printed: str) -> None:
    """The answer jumped from 0.056 to 3.8 where float mass fell below its rounding; a lower bound was negative."""
    assert near_or_below(sampled(share, "4", 10_000).epsilon(delta=delta), printed)


def test_a_delta_that_nothing_costs() -> None:
    """An epsilon of 0 is right above delta(0), and wrong just below it."""
    one = sampled("0.00105", "1", 1)
    assert one.epsilon(delta="1e-3") == ZERO
    assert near(one.delta(epsilon=0), "0.000402")
    assert one.epsilon(delta="1e-4").lower > 0


@pytest.mark.parametrize(
    ("count", "printed"),
    [(1, "0.0999049"), (10, "0.9686992"), (50, "2.5940529"), (100, "3.9757061"), (200, "6.1485671")],
)
def test_epsilon_grows_with_the_root_of_the_count(count: int, printed: str) -> None:
    """It looked linear, because no part of delta was spent on it."""
    assert near(oc.compose(oc.ApproxDP(epsilon="0.1", delta="1e-7").repeated(count)).epsilon(delta="5e-5"), printed)


def test_the_closed_forms_are_those_of_the_papers() -> None:
    """A factor 2 too much, or a logarithm left out: 10.513 and 1414.7131."""
    rows = oc.compare(oc.PureDP(epsilon="0.1").repeated(100), delta="1e-6")
    expected = {"advanced": "6.30823095", "closed_form": "5.7561055", "basic": "10.0", "optimal": "4.77456758811"}
    for name, printed in expected.items():
        epsilon = rows.row(name).epsilon
        assert epsilon is not None
        assert near(epsilon, printed)


def test_a_pure_guarantee_is_no_bounded_range() -> None:
    """epsilon^2/8 was claimed where only epsilon^2/2 is proven."""
    assert near(pure_dp_rho([Term(epsilon=1)]), "0.5")
    assert near(bounded_range_rho([Term(epsilon=1)]), "0.125")


def test_sampled_laplace_noise_composes() -> None:
    """The flat parts of its loss ended in a crash."""
    step = oc.PoissonSampled(mechanism=oc.Laplace(scale=1), sampling_probability="0.1")
    found = oc.compose(step.repeated(10), adjacency="add_or_remove_one").epsilon(delta="1e-5")
    assert Fraction("1.1742073") in found  # few runs: only the grid's width is promised
    assert found.relative_width <= 1e-6


def test_a_conversion_is_never_below_the_truth() -> None:
    """An outdated conversion is loose, but no conversion may be below the truth."""
    step = oc.PoissonSampled(mechanism=gaussian(noise_multiplier="1.54"), sampling_probability="1024/50000")
    row = oc.compare(step.repeated(1464), delta="1e-5", adjacency="add_or_remove_one").row("renyi")
    assert row.epsilon is not None
    assert row.epsilon.lower >= Fraction("2.386292")


def test_the_number_of_steps_is_exact_and_printed() -> None:
    """Steps were rounded for each epoch in one place and once in another."""
    request = DpsgdRequest(examples=60_000, batch=256, epochs=60, noise_multiplier="1.1", delta="1e-5")
    assert account_dpsgd(request).steps == 14063


def test_a_larger_rate_is_no_smaller_budget() -> None:
    """A run over its budget was accepted with the rate of another one."""
    assert verdict(sampled("0.01", "1", 100).epsilon(delta="1e-5"), Fraction("1.1")) is Verdict.FITS
    assert verdict(sampled("0.08", "1", 100).epsilon(delta="1e-5"), Fraction("1.1")) is Verdict.OVER


GAUSSIAN_EPSILONS = [
    # keywords, count, delta, least epsilon
    ({"standard_deviation": 1}, 1, "1e-5", "4.3771781"),
    ({"standard_deviation": "0.01"}, 1, "1e-5", "5425.5098461474"),  # e^epsilon overflowed
    ({"standard_deviation": "0.001"}, 1, "1e-5", "504263.89292065"),
    ({"standard_deviation": 1}, 1000, "1e-5", "633.92985133561"),  # a search that ended at 9.29
    ({"standard_deviation": 20}, 60, "1/500", "0.902939643"),  # infinite for want of a rule
    ({"variance": 8}, 5, "1e-5", "3.341409469"),
    ({"variance": 2}, 20, "1e-5", "17.85658683"),
    ({"standard_deviation": 1}, 1, "1e-18", "8.9971817336637"),
    ({"standard_deviation": 1}, 1, "1e-300", "37.448847912139"),
]


@pytest.mark.parametrize(("how", "count", "delta", "printed"), GAUSSIAN_EPSILONS)
def test_gaussians_of_any_size(how: dict[str, Any], count: int, delta: str, printed: str) -> None:
    """Overflows, logarithms of negative numbers and brackets that do not grow."""
    assert near(oc.compose(gaussian(**how).repeated(count)).epsilon(delta=delta), printed)


def test_less_noise_never_costs_less() -> None:
    """A mixed up index made the budget grow with the noise."""
    noise = ["0.001", "0.01", "0.1", "0.5", "1", "2", "10", "1000"]
    found = [oc.compose(gaussian(standard_deviation=each)).epsilon(delta="1e-5") for each in noise]
    assert all(less.lower > more.upper for less, more in itertools.pairwise(found))


# --------------------------------------------------------------------------------------------------- edge inputs


@pytest.mark.parametrize(
    "mechanism",
    [
        oc.Gaussian(standard_deviation=1),
        oc.Laplace(scale=1),
        oc.DiscreteGaussian(variance=1),
        oc.Exponential(epsilon=1),
        oc.ZeroConcentrated(rho=1),
        oc.PoissonSampled(mechanism=oc.Gaussian(standard_deviation=1), sampling_probability="0.1"),
    ],
    ids=lambda mechanism: mechanism.kind,
)
def test_no_run_of_any_kind_costs_nothing(mechanism: oc.Mechanism) -> None:
    """Before the first step of a training the accountant divided by 0."""
    profile = oc.compose(mechanism.repeated(0), adjacency="add_or_remove_one")
    assert profile.epsilon(delta="1e-6") == ZERO
    assert profile.epsilon(delta=0) == ZERO
    assert profile.delta(epsilon=0) == ZERO


def test_a_sensitivity_of_zero_costs_nothing_and_changes_nothing_else() -> None:
    """It gave an infinite loss, or took away the noise of everything."""
    for silent in (
        gaussian(standard_deviation=3, sensitivity=0),
        gaussian(standard_deviation=0, sensitivity=0),
        oc.Laplace(scale=0, sensitivity=0),
        oc.DiscreteGaussian(variance=0, sensitivity=0),
        oc.DiscreteLaplace(scale=0, sensitivity=0),
    ):
        assert oc.compose(silent).epsilon(delta=0) == ZERO
        assert oc.compose(silent).delta(epsilon=0) == ZERO
        other = gaussian(standard_deviation=2)
        assert oc.compose([silent, other]).epsilon(delta="1e-5") == oc.compose(other).epsilon(delta="1e-5")


def test_delta_at_epsilon_zero() -> None:
    """A search for it never ended."""
    assert near(oc.compose(gaussian(standard_deviation=1)).delta(epsilon=0), "0.3829249225480262")


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, "inf", "nan", True, -1])
def test_a_sensitivity_is_checked(value: Any) -> None:
    """An infinite product of bounds passed through."""
    for ask in (
        lambda: gaussian(standard_deviation=1, sensitivity=value),
        lambda: oc.Laplace(scale=1, sensitivity=value),
        lambda: oc.DiscreteGaussian(variance=1, sensitivity=value),
        lambda: oc.DiscreteLaplace(scale=1, sensitivity=value),
        lambda: oc.Staircase(epsilon=1, gamma="0.5", sensitivity=value),
    ):
        with pytest.raises(oc.InvalidParameterError) as caught:
            ask()
        assert caught.value.field == "sensitivity"


def test_a_laplace_mechanism_needs_no_delta() -> None:
    """A delta was demanded where none is needed."""
    assert oc.compose(oc.Laplace(scale=2, sensitivity=3)).epsilon(delta=0) == oc.Enclosure.exactly(Fraction(3, 2))
    assert near(oc.compose(oc.Laplace(scale=1)).epsilon(delta="0.1"), "0.789278968684347")  # 1 + 2 ln 0.9


def test_a_discrete_laplace_mechanism_with_hardly_any_noise() -> None:
    """e^(1/scale) overflowed."""
    assert oc.compose(oc.DiscreteLaplace(scale="1e-4")).epsilon(delta=0) == oc.Enclosure.exactly(10_000)


# --------------------------------------------------------------------------------------------------- mixed plans


@pytest.mark.parametrize(("delta", "printed"), [("1e-6", "3.5999456315"), ("1e-3", "3.54409924693")])
def test_eight_different_epsilons(delta: str, printed: str) -> None:
    """The cost of different epsilons doubled with each of them."""
    profile = oc.compose([oc.PureDP(epsilon=Fraction(step, 10)) for step in range(1, 9)])
    assert near(profile.epsilon(delta=delta), printed)


def test_a_thousand_different_epsilons() -> None:
    """The same, where it never came to an end."""
    profile = oc.compose([oc.PureDP(epsilon=f"0.0{step:04d}7919") for step in range(1, 1001)])
    assert profile.epsilon(delta="1e-6").relative_width <= 1e-6


@pytest.mark.parametrize(("delta", "printed"), [("1e-6", "1.8564"), ("1e-4", "1.5922"), ("5e-8", "inf")])
def test_noise_and_guarantees_beside_each_other(delta: str, printed: str) -> None:
    """Different mechanisms could not be composed, or only by hand."""
    profile = oc.compose(
        [
            oc.Laplace(epsilon="0.5"),
            oc.PureDP(epsilon="0.5"),
            gaussian(standard_deviation=5),
            oc.ApproxDP(epsilon="0.1", delta="1e-7"),
        ]
    )
    found = profile.epsilon(delta=delta)
    assert found == INFINITE if printed == "inf" else near_or_below(found, printed)


def test_two_phases_of_one_training() -> None:
    """An accountant forgot the first phase when noise or rate changed."""
    phases = [("0.01", "1.1", 500), ("0.02", "1.5", 300)]
    steps = [
        oc.PoissonSampled(mechanism=gaussian(noise_multiplier=noise), sampling_probability=share).repeated(count)
        for share, noise, count in phases
    ]
    assert near(oc.compose(steps, adjacency="add_or_remove_one").epsilon(delta="1e-5"), "1.51051")


def test_noise_that_changes_with_each_step() -> None:
    """Different standard deviations add up as one Gaussian mechanism."""
    profile = oc.compose([gaussian(standard_deviation=each) for each in (1, 2, 4)])
    assert near(profile.epsilon(delta="1e-5"), "5.127368256812")


def test_each_mechanism_has_its_own_sensitivity() -> None:
    """One sensitivity for all gave the wrong scale to some."""
    one, other = gaussian(standard_deviation=4, sensitivity=4), gaussian(standard_deviation=1)
    assert oc.compose(one).epsilon(delta="1e-5") == oc.compose(other).epsilon(delta="1e-5")
    mixed = oc.compose([one, gaussian(standard_deviation=2), gaussian(standard_deviation=8, sensitivity=2)])
    assert near(mixed.epsilon(delta="1e-5"), "5.127368256812")


def test_a_curve_that_cannot_be_true_is_refused() -> None:
    """It ended in an infinite answer without a word."""
    with pytest.raises(oc.InvalidParameterError):
        oc.RenyiCurve(orders=[2, 4], divergences=["0.2", "0.1"])


@pytest.mark.parametrize(
    ("delta", "printed"), [("1e-3", "3.49225057221"), ("1e-5", "3.49996120782"), ("4.9e-6", "inf")]
)
def test_failures_of_two_kinds(delta: str, printed: str) -> None:
    """The mass at infinity of a mixture was rounded away."""
    parts = [oc.ApproxDP(epsilon="0.5", delta="1e-6").repeated(3), oc.ApproxDP(epsilon=1, delta="1e-6").repeated(2)]
    found = oc.compose(parts).epsilon(delta=delta)
    assert found == INFINITE if printed == "inf" else near(found, printed)


def test_laplace_beside_gaussians() -> None:
    """Atoms beside a density."""
    profile = oc.compose([oc.Laplace(scale=1), gaussian(standard_deviation=2).repeated(3)])
    assert near(profile.epsilon(delta="1e-5"), "4.5835708")
    assert near(profile.delta(epsilon=3), "0.004410965")


@pytest.mark.parametrize(("delta", "printed"), [("1e-2", "9.7394930979"), ("1e-6", "9.9999770658")])
def test_discrete_laplace_noise_of_sensitivity_1_is_randomized_response(delta: str, printed: str) -> None:
    """Two ways to the same loss have to agree to the last digit."""
    noise = oc.compose(oc.DiscreteLaplace(epsilon=1).repeated(10)).epsilon(delta=delta)
    assert near(noise, printed)
    assert noise == oc.compose(oc.PureDP(epsilon=1).repeated(10)).epsilon(delta=delta)


@pytest.mark.parametrize(
    ("variance", "delta", "printed"),
    [(1, "1e-5", "4.43023805527941"), (25, "1e-6", "0.83497574066552"), ("0.25", "1e-5", "9.96141138802617")],
)
def test_discrete_gaussian_noise_has_its_own_curve(variance: Any, delta: str, printed: str) -> None:
    """It was treated as continuous noise, which gives 4.377 for the first."""
    assert near(oc.compose(oc.DiscreteGaussian(variance=variance)).epsilon(delta=delta), printed)


# ------------------------------------------------------------------------------------------- sampling and relations


def test_a_sampled_mechanism_needs_its_relation() -> None:
    """Which neighbours were meant was left to a default."""
    step = oc.PoissonSampled(mechanism=gaussian(noise_multiplier=1), sampling_probability="0.01")
    for adjacency in (None, "replace_one"):
        with pytest.raises(oc.OptcompError, match=r"adjacency|add_or_remove_one"):
            oc.compose(step, adjacency=adjacency).epsilon(delta="1e-5")


def test_no_other_kind_of_sampling_is_taken_for_poisson_sampling() -> None:
    """Shuffled batches were given the number of Poisson samples."""
    raw = {
        "kind": "poisson_sampled",
        "sampling_probability": "0.01",
        "mechanism": {"kind": "gaussian", "variance": "1"},
    }
    assert oc.mechanism_from_json(raw).kind == "poisson_sampled"
    for kind in ("shuffled", "sampled_without_replacement", "fixed_size_sampled"):
        with pytest.raises(oc.InvalidParameterError):
            oc.mechanism_from_json({**raw, "kind": kind})


# ---------------------------------------------------------------------------------------------------------- state


def test_asking_changes_nothing() -> None:
    """Reading an epsilon took the history away."""
    accountant = OpacusAccountant()
    for _ in range(100):
        accountant.step(noise_multiplier=1.1, sample_rate=0.01)
    first = accountant.get_epsilon(delta=1e-5)
    assert accountant.get_epsilon(delta=1e-5) == first
    assert accountant.history == [(1.1, 0.01, 100)]
    assert len(accountant) == 100  # the length was that of the compressed history


def test_a_composition_survives_a_file() -> None:
    """State could be neither saved nor joined."""
    parts = [
        oc.PoissonSampled(mechanism=gaussian(noise_multiplier="1.1"), sampling_probability="0.01").repeated(5),
        oc.Laplace(scale="0.3").repeated(2),
        oc.Sequence(parts=[oc.Exponential(epsilon="0.1"), oc.RandomizedResponse(probability="0.75", categories=3)]),
    ]
    saved = [json.loads(json.dumps(oc.mechanism_to_json(each))) for each in parts]
    loaded = [oc.mechanism_from_json(each) for each in saved]
    assert loaded == parts
    halves = [oc.Sequence(parts=loaded[:1]), oc.Sequence(parts=loaded[1:])]
    whole = oc.compose(parts, adjacency="add_or_remove_one")
    assert oc.compose(halves, adjacency="add_or_remove_one").epsilon(delta="1e-5") == whole.epsilon(delta="1e-5")

"""Trees come back as they were read, and other mechanisms are written to the safe side."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import optcomp as oc
from optcomp.interop import from_dp_event, to_dp_event
from tests.interop import events as ev

NUMBERS = st.floats(min_value=1e-300, max_value=1e300)
SHARES = st.floats(min_value=0, max_value=1)
COUNTS = st.integers(0, 10**15)
RUNS = st.one_of(
    st.builds(ev.GaussianDpEvent, NUMBERS),
    st.builds(ev.LaplaceDpEvent, NUMBERS),
    st.builds(ev.DiscreteLaplaceDpEvent, NUMBERS, st.integers(0, 99)),
    st.builds(ev.DiscreteGaussianDpEvent, NUMBERS, st.integers(0, 99), st.just(1)),
    st.builds(ev.RandomizedResponseDpEvent, SHARES, st.integers(2, 99)),
    st.builds(ev.EpsilonDeltaDpEvent, NUMBERS, SHARES),
)
LEAVES = st.one_of(
    RUNS,
    st.just(ev.NoOpDpEvent()),
    st.builds(ev.ExponentialMechanismDpEvent, NUMBERS),
    st.builds(ev.ZCDpEvent, NUMBERS),
    st.builds(ev.PoissonSampledDpEvent, SHARES, RUNS),
)


def _not_repeated(event: Any) -> bool:
    return not isinstance(event, ev.SelfComposedDpEvent)


TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(ev.SelfComposedDpEvent, inner.filter(_not_repeated), COUNTS),
        st.lists(inner, min_size=1, max_size=4).map(ev.ComposedDpEvent),
    ),
    max_leaves=8,
)


@given(tree=TREES)
def test_a_tree_comes_back_equal(tree: Any) -> None:
    assert to_dp_event(from_dp_event(tree), ev) == tree


@given(number=NUMBERS, norm=st.integers(0, 99))
def test_a_tree_comes_back_equal_where_a_record_is_replaced(number: float, norm: int) -> None:
    tree = ev.ComposedDpEvent(
        [ev.GaussianDpEvent(number), ev.LaplaceDpEvent(number), ev.DiscreteLaplaceDpEvent(number, norm)]
    )
    assert to_dp_event(from_dp_event(tree, adjacency="replace_one"), ev, adjacency="replace_one") == tree


NORMAL_FORMS: list[tuple[Any, Any]] = [
    (ev.ComposedDpEvent([]), ev.NoOpDpEvent()),
    (
        ev.SelfComposedDpEvent(ev.SelfComposedDpEvent(ev.LaplaceDpEvent(2.0), 3), 4),
        ev.SelfComposedDpEvent(ev.LaplaceDpEvent(2.0), 12),
    ),
    (
        ev.PoissonSampledDpEvent(0.1, ev.SelfComposedDpEvent(ev.GaussianDpEvent(2.0), 4)),
        ev.PoissonSampledDpEvent(0.1, ev.GaussianDpEvent(1.0)),
    ),
    (ev.PermuteAndFlipDpEvent(0.5), ev.EpsilonDeltaDpEvent(0.5, 0.0)),
    (ev.DiscreteGaussianDpEvent(2.0), ev.ZCDpEvent(0.125)),
]


@pytest.mark.parametrize(("tree", "back"), NORMAL_FORMS, ids=range(len(NORMAL_FORMS)))
def test_the_few_trees_that_come_back_in_another_form(tree: Any, back: Any) -> None:
    assert to_dp_event(from_dp_event(tree), ev) == back
    assert to_dp_event(from_dp_event(back), ev) == back


def test_sensitivities_become_noise_multipliers() -> None:
    assert to_dp_event(oc.Gaussian(standard_deviation=6, sensitivity=4), ev) == ev.GaussianDpEvent(1.5)
    assert to_dp_event(oc.Laplace(scale=6, sensitivity=4), ev) == ev.LaplaceDpEvent(1.5)
    replaced = to_dp_event(oc.Gaussian(standard_deviation=6, sensitivity=4), ev, adjacency="replace_one")
    assert replaced == ev.GaussianDpEvent(3.0)
    odd = to_dp_event(oc.DiscreteLaplace(scale=4, sensitivity=3), ev, adjacency="replace_one")
    assert odd == ev.DiscreteLaplaceDpEvent(0.25, 2)


@pytest.mark.parametrize(
    "mechanism",
    [
        oc.Gaussian(standard_deviation=6, sensitivity=0),
        oc.Laplace(scale=6, sensitivity=0),
        oc.DiscreteLaplace(scale=0, sensitivity=0),
        oc.DiscreteGaussian(variance=0, sensitivity=0),
    ],
)
def test_an_answer_that_no_neighbour_changes_is_no_operation(mechanism: oc.Mechanism) -> None:
    assert to_dp_event(mechanism, ev) == ev.NoOpDpEvent()


POSITIVE = st.fractions(min_value=Fraction(1, 10**12), max_value=10**12)


@given(square=POSITIVE, scale=POSITIVE, share=st.fractions(min_value=0, max_value=1))
def test_other_numbers_are_rounded_to_less_privacy_and_by_little(
    square: Fraction, scale: Fraction, share: Fraction
) -> None:
    """Read back, the event has no more noise, no smaller sample and no smaller guarantee than the mechanism."""
    near = 1 + Fraction(1, 2**50)
    gauss = from_dp_event(to_dp_event(oc.Gaussian(variance=square), ev))
    assert isinstance(gauss, oc.Gaussian)
    assert gauss.variance <= square <= gauss.variance * near
    laplace = from_dp_event(to_dp_event(oc.Laplace(scale=scale), ev))
    assert isinstance(laplace, oc.Laplace)
    assert laplace.scale <= scale <= laplace.scale * near
    discrete = from_dp_event(to_dp_event(oc.DiscreteLaplace(scale=scale), ev))
    assert isinstance(discrete, oc.DiscreteLaplace)
    assert discrete.scale <= scale <= discrete.scale * near
    promise = from_dp_event(to_dp_event(oc.ApproxDP(epsilon=scale, delta=share), ev))
    assert isinstance(promise, oc.ApproxDP | oc.PureDP)
    assert isinstance(promise.epsilon, Fraction)
    assert scale <= promise.epsilon <= scale * near
    assert share <= (promise.delta if isinstance(promise, oc.ApproxDP) else 0) <= share * near
    sampled = from_dp_event(
        to_dp_event(oc.PoissonSampled(mechanism=oc.Laplace(scale=1), sampling_probability=share), ev)
    )
    assert isinstance(sampled, oc.PoissonSampled)
    assert share <= sampled.sampling_probability <= share * near
    answers = oc.RandomizedResponse(probability=Fraction(1, 3) + share * Fraction(2, 3), categories=3)
    answered = from_dp_event(to_dp_event(answers, ev))
    assert isinstance(answered, oc.RandomizedResponse)
    assert answers.probability <= answered.probability <= answers.probability + Fraction(1, 2**50)


@given(base=st.fractions(min_value=1, max_value=10**6))
def test_a_logarithm_is_written_just_above(base: Fraction) -> None:
    event = to_dp_event(oc.PureDP(epsilon=oc.Logarithm.of(base)), ev)
    true = math.log1p(float(base - 1))
    assert true * (1 - 1e-14) <= event.epsilon <= true * (1 + 1e-14)
    above = oc.compose(oc.PureDP(epsilon=oc.Logarithm.of(base))).largest_epsilon
    assert above.lower <= Fraction(repr(event.epsilon))


@pytest.mark.parametrize(
    ("mechanism", "field"),
    [
        (oc.Staircase(epsilon=1, gamma="0.5"), "mechanism"),
        (oc.RenyiCurve(orders=[2], divergences=[1]), "mechanism"),
        (oc.RandomizedResponse(probability="0.1"), "mechanism"),
        (oc.Gaussian(standard_deviation="1e-400"), "mechanism"),
        (oc.Laplace(scale="1e400"), "mechanism"),
        (oc.PureDP(epsilon="1e400"), "mechanism"),
        (
            oc.Sequence(parts=[oc.PureDP(epsilon=1), oc.Staircase(epsilon=1, gamma="0.5").repeated(3)]),
            "parts[1].mechanism",
        ),
    ],
)
def test_a_mechanism_without_an_event_is_named_with_its_place(mechanism: oc.Mechanism, field: str) -> None:
    with pytest.raises(oc.UnsupportedError) as caught:
        to_dp_event(mechanism, ev)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("mechanism", "adjacency"),
    [
        (oc.RandomizedResponse(probability="0.9"), "add_or_remove_one"),
        (oc.PoissonSampled(mechanism=oc.Gaussian(variance=1), sampling_probability="0.5"), "replace_one"),
    ],
)
def test_a_mechanism_without_an_event_for_the_relation_is_refused(mechanism: oc.Mechanism, adjacency: str) -> None:
    with pytest.raises(oc.UnsupportedError, match=adjacency):
        to_dp_event(mechanism, ev, adjacency=adjacency)


def test_a_mechanism_that_is_nested_too_deeply_is_refused() -> None:
    deep: oc.Mechanism = oc.Laplace(scale=2)
    for _ in range(50):
        deep = oc.Sequence(parts=[deep])
    assert from_dp_event(to_dp_event(deep, ev)) == deep
    for _ in range(5000):
        deep = oc.Sequence(parts=[deep])
    with pytest.raises(oc.UnsupportedError, match="nested deeper than 50"):
        to_dp_event(deep, ev)


def test_the_classes_may_be_in_the_package_or_in_its_module() -> None:
    assert to_dp_event(oc.Laplace(scale=2), ev.OLD) == ev.LaplaceDpEvent(2.0)
    assert to_dp_event(oc.Laplace(scale=2), ev.OLD.dp_event) == ev.LaplaceDpEvent(2.0)


def test_a_class_that_is_too_new_is_named() -> None:
    with pytest.raises(oc.UnsupportedError, match="EpsilonDeltaDpEvent") as caught:
        to_dp_event(oc.Sequence(parts=[oc.PureDP(epsilon=1)]), ev.OLD)
    assert caught.value.field == "parts[0]"
    assert "newer" in caught.value.remedy

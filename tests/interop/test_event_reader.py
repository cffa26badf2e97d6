"""What each event becomes, and where a tree is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import optcomp as oc
from optcomp.interop import from_dp_event
from tests.interop import events as ev

NOTHING = oc.Sequence(parts=[])
GAUSS = ev.GaussianDpEvent(1.1)

MEANINGS: list[tuple[Any, oc.Mechanism]] = [
    (ev.NoOpDpEvent(), NOTHING),
    (GAUSS, oc.Gaussian(variance="1.21")),
    (ev.LaplaceDpEvent(3.3), oc.Laplace(scale="3.3")),
    (ev.DiscreteLaplaceDpEvent(0.1, 2), oc.DiscreteLaplace(scale=10, sensitivity=2)),
    (ev.DiscreteGaussianDpEvent(2.5, 3.0, 1), oc.DiscreteGaussian(variance="6.25", sensitivity=3)),
    (ev.DiscreteGaussianDpEvent(2.0), oc.ZeroConcentrated(rho="1/8")),
    (ev.DiscreteGaussianDpEvent(2.0, 0.5, 7), oc.ZeroConcentrated(rho="1/32")),
    (ev.RandomizedResponseDpEvent(0.3, 5), oc.RandomizedResponse(probability="0.76", categories=5)),
    (ev.RandomizedResponseDpEvent(1, 4), oc.RandomizedResponse(probability="1/4", categories=4)),
    (ev.ExponentialMechanismDpEvent(0.7), oc.Exponential(epsilon="0.7")),
    (ev.PermuteAndFlipDpEvent(0.7), oc.PureDP(epsilon="0.7")),
    (ev.EpsilonDeltaDpEvent(0.1, 1e-6), oc.ApproxDP(epsilon="0.1", delta="1e-6")),
    (ev.EpsilonDeltaDpEvent(0.1, 0.0), oc.PureDP(epsilon="0.1")),
    (ev.ZCDpEvent(0.05), oc.ZeroConcentrated(rho="0.05")),
    (ev.SelfComposedDpEvent(GAUSS, 10**12), oc.Gaussian(variance="1.21").repeated(10**12)),
    (ev.ComposedDpEvent([]), NOTHING),
    (
        ev.ComposedDpEvent([GAUSS, ev.ComposedDpEvent([ev.ZCDpEvent(1)])]),
        oc.Sequence(parts=[oc.Gaussian(variance="1.21"), oc.Sequence(parts=[oc.ZeroConcentrated(rho=1)])]),
    ),
    (
        ev.PoissonSampledDpEvent(0.01, GAUSS),
        oc.PoissonSampled(mechanism=oc.Gaussian(variance="1.21"), sampling_probability="0.01"),
    ),
    (
        ev.SelfComposedDpEvent(ev.PoissonSampledDpEvent(0.01, ev.LaplaceDpEvent(2)), 9),
        oc.PoissonSampled(mechanism=oc.Laplace(scale=2), sampling_probability="0.01").repeated(9),
    ),
]


@pytest.mark.parametrize(("event", "mechanism"), MEANINGS, ids=range(len(MEANINGS)))
def test_the_meaning_of_each_event(event: Any, mechanism: oc.Mechanism) -> None:
    assert from_dp_event(event) == mechanism


def test_a_discrete_gaussian_of_a_version_without_dimensions_is_univariate() -> None:
    old = type("DiscreteGaussianDpEvent", (), {"sigma": 2.0, "sensitivity": 1})()
    assert from_dp_event(old) == oc.DiscreteGaussian(variance=4)


def test_where_a_record_is_replaced_a_sum_moves_by_two_norms() -> None:
    def read(event: Any) -> oc.Mechanism:
        return from_dp_event(event, adjacency="replace_one")

    assert read(GAUSS) == oc.Gaussian(variance="1.21", sensitivity=2)
    assert read(ev.LaplaceDpEvent(3.3)) == oc.Laplace(scale="3.3", sensitivity=2)
    assert read(ev.DiscreteLaplaceDpEvent(0.1, 3)) == oc.DiscreteLaplace(scale=10, sensitivity=6)
    # These state their guarantee, or the sensitivity of the whole answer, for the relation itself.
    for event in (ev.ZCDpEvent(1), ev.EpsilonDeltaDpEvent(1, 0.1), ev.DiscreteGaussianDpEvent(2, 3, 1)):
        assert read(event) == from_dp_event(event)


@pytest.mark.parametrize("adjacency", ["add_or_remove_one", "add_one", "remove_one", "replace_special"])
def test_elsewhere_it_moves_by_one(adjacency: str) -> None:
    assert from_dp_event(GAUSS, adjacency=adjacency) == from_dp_event(GAUSS)


@pytest.mark.parametrize(
    ("event", "adjacency"),
    [
        (ev.PoissonSampledDpEvent(0.1, GAUSS), "replace_one"),
        (ev.RandomizedResponseDpEvent(0.3, 5), "add_or_remove_one"),
        (ev.RandomizedResponseDpEvent(0.3, 5), "replace_special"),
    ],
)
def test_an_event_without_meaning_for_a_relation_is_refused(event: Any, adjacency: str) -> None:
    with pytest.raises(oc.UnsupportedError, match=type(event).__name__):
        from_dp_event(event, adjacency=adjacency)


def test_an_unknown_relation_is_refused() -> None:
    with pytest.raises(oc.InvalidParameterError, match="adjacency"):
        from_dp_event(GAUSS, adjacency="swap")


SAMPLED: list[tuple[Any, oc.Mechanism]] = [
    # three of (1/1)^2 and one of (1/0.5)^2: together 7
    (
        ev.ComposedDpEvent([ev.SelfComposedDpEvent(ev.GaussianDpEvent(1.0), 3), ev.GaussianDpEvent(0.5)]),
        oc.Gaussian(variance="1/7"),
    ),
    (ev.SelfComposedDpEvent(ev.GaussianDpEvent(2), 4), oc.Gaussian(variance=1)),
    (ev.SelfComposedDpEvent(ev.LaplaceDpEvent(2), 1), oc.Laplace(scale=2)),
    (ev.ComposedDpEvent([ev.NoOpDpEvent(), ev.LaplaceDpEvent(2), ev.ComposedDpEvent([])]), oc.Laplace(scale=2)),
    (ev.ComposedDpEvent([ev.SelfComposedDpEvent(ev.ZCDpEvent(1), 0), ev.LaplaceDpEvent(2)]), oc.Laplace(scale=2)),
]


@pytest.mark.parametrize(("event", "mechanism"), SAMPLED, ids=range(len(SAMPLED)))
def test_a_sample_of_what_is_one_run(event: Any, mechanism: oc.Mechanism) -> None:
    found = from_dp_event(ev.PoissonSampledDpEvent(0.1, event))
    assert found == oc.PoissonSampled(mechanism=mechanism, sampling_probability="0.1")


def test_a_sample_of_a_sample_is_a_smaller_sample() -> None:
    found = from_dp_event(ev.PoissonSampledDpEvent(0.1, ev.PoissonSampledDpEvent(0.3, GAUSS)))
    assert found == oc.PoissonSampled(mechanism=oc.Gaussian(variance="1.21"), sampling_probability="0.03")


@pytest.mark.parametrize("event", [ev.NoOpDpEvent(), ev.ComposedDpEvent([]), ev.SelfComposedDpEvent(GAUSS, 0)])
def test_a_sample_of_nothing_is_nothing(event: Any) -> None:
    assert from_dp_event(ev.PoissonSampledDpEvent(0.1, event)) == NOTHING


@pytest.mark.parametrize(
    "event",
    [
        ev.SelfComposedDpEvent(ev.LaplaceDpEvent(1), 2),
        ev.ComposedDpEvent([GAUSS, ev.LaplaceDpEvent(1)]),
        ev.ComposedDpEvent([GAUSS, ev.PoissonSampledDpEvent(0.5, GAUSS)]),
        ev.SelfComposedDpEvent(ev.PoissonSampledDpEvent(0.5, GAUSS), 2),
        ev.ZCDpEvent(1),
        ev.ExponentialMechanismDpEvent(1),
    ],
)
def test_a_sample_that_no_mechanism_stands_for_is_refused(event: Any) -> None:
    """Above all, a sample of a composition must not be read as a composition of samples."""
    with pytest.raises(oc.UnsupportedError, match="PoissonSampledDpEvent") as caught:
        from_dp_event(ev.ComposedDpEvent([GAUSS, ev.PoissonSampledDpEvent(0.1, event)]))
    assert caught.value.field == "events[1]"


REFUSED: list[tuple[Any, str]] = [
    (ev.NonPrivateDpEvent(), "no privacy at all"),
    (ev.UnsupportedDpEvent(), "nothing is known"),
    (ev.SampledWithReplacementDpEvent(100, 10, GAUSS), "fixed size"),
    (ev.SampledWithoutReplacementDpEvent(100, 10, GAUSS), "fixed size"),
    (ev.SingleEpochTreeAggregationDpEvent(1.0, 10), "tree"),
    (ev.RepeatAndSelectDpEvent(GAUSS, 3.0, 1.0), "random number of runs"),
    (ev.MixtureOfGaussiansDpEvent(1.0, [0, 1], [0.9, 0.1]), "mixture"),
    (ev.TruncatedSubsampledGaussianDpEvent(100, 0.1, 12, 1.0), "truncated"),
    (ev.ZCDpEvent(0.1, 0.2), "xi is above 0"),
    (type("LocalDpEvent", (), {})(), "local model"),
    (type("BrandNewDpEvent", (), {})(), "not known here"),
    (0.5, "not known here"),
    (None, "not known here"),
]


@pytest.mark.parametrize(("event", "reason"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused_is_named_with_its_place_and_a_reason(event: Any, reason: str) -> None:
    tree = ev.ComposedDpEvent([ev.NoOpDpEvent(), GAUSS, ev.SelfComposedDpEvent(event, 3)])
    with pytest.raises(oc.UnsupportedError, match=reason) as caught:
        from_dp_event(tree)
    assert caught.value.field == "events[2].event"
    assert caught.value.value is event
    assert type(event).__name__ in caught.value.condition
    with pytest.raises(oc.UnsupportedError) as caught:
        from_dp_event(event)
    assert caught.value.field == "event"


INVALID: list[tuple[Any, str]] = [
    (ev.GaussianDpEvent(0), "noise_multiplier"),
    (ev.GaussianDpEvent(-1.0), "noise_multiplier"),
    (ev.GaussianDpEvent(float("nan")), "noise_multiplier"),
    (ev.GaussianDpEvent(float("inf")), "noise_multiplier"),
    (ev.GaussianDpEvent(None), "noise_multiplier"),
    (ev.GaussianDpEvent(True), "noise_multiplier"),
    (type("GaussianDpEvent", (), {})(), "noise_multiplier"),
    (ev.LaplaceDpEvent(0), "noise_multiplier"),
    (ev.DiscreteLaplaceDpEvent(0, 1), "noise_parameter"),
    (ev.DiscreteLaplaceDpEvent(1, 1.5), "sensitivity"),
    (ev.DiscreteLaplaceDpEvent(1, -1), "sensitivity"),
    (ev.DiscreteGaussianDpEvent(0), "sigma"),
    (ev.DiscreteGaussianDpEvent(1, 1.5, 1), "sensitivity"),
    (ev.RandomizedResponseDpEvent(1.1, 3), "noise_parameter"),
    (ev.RandomizedResponseDpEvent(0.1, 1), "num_buckets"),
    (ev.RandomizedResponseDpEvent(0.1, 2.0), "num_buckets"),
    (ev.ExponentialMechanismDpEvent(-1), "epsilon"),
    (ev.EpsilonDeltaDpEvent(-0.1, 0), "epsilon"),
    (ev.EpsilonDeltaDpEvent(1, 2), "delta"),
    (ev.ZCDpEvent(-1), "rho"),
    (ev.ZCDpEvent(1, -1), "xi"),
    (ev.SelfComposedDpEvent(GAUSS, -1), "count"),
    (ev.SelfComposedDpEvent(GAUSS, 2.0), "count"),
    (ev.ComposedDpEvent(GAUSS), "events"),
    (ev.ComposedDpEvent("abc"), "events"),
    (ev.PoissonSampledDpEvent(1.5, GAUSS), "sampling_probability"),
]


@pytest.mark.parametrize(("event", "field"), INVALID, ids=range(len(INVALID)))
def test_an_impossible_attribute_is_named_with_its_place(event: Any, field: str) -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        from_dp_event(event)
    assert caught.value.field == field
    with pytest.raises(oc.InvalidParameterError) as caught:
        from_dp_event(ev.ComposedDpEvent((ev.SelfComposedDpEvent(event, 2),)))
    assert caught.value.field == f"events[0].event.{field}"


def test_a_tree_that_is_too_deep_is_refused() -> None:
    deep: Any = GAUSS
    for _ in range(50):
        deep = ev.ComposedDpEvent([deep])
    assert isinstance(from_dp_event(deep), oc.Sequence)
    with pytest.raises(oc.InvalidParameterError, match="nested deeper than 50"):
        from_dp_event(ev.ComposedDpEvent([deep]))
    endless = ev.ComposedDpEvent([])
    endless.events.append(endless)
    with pytest.raises(oc.InvalidParameterError, match="nested deeper than 50"):
        from_dp_event(endless)


def test_floats_are_read_at_their_shortest_decimal() -> None:
    found = from_dp_event(ev.PoissonSampledDpEvent(0.1, ev.LaplaceDpEvent(0.3)))
    assert isinstance(found, oc.PoissonSampled)
    assert found.sampling_probability == Fraction(1, 10)
    assert found.mechanism == oc.Laplace(scale=Fraction(3, 10))

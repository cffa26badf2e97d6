"""The accountant counts, answers on the safe side, and comes back from its state."""

from __future__ import annotations

import copy
import json
import math
import pickle
import time
from fractions import Fraction
from typing import Any

import pytest

import optcomp as oc
from optcomp.interop import Accountant
from tests.interop import events as ev

EACH = ev.EpsilonDeltaDpEvent(0.1, 0.0)


def new(*composed: Any) -> Accountant:
    accountant = Accountant(adjacency="add_or_remove_one")
    for each in composed:
        accountant.compose(each)
    return accountant


def test_a_hundred_equal_events_are_one_group() -> None:
    accountant = new(*[EACH] * 100)
    assert accountant.count == 100
    assert accountant.groups == ((oc.PureDP(epsilon="0.1"), 100),)
    assert accountant.ledger == oc.PureDP(epsilon="0.1").repeated(100)


@pytest.mark.parametrize(
    "composed",
    [
        [ev.SelfComposedDpEvent(EACH, 100)],
        [ev.SelfComposedDpEvent(EACH, 40), EACH, ev.SelfComposedDpEvent(ev.SelfComposedDpEvent(EACH, 59), 1)],
        [oc.PureDP(epsilon="0.1").repeated(99), oc.PureDP(epsilon="0.1")],
    ],
)
def test_however_they_come(composed: list[Any]) -> None:
    assert new(*composed).groups == new().compose(EACH, 100).groups == ((oc.PureDP(epsilon="0.1"), 100),)


def test_what_does_nothing_is_not_counted() -> None:
    accountant = new(ev.NoOpDpEvent(), ev.ComposedDpEvent([]), ev.SelfComposedDpEvent(EACH, 0)).compose(EACH, 0)
    assert (accountant.count, accountant.groups, accountant.ledger) == (0, (), oc.Sequence(parts=[]))
    assert accountant.get_epsilon(1e-6) == 0
    assert accountant.get_delta(0) == 0


def test_a_composed_event_is_one_event_as_in_dp_accounting() -> None:
    step = ev.ComposedDpEvent([EACH, ev.EpsilonDeltaDpEvent(0.2, 0.0)])
    accountant = new(step, EACH, step)
    assert accountant.count == 3
    assert [times for _, times in accountant.groups] == [2, 1]
    apart = oc.compose([oc.PureDP(epsilon="0.1").repeated(3), oc.PureDP(epsilon="0.2").repeated(2)])
    assert accountant.epsilon("1e-6") == apart.epsilon("1e-6")


def test_answers_are_those_of_compose_on_the_safe_side() -> None:
    accountant = new().compose(EACH, 100)
    plain = oc.compose(oc.PureDP(epsilon="0.1").repeated(100), adjacency="add_or_remove_one")
    assert accountant.epsilon("1e-6") == plain.epsilon("1e-6")
    assert accountant.delta(3) == plain.delta(3)
    assert Fraction(accountant.get_epsilon(1e-6)) >= plain.epsilon("1e-6").upper
    assert Fraction(accountant.get_delta(3)) >= plain.delta(3).upper
    assert accountant.get_epsilon(target_delta=1e-6) == pytest.approx(4.774567588107986)
    assert accountant.profile.adjacency == "add_or_remove_one"


def test_asking_changes_nothing_and_adding_changes_the_answer() -> None:
    accountant = new(EACH, ev.EpsilonDeltaDpEvent(0.3, 1e-7))
    before = accountant.state()
    first = accountant.epsilon("1e-6"), accountant.delta("0.2")
    _ = accountant.supports(ev.GaussianDpEvent(1)), accountant.ledger, accountant.profile, repr(accountant)
    assert (accountant.epsilon("1e-6"), accountant.delta("0.2")) == first
    assert accountant.state() == before
    assert accountant.compose(EACH, 50).epsilon("1e-6").lower > first[0].upper


@pytest.mark.parametrize("event", [EACH, ev.GaussianDpEvent(3.0)])
def test_an_accountant_can_be_copied_and_sent_away_after_it_was_asked(event: Any) -> None:
    accountant = new(event, event, event)
    answer = accountant.epsilon("1e-6")
    for twin in (copy.deepcopy(accountant), pickle.loads(pickle.dumps(accountant))):  # noqa: S301  # our own bytes
        assert twin.epsilon("1e-6") == answer
        twin.compose(event)
    assert accountant.count == 3


def test_a_refused_event_leaves_no_trace() -> None:
    accountant = new(EACH)
    before = accountant.state()
    with pytest.raises(oc.UnsupportedError, match=r"events\[1\]"):
        accountant.compose(ev.ComposedDpEvent([EACH, ev.NonPrivateDpEvent()]))
    with pytest.raises(oc.InvalidParameterError, match="count"):
        accountant.compose(EACH, -1)
    with pytest.raises(oc.InvalidParameterError, match="count"):
        accountant.compose(EACH, 1.0)  # type: ignore[arg-type]
    assert accountant.state() == before


def test_what_is_supported() -> None:
    accountant = new()
    assert accountant.supports(EACH)
    assert accountant.supports(oc.PureDP(epsilon=1))
    assert accountant.supports(ev.NoOpDpEvent())
    for event in (ev.NonPrivateDpEvent(), ev.UnsupportedDpEvent(), ev.GaussianDpEvent(-1), 7, None):
        assert not accountant.supports(event)


def test_events_are_read_for_the_relation_of_the_accountant() -> None:
    response = ev.RandomizedResponseDpEvent(0.5, 2)
    assert not new().supports(response)
    replacing = Accountant(adjacency="replace_one").compose(response).compose(ev.LaplaceDpEvent(4))
    assert [made for made, _ in replacing.groups] == [
        oc.RandomizedResponse(probability="0.75"),
        oc.Laplace(scale=4, sensitivity=2),
    ]


def test_a_mechanism_is_taken_as_it_is() -> None:
    replacing = Accountant(adjacency="replace_one").compose(oc.Laplace(scale=4, sensitivity=1))
    assert replacing.ledger == oc.Laplace(scale=4, sensitivity=1)


def normal_delta(epsilon: float, mu: float) -> float:
    """The closed form for Gaussian noise, in floats: Balle, Wang, "Improving the Gaussian mechanism", Theorem 8."""

    def below(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    return below(mu / 2 - epsilon / mu) - math.exp(epsilon) * below(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(
    ("adjacency", "mu"), [("add_or_remove_one", 0.5), ("replace_special", 0.5), ("replace_one", 1)]
)
def test_gaussian_events_have_the_known_delta(adjacency: str, mu: float) -> None:
    """Twenty-five runs with ten times the norm of one record: mu is 5/10, and twice that where one is replaced."""
    accountant = Accountant(adjacency=adjacency).compose(ev.GaussianDpEvent(10.0), 25)
    for epsilon in (0.25, 1.0, 3.0):
        assert accountant.get_delta(epsilon) == pytest.approx(normal_delta(epsilon, mu), rel=1e-9)
        assert accountant.get_epsilon(normal_delta(epsilon, mu)) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("adjacency", [None, "swap", 3])
def test_the_relation_must_be_given(adjacency: Any) -> None:
    with pytest.raises(oc.InvalidParameterError, match="adjacency"):
        Accountant(adjacency=adjacency)


def test_the_state_comes_back_through_text() -> None:
    accountant = new(EACH, EACH, ev.ComposedDpEvent([EACH, EACH]), ev.EpsilonDeltaDpEvent(0.3, 1e-7))
    text = json.dumps(accountant.state(), allow_nan=False)
    back = Accountant.from_state(json.loads(text))
    assert (back.adjacency, back.groups, back.state()) == (accountant.adjacency, accountant.groups, accountant.state())
    assert back.epsilon("1e-6") == accountant.epsilon("1e-6")
    assert json.loads(text)["mechanisms"][0] == {"kind": "pure_dp", "epsilon": "0.1", "count": 2}


def test_every_mechanism_survives_the_state() -> None:
    composed = [
        oc.Gaussian(variance="1/3"),
        oc.Laplace(scale=2),
        oc.PoissonSampled(mechanism=oc.Gaussian(variance=2), sampling_probability="0.01").repeated(10**9),
        oc.ZeroConcentrated(rho="0.1"),
        oc.PureDP(epsilon="ln(3)"),
    ]
    accountant = new(*composed)
    assert Accountant.from_state(json.loads(json.dumps(accountant.state()))).groups == accountant.groups


GOOD: dict[str, Any] = new(EACH, oc.PureDP(epsilon=1)).state()
BAD: list[tuple[Any, str]] = [
    (None, "state"),
    ([], "state"),
    ({}, "version"),
    (GOOD | {"version": 2}, "version"),
    (GOOD | {"version": True}, "version"),
    (GOOD | {"version": "1"}, "version"),
    (GOOD | {"colour": "red"}, "colour"),
    ({key: value for key, value in GOOD.items() if key != "adjacency"}, "adjacency"),
    (GOOD | {"adjacency": "swap"}, "adjacency"),
    (GOOD | {"adjacency": None}, "adjacency"),
    (GOOD | {"mechanisms": {}}, "mechanisms"),
    (GOOD | {"mechanisms": [7]}, "mechanisms[0]"),
    (GOOD | {"mechanisms": [{"kind": "pure_dp", "epsilon": "1"}, {"kind": "pure_dp"}]}, "mechanisms[1].epsilon"),
    (GOOD | {"mechanisms": [{"kind": "pure_dp", "epsilon": "1", "count": -1}]}, "mechanisms[0].count"),
]


@pytest.mark.parametrize(("state", "field"), BAD, ids=range(len(BAD)))
def test_a_state_that_is_none_is_refused(state: Any, field: str) -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        Accountant.from_state(state)
    assert caught.value.field == field


def test_two_accountants_merge() -> None:
    first, second = new(EACH, oc.PureDP(epsilon=1)), new(oc.PureDP(epsilon=2), EACH, EACH)
    assert first.merge(second) is first
    assert first.groups == new(EACH, oc.PureDP(epsilon=1), oc.PureDP(epsilon=2), EACH, EACH).groups
    assert second.count == 3
    assert first.merge(first).count == 10


def test_what_does_not_merge() -> None:
    with pytest.raises(oc.InvalidParameterError, match="adjacency"):
        new(EACH).merge(Accountant(adjacency="replace_one"))
    with pytest.raises(oc.InvalidParameterError, match="other"):
        new().merge(EACH)  # type: ignore[arg-type]


def test_many_calls_stay_fast_and_small() -> None:
    accountant = new()
    begin = time.process_time()
    for _ in range(20_000):
        accountant.compose(ev.PoissonSampledDpEvent(0.01, ev.GaussianDpEvent(1.1)))
    assert time.process_time() - begin < 10  # about half a second; a growing ledger would take minutes
    assert (accountant.count, len(accountant.groups)) == (20_000, 1)

"""Against the real dp_accounting and Opacus, where they are installed: the same trees, and nearly the same epsilons."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import pytest

import optcomp as oc
from optcomp.interop import Accountant, OpacusAccountant, from_dp_event, to_dp_event
from optcomp.interop.opacus import register

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.filterwarnings("default"),  # what other packages warn of is theirs
]


def _package(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is a peer to compare with and no dependency: `make peers`")


@pytest.fixture
def peer() -> Any:
    return _package("dp_accounting")


@pytest.fixture
def events() -> Any:
    return _package("dp_accounting").dp_event


def _supported(events: Any) -> list[Any]:
    """One tree of every class that this version has, and one of all of them."""
    gauss = events.GaussianDpEvent(1.1)
    trees = [
        events.NoOpDpEvent(),
        gauss,
        events.LaplaceDpEvent(3.3),
        events.DiscreteLaplaceDpEvent(0.1, 2),
        events.RandomizedResponseDpEvent(0.3, 5),
        events.ZCDpEvent(0.05),
        events.SelfComposedDpEvent(gauss, 10**9),
        events.PoissonSampledDpEvent(0.01, gauss),
        events.SelfComposedDpEvent(events.PoissonSampledDpEvent(1 / 3, events.LaplaceDpEvent(0.7)), 1000),
    ]
    newer = {
        "EpsilonDeltaDpEvent": (0.1, 1e-6),
        "ExponentialMechanismDpEvent": (0.3,),
        "DiscreteGaussianDpEvent": (2.5, 3, 1),
    }
    trees += [getattr(events, name)(*fields) for name, fields in newer.items() if hasattr(events, name)]
    return [*trees, events.ComposedDpEvent(trees)]


def test_the_real_trees_come_back_equal(peer: Any, events: Any) -> None:
    for tree in _supported(events):
        mechanism = from_dp_event(tree)
        assert to_dp_event(mechanism, events) == tree
        assert to_dp_event(mechanism, peer) == tree


def test_every_class_is_read_or_refused_for_a_reason(events: Any) -> None:
    names = {name for name in vars(events) if name.endswith("DpEvent")} - {"DpEvent"}
    assert names >= {"GaussianDpEvent", "NonPrivateDpEvent"}
    for name in sorted(names):
        blank = object.__new__(getattr(events, name))
        try:
            from_dp_event(blank)
        except oc.UnsupportedError as error:
            assert "it is not known here" not in error.condition, name  # noqa: PT017  # most are read, or lack an attribute
        except oc.InvalidParameterError as error:
            assert "is missing" in error.condition, name  # noqa: PT017  # as above


@dataclass(frozen=True, kw_only=True)
class Question:
    name: str
    fields: tuple[float, ...]
    count: int = 10
    share: float | None = None
    adjacency: str = "add_or_remove_one"

    def event(self, events: Any) -> Any:
        """The runs are listed one by one: some versions of the peer take a repeated randomized response for one."""
        made = getattr(events, self.name)(*self.fields)
        if self.share is not None:
            return events.SelfComposedDpEvent(events.PoissonSampledDpEvent(self.share, made), self.count)
        return events.ComposedDpEvent([made] * self.count)


QUESTIONS = [
    Question(name="GaussianDpEvent", fields=(2.0,)),
    Question(name="GaussianDpEvent", fields=(4.0,), adjacency="replace_one"),
    Question(name="LaplaceDpEvent", fields=(5.0,)),
    Question(name="DiscreteLaplaceDpEvent", fields=(0.2, 2)),
    Question(name="RandomizedResponseDpEvent", fields=(0.7, 2), adjacency="replace_one"),
    Question(name="RandomizedResponseDpEvent", fields=(0.7, 5), adjacency="replace_one"),
    Question(name="GaussianDpEvent", fields=(1.1,), share=0.01, count=1000),
    Question(name="LaplaceDpEvent", fields=(1.0,), share=0.05, count=50),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=range(len(QUESTIONS)))
def test_the_same_question_has_nearly_the_same_answer(peer: Any, events: Any, question: Question) -> None:
    """Their grid rounds losses up, so their epsilon is above the truth by up to a few steps of 1e-4 for each run."""
    event, adjacency = question.event(events), question.adjacency
    theirs = peer.pld.PLDAccountant(getattr(peer.NeighboringRelation, adjacency.upper())).compose(event)
    ours = Accountant(adjacency=adjacency).compose(event)
    for delta in (1e-3, 1e-6):
        found = ours.epsilon(delta)
        assert found.lower <= theirs.get_epsilon(delta) * (1 + 1e-6)
        assert theirs.get_epsilon(delta) <= found.upper * (1 + 1e-2)


def test_the_ledger_is_theirs(peer: Any, events: Any) -> None:
    relation = peer.NeighboringRelation.ADD_OR_REMOVE_ONE
    theirs, ours = peer.rdp.RdpAccountant(neighboring_relation=relation), Accountant(adjacency="add_or_remove_one")
    for event in [events.GaussianDpEvent(1.1)] * 3 + [events.NoOpDpEvent(), events.ZCDpEvent(0.1)]:
        theirs.compose(event)
        ours.compose(event)
    assert to_dp_event(ours.ledger, events) == theirs.ledger


def test_opacus_trains_with_it() -> None:
    registry = _package("opacus.accountants")
    register(registry)
    ours, theirs = registry.create_accountant("optcomp"), registry.create_accountant("prv")
    assert isinstance(ours, OpacusAccountant)
    for _ in range(100):
        ours.step(noise_multiplier=1.0, sample_rate=0.02)
        theirs.step(noise_multiplier=1.0, sample_rate=0.02)
    assert ours.history == theirs.history
    assert ours.get_epsilon(1e-5) <= theirs.get_epsilon(1e-5)
    utils = importlib.import_module("opacus.accountants.utils")
    question = {"target_epsilon": 3.0, "target_delta": 1e-5, "sample_rate": 0.02, "steps": 100}
    noise = utils.get_noise_multiplier(**question, accountant="optcomp")
    assert noise <= utils.get_noise_multiplier(**question, accountant="prv") + 0.01


def test_the_methods_are_those_of_opacus() -> None:
    registry = _package("opacus.accountants")
    asked = registry.IAccountant.__abstractmethods__ - {"__init__"}
    assert [name for name in asked if not callable(getattr(OpacusAccountant, name, None))] == []

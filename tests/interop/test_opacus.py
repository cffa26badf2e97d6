"""The accountant for Opacus, called in the way in which Opacus calls its own."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections import OrderedDict
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

import optcomp as oc
from optcomp.interop import OpacusAccountant
from optcomp.interop.opacus import register


@dataclass
class Optimizer:
    noise_multiplier: float
    accumulated_iterations: int = 1


def after(*steps: tuple[Any, Any, Any]) -> OpacusAccountant:
    accountant = OpacusAccountant()
    accountant.history = list(steps)
    return accountant


def test_equal_steps_in_a_row_are_kept_once() -> None:
    accountant = OpacusAccountant()
    for noise, rate in [(1.1, 0.01), (1.1, 0.01), (0.9, 0.01), (0.9, 0.02), (1.1, 0.01)]:
        accountant.step(noise_multiplier=noise, sample_rate=rate)
    assert accountant.history == [(1.1, 0.01, 2), (0.9, 0.01, 1), (0.9, 0.02, 1), (1.1, 0.01, 1)]
    assert len(accountant) == 5


def test_an_accountant_begins_empty() -> None:
    accountant = OpacusAccountant()
    assert (len(accountant), accountant.history) == (0, [])
    assert accountant.get_epsilon(1e-5) == 0


@pytest.mark.parametrize(
    ("noise", "rate"), [(-1.0, 0.1), (math.nan, 0.1), (math.inf, 0.1), (1.0, -0.1), (1.0, 1.5), (1.0, math.nan)]
)
def test_an_impossible_step_is_refused_when_it_is_made(noise: float, rate: float) -> None:
    accountant = after((1.0, 0.1, 3))
    with pytest.raises(oc.InvalidParameterError, match=r"history\[1\]"):
        accountant.step(noise_multiplier=noise, sample_rate=rate)
    assert accountant.history == [(1.0, 0.1, 3)]


def test_the_history_is_a_composition_of_sampled_gaussians_for_add_or_remove_one() -> None:
    profile = after((1.1, 0.01, 1000), (0.5, 1.0, 2)).profile
    assert profile.adjacency == "add_or_remove_one"
    assert profile.mechanism == oc.Sequence(
        parts=[
            oc.PoissonSampled(mechanism=oc.Gaussian(variance="1.21"), sampling_probability="0.01").repeated(1000),
            oc.PoissonSampled(mechanism=oc.Gaussian(variance="0.25"), sampling_probability=1).repeated(2),
        ]
    )


def test_a_step_without_noise_loses_everything_unless_nobody_is_sampled() -> None:
    assert after((0.0, 0.01, 1)).get_epsilon(1e-5) == math.inf
    assert after((0, 0.0, 1), (0.0, 0.5, 0), (1.0, 0.0, 9)).get_epsilon(1e-5) == 0


def test_full_batches_are_plain_gaussians() -> None:
    plain = oc.compose(oc.Gaussian(standard_deviation=2).repeated(4), adjacency="add_or_remove_one")
    assert after((2.0, 1.0, 4)).get_epsilon(1e-5) == float(plain.epsilon("1e-5"))


def test_the_hook_takes_what_the_optimizer_says() -> None:
    accountant = OpacusAccountant()
    hook = accountant.get_optimizer_hook_fn(sample_rate=0.25)
    hook(Optimizer(noise_multiplier=1.5))
    hook(Optimizer(noise_multiplier=1.5, accumulated_iterations=2))
    assert accountant.history == [(1.5, 0.25, 1), (1.5, 0.5, 1)]


def test_the_arguments_of_other_accountants_are_ignored_but_not_a_false_assumption() -> None:
    accountant = OpacusAccountant()
    assert accountant.get_epsilon(delta=1e-5, alphas=[2, 3], eps_error=0.1, delta_error=None, poisson=True) == 0
    assert accountant.get_epsilon(1e-5, [2.0, 3.0]) == 0
    with pytest.raises(oc.UnsupportedError, match="poisson"):
        accountant.get_epsilon(1e-5, poisson=False)


def test_the_state_comes_back() -> None:
    accountant = after((1.1, 0.01, 2), (0.9, 0.02, 1))
    state = accountant.state_dict()
    assert isinstance(state, OrderedDict)
    assert dict(state) == {"history": [(1.1, 0.01, 2), (0.9, 0.02, 1)], "mechanism": "optcomp"}
    for form in (state, json.loads(json.dumps(state))):
        back = OpacusAccountant()
        back.load_state_dict(form)
        assert back.history == accountant.history
    accountant.step(noise_multiplier=0.9, sample_rate=0.02)
    assert state["history"][-1] == (0.9, 0.02, 1)


def test_the_state_goes_where_it_is_asked_to() -> None:
    into: dict[str, Any] = {"epoch": 3}
    assert OpacusAccountant().state_dict(into) is into
    assert into == {"epoch": 3, "history": [], "mechanism": "optcomp"}


@pytest.mark.parametrize(
    ("state", "field"),
    [
        (None, "state_dict"),
        ({}, "state_dict"),
        ({"mechanism": "optcomp"}, "history"),
        ({"history": []}, "mechanism"),
        ({"history": [], "mechanism": "rdp"}, "mechanism"),
        ({"history": 3, "mechanism": "optcomp"}, "history"),
        ({"history": [(1.0, 0.1)], "mechanism": "optcomp"}, "history[0]"),
        ({"history": [(1.0, 0.1, 1), (1.0, 0.1, -1)], "mechanism": "optcomp"}, "history[1].steps"),
        ({"history": [("x", 0.1, 1)], "mechanism": "optcomp"}, "history[0].noise_multiplier"),
        ({"history": [(1.0, 2, 1)], "mechanism": "optcomp"}, "history[0].sample_rate"),
    ],
)
def test_a_state_that_is_none_is_refused_as_opacus_refuses_it(state: Any, field: str) -> None:
    accountant = after((1.0, 0.1, 3))
    with pytest.raises(ValueError, match=r"must|is missing") as caught:
        accountant.load_state_dict(state)
    assert isinstance(caught.value, oc.InvalidParameterError)
    assert caught.value.field == field
    assert accountant.history == [(1.0, 0.1, 3)]


class IAccountant(ABC):
    @abstractmethod
    def step(self, *, noise_multiplier: float, sample_rate: float) -> None: ...


def registry() -> Any:
    """What opacus.accountants offers of its registry."""
    known: dict[str, type] = {}

    def register_accountant(mechanism: str, accountant: type, force: bool = False) -> None:
        if mechanism in known and not force:
            raise ValueError(mechanism)
        known[mechanism] = accountant

    return SimpleNamespace(
        IAccountant=IAccountant,
        register_accountant=register_accountant,
        create_accountant=lambda mechanism: known[mechanism](),
    )


def test_opacus_finds_it_by_name() -> None:
    theirs = registry()
    register(theirs)
    register(theirs)
    made = theirs.create_accountant("optcomp")
    assert isinstance(made, OpacusAccountant)
    assert isinstance(made, IAccountant)
    assert made.mechanism() == OpacusAccountant.mechanism() == "optcomp"


def test_an_older_registry_without_the_abstract_class_will_do() -> None:
    theirs = registry()
    del theirs.IAccountant
    register(theirs)
    assert isinstance(theirs.create_accountant("optcomp"), OpacusAccountant)

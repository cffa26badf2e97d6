"""Skellam noise as data: what is taken, and what is refused with which field."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import optcomp as oc
from optcomp.losses import worst_case


def test_the_form_is_exact() -> None:
    made = oc.Skellam(variance="5/2", sensitivity=3)
    assert (made.variance, made.sensitivity) == (Fraction(5, 2), 3)
    written = oc.mechanism_to_json(made.repeated(30))
    assert written == {"kind": "skellam", "variance": "2.5", "sensitivity": 3, "count": 30}
    assert oc.mechanism_from_json(written) == made.repeated(30)
    assert oc.mechanism_from_json({"kind": "skellam", "variance": 2.5, "sensitivity": "3"}) == made


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"variance": 0}, "variance"),
        ({"variance": -1}, "variance"),
        ({"variance": "nan"}, "variance"),
        ({"variance": True}, "variance"),
        ({"variance": 1, "sensitivity": -1}, "sensitivity"),
        ({"variance": 1, "sensitivity": 1.5}, "sensitivity"),
        ({"variance": 1, "sensitivity": True}, "sensitivity"),
    ],
)
def test_what_is_refused(given: dict[str, Any], field: str) -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.Skellam(**given)
    assert caught.value.field == field


@pytest.mark.parametrize("variance", [0, 3])
def test_an_answer_that_nobody_changes_costs_nothing(variance: int) -> None:
    free = oc.compose([oc.Skellam(variance=variance, sensitivity=0), oc.PureDP(epsilon=1)])
    assert free.epsilon("1e-6") == oc.compose(oc.PureDP(epsilon=1)).epsilon("1e-6")


def test_sampling_it_is_refused_with_the_reason() -> None:
    with pytest.raises(oc.InvalidParameterError, match="to be sampled"):
        oc.PoissonSampled(mechanism=oc.Skellam(variance=3), sampling_probability="0.1")


@pytest.mark.parametrize(("variance", "sensitivity"), [(10**9, 1), (10**400, 1), (1, 10**6)])
def test_noise_with_too_many_values_is_refused(variance: int, sensitivity: int) -> None:
    with pytest.raises(oc.UnsupportedError, match="values of Skellam noise"):
        worst_case(oc.Skellam(variance=variance, sensitivity=sensitivity), "remove")

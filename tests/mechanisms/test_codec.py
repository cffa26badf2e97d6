"""Mechanisms to JSON objects and back."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import optcomp as oc
from optcomp.mechanisms.codec import KINDS

EPSILONS = st.one_of(
    st.fractions(min_value=0, max_value=10**6),
    st.fractions(min_value=1, max_value=100, max_denominator=1000).map(oc.Logarithm.of),
)
PROBABILITIES = st.fractions(min_value=0, max_value=1)
LEAVES: st.SearchStrategy[oc.Mechanism] = st.one_of(
    st.builds(lambda e: oc.PureDP(epsilon=e), EPSILONS),
    st.builds(lambda e, d: oc.ApproxDP(epsilon=e, delta=d), EPSILONS, PROBABILITIES),
    st.builds(lambda p, c: oc.RandomizedResponse(probability=p, categories=c), PROBABILITIES, st.integers(2, 99)),
)
MECHANISMS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda m, n: m.repeated(n), inner, st.integers(0, 10**15)),
        st.lists(inner, max_size=4).map(lambda parts: oc.Sequence(parts=parts)),
    ),
    max_leaves=8,
)


@given(mechanism=MECHANISMS)
def test_every_mechanism_comes_back_through_text(mechanism: oc.Mechanism) -> None:
    text = json.dumps(oc.mechanism_to_json(mechanism), allow_nan=False)
    assert oc.mechanism_from_json(json.loads(text)) == mechanism


def test_the_form_is_the_documented_one() -> None:
    written = oc.mechanism_to_json(oc.ApproxDP(epsilon="0.1", delta="0.001").repeated(30))
    assert written == {"kind": "approx_dp", "epsilon": "0.1", "delta": "0.001", "count": 30}
    nested = oc.mechanism_to_json(oc.Sequence(parts=[oc.PureDP(epsilon="ln(3/2)"), oc.PureDP(epsilon="1/3")]))
    assert nested == {
        "kind": "sequence",
        "parts": [{"kind": "pure_dp", "epsilon": "ln(3/2)"}, {"kind": "pure_dp", "epsilon": "1/3"}],
    }


def test_every_kind_is_written_and_read() -> None:
    samples: list[oc.Mechanism] = [
        oc.PureDP(epsilon=1),
        oc.ApproxDP(epsilon=1, delta="1e-6"),
        oc.RandomizedResponse(probability="0.75"),
        oc.Sequence(parts=[]),
    ]
    by_kind = {each.kind: each for each in samples}
    for kind in KINDS:
        assert kind in by_kind or KINDS[kind] is not None
    for each in samples:
        assert KINDS[each.kind] is type(each)
        assert oc.mechanism_from_json(oc.mechanism_to_json(each)) == each


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, Fraction(1)), (0.1, Fraction(1, 10)), ("0.1", Fraction(1, 10)), ("2/3", Fraction(2, 3))],
)
def test_json_numbers_are_read_too(number: Any, expected: Fraction) -> None:
    found = oc.mechanism_from_json({"kind": "pure_dp", "epsilon": number})
    assert isinstance(found, oc.PureDP)
    assert found.epsilon == expected


PURE: dict[str, Any] = {"kind": "pure_dp", "epsilon": "1"}
WITH_A_NUMBER_AS_KEY: dict[Any, Any] = {**PURE, 7: "0"}


@pytest.mark.parametrize(
    ("obj", "field"),
    [
        (None, "mechanism"),
        ([], "mechanism"),
        ("pure_dp", "mechanism"),
        ({}, "kind"),
        ({"kind": None}, "kind"),
        ({"kind": ["pure_dp"]}, "kind"),
        ({"kind": "pure"}, "kind"),
        ({"kind": "repeated", "mechanism": PURE, "count": 2}, "kind"),
        ({"kind": "pure_dp"}, "epsilon"),
        ({**PURE, "delta": "0"}, "delta"),
        ({**PURE, "self": "0"}, "self"),
        (WITH_A_NUMBER_AS_KEY, "7"),
        ({"kind": "approx_dp", "epsilon": "1"}, "delta"),
        ({"kind": "pure_dp", "epsilon": "-1"}, "epsilon"),
        ({"kind": "pure_dp", "epsilon": True}, "epsilon"),
        ({"kind": "pure_dp", "epsilon": None}, "epsilon"),
        ({"kind": "pure_dp", "epsilon": math.nan}, "epsilon"),
        ({"kind": "pure_dp", "epsilon": math.inf}, "epsilon"),
        ({"kind": "pure_dp", "epsilon": []}, "epsilon"),
        ({"kind": "pure_dp", "epsilon": PURE}, "epsilon"),
        ({"kind": "approx_dp", "epsilon": "1", "delta": "2"}, "delta"),
        ({"kind": "randomized_response", "probability": "0.5", "categories": 1}, "categories"),
        ({"kind": "randomized_response", "probability": "0.5", "categories": "2"}, "categories"),
        ({"kind": "randomized_response", "probability": "0.5", "categories": 2.0}, "categories"),
        ({**PURE, "count": True}, "count"),
        ({**PURE, "count": 2.0}, "count"),
        ({**PURE, "count": 2.5}, "count"),
        ({**PURE, "count": -1}, "count"),
        ({**PURE, "count": "3"}, "count"),
        ({**PURE, "count": None}, "count"),
        ({"kind": "sequence"}, "parts"),
        ({"kind": "sequence", "parts": "abc"}, "parts"),
        ({"kind": "sequence", "parts": 3}, "parts"),
        ({"kind": "sequence", "parts": None}, "parts"),
        ({"kind": "sequence", "parts": PURE}, "parts"),
        ({"kind": "sequence", "parts": [1]}, "parts[0]"),
        ({"kind": "sequence", "parts": [PURE, {**PURE, "epsilon": "x"}]}, "parts[1].epsilon"),
        ({"kind": "sequence", "parts": [PURE, {"kind": "sequence", "parts": [{}]}]}, "parts[1].parts[0].kind"),
        ({"kind": "sequence", "parts": [{**PURE, "count": -2}]}, "parts[0].count"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_is_refused(obj: Any, field: str) -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.mechanism_from_json(obj)
    assert caught.value.field == field
    assert len(str(caught.value)) < 800


@pytest.mark.parametrize("depth", [60, 5000])
def test_deep_nesting_is_refused_not_fatal(depth: int) -> None:
    obj: dict[str, Any] = dict(PURE)
    for _ in range(depth):
        obj = {"kind": "sequence", "parts": [obj]}
    with pytest.raises(oc.InvalidParameterError, match="nested"):
        oc.mechanism_from_json(obj)


def nested(depth: int) -> oc.Mechanism:
    made: oc.Mechanism = oc.PureDP(epsilon=1)
    for _ in range(depth):
        made = oc.Sequence(parts=[made])
    return made


@pytest.mark.parametrize("depth", [50, 51, 60, 300])
def test_what_is_written_can_be_read(depth: int) -> None:
    """However deep it is: it is refused when it is written, or comes back."""
    made = nested(depth)
    try:
        written = oc.mechanism_to_json(made)
    except oc.InvalidParameterError:
        return
    assert oc.mechanism_from_json(written) == made


@pytest.mark.parametrize("depth", [300, 5000])
def test_a_deep_structure_is_composed_or_refused(depth: int) -> None:
    try:
        found = oc.compose(nested(depth)).largest_epsilon
    except oc.InvalidParameterError:
        return
    assert found == oc.Enclosure.exactly(1)


def test_moderate_nesting_is_fine() -> None:
    made: oc.Mechanism = oc.PureDP(epsilon=1)
    for _ in range(40):
        made = oc.Sequence(parts=[made])
    assert oc.mechanism_from_json(oc.mechanism_to_json(made)) == made
    assert oc.compose(made).largest_epsilon == oc.Enclosure.exactly(1)

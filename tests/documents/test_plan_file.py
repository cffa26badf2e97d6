"""Plan files: what they mean, and what is said about the ones that are wrong."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optcomp.composition import ADJACENCIES, Plan
from optcomp.documents import plan_from_mapping, read_plan
from optcomp.errors import DocumentError
from optcomp.mechanisms import ApproxDP, PureDP, RandomizedResponse, Repeated, Sequence
from optcomp.quantities import Logarithm

TOML = """
title = "Two things"
adjacency = "replace_one"
privacy_unit = "one person"

[target]
epsilon = 1.5
delta = "1/1000000"

[[release]]
name = "first"
mechanism = { kind = "pure_dp", epsilon = 0.1 }
count = 30

[[release]]
mechanism = { kind = "approx_dp", epsilon = "ln(3/2)", delta = 1e-400, count = 7 }

[[release]]
name = "third"
count = 2
[release.mechanism]
kind = "sequence"
parts = [{ kind = "randomized_response", probability = 0.75 }, { kind = "pure_dp", epsilon = 1, count = 3 }]
"""

JSON = """{
  "title": "Two things", "adjacency": "replace_one", "privacy_unit": "one person",
  "target": {"epsilon": 1.5, "delta": "1/1000000"},
  "release": [
    {"name": "first", "mechanism": {"kind": "pure_dp", "epsilon": 0.1}, "count": 30},
    {"mechanism": {"kind": "approx_dp", "epsilon": "ln(3/2)", "delta": 1e-400, "count": 7}},
    {"name": "third", "count": 2, "mechanism": {"kind": "sequence", "parts": [
      {"kind": "randomized_response", "probability": 0.75}, {"kind": "pure_dp", "epsilon": 1, "count": 3}]}}
  ]
}"""


def read(content: str | bytes, *, format: str | None = None) -> Plan:  # noqa: A002  # the option's name
    raw = content.encode() if isinstance(content, str) else content
    return read_plan("-", standard_input=io.BytesIO(raw), format=format)


def refusal(obj: object) -> DocumentError:
    """What is said about an object, the same whether it comes as JSON or as a mapping."""
    with pytest.raises(DocumentError) as caught:
        read(json.dumps(obj))
    error = caught.value
    assert str(error).startswith("standard input: ")
    assert "\n" not in str(error)
    assert error.remedy
    return error


def pure(**more: Any) -> dict[str, Any]:
    return {"kind": "pure_dp", "epsilon": "0.1", **more}


def plan(**more: Any) -> dict[str, Any]:
    return {"release": [{"mechanism": pure()}], **more}


def release(**more: Any) -> dict[str, Any]:
    return {"release": [{"mechanism": pure()}, {"mechanism": pure(), **more}]}


def mechanism(**given: Any) -> dict[str, Any]:
    return {"release": [{"mechanism": given}]}


def test_toml_and_json_give_the_same_plan() -> None:
    assert read(TOML) == read(JSON)


def test_the_plan_is_what_the_file_says() -> None:
    found = read(TOML)
    assert (found.title, found.adjacency, found.privacy_unit) == ("Two things", "replace_one", "one person")
    assert (found.target_epsilon, found.target_delta) == (Fraction(3, 2), Fraction(1, 10**6))
    assert [each.name for each in found.releases] == ["first", "release[1]", "third"]
    first, second, third = (each.mechanism for each in found.releases)
    assert first == Repeated(mechanism=PureDP(epsilon=Fraction(1, 10)), count=30)
    assert second == ApproxDP(epsilon=Logarithm(Fraction(3, 2), Fraction(1)), delta=Fraction(1, 10**400)).repeated(7)
    parts = [RandomizedResponse(probability=Fraction(3, 4)), PureDP(epsilon=1).repeated(3)]
    assert third == Sequence(parts=parts).repeated(2)


def test_only_the_releases_are_required() -> None:
    found = read('{"release": [{"mechanism": {"kind": "pure_dp", "epsilon": 0}}]}')
    assert (found.title, found.adjacency, found.privacy_unit) == (None, None, None)
    assert (found.target_epsilon, found.target_delta) == (None, None)


def test_a_byte_order_mark_is_no_letter_of_the_plan() -> None:
    for text in (TOML, JSON):
        assert read(b"\xef\xbb\xbf" + text.encode()) == read(text)


def test_the_format_may_be_forced(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(TOML, encoding="utf-8")
    with pytest.raises(DocumentError, match="cannot be read as JSON"):
        read_plan(str(path), standard_input=io.BytesIO())
    assert read_plan(str(path), standard_input=io.BytesIO(), format="toml") == read(JSON)
    with pytest.raises(DocumentError, match="cannot be read as TOML"):
        read(JSON, format="toml")


def test_an_error_in_a_file_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('[[release]]\nmechanism = { kind = "pure_dp", epsilon = "a" }\n', encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        read_plan(str(path), standard_input=io.BytesIO())
    assert str(caught.value).startswith(f"{path}: release[0].mechanism.epsilon must be a finite number, got 'a'. ")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.1", Fraction(1, 10)),
        ('"0.1"', Fraction(1, 10)),
        ("1e-400", Fraction(1, 10**400)),
        ("0.30000000000000004", Fraction(30000000000000004, 10**17)),
        ("0.1000000000000000055511151231257827", Fraction(1000000000000000055511151231257827, 10**34)),
        ('"104/4099"', Fraction(104, 4099)),
        ("3", Fraction(3)),
        ('"ln(3)"', Logarithm(Fraction(3), Fraction(1))),
        ("1e5", Fraction(10**5)),
    ],
)
def test_numbers_are_exact(text: str, number: object) -> None:
    for content in (
        f'{{"release": [{{"mechanism": {{"kind": "pure_dp", "epsilon": {text}}}}}]}}',
        f'[[release]]\nmechanism = {{ kind = "pure_dp", epsilon = {text} }}',
    ):
        (only,) = read(content).releases
        assert only.mechanism == PureDP(epsilon=number)  # type: ignore[arg-type]
        assert getattr(only.mechanism, "epsilon", None) == number


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_every_adjacency_can_be_written(adjacency: str) -> None:
    assert read(json.dumps(plan(adjacency=adjacency))).profile().adjacency == adjacency


@pytest.mark.parametrize(
    ("obj", "field"),
    [
        (plan(titel="x"), "titel"),
        (plan(releases=[]), "releases"),
        (plan(target={"epsilon": 1, "eps": 1}), "target.eps"),
        (release(cuont=3), "release[1].cuont"),
        (release(epsilon=3), "release[1].epsilon"),
        (mechanism(**pure(delta=0)), "release[0].mechanism.delta"),
        (mechanism(**pure(name="x")), "release[0].mechanism.name"),
        (mechanism(kind="approx_dp", epsilon=1, delta=0, deltas=0), "release[0].mechanism.deltas"),
        (mechanism(kind="sequence", parts=[pure(), pure(x=1)]), "release[0].mechanism.parts[1].x"),
        (
            mechanism(kind="sequence", parts=[{"kind": "sequence", "parts": [pure(x=1)]}]),
            "release[0].mechanism.parts[0].parts[0].x",
        ),
    ],
)
def test_an_unknown_key_is_refused_at_every_level(obj: object, field: str) -> None:
    error = refusal(obj)
    assert error.field == field
    assert error.condition.startswith("is not a key of")
    assert "release" in error.remedy or "epsilon" in error.remedy or "count" in error.remedy


NOT_TEXT: list[object] = [1, 0.5, True, [], {}, ["x"]]
NOT_A_TABLE: list[object] = [1, "x", True, [], None, 0.5]
NOT_A_NUMBER: list[object] = [True, None, [], {}, "", "x", "nan", "inf", "0,1", "1e", "--1", "ln(0)", "ln(-1)", "1/0"]
NOT_A_PROBABILITY: list[object] = [-1, 2, "1.0000000001", "-1e-400", "ln(3)", *NOT_A_NUMBER]


@pytest.mark.parametrize(
    ("make", "field", "values"),
    [
        (lambda v: plan(title=v), "title", NOT_TEXT),
        (lambda v: plan(privacy_unit=v), "privacy_unit", NOT_TEXT),
        (lambda v: plan(adjacency=v), "adjacency", [*NOT_TEXT, "", "x", "Add_One"]),
        (lambda v: release(name=v), "release[1].name", NOT_TEXT),
        (lambda v: plan(target=v), "target", NOT_A_TABLE),
        (lambda v: {"release": v}, "release", [None, 1, "x", {}, [], True, pure()]),
        (lambda v: {"release": [v]}, "release[0]", NOT_A_TABLE),
        (lambda v: {"release": [{"mechanism": v}]}, "release[0].mechanism", NOT_A_TABLE),
        (
            lambda v: mechanism(kind=v),
            "release[0].mechanism.kind",
            [*NOT_A_TABLE, "", "PureDP", "repeated", ["pure_dp"]],
        ),
        (lambda v: mechanism(**pure(epsilon=v)), "release[0].mechanism.epsilon", [-1, "-ln(3)", *NOT_A_NUMBER]),
        (
            lambda v: mechanism(kind="approx_dp", epsilon=1, delta=v),
            "release[0].mechanism.delta",
            NOT_A_PROBABILITY,
        ),
        (
            lambda v: mechanism(kind="randomized_response", probability=v),
            "release[0].mechanism.probability",
            NOT_A_PROBABILITY,
        ),
        (
            lambda v: mechanism(kind="randomized_response", probability=0.5, categories=v),
            "release[0].mechanism.categories",
            [1, 0, -1, True, "2", 2.5, None, []],
        ),
        (lambda v: mechanism(kind="sequence", parts=v), "release[0].mechanism.parts", [None, 1, "x", True, pure(), {}]),
        (
            lambda v: mechanism(kind="sequence", parts=[pure(), v]),
            "release[0].mechanism.parts[1]",
            [None, 1, "x", True, []],
        ),
        (lambda v: plan(target={"epsilon": v}), "target.epsilon", [-1, "-1e-400", *NOT_A_NUMBER]),
        (lambda v: plan(target={"delta": v}), "target.delta", NOT_A_PROBABILITY),
        (lambda v: release(count=v), "release[1].count", [-1, True, False, 1.5, 1.0, "3", None, [], {}]),
        (
            lambda v: mechanism(**pure(count=v)),
            "release[0].mechanism.count",
            [-1, True, False, 1.5, 1.0, "3", None, [], {}],
        ),
    ],
)
def test_a_wrong_value_is_refused_at_every_key(make: Callable[[Any], object], field: str, values: list[object]) -> None:
    for value in values:
        if value is None and field in {"target.epsilon", "target.delta"}:  # null is the same as no target
            continue
        error = refusal(make(value))
        assert error.field.startswith(field), value
        assert error.condition.startswith(("must ", "is ")), value


def test_the_value_and_the_remedy_are_said() -> None:
    assert str(refusal(release(count=-3))) == (
        "standard input: release[1].count must be a whole number of at least 0, got -3. Give an int, such as 365."
    )


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"kind": "pure_dp"}, "epsilon"),
        ({"kind": "approx_dp", "epsilon": 1}, "delta"),
        ({"kind": "approx_dp", "delta": 0}, "epsilon"),
        ({"kind": "randomized_response"}, "probability"),
        ({"kind": "sequence"}, "parts"),
        ({"epsilon": 1}, "kind"),
        ({}, "kind"),
    ],
)
def test_a_missing_key_is_named(given: dict[str, Any], missing: str) -> None:
    assert refusal(mechanism(**given)).field == f"release[0].mechanism.{missing}"


def test_a_release_without_a_mechanism() -> None:
    error = refusal({"release": [{"name": "x"}]})
    assert (error.field, error.condition) == ("release[0].mechanism", "is missing")


def test_a_count_may_not_stand_twice() -> None:
    error = refusal({"release": [{"mechanism": pure(count=2), "count": 2}]})
    assert error.field == "release[0].count"
    assert error.condition == "stands on the release and in its mechanism"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_json_numbers_that_are_none(number: str) -> None:
    with pytest.raises(DocumentError, match=r"release\[0\]\.mechanism\.epsilon must be a finite number"):
        read(f'{{"release": [{{"mechanism": {{"kind": "pure_dp", "epsilon": {number}}}}}]}}')


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "+inf", "+nan", "1979-05-27", "07:32:00"])
def test_toml_values_that_are_no_numbers(number: str) -> None:
    with pytest.raises(DocumentError, match=r"release\[0\]\.mechanism\.epsilon must be a finite number"):
        read(f'[[release]]\nmechanism = {{ kind = "pure_dp", epsilon = {number} }}')


@pytest.mark.parametrize("number", ["1e20001", "1e-20001", '"1e20001"', f'"{"9" * 20_001}"'])
def test_numbers_too_long_to_be_meant(number: str) -> None:
    with pytest.raises(DocumentError, match=r"release\[0\]\.mechanism\.epsilon must "):
        read(f'{{"release": [{{"mechanism": {{"kind": "pure_dp", "epsilon": {number}}}}}]}}')


def test_ten_thousand_digits_in_quotes_are_a_number() -> None:
    (only,) = read(json.dumps(mechanism(**pure(epsilon="7" * 10_000)))).releases
    assert getattr(only.mechanism, "epsilon", None) == (10**10_000 - 1) // 9 * 7


def test_mechanisms_fifty_deep_are_read_and_sixty_are_not() -> None:
    def nested(depth: int) -> dict[str, Any]:
        found = pure()
        for _ in range(depth):
            found = {"kind": "sequence", "parts": [found]}
        return {"release": [{"mechanism": found}]}

    assert read(json.dumps(nested(50))).profile().largest_epsilon.upper == Fraction(1, 10)
    assert refusal(nested(60)).condition == "must not be nested deeper than 50"


def test_deep_values_under_known_keys_are_refused() -> None:
    deep = "[" * 300 + "]" * 300
    for content in (
        f'{{"title": {deep}, "release": [{{"mechanism": {{"kind": "pure_dp", "epsilon": 1}}}}]}}',
        f'{{"release": {deep}}}',
        f'{{"release": [{{"mechanism": {deep}}}]}}',
        f'{{"release": [{{"mechanism": {{"kind": "pure_dp", "epsilon": {deep}}}}}]}}',
        f'{{"release": [{{"mechanism": {{"kind": "pure_dp", "epsilon": 1}}, "count": {deep}}}]}}',
    ):
        with pytest.raises(DocumentError, match="standard input: "):
            read(content)


def test_a_mapping_from_elsewhere_says_where_it_comes_from() -> None:
    with pytest.raises(DocumentError, match=r"^my form: release must be a list of at least one release, got None\."):
        plan_from_mapping({}, where="my form")
    assert plan_from_mapping(plan(), where="my form").releases[0].mechanism == PureDP(epsilon="0.1")


keys = st.sampled_from(
    [
        "title",
        "adjacency",
        "privacy_unit",
        "target",
        "release",
        "name",
        "mechanism",
        "count",
        "kind",
        "epsilon",
        "delta",
        "parts",
        "probability",
        "categories",
        "x",
        "",
    ]
)
leaves = st.sampled_from(
    [None, True, 0, 1, -1, 0.1, "0.1", "ln(3)", "pure_dp", "approx_dp", "sequence", "x", "", 10**30]
)
objects = st.dictionaries(
    keys,
    st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4)),
    max_size=5,
)


@given(obj=objects)
def test_any_object_is_a_plan_or_a_document_error(obj: dict[str, object]) -> None:
    with suppress(DocumentError):
        assert plan_from_mapping(obj, where="here").releases


@given(
    text=st.sampled_from([TOML, JSON]),
    place=st.integers(0, 900),
    length=st.integers(0, 12),
    put=st.text(alphabet="{}[]\"'=:,.\n019e-", max_size=4),
)
def test_a_damaged_plan_is_a_plan_or_a_document_error(text: str, place: int, length: int, put: str) -> None:
    with suppress(DocumentError):
        assert read(text[:place] + put + text[place + length :]).releases

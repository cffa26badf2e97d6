from __future__ import annotations

import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import optcomp as oc
from optcomp.calibration.shares import Group, Parallel, Share
from optcomp.composition import Plan, Release
from optcomp.documents import parse, plan_from_mapping
from optcomp.documents.budget_file import budget_from_mapping, budget_schema, read_budget
from optcomp.documents.plan_writer import plan_to_toml

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples"
BUDGETS = sorted(FOLDER.glob("budget_*.toml"))


def test_there_are_budgets() -> None:
    assert {path.name for path in BUDGETS} >= {"budget_year.toml", "budget_census_dhc.toml", "budget_mixed.toml"}


@pytest.mark.parametrize("path", BUDGETS, ids=lambda path: path.stem)
def test_examples_are_read_and_follow_the_schema(path: Path) -> None:
    found = read_budget(str(path), standard_input=io.BytesIO())
    assert found.target_epsilon is not None
    assert found.target_delta is not None
    obj = json.loads(json.dumps(parse(path.read_bytes(), path=str(path)), default=str))
    Draft202012Validator(budget_schema()).validate(obj)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(budget_schema())


def test_every_key_is_read() -> None:
    found = budget_from_mapping(
        {
            "title": "t",
            "adjacency": "add_one",
            "privacy_unit": "u",
            "target": {"epsilon": "ln(3)", "delta": "1e-6"},
            "method": "equal",
            "error": "magnitude",
            "reserve": "1/7",
            "window": 2,
            "share": [
                {"name": "a", "family": "laplace", "count": 2, "weight": "1/3", "sensitivity": "0.5", "floor": "0.1"},
                {"name": "b", "lock": {"kind": "pure_dp", "epsilon": "0.1"}},
                {"name": "g", "weight": 2, "parts": [{"family": "gaussian", "half_width": 3}]},
                {"name": "p", "disjoint_parts": [{"name": "c", "family": "gaussian", "standard_deviation": 3}]},
            ],
        },
        where="here",
    )
    assert (found.title, found.adjacency, found.privacy_unit) == ("t", "add_one", "u")
    assert (found.method, found.error, found.reserve, found.window) == ("equal", "magnitude", Fraction(1, 7), 2)
    first, second, third, fourth = found.shares
    assert first == Share(name="a", family="laplace", count=2, weight="1/3", sensitivity="0.5", floor="0.1")
    assert second == Share(name="b", lock=oc.PureDP(epsilon="0.1"))
    assert third == Group(name="g", weight=2, parts=[Share(name="share[2].parts[0]", family="gaussian", half_width=3)])
    assert fourth == Parallel(name="p", parts=[Share(name="c", family="gaussian", standard_deviation=3)])


LAPLACE: dict[str, Any] = {"name": "a", "family": "laplace"}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "share"),
    ({"share": []}, "share"),
    ({"share": {"name": "a"}}, "share"),
    ({"share": ["a"]}, "share[0]"),
    ({"share": [LAPLACE], "taget": {}}, "taget"),
    ({"share": [LAPLACE], "target": 1}, "target"),
    ({"share": [LAPLACE], "target": {"eps": 1}}, "target.eps"),
    ({"share": [LAPLACE], "target": {"delta": 2}}, "target.delta"),
    ({"share": [LAPLACE], "window": 0}, "window"),
    ({"share": [LAPLACE], "reserve": "much"}, "reserve"),
    ({"share": [LAPLACE], "adjacency": "near"}, "adjacency"),
    ({"share": [LAPLACE], "title": 3}, "title"),
    ({"share": [{**LAPLACE, "wieght": 1}]}, "share[0].wieght"),
    ({"share": [{**LAPLACE, "weight": 0}]}, "share[0].weight"),
    ({"share": [{**LAPLACE, "count": "two"}]}, "share[0].count"),
    ({"share": [{**LAPLACE, "name": 1}]}, "share[0].name"),
    ({"share": [{"name": "a", "family": "normal"}]}, "share[0].family"),
    ({"share": [{"name": "a", "lock": {"kind": "pure_dp"}}]}, "share[0].lock.epsilon"),
    ({"share": [{"name": "a", "lock": 1}]}, "share[0].lock"),
    ({"share": [{"name": "a", "parts": []}]}, "share[0].parts"),
    ({"share": [{"name": "a", "parts": [LAPLACE], "family": "laplace"}]}, "share[0].family"),
    ({"share": [{"name": "a", "parts": [{**LAPLACE, "cap": -1}]}]}, "share[0].parts[0].cap"),
    ({"share": [{"name": "a", "parts": [LAPLACE], "disjoint_parts": [LAPLACE]}]}, "share[0].disjoint_parts"),
]


@pytest.mark.parametrize(("obj", "field"), WRONG)
def test_what_is_wrong_is_named(obj: dict[str, Any], field: str) -> None:
    with pytest.raises(oc.DocumentError) as caught:
        budget_from_mapping(obj, where="here")
    assert caught.value.where == "here"
    assert caught.value.field.startswith(field)


def test_deep_nesting_is_refused() -> None:
    part: dict[str, Any] = LAPLACE
    for _ in range(40):
        part = {"name": "a", "parts": [part]}
    with pytest.raises(oc.DocumentError, match="nested"):
        budget_from_mapping({"share": [part]}, where="here")


MECHANISMS = [
    oc.PureDP(epsilon="ln(3)"),
    oc.PureDP(epsilon="1/3").repeated(4),
    oc.ApproxDP(epsilon="0.1", delta="1e-9"),
    oc.Laplace(scale="7/3", sensitivity="0.1"),
    oc.Laplace(epsilon="0.3"),
    oc.Laplace(scale=3, sensitivity=0),
    oc.DiscreteLaplace(epsilon="0.3", sensitivity=2),
    oc.Gaussian(rho="0.0123456789"),
    oc.Gaussian(standard_deviation="1/3", sensitivity=0),
    oc.DiscreteGaussian(rho="1/7", sensitivity=3).repeated(2),
    oc.RandomizedResponse(probability="0.75"),
    oc.PoissonSampled(mechanism=oc.Gaussian(noise_multiplier="1.1"), sampling_probability="1/3"),
    oc.Sequence(parts=[oc.PureDP(epsilon=1), oc.Gaussian(mu="0.1").repeated(3)]),
    oc.PureDP.many(epsilons=[0.1, 0.25]),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: each.kind)
def test_a_written_plan_reads_back_the_same(mechanism: oc.Mechanism) -> None:
    plan = Plan(
        title='A "plan"\n\\ with \x7f é',
        adjacency="add_one",
        target_epsilon=Fraction(1, 3),
        target_delta=Fraction("1e-7"),
        releases=(Release(name="first", mechanism=mechanism),),
    )
    text = plan_to_toml(plan, comments=["two\nlines"], apart=[Release(name="x\ny", mechanism=mechanism)])
    assert plan_from_mapping(parse(text.encode(), path="plan.toml"), where="here") == plan


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_any_text_survives(text: str) -> None:
    plan = Plan(title=text, privacy_unit=text, releases=(Release(name=text, mechanism=oc.PureDP(epsilon=1)),))
    assert plan_from_mapping(parse(plan_to_toml(plan).encode(), path="plan.toml"), where="here") == plan

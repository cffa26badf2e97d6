"""Every kind of mechanism in every format: what it means, and which key an error names."""

from __future__ import annotations

import io
import json
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import optcomp as oc
from optcomp.documents import plan_from_mapping, read_plan
from optcomp.mechanisms.codec import KINDS

# The keys as text that is a JSON, a YAML and, with "=" for ":", a TOML value; and the mechanism that they mean.
CASES: dict[str, tuple[dict[str, str], oc.Mechanism]] = {
    "pure": ({"kind": '"pure_dp"', "epsilon": '"ln(3/2)"'}, oc.PureDP(epsilon="ln(3/2)")),
    "column": ({"kind": '"pure_dp_column"', "epsilons": '[0.1, "0.25", 2]'}, oc.PureDP.many(epsilons=[0.1, 0.25, 2])),
    "approximate": (
        {"kind": '"approx_dp"', "epsilon": "0.1", "delta": "1e-9"},
        oc.ApproxDP(epsilon="0.1", delta="1e-9"),
    ),
    "skellam": (
        {"kind": '"skellam"', "variance": "2.5", "sensitivity": "2"},
        oc.Skellam(variance="2.5", sensitivity=2),
    ),
    "gaussian variance": (
        {"kind": '"gaussian"', "variance": '"104/4099"', "sensitivity": "1.5"},
        oc.Gaussian(variance=Fraction(104, 4099), sensitivity=Fraction(3, 2)),
    ),
    "gaussian deviation": ({"kind": '"gaussian"', "standard_deviation": "0.1"}, oc.Gaussian(variance=Fraction(1, 100))),
    "gaussian multiplier": (
        {"kind": '"gaussian"', "noise_multiplier": "1.1", "sensitivity": "2"},
        oc.Gaussian(variance=Fraction(484, 100), sensitivity=2),
    ),
    "gaussian rho": ({"kind": '"gaussian"', "rho": '"1/3"'}, oc.Gaussian(variance=Fraction(3, 2))),
    "gaussian mu": ({"kind": '"gaussian"', "mu": "0.5"}, oc.Gaussian(variance=4)),
    "laplace scale": ({"kind": '"laplace"', "scale": "2.5"}, oc.Laplace(scale=Fraction(5, 2))),
    "laplace epsilon": (
        {"kind": '"laplace"', "epsilon": '"1/3"', "sensitivity": "2"},
        oc.Laplace(scale=6, sensitivity=2),
    ),
    "discrete laplace": (
        {"kind": '"discrete_laplace"', "scale": '"5/2"', "sensitivity": "3"},
        oc.DiscreteLaplace(scale=Fraction(5, 2), sensitivity=3),
    ),
    "discrete gaussian variance": (
        {"kind": '"discrete_gaussian"', "variance": '"419840075/692224"', "sensitivity": "1"},
        oc.DiscreteGaussian(rho="346112/419840075"),
    ),
    "discrete gaussian deviation": (
        {"kind": '"discrete_gaussian"', "standard_deviation": "0.3", "sensitivity": "2"},
        oc.DiscreteGaussian(variance=Fraction(9, 100), sensitivity=2),
    ),
    "discrete gaussian rho": (
        {"kind": '"discrete_gaussian"', "rho": "0.1"},
        oc.DiscreteGaussian(variance=5, sensitivity=1),
    ),
    "staircase": (
        {"kind": '"staircase"', "epsilon": '"ln(3)"', "gamma": "0.25", "sensitivity": '"1/2"'},
        oc.Staircase(epsilon="ln(3)", gamma=Fraction(1, 4), sensitivity=Fraction(1, 2)),
    ),
    "exponential": ({"kind": '"exponential"', "epsilon": "0.5"}, oc.Exponential(epsilon=Fraction(1, 2))),
    "randomized response": (
        {"kind": '"randomized_response"', "probability": "0.75", "categories": "5"},
        oc.RandomizedResponse(probability=Fraction(3, 4), categories=5),
    ),
    "zero concentrated": ({"kind": '"zero_concentrated"', "rho": "0.1"}, oc.ZeroConcentrated(rho=Fraction(1, 10))),
    "renyi curve": (
        {"kind": '"renyi_curve"', "orders": '[1.5, "5/2", 4]', "divergences": '["0.1", 0.2, 3e-1]'},
        oc.RenyiCurve(orders=["1.5", "2.5", 4], divergences=["0.1", "0.2", "0.3"]),
    ),
    "poisson sampled": (
        {
            "kind": '"poisson_sampled"',
            "sampling_probability": '"1/240"',
            "mechanism": '{ "kind": "laplace", "scale": 1.1 }',
        },
        oc.PoissonSampled(mechanism=oc.Laplace(scale="1.1"), sampling_probability=Fraction(1, 240)),
    ),
    "sequence": (
        {"kind": '"sequence"', "parts": '[{ "kind": "gaussian", "mu": 1, "count": 3 }]'},
        oc.Sequence(parts=[oc.Gaussian(variance=1).repeated(3)]),
    ),
}


def read(content: str, *, format: str | None = None) -> oc.Mechanism:  # noqa: A002  # the option's name
    (only,) = read_plan("-", standard_input=io.BytesIO(content.encode()), format=format).releases
    return only.mechanism


def in_json(keys: dict[str, str]) -> str:
    inner = ", ".join(f'"{name}": {value}' for name, value in keys.items())
    return f'{{"release": [{{"mechanism": {{{inner}}}}}]}}'


def in_yaml(keys: dict[str, str]) -> str:
    return "release:\n- mechanism:\n" + "".join(f"    {name}: {value}\n" for name, value in keys.items())


def in_toml(keys: dict[str, str]) -> str:
    lines = "".join(f"{name} = {value.replace(':', ' =')}\n" for name, value in keys.items())
    return f"[[release]]\n[release.mechanism]\n{lines}"


def test_every_kind_is_here() -> None:
    assert {json.loads(keys["kind"]) for keys, _ in CASES.values()} == set(KINDS)


@pytest.mark.parametrize("name", CASES)
def test_a_kind_means_the_same_in_every_format(name: str) -> None:
    keys, expected = CASES[name]
    assert read(in_json(keys)) == expected
    assert read(in_yaml(keys), format="yaml") == expected
    assert read(in_toml(keys), format="toml") == expected


@pytest.mark.parametrize("name", CASES)
def test_a_key_too_many_or_too_few_is_named(name: str) -> None:
    keys, _ = CASES[name]
    with pytest.raises(oc.DocumentError, match=r"release\[0\]\.mechanism\.note is not a key of this kind"):
        read(in_json({**keys, "note": "1"}))
    for key in keys:
        if key in {"sensitivity", "categories"}:  # these may be left out
            continue
        with pytest.raises(
            oc.DocumentError, match=r"release\[0\]\.mechanism\.\w+ must be|release\[0\]\.mechanism\.\w+ is"
        ):
            read(in_json({other: value for other, value in keys.items() if other != key}))


@pytest.mark.parametrize("kind", ["gaussian", "discrete_gaussian"])
@pytest.mark.parametrize("deviation", ["0.1", "1e-400", "104/4099", "3"])
def test_a_standard_deviation_is_squared_exactly(kind: str, deviation: str) -> None:
    square = Fraction(deviation) ** 2
    by_deviation = read(in_json({"kind": f'"{kind}"', "standard_deviation": f'"{deviation}"'}))
    by_variance = read(in_json({"kind": f'"{kind}"', "variance": f'"{square.numerator}/{square.denominator}"'}))
    assert by_deviation == by_variance
    assert getattr(by_deviation, "variance", None) == square


def sampled(mechanism: object, **more: object) -> dict[str, object]:
    return {"kind": "poisson_sampled", "sampling_probability": "0.01", "mechanism": mechanism, **more}


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"kind": "gaussian", "variance": "x"}, "variance"),
        ({"kind": "gaussian", "variance": 0}, "variance"),
        ({"kind": "gaussian", "variance": [1]}, "variance"),
        ({"kind": "gaussian", "variance": 1, "rho": 1}, "variance"),
        ({"kind": "discrete_gaussian", "variance": 1, "sensitivity": 1.5}, "sensitivity"),
        ({"kind": "laplace", "scale": -1}, "scale"),
        ({"kind": "staircase", "epsilon": 1, "gamma": 2}, "gamma"),
        ({"kind": "zero_concentrated", "rho": -1}, "rho"),
        ({"kind": "renyi_curve", "orders": "2", "divergences": [1]}, "orders"),
        ({"kind": "renyi_curve", "orders": [2, 1.5], "divergences": [1, 1]}, "orders[1]"),
        ({"kind": "renyi_curve", "orders": [2, None], "divergences": [1, 1]}, "orders[1]"),
        ({"kind": "renyi_curve", "orders": [2, 3], "divergences": [1, "x"]}, "divergences[1]"),
        ({"kind": "renyi_curve", "orders": [2, 3], "divergences": [1]}, "divergences"),
        (sampled("gaussian"), "mechanism"),
        (sampled([1]), "mechanism"),
        (sampled({"kind": "magic"}), "mechanism.kind"),
        (sampled({"kind": "gaussian", "variance": "x"}), "mechanism.variance"),
        (sampled({"kind": "gaussian", "variance": 1, "note": 1}), "mechanism.note"),
        (sampled({"kind": "gaussian", "variance": 1, "count": 2}), "mechanism"),
        (sampled({"kind": "sequence", "parts": []}), "mechanism"),
        (sampled(sampled({"kind": "gaussian", "mu": 1})), "mechanism"),
        (sampled({"kind": "gaussian", "mu": 1}, sampling_probability=2), "sampling_probability"),
    ],
)
def test_the_wrong_key_is_named_by_its_whole_path(given: dict[str, Any], field: str) -> None:
    with pytest.raises(oc.DocumentError) as caught:
        read(json.dumps({"release": [{"mechanism": given}]}))
    assert caught.value.field == f"release[0].mechanism.{field}"
    assert caught.value.remedy
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "format_", "line"),
    [
        ('[[release]]\nmechanism = { kind = "gaussian", variance = 1,, }\n', "toml", "line 2"),
        ('{"release": [\n {"mechanism": {"kind": "gaussian" "variance": 1}}]}', "json", "line 2"),
        ("release:\n- mechanism:\n    kind: gaussian\n    kind: laplace\n", "yaml", "line 4"),
    ],
)
def test_what_cannot_be_parsed_names_the_line(content: str, format_: str, line: str) -> None:
    with pytest.raises(oc.DocumentError, match=line):
        read(content, format=format_)


NAMES = sorted({name for keys, _ in CASES.values() for name in keys if name != "kind"} | {"count"})
leaves = st.sampled_from([None, True, 0, 1, 2, -1, 0.5, "0.1", "1/3", "ln(3)", "x", "", 10**30, "1e-4000"])
inner = st.fixed_dictionaries({"kind": st.sampled_from(sorted(KINDS))}, optional=dict.fromkeys(NAMES, leaves))
values = st.one_of(leaves, st.lists(leaves, max_size=3), inner, st.lists(inner, max_size=2))


@given(kind=st.sampled_from(sorted(KINDS)), given=st.dictionaries(st.sampled_from(NAMES), values, max_size=4))
def test_any_keys_of_any_kind_are_a_plan_or_a_document_error(kind: str, given: dict[str, Any]) -> None:
    with suppress(oc.DocumentError):
        assert plan_from_mapping({"release": [{"mechanism": {**given, "kind": kind}}]}, where="here").releases

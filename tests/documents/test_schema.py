"""The JSON Schemas agree with the readers: both accept the same files and refuse the same."""

from __future__ import annotations

import copy
import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import optcomp as oc
from optcomp.composition import ADJACENCIES
from optcomp.documents import SCHEMAS, parse
from optcomp.documents.plan_file import plan_from_mapping
from optcomp.mechanisms.codec import KINDS

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix in {".toml", ".json", ".yaml", ".yml"})
FILE_KINDS = {"budget": "budget", "multiparty": "protocol"}  # by the beginning of the name; all others are plans
PLAN: dict[str, Any] = {
    "title": "A plan",
    "adjacency": "replace_one",
    "privacy_unit": "one row",
    "target": {"epsilon": "1", "delta": "1e-6"},
    "release": [
        {"name": "first", "mechanism": {"kind": "pure_dp", "epsilon": "0.1"}, "count": 3},
        {"mechanism": {"kind": "approx_dp", "epsilon": "1/3", "delta": "1e-9", "count": 2}},
        {"mechanism": {"kind": "randomized_response", "probability": "0.75", "categories": 2}},
        {"mechanism": {"kind": "sequence", "parts": [{"kind": "pure_dp", "epsilon": "ln(2)"}]}, "count": 0},
        {"mechanism": {"kind": "gaussian", "variance": "2.5", "sensitivity": "3/2"}},
        {"mechanism": {"kind": "laplace", "scale": 2}},
        {"mechanism": {"kind": "discrete_laplace", "epsilon": "0.1", "sensitivity": 3}},
        {"mechanism": {"kind": "discrete_gaussian", "rho": "346112/419840075", "sensitivity": "1"}},
        {"mechanism": {"kind": "staircase", "epsilon": "1", "gamma": "0.25"}},
        {"mechanism": {"kind": "exponential", "epsilon": "0.5"}},
        {"mechanism": {"kind": "zero_concentrated", "rho": "0.1"}},
        {"mechanism": {"kind": "renyi_curve", "orders": [2, "5/2"], "divergences": ["0.1", 0.2]}},
        {
            "mechanism": {
                "kind": "poisson_sampled",
                "sampling_probability": "1/240",
                "mechanism": {"kind": "gaussian", "noise_multiplier": "1.1"},
            },
            "count": 480,
        },
        {"mechanism": {"kind": "pure_dp_column", "epsilons": [0.1, "0.2"]}},
        {"mechanism": {"kind": "skellam", "variance": "9/2", "sensitivity": "2"}},
    ],
}
CERTIFICATE = oc.certificate_to_json(
    oc.compose([oc.PureDP(epsilon="0.1").repeated(30), oc.ApproxDP(epsilon=1, delta="1e-9")]).certificate(delta="1e-6")
)


def accepts(name: str, obj: object) -> bool:
    return bool(jsonschema.Draft202012Validator(SCHEMAS[name]()).is_valid(obj))


def plain(value: Any) -> Any:
    """Decimals as floats, as another program's JSON reader gives them."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return float(value) if isinstance(value, Decimal) else value


def changed(obj: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    whole = copy.deepcopy(obj)
    *way, last = (int(each) if each.isdigit() else each for each in path.split("."))
    inside: Any = whole
    for each in way:
        inside = inside[each]
    if value is ...:
        del inside[last]
    else:
        inside[last] = value
    return whole


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_are_schemas(name: str) -> None:
    schema = SCHEMAS[name]()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == f"optcomp {name}"
    assert json.loads(json.dumps(schema)) == schema


def test_the_names() -> None:
    assert set(SCHEMAS) == {"plan", "certificate", "pair", "budget", "protocol"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_example_is_what_its_name_says(path: Path) -> None:
    kind = FILE_KINDS.get(path.name.partition("_")[0], "plan")
    assert accepts(kind, plain(parse(path.read_bytes(), path=str(path))))


def test_the_examples_are_there() -> None:
    assert {path.suffix for path in FILES} >= {".toml", ".json"}


def test_every_kind_is_described() -> None:
    kinds = {each["properties"]["kind"]["const"] for each in SCHEMAS["plan"]()["$defs"]["mechanism"]["oneOf"]}  # type: ignore[index]  # a nested object
    assert kinds == set(KINDS)
    assert accepts("plan", PLAN)
    assert {each["mechanism"]["kind"] for each in PLAN["release"]} == set(KINDS)
    plan_from_mapping(PLAN, where="here")


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_every_adjacency_is_accepted(adjacency: str) -> None:
    assert accepts("plan", {**PLAN, "adjacency": adjacency})
    assert accepts("certificate", {**CERTIFICATE, "adjacency": adjacency})


WRONG_PLANS: list[tuple[str, Any]] = [
    ("release", ...),
    ("release", []),
    ("release", {}),
    ("release.0", "pure_dp"),
    ("release.0.mechanism", ...),
    ("release.0.mechanism", {}),
    ("release.0.mechanism", {"kind": "magic", "epsilon": "1"}),
    ("release.0.mechanism.epsilon", ...),
    ("release.0.mechanism.epsilon", True),
    ("release.0.mechanism.epsilon", None),
    ("release.0.mechanism.epsilon", ["0.1"]),
    ("release.0.mechanism.delta", "0.1"),
    ("release.0.mechanism.note", "x"),
    ("release.0.count", -1),
    ("release.0.count", "3"),
    ("release.0.count", 1.5),
    ("release.0.name", 3),
    ("release.0.note", "x"),
    ("release.2.mechanism.categories", 1),
    ("release.2.mechanism.categories", "2"),
    ("release.3.mechanism.parts", {}),
    ("release.3.mechanism.parts", ...),
    ("release.3.mechanism.parts.0", {"kind": "pure_dp"}),
    ("release.4.mechanism.variance", ...),
    ("release.4.mechanism.standard_deviation", "1"),
    ("release.4.mechanism.variance", [1]),
    ("release.4.mechanism.sensitivity", None),
    ("release.5.mechanism.epsilon", "1"),
    ("release.6.mechanism.sensitivity", 1.5),
    ("release.6.mechanism.sensitivity", -1),
    ("release.7.mechanism.mu", "1"),
    ("release.8.mechanism.gamma", ...),
    ("release.11.mechanism.orders", "2"),
    ("release.11.mechanism.orders", []),
    ("release.11.mechanism.orders.0", None),
    ("release.11.mechanism.divergences", ...),
    ("release.12.mechanism.mechanism", ...),
    ("release.12.mechanism.mechanism", "gaussian"),
    ("release.12.mechanism.mechanism", [{"kind": "gaussian", "mu": "1"}]),
    ("release.12.mechanism.mechanism.kind", "magic"),
    ("release.12.mechanism.sampling_probability", ...),
    ("release.13.mechanism.epsilons", "0.1"),
    ("release.13.mechanism.epsilons", ...),
    ("title", 7),
    ("privacy_unit", ["x"]),
    ("adjacency", "neighbours"),
    ("target", "1e-6"),
    ("target.delta", [1]),
    ("target.rho", "1"),
    ("releases", []),
]


@pytest.mark.parametrize(("path", "value"), WRONG_PLANS, ids=lambda each: repr(each)[:40])
def test_a_wrong_plan_is_refused_by_schema_and_reader(path: str, value: Any) -> None:
    wrong = changed(PLAN, path, value)
    assert not accepts("plan", wrong)
    with pytest.raises(oc.InvalidParameterError):
        plan_from_mapping(wrong, where="here")


@pytest.mark.parametrize("place", range(len(PLAN["release"])))
def test_what_the_reader_understood_is_written_in_a_form_that_the_schema_accepts(place: int) -> None:
    """Certificates hold the written form, with the derived parameters in place of the ones that were given."""
    mechanism = plan_from_mapping(PLAN, where="here").releases[place].mechanism
    written = oc.mechanism_to_json(mechanism)
    assert accepts("plan", {"release": [{"mechanism": written}]})
    assert accepts("certificate", {**CERTIFICATE, "mechanisms": [written]})
    assert oc.mechanism_from_json(written) == mechanism


@pytest.mark.parametrize("obj", [None, [], "plan", 7])
def test_what_is_no_object_is_refused(obj: object) -> None:
    assert not accepts("plan", obj)
    assert not accepts("certificate", obj)


def test_the_certificate() -> None:
    assert accepts("certificate", CERTIFICATE)
    assert not accepts("plan", CERTIFICATE)
    assert not accepts("certificate", PLAN)


@pytest.mark.parametrize("key", CERTIFICATE)
def test_every_key_of_a_certificate_is_required(key: str) -> None:
    assert not accepts("certificate", changed(CERTIFICATE, key, ...))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("version", 2),
        ("version", "1"),
        ("mechanisms", {}),
        ("mechanisms.0.kind", "magic"),
        ("mechanisms.0.note", "x"),
        ("adjacency", "neighbours"),
        ("question", {}),
        ("question", {"delta": "1e-6", "epsilon": "1"}),
        ("question.delta", 1e-6),
        ("lower", 2.0),
        ("upper", None),
        ("theorem", None),
        ("engine", 7),
        ("precision", []),
        ("error.answer", 0.0),
        ("error.answer", ...),
        ("error.more", "0"),
        ("digest", "sha256:"),
        ("digest", "md5:" + "0" * 64),
        ("note", "x"),
    ],
)
def test_a_wrong_certificate_is_refused_by_schema_and_reader(path: str, value: Any) -> None:
    wrong = changed(CERTIFICATE, path, value)
    assert not accepts("certificate", wrong)
    with pytest.raises(oc.InvalidParameterError):
        oc.certificate_from_json(wrong)


def test_the_command_line_prints_them() -> None:
    from typer.testing import CliRunner

    from optcomp.cli.main import app

    for name, schema in SCHEMAS.items():
        done = CliRunner().invoke(app, ["schema", name])
        assert done.exit_code == 0
        assert json.load(io.StringIO(done.stdout)) == schema()

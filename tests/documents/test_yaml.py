"""YAML without its surprises: what is read, what is refused, and that the line is named."""

from __future__ import annotations

import io
import json
import time
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from optcomp.cli.main import app
from optcomp.composition import Plan
from optcomp.documents import FORMATS, parse, read_plan
from optcomp.documents.yaml_loader import load_yaml
from optcomp.errors import DocumentError, InvalidParameterError

TOML = """
title = "Same plan"
adjacency = "replace_one"
privacy_unit = "one row"

[target]
epsilon = "ln(3)"
delta = 1e-6

[[release]]
name = "first"
mechanism = { kind = "pure_dp", epsilon = 0.1 }
count = 30

[[release]]
mechanism = { kind = "sequence", parts = [
    { kind = "approx_dp", epsilon = "1/3", delta = 1.0e-9, count = 2 },
    { kind = "randomized_response", probability = 0.75, categories = 2 },
] }
"""
JSON = """
{"title": "Same plan", "adjacency": "replace_one", "privacy_unit": "one row",
 "target": {"epsilon": "ln(3)", "delta": 1e-6},
 "release": [
   {"name": "first", "mechanism": {"kind": "pure_dp", "epsilon": 0.1}, "count": 30},
   {"mechanism": {"kind": "sequence", "parts": [
     {"kind": "approx_dp", "epsilon": "1/3", "delta": 1.0e-9, "count": 2},
     {"kind": "randomized_response", "probability": 0.75, "categories": 2}]}}]}
"""
YAML = """
# comments are welcome
title: Same plan
adjacency: replace_one
privacy_unit: 'one row'
target: { epsilon: ln(3), delta: 1e-6 }
release:
  - name: first
    mechanism: { kind: pure_dp, epsilon: 0.1 }
    count: 30
  - mechanism:
      kind: sequence
      parts:
        - { kind: approx_dp, epsilon: 1/3, delta: 1.0e-9, count: 2 }
        - kind: randomized_response
          probability: 0.75
          categories: 2
"""


def plan(text: str, format_: str | None = None, *, path: str = "-", name: Path | None = None) -> Plan:
    return read_plan(str(name or path), standard_input=io.BytesIO(text.encode()), format=format_)


def refusal(text: str) -> str:
    with pytest.raises(DocumentError) as caught:
        parse(text.encode(), path="plan.yaml")
    assert caught.value.field == "file"
    assert "YAML" in caught.value.condition
    return str(caught.value)


# ---------------------------------------------------------------------------------------------------- what is read


def test_the_same_plan_in_three_formats() -> None:
    first = plan(TOML, "toml")
    assert first == plan(JSON, "json") == plan(YAML, "yaml") == plan(YAML, "yml")
    assert len(first.releases) == 2


@pytest.mark.parametrize("name", ["plan.yaml", "plan.yml", "plan.YAML", "plan.Yml"])
def test_the_endings(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(YAML, encoding="utf-8")
    assert plan("", name=tmp_path / name) == plan(TOML, "toml")


def test_the_formats() -> None:
    assert set(FORMATS) == {"toml", "json", "yaml", "yml"}


def test_the_option_of_the_command_line() -> None:
    ask = ["compose", "-", "--delta", "1e-6", "--json"]
    yaml, toml = (CliRunner().invoke(app, [*ask, "--format", name], input=text) for name, text in FORMS.items())
    assert yaml.exit_code == toml.exit_code
    assert json.loads(yaml.stdout) == json.loads(toml.stdout)
    without = CliRunner().invoke(app, ask, input=YAML)
    assert without.exit_code == 2  # on standard input nothing tells YAML from TOML
    assert "TOML" in without.stderr


FORMS = {"yaml": YAML, "toml": TOML}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("0.1", Decimal("0.1")),
        ("0.1234567890123456789012345678901234567890123456789", "same"),
        ("-0.5", Decimal("-0.5")),
        ("1.0e-400", Decimal("1e-400")),
        ("3.0", Decimal("3.0")),
        ("1_000.5", Decimal("1000.5")),
        ("30", 30),
        ("1e-6", "1e-6"),
        ("1/3", "1/3"),
        ("ln(3/2)", "ln(3/2)"),
        ("'0.1'", "0.1"),
        ("2026-01-31", "2026-01-31"),
        ("2026-01-31 10:00:00", "2026-01-31 10:00:00"),
        ("~", None),
    ],
)
def test_values(written: str, value: object) -> None:
    found = load_yaml(f"a: {written}")
    expected = Decimal(written) if value == "same" else value
    assert found == {"a": expected}
    assert isinstance(found, dict)
    assert type(found["a"]) is type(expected)


def test_byte_order_mark_and_line_endings() -> None:
    assert parse(b"\xef\xbb\xbfa: 0.1\r\nb: 2\r\n", path="a.yaml") == {"a": Decimal("0.1"), "b": 2}


# ---------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "says", "line"),
    [
        ("a: 1\nb: &x 2\nc: *x\n", "anchors and aliases", 2),
        ("a: 1\nb: *x\n", "anchors and aliases", 2),
        ("a: &x [1]\n", "anchors and aliases", 1),
        ("&x a: 1\n", "anchors and aliases", 1),
        ("a: 1\nb: 2\na: 3\n", "stands twice", 3),
        ("a:\n  b: 1\n  b: 1\n", "stands twice", 3),
        ("a: { b: 1, b: 2 }\n", "stands twice", 1),
        ("a: 1\n7: 2\n", "must be text", 2),
        ("true: 2\n", "must be text", 1),
        ("~: 2\n", "must be text", 1),
        ("? [a]\n: 2\n", "must be text", 1),
        ("a: 1\nb:\n  <<: { c: 1 }\n", "", 3),
        ("a: 1\nb: !!python/object/apply:os.system ['true']\n", "", 2),
        ("a: 1\nb: !custom 2\n", "", 2),
        ("a: 1\n---\nb: 2\n", "single document", 2),
        ("a: [1\nb: 2\n", "", 2),
        ("a: 'open\n", "", 1),
        ("a: 1\n\tb: 2\n", "", 2),
        ("a: b: c\n", "", 1),
    ],
)
def test_refused_with_the_line(text: str, says: str, line: int) -> None:
    message = refusal(text)
    assert says in message
    assert f"line {line}" in message or f"line {line + 1}" in message  # a parser may see it at the end of the line
    assert "\n" not in message


@pytest.mark.parametrize("text", ["a: !!bool maybe", "a: !!int ''", "a: !!int x", "a: !!float x", "a: !!float ''"])
def test_a_tag_that_does_not_fit_is_refused(text: str) -> None:
    refusal(text)


@pytest.mark.parametrize("text", ["a: \x01", "a: 1\x00", "\x7f: 1"])
def test_control_characters_are_refused(text: str) -> None:
    with pytest.raises(DocumentError):
        parse(text.encode(), path="plan.yaml")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a: \xff", b"\x00"])
def test_binary_data_is_refused(content: bytes) -> None:
    with pytest.raises(DocumentError) as caught:
        parse(content, path="plan.yaml")
    assert caught.value.value == "binary data"


@pytest.mark.parametrize("content", ["- 1\n- 2\n", "just text", "7", "~", "# nothing but a comment"])
def test_what_is_no_object_is_refused(content: str) -> None:
    with pytest.raises(DocumentError):
        parse(content.encode(), path="plan.yaml")


@pytest.mark.parametrize(
    "text", ["[" * 20_000, "a: " + "{a: " * 20_000, "- " * 20_000 + "a", "[" * 300 + "]" * 300, "a: " + "[" * 20_000]
)
def test_deep_nesting_is_refused_at_once(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(DocumentError):
        parse(text.encode(), path="plan.yaml")
    assert time.perf_counter() - start < 20


def test_growth_by_reference_is_refused_at_once() -> None:
    text = "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(20))
    assert "anchors and aliases" in refusal(text)


@pytest.mark.parametrize(
    "number", [".inf", "-.inf", "+.inf", ".nan", ".NaN", ".INF", "2026-01-31", "yes", "!!binary aGk="]
)
@pytest.mark.parametrize("field", ["epsilon", "count"])
def test_what_is_no_number_is_refused_in_a_plan(number: str, field: str) -> None:
    values = {"epsilon": "0.1", "count": "3", field: number}
    text = "release:\n  - mechanism: { kind: pure_dp, epsilon: %s }\n    count: %s\n" % tuple(values.values())  # noqa: UP031  # braces
    with pytest.raises(InvalidParameterError) as caught:
        plan(text, "yaml")
    assert caught.value.field.endswith(field)


@pytest.mark.parametrize("count", ["010", "-010", "1:30", "0777"])
def test_numbers_of_another_base_are_not_read_as_other_numbers(count: str) -> None:
    """Octal and sexagesimal numbers look like decimals: 010 would be 8 and 1:30 would be 90."""
    try:
        found = load_yaml(f"count: {count}")
    except ValueError:
        return
    assert found in ({"count": count}, {"count": int(count)} if count.isdigit() else {})


@pytest.mark.parametrize("text", ["title: yes", "title: no", "title: 3", "title: [a]", "privacy_unit: { a: b }"])
def test_a_title_must_be_text(text: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        plan(f"{text}\nrelease:\n  - mechanism: {{ kind: pure_dp, epsilon: 0.1 }}\n", "yaml")
    assert caught.value.field == text.partition(":")[0]


def test_the_reason_given_for_a_number_in_base_sixty_is_no_exponent() -> None:
    with pytest.raises(DocumentError) as caught:
        parse(b"a: 1:30.5", path="plan.yaml")
    assert "exponent" not in caught.value.condition

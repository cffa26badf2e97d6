"""Certificates on the command line: made, piped, checked, and refused; and what explains an answer."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import optcomp as oc
from optcomp.cli.main import app
from optcomp.documents import SCHEMAS
from optcomp.engines.auto import TABLE

ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
CERTIFICATE_KEYS = ["version", "mechanisms", "adjacency", "question", "lower", "upper", "theorem", "engine"]
CERTIFICATE_KEYS += ["precision", "error", "digest"]
RECHECK_KEYS = ["verdict", "lower", "upper", "engine", "reason", "assumption", "certificate"]
EXPLAIN_KEYS = ["title", "adjacency", "assumption", "engine", "reason", "theorem", "precision", "cost", "exact"]
EXPLAIN_KEYS += ["advice", "considered"]
CONSIDERED_KEYS = ["name", "takes", "when", "chosen"]
EQUAL = ["--each", "0.1", "--count", "30"]
ODD = [word for k in range(10, 24) for word in ("--each", f"ln({k + 1}/{k})")]
MANY_ODD = [word for k in range(10, 70) for word in ("--each", f"ln({k + 1}/{k})")]
FAR_APART = ["--each", "1e200", "--each", "1e-200"]


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def run(*arguments: str, stdin: str = "") -> Run:
    done = CliRunner().invoke(app, arguments, input=stdin, env=ENVIRONMENT)
    return Run(done.exit_code, done.stdout, done.stderr)


def start(*arguments: str, stdin: str = "") -> Run:
    """As a program of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "optcomp", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        env=os.environ | ENVIRONMENT,
        cwd=ROOT,
        check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr)


def refused(found: Run, *, says: str = "") -> None:
    assert found.status == 2, found
    assert found.out == ""
    assert re.fullmatch(r"optcomp: [^\n]+\n", found.err), found.err
    assert says in found.err


def signed(obj: dict[str, Any], **changes: Any) -> str:
    """Altered fields with a digest that fits them."""
    body = {key: value for key, value in {**obj, **changes}.items() if key != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return json.dumps({**body, "digest": f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"})


# ---------------------------------------------------------------------------------------------------- certify


def test_certify_prints_the_certificate_of_the_library() -> None:
    found = start("certify", *EQUAL, "--delta", "1e-6")
    assert (found.status, found.err) == (0, "")
    assert list(found.json()) == CERTIFICATE_KEYS
    expected = oc.compose(oc.Sequence(parts=[oc.PureDP(epsilon="0.1").repeated(30)])).certificate(delta="1e-6")
    assert found.json() == oc.certificate_to_json(expected)
    assert found.out == json.dumps(found.json(), indent=2) + "\n"
    assert run("certify", *EQUAL, "--delta", "1e-6", "--json").out == found.out


@pytest.mark.parametrize("name", ["labour_market_year.toml", "local_survey.json"])
def test_certify_takes_a_plan_with_its_target(name: str) -> None:
    found = run("certify", str(ROOT / "examples" / name))
    assert found.status == 0
    assert found.json()["question"] == {"delta": "1e-6"}
    assert found.json()["adjacency"] in {"add_or_remove_one", "replace_one"}


def test_certify_at_an_epsilon() -> None:
    found = run("certify", *EQUAL, "--epsilon", "ln(3)").json()
    assert found["question"] == {"epsilon": "ln(3)"}
    assert Fraction(found["lower"]) <= Fraction(found["upper"]) < 1


def test_certify_without_a_question_or_a_plan_is_refused() -> None:
    refused(run("certify", *EQUAL), says="delta")
    refused(run("certify"), says="plan")
    refused(run("certify", *EQUAL, "--delta", "2"), says="delta")


# ---------------------------------------------------------------------------------------------------- recheck


def test_certify_and_recheck_through_a_pipe() -> None:
    program = [sys.executable, "-m", "optcomp"]
    environment = os.environ | ENVIRONMENT
    with subprocess.Popen(
        [*program, "certify", *EQUAL, "--delta", "1e-6"], stdout=subprocess.PIPE, env=environment, cwd=ROOT
    ) as first:
        second = subprocess.run(
            [*program, "recheck", "-", "--json"],
            stdin=first.stdout,
            capture_output=True,
            env=environment,
            cwd=ROOT,
            check=False,
        )
    assert (first.returncode, second.returncode) == (0, 0)
    answer = json.loads(second.stdout)
    assert list(answer) == RECHECK_KEYS
    assert (answer["verdict"], answer["engine"]) == ("confirmed", "outcomes")
    certificate = answer["certificate"]
    assert list(certificate) == CERTIFICATE_KEYS
    ends = [certificate["lower"], answer["lower"], answer["upper"], certificate["upper"]]
    assert [Fraction(end) for end in ends] == sorted(Fraction(end) for end in ends)


@pytest.mark.parametrize("question", [["--delta", "1e-6"], ["--epsilon", "1"], ["--epsilon", "-1"], ["--delta", "0"]])
@pytest.mark.parametrize("plan", [EQUAL, ["--each", "0.1,1e-9", "--each", "0.25"], ODD])
def test_what_is_certified_is_never_contradicted(question: list[str], plan: list[str]) -> None:
    certificate = run("certify", *plan, *question)
    if certificate.status == 0:
        found = run("recheck", "-", "--json", stdin=certificate.out)
        assert found.status in {0, 4}
        assert found.json()["verdict"] in {"confirmed", "consistent", "undecided"}
    else:
        assert certificate.status == 4


def test_recheck_as_text(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(run("certify", *EQUAL, "--delta", "1e-6").out, encoding="utf-8")
    found = run("recheck", str(path))
    assert found.status == 0
    assert [line.split()[0] for line in found.out.splitlines()] == ["certified", "checked", "it", "verdict"]
    assert "[2.345887693, 2.34588769301] by binomial" in found.out
    assert "confirmed: outcomes proves the certified interval" in found.out


def test_a_contradicted_certificate_is_status_5() -> None:
    obj = run("certify", *EQUAL, "--delta", "1e-6").json()
    width = repr(oc.Enclosure(Fraction("2.1"), Fraction("2.2")).relative_width)
    wrong = signed(obj, lower="2.1", upper="2.2", error={**obj["error"], "answer": width})
    found = run("recheck", "-", "--json", stdin=wrong)
    assert (found.status, found.json()["verdict"], found.json()["engine"]) == (5, "contradicted", "outcomes")
    assert found.json()["lower"].startswith("2.3458876930")
    text = run("recheck", "-", stdin=wrong)
    assert (text.status, "contradicted" in text.out) == (5, True)


def test_a_false_description_is_status_5_without_an_engine() -> None:
    obj = run("certify", *EQUAL, "--delta", "1e-6").json()
    found = run("recheck", "-", "--json", stdin=signed(obj, theorem="Theorem 0"))
    assert (found.status, found.json()["verdict"]) == (5, "contradicted")
    assert (found.json()["engine"], found.json()["lower"], found.json()["upper"]) == (None, None, None)


def test_where_no_second_engine_reaches_it_is_status_4() -> None:
    certificate = run("certify", *FAR_APART, "--epsilon", "1")
    assert certificate.status == 0
    found = run("recheck", "-", "--json", stdin=certificate.out)
    assert (found.status, found.json()["verdict"], found.json()["engine"]) == (4, "undecided", None)
    text = run("recheck", "-", stdin=certificate.out)
    assert (text.status, "undecided" in text.out) == (4, True)


def test_an_altered_certificate_is_refused() -> None:
    obj = run("certify", *EQUAL, "--delta", "1e-6").json()
    refused(run("recheck", "-", stdin=json.dumps({**obj, "upper": "2"})), says="digest")
    refused(run("recheck", "-", stdin=json.dumps({**obj, "version": 2})), says="version")
    refused(run("recheck", "-", stdin=json.dumps({**obj, "note": "x"})), says="note")
    refused(run("recheck", "-", stdin=signed(obj, engine="abacus")), says="engine")


def test_no_digest_is_no_way_around_the_digest() -> None:
    obj = run("certify", *EQUAL, "--delta", "1e-6").json()
    refused(run("recheck", "-", stdin=json.dumps({**obj, "version": 1.0, "digest": ""})))


@pytest.mark.parametrize("error", ["1e400", "-1e400", "inf", "nan"])
def test_an_impossible_error_is_no_crash(error: str) -> None:
    obj = run("certify", *EQUAL, "--delta", "1e-6").json()
    refused(run("recheck", "-", stdin=signed(obj, error={**obj["error"], "answer": error})), says="error")


@pytest.mark.parametrize(
    "text", ["", "no json", "[]", "{}", "7", "\x00", '{"version": 1}', '{"version": 1, "version": 1}']
)
def test_what_is_no_certificate_is_refused(text: str) -> None:
    refused(run("recheck", "-", stdin=text), says="standard input")


def test_a_file_that_is_not_there_is_refused() -> None:
    refused(run("recheck", "no such file.json"), says="no such file.json")
    assert run("recheck").status == 2


# ---------------------------------------------------------------------------------------------------- width


def test_the_width_of_a_grid_answer() -> None:
    for width in ("1e-3", "1e-5"):
        found = run("compose", *MANY_ODD, "--delta", "1e-6", "--width", width, "--json")
        assert found.status == 0
        answer = oc.Enclosure(Fraction(found.json()["lower"]), Fraction(found.json()["upper"]))
        assert answer.relative_width <= float(width)
        assert found.json()["engine"] in {"contour", "contour_balls"}
    certificate = run("certify", *MANY_ODD, "--delta", "1e-6", "--width", "1e-3")
    assert certificate.status == 0
    assert run("recheck", "-", stdin=certificate.out).status in {0, 4}


def test_a_width_out_of_reach_is_status_4() -> None:
    for command in ("compose", "certify"):
        found = run(command, *MANY_ODD, "--delta", "1e-6", "--width", "1e-30")
        assert (found.status, found.out) == (4, "")
        assert "width" in found.err


@pytest.mark.parametrize("width", ["0", "-1", "inf", "narrow", ""])
def test_a_wrong_width_is_refused(width: str) -> None:
    for command in ("compose", "certify"):
        refused(run(command, *EQUAL, "--delta", "1e-6", "--width", width), says="width")


# ---------------------------------------------------------------------------------------------------- explain, schema


@pytest.mark.parametrize(
    ("plan", "engine", "exact"),
    [(EQUAL, "binomial", True), (ODD, "subsets", True), (MANY_ODD, "contour", False)],
)
def test_explain_as_json(plan: list[str], engine: str, exact: bool) -> None:
    found = run("explain", *plan, "--json")
    assert found.status == 0
    answer = found.json()
    assert list(answer) == EXPLAIN_KEYS
    assert (answer["title"], answer["engine"], answer["exact"]) == (None, engine, exact)
    assert bool(answer["advice"]) != exact
    assert all(list(each) == CONSIDERED_KEYS for each in answer["considered"])
    assert [each["name"] for each in answer["considered"]] == [rule.name for rule in TABLE]
    chosen = [each for each in answer["considered"] if each["chosen"]]
    assert [(each["name"], each["takes"]) for each in chosen] == [(engine, True)]
    taken = [each["name"] for each in answer["considered"] if each["takes"]]
    assert taken[0] == engine  # the first that takes it answers


def test_explain_as_text() -> None:
    found = run("explain", *EQUAL)
    assert found.status == 0
    lines = found.out.splitlines()
    assert [line.split()[0] for line in lines[:6]] == ["engine", "computes", "works", "cost", "exact", "engine"]
    assert "binomial: all epsilons are equal; any count" in lines[0]
    assert sum("chosen" in line for line in lines) == 1


def test_explain_computes_nothing_and_needs_no_target() -> None:
    assert run("explain", "--each", "0.1", "--count", "1000000000", "--json").status == 0
    refused(run("explain"), says="plan")


def test_explain_agrees_with_compose() -> None:
    for plan in (EQUAL, ODD, MANY_ODD):
        composed = run("compose", *plan, "--delta", "1e-3", "--width", "1e-3", "--json").json()
        explained = run("explain", *plan, "--json").json()
        assert (composed["engine"], composed["reason"]) == (explained["engine"], explained["reason"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema(name: str) -> None:
    found = start("schema", name)
    assert (found.status, found.err) == (0, "")
    assert found.json() == SCHEMAS[name]()
    assert run("schema", name, "--json").out == found.out


def test_a_schema_that_does_not_exist_is_refused() -> None:
    refused(run("schema", "recipe"), says="schema")

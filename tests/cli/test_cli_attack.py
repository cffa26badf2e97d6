"""Attacks on the command line: the bound, the comparison with a plan, and the exit status of each."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import optcomp as oc
from optcomp.cli.attack import attack
from optcomp.tradeoff.attacks import AttackCounts, epsilon_lower_bound

ENVIRONMENT = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
COUNTS = ["--false-positives", "3", "--nonmembers", "1000", "--true-positives", "40", "--members", "1000"]
ASKED = [*COUNTS, "--delta", "1e-5"]
KEYS = [
    "delta",
    "confidence",
    "false_positives",
    "nonmembers",
    "true_positives",
    "members",
    "false_positive_rate",
    "false_negative_rate",
    "epsilon_at_least",
    "plan",
    "verdict",
]
PLAN = {
    "title": "Survey",
    "adjacency": "replace_one",
    "release": [{"name": "a", "mechanism": {"kind": "pure_dp", "epsilon": "0.1"}}],
}


def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    app = typer.Typer(rich_markup_mode=None)
    app.command()(attack)
    done = CliRunner().invoke(app, arguments, input=stdin, env=ENVIRONMENT)
    return done.exit_code, done.stdout, done.stderr


def test_without_a_plan_the_bound_is_said_in_words() -> None:
    status, out, err = run(*ASKED)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "False positives: 3 of 1000. The rate lies in [0, 0.00874203].",
        "False negatives: 960 of 1000. The rate lies in [0, 0.971273].",
        "At delta 0.00001, epsilon is at least 1.18936. This holds with confidence 0.95.",
    ]


@pytest.mark.parametrize(
    ("each", "status", "verdict"), [("1", 5, "contradicted"), ("1.18", 5, "contradicted"), ("1.19", 0, "consistent")]
)
def test_a_plan_is_consistent_or_contradicted(each: str, status: int, verdict: str) -> None:
    code, out, err = run(*ASKED, "--each", each)
    assert (code, err) == (status, "")
    assert out.splitlines()[-1].startswith(f"Verdict: {verdict}. ")
    code, out, err = run(*ASKED, "--each", each, "--json")
    assert (code, err, json.loads(out)["verdict"]) == (status, "", verdict)


def test_the_json_holds_the_exact_numbers() -> None:
    status, out, _ = run(*ASKED, "--each", "0.1,1e-7", "--count", "30", "--confidence", "0.9", "--json")
    answer = json.loads(out)
    assert (status, list(answer)) == (0, KEYS)
    bound = epsilon_lower_bound(AttackCounts(3, 1000, 40, 1000), delta="1e-5", confidence="0.9")
    profile = oc.compose(oc.ApproxDP(epsilon="0.1", delta="1e-7").repeated(30))
    assert Fraction(answer["epsilon_at_least"]) == bound.epsilon.lower
    assert Fraction(answer["false_positive_rate"]["upper"]) == bound.false_positive_rate.upper
    assert Fraction(answer["false_negative_rate"]["upper"]) == bound.false_negative_rate.upper
    assert Fraction(answer["plan"]["epsilon"]["upper"]) == profile.epsilon("1e-5").upper
    assert answer["plan"]["title"] is None
    without = json.loads(run(*ASKED, "--json")[1])
    assert (list(without), without["plan"], without["verdict"]) == (KEYS, None, None)


@pytest.mark.parametrize("from_input", [False, True])
def test_a_plan_is_read_from_a_file_or_standard_input(tmp_path: Path, from_input: bool) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(PLAN), encoding="utf-8")
    status, out, err = run(*ASKED, "-" if from_input else str(path), stdin=json.dumps(PLAN))
    assert (status, err) == (5, "")
    assert out.splitlines()[3:] == [
        "Plan: Survey.",
        "Adjacency: replace_one.",
        "The plan guarantees that epsilon is at most 0.099981.",
        "Verdict: contradicted. The attack does what the plan rules out.",
    ]


def test_an_infinite_guarantee_is_never_contradicted() -> None:
    status, out, _ = run(*ASKED, "--each", "1,0.5")
    assert (status, "at most inf" in out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*COUNTS, "--delta", "2"], "delta must be a probability"),
        ([*ASKED, "--confidence", "1"], "confidence must lie strictly between 0 and 1"),
        ([*ASKED, "--count", "3"], "plan must be given"),
        ([*ASKED, "--each", "x"], "epsilon must be a finite number"),
        (
            ["--false-positives", "3", "--nonmembers", "2", "--true-positives", "0", "--members", "1", "--delta", "0"],
            "false_positives must be at most nonmembers",
        ),
    ],
)
def test_a_wrong_request_is_refused(arguments: list[str], says: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert says in err

"""Audits on the command line: claims proven, refuted and left open, and the exit status of each."""

from __future__ import annotations

import io
import json
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import optcomp as oc
from optcomp.cli.main import app
from optcomp.quantities import exact_text
from optcomp.usecases import AuditVerdict, Claim, Source, audit_plan

ENVIRONMENT = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
EQUAL = ["--each", "0.1", "--count", "30"]
GRID = [word for k in range(10, 70) for word in ("--each", f"ln({k + 1}/{k})")]  # answered by an interval of some width
AUDIT_KEYS = ["title", "adjacency", "assumption", "verdict", "claims"]
CLAIM_KEYS = ["epsilon", "delta", "verdict", "least_delta", "note"]


def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["audit", *arguments], input=stdin, env=ENVIRONMENT)
    return done.exit_code, done.stdout, done.stderr


def claims_of(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
    status, out, err = run(*arguments, "--json")
    assert err == ""
    answer = json.loads(out)
    assert list(answer) == AUDIT_KEYS
    assert all(list(each) == CLAIM_KEYS for each in answer["claims"])
    return status, answer["claims"]


def refused(arguments: list[str], says: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert re.fullmatch(r"optcomp: [^\n]+\n", err), err
    assert says in err


def test_a_proven_a_refuted_and_an_exact_claim() -> None:
    status, found = claims_of(*EQUAL, "--claims", "3,0", "--claims", "2,1e-6", "--claims", "2.35,1e-6")
    assert status == 3
    assert [each["verdict"] for each in found] == ["proven", "refuted", "proven"]
    assert (found[0]["least_delta"], found[0]["note"]) == ({"lower": "0", "upper": "0"}, "")
    assert (found[1]["epsilon"], found[1]["delta"]) == ("2", "1e-6")
    expected = oc.compose(oc.PureDP(epsilon="0.1").repeated(30)).delta(2)
    assert [Fraction(found[1]["least_delta"][end]) for end in ("lower", "upper")] == [expected.lower, expected.upper]


@pytest.mark.parametrize(
    ("claims", "status", "verdict"),
    [
        (["3,0"], 0, "proven"),
        (["3,0", "2.35,1e-6"], 0, "proven"),
        (["1,1e-6"], 3, "refuted"),
        (["3,0", "1,1e-6"], 3, "refuted"),
        (["0,1"], 0, "proven"),
        (["0,0"], 3, "refuted"),
        (["ln(21),0"], 0, "proven"),
        (["1/3,1e-400"], 3, "refuted"),
    ],
)
def test_the_exit_status_is_the_worst_verdict(claims: list[str], status: int, verdict: str) -> None:
    arguments = [*EQUAL, *(word for claim in claims for word in ("--claims", claim))]
    code, out, err = run(*arguments, "--json")
    assert (code, err, json.loads(out)["verdict"]) == (status, "", verdict)
    assert run(*arguments)[0] == status


def test_a_claim_inside_of_the_interval_is_undecided_unless_another_is_refuted() -> None:
    interval = claims_of(*GRID, "--claims", "1,1e-6", "--width", "1e-3")[1][0]["least_delta"]
    low, high = Fraction(interval["lower"]), Fraction(interval["upper"])
    assert low < high
    middle = f"1,{exact_text((low + high) / 2)}"
    status, found = claims_of(*GRID, "--claims", middle, "--width", "1e-3")
    assert (status, found[0]["verdict"]) == (4, "undecided")
    assert claims_of(*GRID, "--claims", middle, "--claims", "100,0", "--width", "1e-3")[0] == 4
    assert claims_of(*GRID, "--claims", middle, "--claims", "1,0", "--width", "1e-3")[0] == 3


def test_the_ends_of_an_interval_are_compared_exactly() -> None:
    interval = claims_of(*GRID, "--claims", "1,0", "--width", "1e-3")[1][0]["least_delta"]
    low, high, tiny = Fraction(interval["lower"]), Fraction(interval["upper"]), Fraction(1, 10**60)
    for delta, verdict in [(high, "proven"), (high - tiny, "undecided"), (low, "undecided"), (low - tiny, "refuted")]:
        found = claims_of(*GRID, "--claims", f"1,{exact_text(delta)}", "--width", "1e-3")[1]
        assert found[0]["verdict"] == verdict


def test_a_width_out_of_reach_is_undecided_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise oc.UndecidedError(field="delta", value="x", condition="is out of reach", remedy="Ask for a larger width.")

    monkeypatch.setattr(oc.Profile, "delta", give_up)
    status, found = claims_of(*EQUAL, "--claims", "1,1e-6", "--width", "1e-30")
    assert (status, found[0]["verdict"]) == (4, "undecided")
    assert found[0]["least_delta"] == {"lower": None, "upper": None}
    assert "larger width" in found[0]["note"]
    status, out, _ = run(*EQUAL, "--claims", "1,1e-6", "--width", "1e-30")
    assert status == 4
    assert "undecided" in out


def test_as_text() -> None:
    status, out, err = run(*EQUAL, "--claims", "3,0", "--claims", "2.35,1e-6")
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["epsilon", "claimed", "delta", "least", "delta", "verdict"]
    assert lines[1] == ["3", "0", "0", "proven"]
    assert lines[2] == ["2.35", "1e-6", "[9.479255817235694e-7,", "9.4792558172356941e-7]", "proven"]


def test_a_plan_shows_its_title_and_its_adjacency() -> None:
    text = (
        '{"title": "T", "adjacency": "add_one", "release": [{"mechanism": {"kind": "poisson_sampled", '
        '"sampling_probability": "0.01", "mechanism": {"kind": "gaussian", "noise_multiplier": 1}}}]}'
    )
    status, out, err = run("-", "--claims", "1,1e-3", stdin=text)
    assert (status, err) == (0, "")
    assert out.splitlines()[0].split() == ["plan", "T"]
    assert out.splitlines()[1].split() == ["adjacency", "add_one"]
    assert "One direction only, one record added" in out
    assert "Poisson" in out
    answer = json.loads(run("-", "--claims", "1,1e-3", "--json", stdin=text)[1])
    assert answer["assumption"].startswith("One direction only, one record added, where each record")


@pytest.mark.parametrize("rigor", ["float", "ball"])
def test_both_rigors_agree(rigor: str) -> None:
    assert claims_of(*EQUAL, "--claims", "2,1e-6", "--rigor", rigor)[1][0]["verdict"] == "refuted"
    assert claims_of(*EQUAL, "--claims", "2.4,1e-6", "--rigor", rigor)[1][0]["verdict"] == "proven"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([*EQUAL], "claims must hold at least one claim"),
        (["--claims", "1,0"], "plan must be given"),
        ([*EQUAL, "--claims", "1"], "claims must be epsilon and delta with a comma"),
        ([*EQUAL, "--claims", "1,2,3"], "claims must be epsilon and delta with a comma"),
        ([*EQUAL, "--claims", ""], "claims must be epsilon and delta with a comma"),
        ([*EQUAL, "--claims", "-1,0"], "claims.epsilon must be at least 0"),
        ([*EQUAL, "--claims", "x,0"], "claims.epsilon must be a finite number"),
        ([*EQUAL, "--claims", "inf,0"], "claims.epsilon must be a finite number"),
        ([*EQUAL, "--claims", "1,2"], "claims.delta must be a probability"),
        ([*EQUAL, "--claims", "1,"], "claims.delta must be a finite number"),
        ([*EQUAL, "--claims", "1,0", "--rigor", "high"], "rigor must be one of float, ball"),
        ([*EQUAL, "--claims", "1,0", "--adjacency", "near"], "adjacency must be one of"),
        ([*EQUAL, "--claims", "1,0", "--width", "0"], "width"),
        (["nowhere.toml", "--claims", "1,0"], "nowhere.toml"),
    ],
)
def test_a_wrong_call_is_one_line_and_status_2(arguments: list[str], says: str) -> None:
    refused(arguments, says)


@settings(max_examples=60)
@given(
    epsilon=st.fractions(0, 4, max_denominator=50),
    delta=st.one_of(st.fractions(0, 1, max_denominator=10**6), st.sampled_from([Fraction(0), Fraction(1, 10**9)])),
)
def test_a_verdict_says_what_the_profile_says(epsilon: Fraction, delta: Fraction) -> None:
    truth = oc.compose(oc.ApproxDP(epsilon="0.1", delta="1e-7").repeated(30)).delta(epsilon)
    answer = audit_plan(Source(each=("0.1,1e-7",), counts=(30,)), claims=[Claim(epsilon, delta)])
    (only,) = answer.claims
    assert only.least_delta == truth
    assert (only.verdict is AuditVerdict.PROVEN) == (truth.upper <= delta)
    assert (only.verdict is AuditVerdict.REFUTED) == (truth.lower > delta)
    assert answer.verdict is only.verdict


def test_the_use_case_takes_claims_as_text_and_as_objects() -> None:
    source = Source(path="-", standard_input=io.BytesIO(b'release = [{mechanism={kind="pure_dp",epsilon=1}}]'))
    answer = audit_plan(source, claims=["1,0", Claim(Fraction(0), Fraction(0))])
    assert [each.verdict.value for each in answer.claims] == ["proven", "refuted"]
    assert answer.assumption is None

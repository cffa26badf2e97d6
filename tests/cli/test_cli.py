"""The program as people and other programs meet it: output, exit statuses, and every wrong input."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from optcomp.cli.main import app
from optcomp.composition import compare, compose
from optcomp.documents.reading import LARGEST_FILE
from optcomp.errors import DocumentError
from optcomp.mechanisms import ApproxDP, PureDP
from optcomp.quantities import Enclosure, exact_text
from optcomp.usecases import Source, compare_plan, compose_plan

ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
COMPOSE_KEYS = ["title", "question", "delta", "lower", "upper", "engine", "reason", "adjacency", "assumption"]
COMPOSE_KEYS += ["privacy_unit", "budget", "verdict", "notes"]
COMPARE_KEYS = ["title", "delta", "adjacency", "assumption", "rows"]
ROW_KEYS = ["name", "lower", "upper", "waste_percent", "adaptive", "source", "note"]
TWO_GROUPS = ["--each", "0.1", "--count", "50", "--each", "0.2", "--count", "20"]


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def run(*arguments: str, stdin: str | bytes = b"") -> Run:
    """In this process, which is quick."""
    done = CliRunner().invoke(app, arguments, input=stdin, env=ENVIRONMENT)
    return Run(done.exit_code, done.stdout, done.stderr)


def start(*arguments: str, stdin: bytes = b"", **more: str) -> Run:
    """As a program of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "optcomp", *arguments],
        input=stdin,
        capture_output=True,
        env=os.environ | ENVIRONMENT | more,
        cwd=ROOT,
        check=False,
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def refused(found: Run, *, says: str = "") -> None:
    """Exit status 2, and one line for people."""
    assert found.status == 2, found
    assert found.out == ""
    assert re.fullmatch(r"optcomp: [^\n]+\n", found.err), found.err
    assert "Traceback" not in found.err
    assert says in found.err


def plan(**more: Any) -> str:
    return json.dumps({"release": [{"mechanism": {"kind": "pure_dp", "epsilon": "0.1"}, "count": 30}], **more})


# ------------------------------------------------------------------------------------------------ answers


def test_compose_as_text() -> None:
    found = start("compose", "--each", "0.1", "--count", "30", "--delta", "1e-6")
    assert (found.status, found.err) == (0, "")
    assert [line.rstrip() for line in found.out.splitlines()] == [
        "delta          1e-6",
        "least epsilon  [2.3458876930080366, 2.3458876930080367]",
        "engine         binomial: all epsilons are equal; any count",
        "note           All mechanisms are pure: with delta 0 the epsilon is their sum, 3.",
    ]


def test_compose_as_json() -> None:
    found = start("compose", "--each", "0.1", "--count", "30", "--delta", "1e-6", "--json")
    assert (found.status, found.err) == (0, "")
    answer = found.json()
    assert list(answer) == COMPOSE_KEYS
    assert (answer["question"], answer["delta"], answer["engine"]) == ("epsilon", "1e-6", "binomial")
    assert (answer["title"], answer["adjacency"], answer["privacy_unit"]) == (None, None, None)
    assert (answer["budget"], answer["verdict"]) == (None, None)
    expected = compose(PureDP(epsilon="0.1").repeated(30)).epsilon("1e-6")
    assert Enclosure(Fraction(answer["lower"]), Fraction(answer["upper"])) == expected


def test_the_delta_at_an_epsilon_as_json() -> None:
    answer = run("compose", "--each", "0.1", "--count", "30", "--epsilon", "ln(3)", "--json").json()
    assert list(answer) == ["epsilon" if key == "delta" else key for key in COMPOSE_KEYS]
    assert (answer["question"], answer["epsilon"]) == ("delta", "ln(3)")
    expected = compose(PureDP(epsilon="0.1").repeated(30)).delta("ln(3)")
    assert Enclosure(Fraction(answer["lower"]), Fraction(answer["upper"])) == expected


def test_compare_as_json() -> None:
    answer = start("compare", "--each", "0.1,1e-9", "--count", "30", "--delta", "1e-6", "--json").json()
    assert list(answer) == COMPARE_KEYS
    expected = compare(ApproxDP(epsilon="0.1", delta="1e-9").repeated(30), delta="1e-6")
    assert [row["name"] for row in answer["rows"]] == [row.name for row in expected.rows]
    for row, truth in zip(answer["rows"], expected.rows, strict=True):
        assert list(row) == ROW_KEYS
        assert list(row["waste_percent"]) == ["lower", "upper"]
        assert (row["adaptive"], row["source"], row["note"]) == (truth.adaptive, truth.source, truth.note)
        assert truth.epsilon is not None
        assert Enclosure(Fraction(row["lower"]), Fraction(row["upper"])) == truth.epsilon
        waste = row["waste_percent"]
        if truth.waste is None:
            assert waste == {"lower": None, "upper": None}
        else:
            assert Enclosure(Fraction(waste["lower"]), Fraction(waste["upper"])) == truth.waste


def test_compare_as_text() -> None:
    found = start("compare", "--each", "0.1", "--count", "100", "--delta", "1e-6")
    assert (found.status, found.err) == (0, "")
    lines = [line.split() for line in found.out.splitlines()]
    assert lines[0] == ["delta", "1e-6"]
    assert lines[1] == ["theorem", "epsilon", "wasted", "note"]
    assert ["advanced", "[6.3082309505134082,", "6.3082309505134083]", "32.1", "%"] in lines
    assert lines[-1] == ["optimal", "[4.7745675881079861,", "4.7745675881079862]", "binomial"]


def test_what_a_theorem_does_not_say_is_null_in_json_and_words_in_text() -> None:
    arguments = ["compare", *TWO_GROUPS, "--delta", "1e-6"]
    row = next(row for row in run(*arguments, "--json").json()["rows"] if row["name"] == "short_form")
    assert (row["lower"], row["upper"]) == (None, None)
    assert row["waste_percent"] == {"lower": None, "upper": None}
    assert row["note"] == "the mechanisms are not all equal"
    assert re.search(
        r"^short_form +not applicable +the mechanisms are not all equal", run(*arguments).out, re.MULTILINE
    )


def test_a_plan_shows_its_words() -> None:
    text = plan(title="A [bold]title[/b]", adjacency="add_one", privacy_unit="one :smile:", target={"delta": "1e-6"})
    found = run("compose", "-", stdin=text)
    assert found.status == 0
    for line in ("plan           A [bold]title[/b]", "adjacency      add_one", "privacy unit   one :smile:"):
        assert line in found.out
    answer = run("compose", "-", "--json", stdin=text).json()
    assert (answer["title"], answer["adjacency"], answer["privacy_unit"]) == (
        "A [bold]title[/b]",
        "add_one",
        "one :smile:",
    )


def test_words_of_a_plan_cannot_steer_the_terminal() -> None:
    text = '{"title": "\\u001b[2Ja\\nb\\ud800", ' + plan(target={"delta": "1e-6"})[1:]
    for command in ("compose", "compare"):
        found = start(command, "-", stdin=text.encode())
        assert (found.status, found.err) == (0, "")
        assert found.out.splitlines()[0].split(maxsplit=1)[1].rstrip() == r"\x1b[2Ja\nb\ud800"
        assert start(command, "-", "--json", stdin=text.encode()).json()["title"] == "\x1b[2Ja\nb\ud800"


def test_letters_that_the_terminal_lacks_are_no_failure() -> None:
    text = plan(title="caf\u00e9", target={"delta": "1e-6"}).encode()
    found = start("compose", "-", stdin=text, PYTHONIOENCODING="ascii")
    assert (found.status, found.out.splitlines()[0].split()) == (0, ["plan", r"caf\xe9"])
    found = start("compose", "-", "--json", stdin=text, PYTHONIOENCODING="ascii")
    assert (found.status, found.json()["title"]) == (0, "caf\u00e9")


def test_infinity_is_written_inf() -> None:
    arguments = ["compose", "--each", "0.1,1e-3", "--delta", "1e-4"]
    found = run(*arguments)
    assert found.status == 0
    assert "least epsilon  inf" in found.out
    assert "Below delta 0.001 no epsilon is finite" in found.out
    answer = run(*arguments, "--json").json()
    assert (answer["lower"], answer["upper"]) == ("inf", "inf")
    last = run("compare", "--each", "0.1,1e-3", "--delta", "1e-4", "--json").json()["rows"][-1]
    assert (last["lower"], last["upper"]) == ("inf", "inf")


def test_a_negative_epsilon_is_a_value_and_no_option() -> None:
    expected = compose(PureDP(epsilon="0.1").repeated(30)).delta(-1)
    for arguments in (["--epsilon", "-1"], ["--epsilon=-1"]):
        answer = run("compose", "--each", "0.1", "--count", "30", *arguments, "--json").json()
        assert answer["epsilon"] == "-1"
        assert Enclosure(Fraction(answer["lower"]), Fraction(answer["upper"])) == expected


def test_inline_values_without_counts_are_run_once() -> None:
    one = run("compose", "--each", "0.1", "--each", "0.2,1e-9", "--delta", "1e-6", "--json")
    two = run(
        "compose",
        "--each",
        "0.1",
        "--count",
        "1",
        "--each",
        " 0.2 , 1e-9 ",
        "--count",
        "1",
        "--delta",
        "1e-6",
        "--json",
    )
    assert one == two
    assert one.status == 0


def test_the_order_of_options_does_not_matter() -> None:
    expected = run("compose", *TWO_GROUPS, "--delta", "1e-6", "--json")
    assert expected.status == 0
    for arguments in (
        ["--json", "--delta", "1e-6", *TWO_GROUPS],
        ["--each", "0.1", "--each", "0.2", "--delta", "1e-6", "--count", "50", "--json", "--count", "20"],
        ["--count", "50", "--count", "20", "--json", "--each", "0.1", "--delta=1e-6", "--each", "0.2"],
        ["--each", "0.2", "--count", "20", "--each", "0.1", "--count", "50", "--delta", "1e-6", "--json"],
    ):
        assert run("compose", *arguments) == expected


def test_a_plan_may_stand_before_or_after_the_options(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text(plan(), encoding="utf-8")
    assert run("compose", str(path), "--delta", "1e-6") == run("compose", "--delta", "1e-6", str(path))
    assert run("compose", str(path), "--delta", "1e-6").status == 0


def test_a_file_standard_input_and_inline_values_give_the_same(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(plan(), encoding="utf-8")
    toml = '[[release]]\nmechanism = { kind = "pure_dp", epsilon = 0.1 }\ncount = 30\n'
    inline = run("compose", "--each", "0.1", "--count", "30", "--delta", "1e-6", "--json")
    assert inline.status == 0
    assert run("compose", str(path), "--delta", "1e-6", "--json") == inline
    assert run("compose", "-", "--delta", "1e-6", "--json", stdin=plan()) == inline
    assert run("compose", "-", "--delta", "1e-6", "--json", stdin=toml) == inline
    assert run("compose", "-", "--delta", "1e-6", "--json", stdin=b"\xef\xbb\xbf" + toml.encode()) == inline
    assert run("compose", "-", "--format", "toml", "--delta", "1e-6", "--json", stdin=toml) == inline
    assert start("compose", "-", "--delta", "1e-6", "--json", stdin=plan().encode()) == inline


@pytest.mark.parametrize("command", ["compose", "compare"])
def test_two_runs_print_the_same_bytes(command: str) -> None:
    for arguments in ([*TWO_GROUPS, "--delta", "1e-6"], [*TWO_GROUPS, "--delta", "1e-6", "--json"]):
        assert start(command, *arguments) == start(command, *arguments, PYTHONHASHSEED="7")


@pytest.mark.parametrize("columns", ["20", "60", "200"])
def test_the_width_of_the_terminal_loses_no_digit(columns: str) -> None:
    found = start("compose", *TWO_GROUPS, "--delta", "1e-6", COLUMNS=columns)
    wide = run("compose", *TWO_GROUPS, "--delta", "1e-6")
    interval = re.search(r"least epsilon +(\[.*?\])", wide.out)
    assert interval is not None
    flat = re.sub(r"\s", "", found.out)
    assert re.sub(r"\s", "", interval[1]) in flat or columns == "20"
    for end in interval[1].strip("[]").split(", "):
        assert end[:8] in flat


INTERVAL = re.compile(r"(?P<name>least epsilon|least delta|\w+)  +(?:\[(?P<low>\S+), (?P<high>\S+)\]|(?P<only>\S+))")
decimals = st.integers(1, 400).map(lambda n: str(Fraction(n, 100)) if n % 3 else f"{n}e-2")


@settings(max_examples=40)
@given(
    each=st.lists(st.tuples(decimals, st.integers(1, 40)), min_size=1, max_size=3),
    failing=st.sampled_from(["", ",1e-9", ",1/1000"]),
    question=st.sampled_from([["--delta", "1e-6"], ["--delta", "1e-12"], ["--epsilon", "1/3"], ["--epsilon", "0"]]),
)
def test_a_printed_interval_is_never_inside_the_exact_one(
    each: list[tuple[str, int]], failing: str, question: list[str]
) -> None:
    inline = [word for value, count in each for word in ("--each", value + failing, "--count", str(count))]
    text, exact = run("compose", *inline, *question), run("compose", *inline, *question, "--json")
    assert (text.status, exact.status) == (0, 0)
    line = next(line for line in text.out.splitlines() if line.startswith("least "))
    shown = INTERVAL.match(line)
    assert shown is not None
    lower, upper = exact.json()["lower"], exact.json()["upper"]
    if "inf" in {lower, upper}:
        assert shown["only"] == "inf"
        return
    assert Fraction(shown["low"] or shown["only"]) <= Fraction(lower) <= Fraction(upper)
    assert Fraction(upper) <= Fraction(shown["high"] or shown["only"])


def test_printed_rows_of_a_comparison_are_never_inside_the_exact_ones() -> None:
    arguments = ["compare", *TWO_GROUPS, "--delta", "1e-6"]
    exact = {row["name"]: row for row in run(*arguments, "--json").json()["rows"]}
    seen = 0
    for line in run(*arguments).out.splitlines()[2:]:
        shown = INTERVAL.match(line)
        if shown is None or shown["only"] == "not" or shown["name"] not in exact:
            continue
        row = exact[shown["name"]]
        assert Fraction(shown["low"] or shown["only"]) <= Fraction(row["lower"])
        assert Fraction(row["upper"]) <= Fraction(shown["high"] or shown["only"])
        seen += 1
    assert seen == 8


# ------------------------------------------------------------------------------------------------ verdicts


def inside(ends: Any) -> str:
    """A decimal strictly between the ends of an answer."""
    return exact_text((Fraction(ends["lower"]) + Fraction(ends["upper"])) / 2)


def test_a_budget_that_is_kept_exceeded_or_undecided() -> None:
    ends = run("compose", *TWO_GROUPS, "--delta", "1e-6", "--json").json()
    assert Fraction(ends["lower"]) < Fraction(ends["upper"])
    over = exact_text(Fraction(ends["lower"]) - Fraction(1, 10**30))
    for epsilon, status, word in [(ends["upper"], 0, "fits"), (inside(ends), 4, "undecided"), (over, 3, "over")]:
        arguments = ["compose", *TWO_GROUPS, "--delta", "1e-6", "--epsilon", epsilon]
        found = start(*arguments, "--json")
        assert (found.status, found.err) == (status, "")
        answer = found.json()
        assert list(answer) == COMPOSE_KEYS
        assert answer["verdict"] == word
        assert answer["budget"] == {"epsilon": exact_text(Fraction(epsilon)), "delta": "1e-6"}
        text = run(*arguments)
        assert text.status == status
        assert f"verdict        {word}" in text.out


def test_the_targets_of_a_plan_are_a_budget() -> None:
    for epsilon, status, word in [("2.35", 0, "fits"), ("2.34", 3, "over"), ("3", 0, "fits"), ("0", 3, "over")]:
        text = plan(target={"epsilon": epsilon, "delta": "1e-6"})
        found = run("compose", "-", "--json", stdin=text)
        assert (found.status, found.json()["verdict"]) == (status, word)
        assert found.json()["question"] == "epsilon"


def test_an_undecided_plan(tmp_path: Path) -> None:
    ends = run("compose", *TWO_GROUPS, "--delta", "1e-6", "--json").json()
    releases = [
        {"mechanism": {"kind": "pure_dp", "epsilon": epsilon}, "count": count}
        for epsilon, count in [("0.1", 50), ("0.2", 20)]
    ]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"target": {"epsilon": inside(ends), "delta": "1e-6"}, "release": releases}))
    found = start("compose", str(path))
    assert (found.status, found.err) == (4, "")
    assert "verdict        undecided" in found.out


def test_two_numbers_given_replace_the_targets_of_the_plan() -> None:
    text = plan(target={"epsilon": "1", "delta": "1e-6"})
    assert run("compose", "-", stdin=text).status == 3
    found = run("compose", "-", "--epsilon", "3", "--delta", "0", "--json", stdin=text)
    assert (found.status, found.json()["verdict"], found.json()["delta"]) == (0, "fits", "0")


def test_one_number_given_asks_and_the_targets_still_decide() -> None:
    text = plan(target={"epsilon": "1", "delta": "1e-6"})
    found = run("compose", "-", "--delta", "0.1", "--json", stdin=text)
    assert (found.status, found.json()["verdict"], found.json()["delta"]) == (3, "over", "0.1")
    assert found.json()["budget"] == {"epsilon": "1", "delta": "1e-6"}


def test_a_target_epsilon_alone_asks_for_delta() -> None:
    found = run("compose", "-", "--json", stdin=plan(target={"epsilon": "1"}))
    assert (found.status, found.json()["question"], found.json()["epsilon"]) == (0, "delta", "1")


def test_a_logarithm_as_budget_is_compared_by_delta() -> None:
    for epsilon, status in [("ln(11)", 0), ("ln(10)", 3)]:  # 2.397... and 2.302...; the least epsilon is 2.345...
        found = run("compose", "-", "--json", stdin=plan(target={"epsilon": epsilon, "delta": "1e-6"}))
        assert found.status == status
        assert found.json()["budget"]["epsilon"] == epsilon


def test_an_exact_tie_fits() -> None:
    assert run("compose", "--each", "0.1", "--count", "30", "--delta", "0", "--epsilon", "3").status == 0
    tie = ["compose", "--each", "0.1,0.1", "--each", "0.2,0.1", "--delta", "0.19", "--epsilon"]
    assert run(*tie, "0.3").status == 0
    assert run(*tie, "0.29999999999999999999").status == 3


def test_an_infinite_epsilon_is_over_every_budget() -> None:
    assert run("compose", "--each", "0.1,1e-3", "--delta", "1e-4", "--epsilon", "1e9").status == 3


def test_a_question_beyond_the_precision_is_undecided() -> None:
    found = start("compose", "--each", "0.1", "--count", "9" * 35, "--delta", "1e-6")
    assert (found.status, found.out) == (4, "")
    assert re.fullmatch(r"optcomp: epsilon could not be computed [^\n]+\n", found.err)


# ------------------------------------------------------------------------------------------------ wrong input


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["compose"], "plan must be given, or --each instead"),
        (["compare"], "plan must be given, or --each instead"),
        (["compose", "--delta", "1e-6"], "plan must be given"),
        (["compose", "x.toml", "--each", "0.1"], "and not both"),
        (["compose", "--each", "0.1"], "delta must be given, or an epsilon instead"),
        (["compare", "--each", "0.1"], "delta must be given"),
        (["compose", "--each", "0.1", "--delta", "2"], "delta must be a probability"),
        (["compose", "--each", "0.1", "--delta", "-1e-9"], "delta must be a probability"),
        (["compose", "--each", "0.1", "--delta", ""], "delta must be a finite number"),
        (["compose", "--each", "0.1", "--delta", "nan"], "delta must be a finite number"),
        (["compose", "--each", "0.1", "--delta", "ln(2)"], "delta must be a finite number"),
        (["compose", "--each", "0.1", "--epsilon", "inf"], "epsilon must be a finite number"),
        (["compose", "--each", "0.1", "--epsilon", "ln(0)"], "epsilon must be the logarithm of a positive number"),
        (["compose", "--each", "0.1", "--epsilon", "a\nb"], r"got 'a\nb'"),
        (["compose", "--each", "", "--delta", "1e-6"], "epsilon must be a finite number"),
        (["compose", "--each", "-0.1", "--delta", "1e-6"], "epsilon must be at least 0"),
        (["compose", "--each", "0.1,", "--delta", "1e-6"], "delta must be a finite number"),
        (["compose", "--each", "0.1,2", "--delta", "1e-6"], "delta must be a probability"),
        (["compose", "--each", "0.1,1e-6,3", "--delta", "1e-6"], "each must be epsilon, or epsilon and delta"),
        (["compose", "--each", "1/0", "--delta", "1e-6"], "must not have the denominator 0"),
        (["compose", "--each", "0.1", "--count", "-1", "--delta", "1e-6"], "count must be a whole number"),
        (
            ["compose", "--each", "0.1", "--count", "1", "--count", "2", "--delta", "1e-6"],
            "count must be given 1 times",
        ),
        (["compose", "--each", "0.1", "--each", "1", "--count", "1", "--delta", "1e-6"], "count must be given 2 times"),
        (["compose", "-", "--count", "1", "--delta", "1e-6"], "never with a plan file"),
        (["compose", "--count", "1", "--delta", "1e-6"], "plan must be given"),
        (["compose", "--each", "0.1", "--delta", "1e-6", "--format", "xml"], "format must be one of toml, json, yaml"),
        (["compose", "-", "--format", ""], "format must be one of toml, json"),
        (["compose", "/nowhere/plan.toml"], "No such file or directory"),
        (["compose", "examples"], "Is a directory"),
        (["compare", "no\nsuch\x1b[2Jfile", "--delta", "0"], r"no\nsuch\x1b[2Jfile: file cannot be read"),
        (["compose", "", "--delta", "1e-6"], "file cannot be read"),
        (["compose", "--each", "1" * 20_001, "--delta", "1e-6"], "at most 20000 characters"),
        (["compose", "--each", "1e20001", "--delta", "1e-6"], "decimal exponent between"),
    ],
)
def test_a_wrong_call_is_one_line_and_status_2(arguments: Sequence[str], says: str, monkeypatch: Any) -> None:
    monkeypatch.chdir(ROOT)
    refused(run(*arguments), says=says)


PURE = '{"kind": "pure_dp", "epsilon": "0.1"}'


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "must not be empty"),
        (b" \n\t\r\n", "must not be empty"),
        (b"\xef\xbb\xbf", "must not be empty"),
        (b"\x00\x01\x02", "must be text in UTF-8"),
        (b"title = '\xe9'", "must be text in UTF-8"),
        (b"\xff\xfe{\x00", "must be text in UTF-8"),
        (b" " * (LARGEST_FILE + 1), "must be at most 16 MB"),
        (b'{"release": ' + b"[" * 10_000, "nested too deeply"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "nested too deeply"),
        (b"a = " + b"[" * 10_000 + b"]" * 10_000, "nested too deeply"),
        (b"a = " + b"{a=" * 10_000, "nested too deeply"),
        (b"a" + b".a" * 10_000 + b" = 1", "more than 1000 dots"),
        (b"[1]", "is not a key of a plan file"),
        (b"{", "cannot be read as JSON"),
        (b"release = ", "cannot be read as TOML"),
        (b'{"title": 1, "title": 2}', "the key 'title' stands twice"),
        (b'{"title": "x"}', "release must be a list of at least one release"),
        (b'{"release": []}', "release must be a list of at least one release"),
        (b"[release]", "release must be a list of at least one release"),
        (b'{"a\\nb\\u001b\\ud800": 1}', r"a\nb\x1b\ud800 is not a key of a plan file"),
        (b'{"release": [{"mechanism": {"kind": "pure_dp", "epsilon": NaN}}]}', "epsilon must be a finite number"),
        (b'{"release": [{"mechanism": {"kind": "pure_dp", "epsilon": Infinity}}]}', "epsilon must be a finite number"),
        (
            b'{"release": [{"mechanism": {"kind": "pure_dp", "epsilon": 1e99999999999999999999}}]}',
            "too large an exponent",
        ),
        (b'{"release": [{"mechanism": {"kind": "pure_dp", "epsilon": ' + b"1" * 10_000 + b"}}]}", "without quotes"),
        (b'[[release]]\nmechanism = { kind = "pure_dp", epsilon = nan }', "epsilon must be a finite number"),
        (
            f'{{"release": [{{"mechanism": {PURE}, "count": true}}]}}'.encode(),
            "release[0].count must be a whole number",
        ),
        (f'{{"release": [{{"mechanism": {PURE}, "count": 1.5}}]}}'.encode(), "release[0].count must be a whole number"),
        (f'{{"release": [{{"mechanism": {PURE}, "count": -1}}]}}'.encode(), "release[0].count must be a whole number"),
        (f'{{"release": [{{"mechanism": {PURE}, "cuont": 1}}]}}'.encode(), "release[0].cuont is not a key"),
        (f'{{"target": {{"delta": 2}}, "release": [{{"mechanism": {PURE}}}]}}'.encode(), "target.delta must be"),
        (f'{{"target": {{"epsilon": -1}}, "release": [{{"mechanism": {PURE}}}]}}'.encode(), "target.epsilon must be"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "plan",
)
@pytest.mark.parametrize("command", ["compose", "compare"])
def test_a_wrong_plan_is_one_line_and_status_2(content: bytes, says: str, command: str) -> None:
    found = run(command, "-", "--delta", "1e-6", stdin=content)
    refused(found, says=says)
    assert "standard input: " in found.err


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (["compose"], b""),
        (["compose", "/nowhere/plan.toml"], b""),
        (["compose", "-"], b'{"release": ' + b"[" * 10_000),
        (["compare", "-", "--delta", "1e-6"], b'{"a\\nb\\ud800": 1}'),
        (["compose", "-"], b"\x00"),
        (["compose", "--each", "0.1", "--delta", "\udcff"], b""),
        (["compose", "no\nfile\udcff"], b""),
    ],
    ids=range(7),
)
def test_wrong_input_of_the_real_program(arguments: list[str], stdin: bytes) -> None:
    refused(start(*arguments, stdin=stdin))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nothing"],
        ["compose", "--nothing"],
        ["compose", "--each"],
        ["compose", "--each", "0.1", "--count", "x", "--delta", "1e-6"],
        ["compose", "--each", "0.1", "--count", "1.5", "--delta", "1e-6"],
        ["compose", "a", "b"],
        ["nothing"],
        ["compare", "--each", "0.1", "--epsilon", "1"],
        [],
    ],
)
def test_a_call_that_cannot_be_parsed_is_status_2(arguments: list[str]) -> None:
    found = run(*arguments)
    assert found.status == 2
    assert "Traceback" not in found.err + found.out


@pytest.mark.parametrize("arguments", [["--help"], ["compose", "--help"], ["compare", "--help"]])
def test_help(arguments: list[str]) -> None:
    found = start(*arguments)
    assert (found.status, found.err) == (0, "")
    words = ["compose", "compare"] if len(arguments) == 1 else ["PLAN", "--each", "--count", "--delta", "--json"]
    for word in words:
        assert word in found.out


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize("command", ["compose", "compare"])
def test_a_reader_who_goes_away_is_no_failure(command: str, options: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-m", "optcomp", command, "--each", "0.1", "--delta", "1e-6", *options],
            stdout=gone,
            stderr=subprocess.PIPE,
            env=os.environ | ENVIRONMENT,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_is_one_line() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    with full.open("wb") as disk:
        done = subprocess.run(
            [sys.executable, "-m", "optcomp", "compare", "--each", "0.1", "--delta", "1e-6"],
            stdout=disk,
            stderr=subprocess.PIPE,
            env=os.environ | ENVIRONMENT,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"optcomp: the answer cannot be written (No space left on device)\n"


def test_a_closed_standard_input_is_empty() -> None:
    for arguments, status in [(["--each", "0.1"], 0), (["-"], 2)]:
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-m", "optcomp", "compose", *arguments, "--delta", "0"],  # noqa: S607
            capture_output=True,
            env=os.environ | ENVIRONMENT,
            check=False,
        )
        assert done.returncode == status, done.stderr


def test_an_error_that_nobody_foresaw_is_one_line_and_status_1() -> None:
    program = (
        "import sys, optcomp.cli.main as m\n"
        "def broken(*a, **k): raise ZeroDivisionError('oh')\n"
        "m.compose_plan = broken\nsys.argv = ['optcomp', 'compose', '--each', '1', '--delta', '0']\nm.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "optcomp: internal error, please report it: ZeroDivisionError: oh\n"


# ------------------------------------------------------------------------------------------------ random documents

numbers = st.sampled_from(
    ["0", "0.1", "1/3", "0.25", "2", "ln(3)", "1e-9", "1", "-1", "x", "", 0, 0.1, 1, 3, True, None]
)
counts: st.SearchStrategy[Any] = st.sampled_from([0, 1, 2, 30, 365, 10**6, -1, 1.5, True, "3", None, []])
leaf = st.fixed_dictionaries(
    {"kind": st.sampled_from(["pure_dp", "approx_dp", "randomized_response", "sequence", "x", 1])},
    optional={
        "epsilon": numbers,
        "delta": numbers,
        "probability": numbers,
        "categories": counts,
        "count": counts,
        "x": numbers,
    },
)
sound = st.one_of(
    st.fixed_dictionaries({"kind": st.just("pure_dp"), "epsilon": st.sampled_from(["0.1", "0.25", "ln(3)", 1, 0])}),
    st.fixed_dictionaries(
        {
            "kind": st.just("approx_dp"),
            "epsilon": st.sampled_from(["0.1", 0.5, 0]),
            "delta": st.sampled_from([0, "1e-9", 1]),
        }
    ),
)
mechanisms = st.recursive(
    st.one_of(sound, sound, leaf, numbers),
    lambda inner: st.fixed_dictionaries({"kind": st.just("sequence"), "parts": st.lists(inner, max_size=3)}),
    max_leaves=4,
)
plans = st.fixed_dictionaries(
    {
        "release": st.lists(
            st.fixed_dictionaries(
                {"mechanism": mechanisms}, optional={"count": st.one_of(st.just(7), counts), "name": st.just("n")}
            ),
            max_size=3,
        )
    },
    optional={
        "title": st.sampled_from(["t", "[/x]", "\ud800", 1, None]),
        "target": st.fixed_dictionaries({}, optional={"epsilon": numbers, "delta": numbers, "x": numbers}),
        "adjacency": st.sampled_from(["add_one", "x", 1]),
        "extra": numbers,
    },
)


def toml(obj: Any) -> str:
    """A value in TOML, roughly: None stays a slip."""
    if isinstance(obj, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(value)}" for key, value in obj.items()) + "}"
    if isinstance(obj, list):
        return "[" + ", ".join(map(toml, obj)) + "]"
    return json.dumps(obj)


def decided(found: Run) -> None:
    assert found.status in {0, 2, 3, 4}, found
    if found.status == 2:
        refused(found)


@given(
    obj=plans,
    command=st.sampled_from(["compose", "compare"]),
    options=st.sampled_from([[], ["--delta", "1e-6"], ["--delta", "0.5", "--json"]]),
    as_toml=st.booleans(),
)
def test_a_random_document_never_ends_in_an_internal_error(
    obj: dict[str, Any], command: str, options: list[str], as_toml: bool
) -> None:
    text = "\n".join(f"{key} = {toml(value)}" for key, value in obj.items()) if as_toml else json.dumps(obj)
    decided(run(command, "-", *options, stdin=text))


@given(content=st.binary(max_size=120))
def test_random_bytes_never_end_in_an_internal_error(content: bytes) -> None:
    refused(run("compose", "-", "--delta", "1e-6", stdin=content))


@given(
    each=st.lists(st.one_of(st.text(max_size=8), numbers.map(str)), max_size=3),
    count=st.lists(st.integers(-2, 50).map(str), max_size=3),
    delta=st.one_of(st.text(max_size=8), st.sampled_from(["0", "1e-6", "1"])),
)
def test_random_inline_values_never_end_in_an_internal_error(each: list[str], count: list[str], delta: str) -> None:
    words = [f"--each={value}" for value in each] + [f"--count={value}" for value in count]
    decided(run("compose", *words, f"--delta={delta}"))


# ------------------------------------------------------------------------------------------------ use cases


def test_the_use_cases_answer_without_a_terminal() -> None:
    source = Source(path="-", standard_input=io.BytesIO(plan(title="t", target={"delta": "1e-6"}).encode()))
    answer = compose_plan(source)
    assert (answer.title, answer.question, answer.given, answer.budget) == ("t", "epsilon", ("delta", "1e-6"), None)
    assert answer.answer == compose(PureDP(epsilon="0.1").repeated(30)).epsilon("1e-6")
    other = compare_plan(Source(each=("0.1",), counts=(30,)), delta="1e-6")
    assert (other.title, other.delta, other.rows[-1].epsilon) == (None, "1e-6", answer.answer)


def test_no_engine_is_needed_where_the_largest_losses_or_the_failures_decide() -> None:
    answer = compose_plan(Source(each=tuple(f"{n}e-200" for n in range(1, 60))), delta="0")
    assert (answer.engine, answer.reason) == ("none", "the largest losses alone decide")
    assert answer.answer.relative_width < 1e-30
    for delta in ("1e-4", "1"):
        answer = compose_plan(Source(each=("0.1,1e-3",)), delta=delta)
        assert (answer.engine, answer.reason) == ("none", "the failure probabilities alone decide")


def test_standard_input_is_empty_by_default() -> None:
    with pytest.raises(DocumentError, match="must not be empty"):
        Source(path="-").plan()

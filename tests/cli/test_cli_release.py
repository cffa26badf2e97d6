"""Releases on the command line: files in, files out, a slot spent once, and nothing overwritten."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from optcomp.cli.release import estimate, release
from optcomp.release import release as release_values

ENVIRONMENT = {"COLUMNS": "160", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
PLAN = """
title = "Town survey"
adjacency = "replace_one"
target = { epsilon = "4", delta = "1e-6" }

[[release]]
name = "streets"
mechanism = { kind = "discrete_laplace", scale = "4", sensitivity = 2 }
count = 2

[[release]]
name = "question"
mechanism = { kind = "randomized_response", probability = "0.75", categories = 2 }

[[release]]
name = "exact"
mechanism = { kind = "discrete_laplace", scale = "0", sensitivity = 0 }
count = 9
"""
VALUES = 'street,people\nHigh Street,1200000\n"Mill, Lane",7\n'


def call(*arguments: str, input: str | None = None) -> Any:  # noqa: A002  # the runner's name
    app = typer.Typer(pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command()(release)
    app.command()(estimate)
    return CliRunner().invoke(app, arguments, input=input, env=ENVIRONMENT)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(PLAN, encoding="utf-8")
    Path("values.csv").write_text(VALUES, encoding="utf-8")
    return tmp_path


STREETS = ["release", "plan.toml", "--name", "streets", "--values", "values.csv", "--header", "--record", "record"]


def slots() -> list[str]:
    return sorted(path.name for path in Path("record/slots").glob("*"))


def test_values_come_out_in_their_shape_and_the_truth_is_within_reach() -> None:
    done = call(*STREETS, "--out", "noisy.csv")
    assert (done.exit_code, done.stderr) == (0, "")
    for said in ("Town survey", "streets, run 0", "operating system", "noisy.csv", "0-0.json"):
        assert said in done.stdout
    text = Path("noisy.csv").read_bytes()
    assert text.startswith(b"street,people\nHigh Street,")
    assert b'\n"Mill, Lane",' in text
    slot = json.loads(Path("record/slots/0-0.json").read_text(encoding="utf-8"))
    assert slot["digest"] == "sha256:" + hashlib.sha256(text).hexdigest()
    found = call(
        "estimate", "plan.toml", "--name", "streets", "--observed", "noisy.csv", "--header", "--json",
        "--confidence", "0.999999999999", "--simultaneous",
    )  # fmt: skip
    told = json.loads(found.stdout)
    assert (told["kind"], told["confidence"], told["simultaneous"]) == ("value", "0.999999999999", True)
    for truth, name, row in zip((1200000, 7), ("High Street", "Mill, Lane"), told["estimates"], strict=True):
        assert row["name"] == name
        assert Fraction(row["interval"]["lower"]) <= truth <= Fraction(row["interval"]["upper"])
        assert row["estimate"]["lower"] == row["estimate"]["upper"]
        assert f"{name}" in text.decode()
    assert not list(Path().glob(".*"))


def test_without_a_file_the_values_are_printed_and_nothing_else() -> None:
    done = call(*STREETS)
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "street,people"
    assert len(lines) == 3


def test_answers_make_the_round_trip_through_standard_input() -> None:
    answers = "yes\n" * 3000 + "no\n" * 1000
    options = ["--name", "question", "--categories", "no,yes"]
    done = call("release", "plan.toml", *options, "--values", "-", "--record", "record", input=answers)
    assert done.exit_code == 0
    assert set(done.stdout.split()) == {"yes", "no"}
    asked = ["estimate", "plan.toml", *options, "--observed", "-", "--confidence", "0.999999999999"]
    told = json.loads(call(*asked, "--json", input=done.stdout).stdout)
    assert [row["name"] for row in told["estimates"]] == ["no", "yes"]
    interval = told["estimates"][1]["interval"]
    assert Fraction(interval["lower"]) <= Fraction(3, 4) <= Fraction(interval["upper"])
    shown = call(*asked, input=done.stdout)
    assert shown.exit_code == 0
    assert "0.999999999999, each by itself" in shown.stdout


def test_decimals_keep_their_places() -> None:
    options = ["--name", "exact", "--places", "2", "--values", "-", "--record", "record"]
    assert call("release", "plan.toml", *options, input="a,12.50\nb,-0.05\n").stdout == "a,12.50\nb,-0.05\n"
    told = json.loads(call("release", "plan.toml", *options, "--json", input="12.50\n").stdout)
    assert (told["values"], told["labels"], told["out"]) == (["12.50"], None, None)
    assert (told["slot"]["places"], told["slot"]["run"], told["slot"]["state"]) == (2, 1, "released")
    shown = call("estimate", "plan.toml", "--name", "exact", "--places", "2", "--observed", "-", input="12.50\n")
    assert "12.5" in shown.stdout
    assert "[12.5, 12.5]" in shown.stdout


def test_a_file_is_replaced_only_by_force_and_a_slot_never() -> None:
    Path("noisy.csv").write_text("mine", encoding="utf-8")
    done = call(*STREETS, "--out", "noisy.csv")
    assert done.exit_code == 2
    assert "must not be there already" in done.stderr
    assert Path("noisy.csv").read_text(encoding="utf-8") == "mine"
    assert not Path("record").exists()
    assert call(*STREETS, "--out", "noisy.csv", "--force", "--run", "0").exit_code == 0
    released = Path("noisy.csv").read_text(encoding="utf-8")
    assert released.startswith("street,people\n")
    done = call(*STREETS, "--out", "noisy.csv", "--force", "--run", "0")
    assert done.exit_code == 2
    assert "is spent: it was released" in done.stderr
    assert Path("noisy.csv").read_text(encoding="utf-8") == released
    assert slots() == ["0-0.json"]
    assert not list(Path().glob(".*"))


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("values.csv", "a file of its own"),
        ("plan.toml", "a file of its own"),
        (".", "a file of its own"),
        ("none/noisy.csv", "cannot be written"),
    ],
)
def test_a_bad_place_for_the_output_is_found_before_a_slot_is_spent(out: str, said: str) -> None:
    done = call(*STREETS, "--out", out, "--force")
    assert done.exit_code == 2
    assert said in done.stderr
    assert not Path("record").exists()
    assert Path("values.csv").read_text(encoding="utf-8") == VALUES


def test_a_file_that_appears_meanwhile_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    from optcomp.usecases import release as module

    real = release_values

    def slow(*arguments: Any, **options: Any) -> Any:
        found = real(*arguments, **options)
        Path("noisy.csv").write_text("mine", encoding="utf-8")
        return found

    monkeypatch.setattr(module, "release", slow)
    done = call(*STREETS, "--out", "noisy.csv")
    assert done.exit_code == 2
    assert "what was released is in" in done.stderr
    assert Path("noisy.csv").read_text(encoding="utf-8") == "mine"
    (kept,) = Path().glob(".*.part")
    assert kept.read_text(encoding="utf-8").startswith("street,people\n")


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        (["--name", "streets", "--values", "-"], "x,5\ny,5.5\n", "values['y'] must be a whole number"),
        (["--name", "streets", "--values", "-"], "", "at least one value"),
        (["--name", "streets", "--values", "none.csv"], "", "none.csv"),
        (["--name", "other", "--values", "-"], "5\n", "must be a release of the plan"),
        (["--name", "streets", "--values", "-", "--run", "2"], "5\n", "must be below 2"),
        (["--name", "question", "--values", "-", "--categories", "3"], "1\n", "must be 2"),
        (["--name", "question", "--values", "-", "--categories", "no,yes"], "maybe\n", "must be one of no, yes"),
    ],
)
def test_refusals_have_status_2_and_spend_nothing(arguments: list[str], text: str, said: str) -> None:
    done = call("release", "plan.toml", *arguments, "--record", "record", "--out", "noisy.csv", input=text)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert not Path("noisy.csv").exists()
    assert not list(Path().glob(".*"))
    assert slots() == []


def test_a_plan_over_its_target_is_refused() -> None:
    Path("plan.toml").write_text(PLAN.replace('"4", delta', '"0.5", delta'), encoding="utf-8")
    done = call(*STREETS, "--out", "noisy.csv")
    assert done.exit_code == 2
    assert "plan must meet its target, delta 1e-6" in done.stderr
    assert sorted(path.name for path in Path().iterdir()) == ["plan.toml", "values.csv"]


def test_a_changed_plan_is_refused() -> None:
    assert call(*STREETS).exit_code == 0
    Path("plan.toml").write_text(PLAN.replace("count = 2", "count = 3"), encoding="utf-8")
    done = call(*STREETS)
    assert done.exit_code == 2
    assert "is the record of another plan" in done.stderr
    assert slots() == ["0-0.json"]


@pytest.mark.parametrize("command", [["release", "--record", "record", "--values"], ["estimate", "--observed"]])
def test_plan_and_values_cannot_both_be_standard_input(command: list[str]) -> None:
    done = call(command[0], "-", *command[1:], "-", "--name", "streets", input=PLAN)
    assert done.exit_code == 2
    assert "cannot both be standard input" in done.stderr


def test_wrong_questions_to_an_estimate_have_status_2() -> None:
    asked = ["estimate", "plan.toml", "--name", "streets", "--observed", "-"]
    for more, text in ((["--confidence", "1"], "5\n"), ([], "x\n"), (["--places", "1"], "5\n")):
        done = call(*asked, *more, input=text)
        assert (done.exit_code, done.stdout) == (2, "")

"""The program ``optcomp multiparty``: solving, and a protocol of separate processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom
from typer.testing import CliRunner

from optcomp.cli.main import app
from optcomp.errors import InvalidParameterError
from optcomp.multiparty import (
    BitFunction,
    Channel,
    Interest,
    Message,
    Party,
    Protocol,
    broadcast,
    decide,
    transcript_of,
)
from optcomp.noise import SeededSourceForTests

HOSPITALS = """
title = "Three hospitals"
function = "xor"
[[party]]
name = "hospital"
epsilon = "ln(3)"
count = 3
[observer]
"""


@pytest.fixture
def problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("problem.toml").write_text(HOSPITALS)
    return "problem.toml"


def run(*arguments: str, status: int = 0, stdin: str | None = None) -> str:
    found = CliRunner().invoke(app, ["multiparty", *arguments], input=stdin)
    assert found.exit_code == status, found.output
    return found.stdout if status == 0 else found.stderr


def test_every_listener_is_solved(problem: str) -> None:
    found = json.loads(run("solve", problem, "--json"))
    assert [(each["name"], each["accuracy"]["lower"]) for each in found["listeners"]] == [
        ("observer", "0.5625"),
        ("hospital 0", "0.625"),
    ]
    assert found["listeners"][1]["lost_to_privacy"] == {"lower": "0.375", "upper": "0.375"}
    worst = json.loads(run("solve", problem, "--worst", "--json"))
    assert [each["accuracy"]["upper"] for each in worst["listeners"]] == ["0.5625", "0.625"]


def test_separate_processes_decide_together(problem: str) -> None:
    """No process but its own sees a bit; it comes by standard input."""
    for party, bit in enumerate("101"):
        subprocess.run(
            [
                sys.executable,
                "-m",
                "optcomp",
                "multiparty",
                "broadcast",
                problem,
                "--party",
                str(party),
                "--bit",
                "-",
                "--transcript",
                "room",
            ],
            input=bit,
            text=True,
            check=True,
            capture_output=True,
            timeout=60,
        )
    held = [json.loads(path.read_text()) for path in sorted(Path("room").iterdir())]
    assert {each["outcome"] for each in held} <= {1, 2}
    heard = sum(each["outcome"] == 2 for each in held) % 2
    assert json.loads(run("decide", problem, "--transcript", "room", "--json"))["answer"] == str(heard)
    others = sum(each["outcome"] == 2 for each in held if each["party"] != 1)
    for mine in (0, 1):
        own = json.loads(run("decide", problem, "--transcript", "room", "--party", "1", "--bit", str(mine), "--json"))
        assert own["answer"] == str((others + mine) % 2)


def is_plausible(right: int, runs: int, accuracy: float) -> bool:
    """Whether the number of right answers lies in the exact binomial interval of that accuracy, at 1e-9."""
    low, high = binom.ppf(5e-10, runs, accuracy), binom.ppf(1 - 5e-10, runs, accuracy)
    return bool(low <= right <= high)


@pytest.mark.parametrize("rounds", [6, pytest.param(200, marks=pytest.mark.nightly)])
def test_rounds_of_processes_reach_the_accuracy(problem: str, rounds: int) -> None:
    right = 0
    for number in range(rounds):
        bits = [number & 1, number >> 1 & 1, number >> 2 & 1]
        started = [
            subprocess.Popen(
                [
                    sys.executable,
                    *("-m", "optcomp", "multiparty", "broadcast", problem, "--party", str(party), "--bit", str(bit)),
                    *("--transcript", f"room{number}"),
                ],
                stdout=subprocess.DEVNULL,
            )
            for party, bit in enumerate(bits)
        ]
        assert [each.wait(timeout=60) for each in started] == [0, 0, 0]
        found = json.loads(run("decide", problem, "--transcript", f"room{number}", "--json"))
        right += found["answer"] == str(sum(bits) % 2)
    assert is_plausible(right, rounds, 0.5625)


def test_a_broadcast_that_was_cut_off_is_told(problem: str) -> None:
    Path("room").mkdir()
    Path("room", "0.json").touch()
    assert "has broadcast already" in run(
        "broadcast", problem, "--party", "0", "--bit", "1", "--transcript", "room", status=2
    )
    assert "did not finish" in run("decide", problem, "--transcript", "room", status=2)


def test_a_party_broadcasts_once(problem: str) -> None:
    run("broadcast", problem, "--party", "0", "--bit", "1", "--transcript", "room")
    assert "has broadcast already" in run(
        "broadcast", problem, "--party", "0", "--bit", "1", "--transcript", "room", status=2
    )


@pytest.mark.parametrize(
    "arguments", [("--party", "3", "--bit", "1"), ("--party", "0", "--bit", "2"), ("--party", "0")]
)
def test_a_wrong_broadcast_leaves_no_message(problem: str, arguments: tuple[str, ...]) -> None:
    run("broadcast", problem, *arguments, "--transcript", "room", status=2)
    assert not Path("room").exists() or list(Path("room").iterdir()) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"outcome": 3}, "must be one of 1, 2"),
        ({"outcome": True}, "whole number"),
        ({"party": 7}, "must be between 0 and 2"),
        ({"party": 0}, "is there twice"),
        ({"protocol": "sha256:0"}, "another problem"),
        (None, "is missing"),
        ({"more": 1}, "must have the keys"),
    ],
)
def test_a_wrong_transcript_is_refused(problem: str, change: dict[str, Any] | None, words: str) -> None:
    for party in range(3):
        run("broadcast", problem, "--party", str(party), "--bit", "1", "--transcript", "room")
    path = Path("room", "1.json")
    if change is None:
        path.unlink()
    else:
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    assert words in run("decide", problem, "--transcript", "room", status=2)


@pytest.mark.parametrize(
    "text",
    [
        "[[party]]\nepsilon = 1\n",
        "function = 'xor'\n",
        "function = 'nand'\n[[party]]\nepsilon = 1\n",
        "function = 'xor'\n[[party]]\ndelta = 1\n",
        "function = 'xor'\n[[party]]\nepsilon = 1\ncolour = 2\n",
        "function = { table = [0, 1, 1] }\n[[party]]\nepsilon = 1\n",
        "function = 'xor'\naccuracy = 'best'\n[[party]]\nepsilon = 1\n",
        "function = 'xor'\n[[party]]\nepsilon = true\n",
    ],
)
def test_a_wrong_problem_is_refused(problem: str, text: str) -> None:
    Path(problem).write_text(text)
    run("solve", problem, status=2)


def test_the_picture_is_drawn_once(problem: str) -> None:
    run("figure", problem, "--out", "picture.svg")
    assert Path("picture.svg").read_text().startswith("<?xml")
    assert "is there already" in run("figure", problem, "--out", "picture.svg", status=2)


@pytest.mark.parametrize("seed", range(3))
def test_drawn_transcripts_reach_the_accuracy(seed: int) -> None:
    """4,000 runs; the share of right answers is within six deviations of the best accuracy."""
    source = SeededSourceForTests(seed)
    function = BitFunction.majority(3)
    protocol = Protocol(
        parties=[Party(epsilon="1"), Party(epsilon="2", delta="0.1"), Party(epsilon="ln(3)")],
        observer=Interest(function),
    )
    listener = protocol.listeners(None)[0]
    runs, right = 4000, 0
    for _ in range(runs):
        bits = [source.bits(1) for _ in range(3)]
        messages = [broadcast(protocol, party=party, bit=bit, source=source) for party, bit in enumerate(bits)]
        answer = decide(listener, transcript_of(protocol, reversed(messages))).place
        right += answer == int(sum(bits) > 1)
    best = protocol.accuracy()
    assert is_plausible(right, runs, float(best))


def test_a_message_of_nobody_is_refused() -> None:
    protocol = Protocol(parties=[Party(epsilon=1)])
    assert protocol.channels == (Channel.of(1),)
    for message in (Message(1, 1), Message(-1, 1), Message(0, 0), Message(0, 4)):
        with pytest.raises(InvalidParameterError):
            transcript_of(protocol, [message])


def test_a_survey_is_designed_and_read() -> None:
    found = json.loads(
        run(
            "survey",
            "--epsilon",
            "ln(3)",
            "--questions",
            "12",
            "--delta",
            "1e-6",
            "--half-width",
            "0.02",
            "--positives",
            "400",
            "--respondents",
            "1000",
            "--json",
        )
    )
    assert found["chance_of_truth"] == "0.75"
    assert found["epsilon"] == "ln(3)"
    assert found["sample_size"] == 18445
    assert found["share"] == {"lower": "0.3", "upper": "0.3"}
    run("survey", "--epsilon", "1", "--positives", "3", status=2)
    run("survey", "--epsilon", "0", status=2)

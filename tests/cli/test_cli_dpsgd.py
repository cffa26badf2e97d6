"""Training runs on the command line, sampled plans, and the sign of life while an answer takes long."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import optcomp as oc
from optcomp.cli import progress
from optcomp.cli.main import app
from optcomp.usecases import DpsgdRequest, account_dpsgd

ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = {"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}
RUN = ["--examples", "60000", "--batch", "250", "--noise-multiplier", "1.1", "--delta", "1e-5"]
DPSGD_KEYS = ["delta", "lower", "upper", "steps", "steps_from", "sampling_probability", "noise_multiplier"]
DPSGD_KEYS += ["adjacency", "assumption", "engine", "reason"]
BOTH = "The larger of both directions, one record added and one removed, where each record is in a sample"
STEP = {"kind": "poisson_sampled", "sampling_probability": "1/240", "mechanism": {"kind": "gaussian", "mu": "1"}}


def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    done = CliRunner().invoke(app, arguments, input=stdin, env=ENVIRONMENT)
    return done.exit_code, done.stdout, done.stderr


def answer_of(*arguments: str, stdin: str = "") -> Any:
    status, out, err = run(*arguments, "--json", stdin=stdin)
    assert (status, err) == (0, ""), err
    return json.loads(out)


def interval(answer: Any) -> oc.Enclosure:
    return oc.Enclosure(Fraction(answer["lower"]), Fraction(answer["upper"]))


def refused(arguments: list[str], says: str, *, stdin: str = "") -> None:
    status, out, err = run(*arguments, stdin=stdin)
    assert (status, out) == (2, "")
    assert re.fullmatch(r"optcomp: [^\n]+\n", err), err
    assert says in err


def plan(mechanism: object = STEP, **more: object) -> str:
    return json.dumps({"release": [{"mechanism": mechanism, "count": 240}], "target": {"delta": "1e-5"}, **more})


# ---------------------------------------------------------------------------------------------------- dpsgd


def test_the_tutorial() -> None:
    answer = answer_of("dpsgd", *RUN, "--epochs", "2")
    assert list(answer) == DPSGD_KEYS
    assert (answer["steps"], answer["sampling_probability"]) == (480, "1/240")
    assert answer["steps_from"] == "2 epochs x 60000 examples / 250 in a batch"
    assert answer["adjacency"] == "add_or_remove_one"
    assert answer["assumption"].startswith(BOTH)
    assert "Poisson sampling, no shuffled batches" in answer["assumption"]
    found = interval(answer)
    assert abs(float(found) - 0.41102) < 5e-6
    assert found.relative_width < 1e-6


def test_as_text() -> None:
    status, out, err = run("dpsgd", *RUN, "--steps", "1")
    assert (status, err) == (0, "")
    lines = [line.split(maxsplit=2) for line in out.splitlines()]
    assert lines[0][:2] == ["delta", "0.00001"]
    assert lines[1][:2] == ["total", "epsilon"]
    assert [" ".join(line).rstrip() for line in lines[2:6]] == [
        "steps 1, as given",
        "sampling probability 1/240",
        "noise multiplier 1.1",
        "adjacency add_or_remove_one",
    ]
    assert BOTH in re.sub(r"\s+", " ", out)


def test_steps_and_the_epochs_that_make_them_answer_alike() -> None:
    by_epochs, by_steps = answer_of("dpsgd", *RUN, "--epochs", "1"), answer_of("dpsgd", *RUN, "--steps", "240")
    assert (by_epochs["steps"], by_steps["steps_from"]) == (240, "as given")
    assert interval(by_epochs) == interval(by_steps)


def test_a_plan_of_the_same_run_answers_alike() -> None:
    mechanism = {**STEP, "mechanism": {"kind": "gaussian", "noise_multiplier": "1.1"}}
    planned = answer_of("compose", "-", stdin=plan(mechanism, adjacency="add_or_remove_one"))
    assert interval(planned) == interval(answer_of("dpsgd", *RUN, "--steps", "240"))


@pytest.mark.parametrize(
    ("examples", "batch", "epochs", "steps", "rounded"),
    [
        (60000, 250, "2", 480, False),
        (60000, 250, "0.5", 120, False),
        (60000, 256, "1", 235, True),
        (60000, 256, "0.1", 24, True),
        (7, 3, "3", 7, False),
        (7, 3, "1/3", 1, True),
        (10, 10, "0.3", 1, True),
        (10**15 + 1, 10**15, "1", 2, True),
        (60000, 250, "0", 0, False),
        (60000, 250, "1e-30", 1, True),
    ],
)
def test_the_number_of_steps_is_exact(examples: int, batch: int, epochs: str, steps: int, rounded: bool) -> None:
    request = DpsgdRequest(examples=examples, batch=batch, epochs=epochs, noise_multiplier=10**6, delta=1)
    answer = account_dpsgd(request)
    assert (answer.steps, answer.steps_from.endswith("rounded up")) == (steps, rounded)
    assert answer.sampling_probability == Fraction(batch, examples)
    assert answer.epsilon == oc.Enclosure.exactly(0)  # at delta 1


@given(examples=st.integers(1, 10**6), share=st.fractions(0, 1), epochs=st.fractions(0, 100))
def test_the_steps_are_the_least_whole_number_that_covers_the_epochs(
    examples: int, share: Fraction, epochs: Fraction
) -> None:
    batch = max(1, int(share * examples))
    request = DpsgdRequest(examples=examples, batch=batch, epochs=epochs, noise_multiplier=1, delta=1)
    steps = account_dpsgd(request).steps
    assert steps * batch >= epochs * examples > (steps - 1) * batch


@pytest.mark.parametrize("adjacency", ["add_or_remove_one", "add_one", "remove_one"])
def test_no_step_costs_nothing(adjacency: str) -> None:
    for arguments in (["--steps", "0"], ["--epochs", "0"]):
        answer = answer_of("dpsgd", *RUN, *arguments, "--adjacency", adjacency)
        assert (answer["lower"], answer["upper"], answer["steps"]) == ("0", "0", 0)


def test_a_whole_batch_is_the_gaussian_mechanism() -> None:
    request = DpsgdRequest(examples=5, batch=5, steps=4, noise_multiplier=2, delta="1e-5")
    expected = oc.compose(oc.Gaussian(noise_multiplier=2).repeated(4)).epsilon("1e-5")
    assert account_dpsgd(request).epsilon.intersects(expected)


def test_both_directions_are_the_larger_of_the_two() -> None:
    found = {
        adjacency: interval(answer_of("dpsgd", *RUN, "--steps", "480", "--adjacency", adjacency))
        for adjacency in ("add_or_remove_one", "add_one", "remove_one")
    }
    assert found["add_or_remove_one"].upper == max(found["add_one"].upper, found["remove_one"].upper)
    assert found["add_or_remove_one"].lower == max(found["add_one"].lower, found["remove_one"].lower)
    assert not found["add_one"].intersects(found["remove_one"])


@pytest.mark.parametrize("rigor", ["float", "ball"])
def test_width_and_rigor(rigor: str) -> None:
    answer = answer_of("dpsgd", *RUN, "--steps", "480", "--width", "1e-9", "--rigor", rigor)
    assert interval(answer).relative_width <= 1e-9
    assert interval(answer).intersects(interval(answer_of("dpsgd", *RUN, "--steps", "480")))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, "epochs or steps must be given, and not both"),
        ({"--epochs": "1", "--steps": "1"}, "epochs or steps must be given, and not both"),
        ({"--steps": "1", "--batch": "60001"}, "batch must be at most the number of examples, 60000, got 60001"),
        ({"--steps": "1", "--batch": "0"}, "batch must be a whole number of at least 1"),
        ({"--steps": "1", "--examples": "0"}, "examples must be a whole number of at least 1"),
        ({"--steps": "-1"}, "steps must be a whole number of at least 0"),
        ({"--epochs": "-1"}, "epochs must be at least 0"),
        ({"--epochs": "x"}, "epochs must be a finite number"),
        ({"--epochs": "inf"}, "epochs must be a finite number"),
        ({"--steps": "1", "--noise-multiplier": "0"}, "noise_multiplier must be above 0"),
        ({"--steps": "1", "--noise-multiplier": "-1"}, "noise_multiplier must be at least 0"),
        ({"--steps": "1", "--delta": "2"}, "delta must be a probability"),
        ({"--steps": "1", "--width": "0"}, "width"),
        ({"--steps": "1", "--rigor": "high"}, "rigor must be one of float, ball"),
        ({"--steps": "1", "--adjacency": "near"}, "adjacency must be one of"),
        ({"--steps": "1", "--adjacency": "replace_one"}, "adjacency has no loss that is known to be sound"),
    ],
)
def test_a_wrong_call_is_one_line_and_status_2(change: dict[str, str], says: str) -> None:
    given_ = dict(zip(RUN[::2], RUN[1::2], strict=True)) | change
    refused(["dpsgd", *(word for pair in given_.items() for word in pair)], says)


@pytest.mark.parametrize("left_out", RUN[::2])
def test_a_missing_option_is_status_2(left_out: str) -> None:
    place = RUN.index(left_out)
    status, out, err = run("dpsgd", *RUN[:place], *RUN[place + 2 :], "--steps", "1")
    assert (status, out) == (2, "")
    assert left_out in err


# ---------------------------------------------------------------------------------------------------- sampled plans


def test_a_sampled_plan_without_an_adjacency_asks_for_one() -> None:
    for command in ("compose", "certify", "explain"):
        refused([command, "-"], "adjacency must be given", stdin=plan())
        assert run(command, "-", "--adjacency", "add_or_remove_one", stdin=plan())[0] == 0


@pytest.mark.parametrize("command", ["compose", "compare", "certify", "explain"])
def test_a_conflicting_adjacency_names_both(command: str) -> None:
    text = plan(adjacency="add_one")
    refused([command, "-", "--adjacency", "remove_one"], "adjacency must be the plan's own, add_one", stdin=text)
    status, _, err = run(command, "-", "--adjacency", "remove_one", stdin=text)
    assert "got 'remove_one'" in err
    assert status == 2
    assert run(command, "-", "--adjacency", "add_one", stdin=text)[0] == 0


@pytest.mark.parametrize("command", ["compose", "compare", "explain"])
@pytest.mark.parametrize(
    ("adjacency", "says"),
    [
        ("add_or_remove_one", "The larger of both directions, one record added and one removed"),
        ("add_one", "One direction only, one record added"),
        ("remove_one", "One direction only, one record removed"),
    ],
)
def test_every_sampled_answer_says_what_it_assumes(command: str, adjacency: str, says: str) -> None:
    answer = answer_of(command, "-", stdin=plan(adjacency=adjacency))
    assert answer["adjacency"] == adjacency
    assert answer["assumption"].startswith(says)
    assert answer["assumption"].endswith("(Poisson sampling, no shuffled batches).")
    text = re.sub(r"\s+", " ", run(command, "-", stdin=plan(adjacency=adjacency))[1])
    assert f"adjacency {adjacency}" in text
    assert answer["assumption"] in text


def test_a_recheck_of_a_sampled_certificate_says_it_too() -> None:
    one = plan({**STEP, "count": 1}).replace(', "count": 240', "")
    certificate = run("certify", "-", "--adjacency", "add_or_remove_one", stdin=one)[1]
    assert json.loads(certificate)["adjacency"] == "add_or_remove_one"
    status, out, _ = run("recheck", "-", "--json", stdin=certificate)
    assert status in {0, 4}
    assert json.loads(out)["assumption"].startswith(BOTH)


def test_what_is_not_sampled_assumes_no_sampling() -> None:
    for command in ("compose", "compare"):
        arguments = [command, "--each", "0.1", "--delta", "1e-6", "--adjacency", "replace_one"]
        answer = answer_of(*arguments)
        assert (answer["adjacency"], answer["assumption"]) == ("replace_one", None)
        assert "assumes" not in run(*arguments)[1]


def test_sampled_steps_that_are_never_run_assume_nothing() -> None:
    text = plan().replace('"count": 240', '"count": 0')
    answer = answer_of("compose", "-", stdin=text)
    assert (answer["assumption"], answer["upper"]) == (None, "0")


@pytest.mark.parametrize("command", ["compose", "certify"])
def test_the_rigor_is_passed_on(command: str) -> None:
    arguments = [command, "--each", "0.1", "--count", "30", "--delta", "1e-6"]
    assert run(*arguments, "--rigor", "ball")[0] == run(*arguments, "--rigor", "float")[0] == 0
    refused([*arguments, "--rigor", "high"], "rigor must be one of float, ball")


def test_unbounded_noise_is_no_pure_mechanism() -> None:
    notes = answer_of("compose", "-", stdin=plan({"kind": "gaussian", "mu": 1}))["notes"]
    assert notes == ["With delta 0 no epsilon is finite: the noise can reveal any amount, if rarely."]


# ---------------------------------------------------------------------------------------------------- sign of life


def test_nothing_is_said_to_a_script() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SLOW], capture_output=True, text=True, env=os.environ | ENVIRONMENT, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


SLOW = (
    "import time\nfrom optcomp.cli import progress\nprogress._FIRST = progress._PAUSE = 0.1\n"
    "with progress.patience():\n    time.sleep(0.6)\nprint('done')\n"
)


def test_a_terminal_reads_that_something_is_going_on() -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=theirs, env=os.environ | ENVIRONMENT, check=False
    )
    os.close(theirs)
    said = os.read(ours, 4096).decode()
    os.close(ours)
    assert (done.returncode, done.stdout) == (0, b"done\n")
    assert re.fullmatch(r"(optcomp: still computing, \d+ s\r\n)+", said), said


def test_the_watcher_ends_with_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), progress.patience():
        raise ZeroDivisionError
    assert threading.active_count() == before

"""What a release gives back, what it refuses, and that several values under discrete Laplace noise are covered."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from optcomp.cli.main import app
from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.mechanisms import ApproxDP, DiscreteGaussian, DiscreteLaplace, Gaussian, PureDP, RandomizedResponse
from optcomp.noise import SeededSourceForTests, draw_many, respond_many
from optcomp.release import Record, SlotState, estimate, release
from optcomp.tradeoff import FinitePair, dominates
from tests.release.plans import plan_of, small_plan

LAPLACE = DiscreteLaplace(scale=3)


def test_the_noise_is_that_of_the_mechanism(tmp_path: Path) -> None:
    exact = list(range(50))
    found = release(exact, plan_of(LAPLACE), name="it", record=tmp_path / "r", source=SeededSourceForTests(7))
    noise = draw_many(LAPLACE, 50, source=SeededSourceForTests(7))
    assert found.values == tuple(value + int(each) for value, each in zip(exact, noise, strict=True))
    assert found.entry.state is SlotState.RELEASED
    assert found.entry.source == "test source: no privacy"
    assert found.entry.count == 50


def test_the_operating_system_is_the_usual_source(tmp_path: Path) -> None:
    found = release([10**30], plan_of(LAPLACE), name="it", record=tmp_path / "r")
    assert found.entry.source == "operating system"
    assert abs(int(found.values[0]) - 10**30) < 1000


@pytest.mark.parametrize("mechanism", [LAPLACE, DiscreteGaussian(variance=9)])
def test_fixed_point_values_stay_exact(mechanism: Any, tmp_path: Path) -> None:
    exact = {"rent": "12.34", "food": Decimal("0.05"), "rest": "-3.00"}
    source = SeededSourceForTests(1)
    found = release(exact, plan_of(mechanism), name="it", record=tmp_path / "r", places=2, source=source)
    noise = draw_many(mechanism, 3, source=SeededSourceForTests(1))
    units = [1234, 5, -300]
    assert found.labelled == {
        label: Decimal(unit + int(each)).scaleb(-2) for label, unit, each in zip(exact, units, noise, strict=True)
    }
    assert all(str(value).partition(".")[2] and len(str(value).partition(".")[2]) == 2 for value in found.values)


def test_answers_are_randomized(tmp_path: Path) -> None:
    mechanism = RandomizedResponse(probability="0.75")
    truths = ["yes", "no"] * 20
    found = release(
        truths,
        plan_of(mechanism),
        name="it",
        record=tmp_path / "r",
        categories=["no", "yes"],
        source=SeededSourceForTests(3),
    )
    drawn = respond_many(mechanism, [1, 0] * 20, categories=2, source=SeededSourceForTests(3))
    assert found.values == tuple(["no", "yes"][int(each)] for each in drawn)


def test_no_file_of_the_record_holds_a_value(tmp_path: Path) -> None:
    secret = 987654321987654321
    found = release([secret, secret + 1], plan_of(LAPLACE, epsilon="1", delta="1e-6"), name="it", record=tmp_path / "r")
    written = "".join(path.read_text() for path in (tmp_path / "r").rglob("*") if path.is_file())
    assert "98765432198765" not in written
    assert all(str(value) not in written for value in found.values)


def test_each_slot_is_used_once(tmp_path: Path) -> None:
    plan = small_plan()
    for _ in range(2):
        release([1], plan, name="streets", record=tmp_path / "r")
    with pytest.raises(InvalidParameterError, match="no run left"):
        release([1], plan, name="streets", record=tmp_path / "r")
    release([1], plan, name="count", record=tmp_path / "r")
    assert [(each.name, each.run) for each in Record.open(tmp_path / "r", plan).entries()] == [
        ("count", 0),
        ("streets", 0),
        ("streets", 1),
    ]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ([1.5], "values"),
        ([True], "values"),
        (["1.2"], "values"),
        ([float("nan")], "values"),
        ([], "values"),
        ({1, 2}, "values"),
        ({3: 1}, "values"),
    ],
)
def test_wrong_values_spend_no_slot(values: Any, field: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        release(values, plan_of(LAPLACE), name="it", record=tmp_path / "r")
    assert caught.value.field.startswith(field)
    assert not (tmp_path / "r").exists()


def test_a_plan_over_its_target_releases_nothing(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="must meet its target"):
        release([1], plan_of(LAPLACE, epsilon="0.1", delta="1e-6"), name="it", record=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_continuous_noise_is_not_drawn(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError):
        release([1], plan_of(Gaussian(standard_deviation=3)), name="it", record=tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_crash_leaves_the_slot_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    calls: list[int] = []

    def broken(*_: object, **__: object) -> None:
        calls.append(1)
        if len(calls) > 1:  # the first is a probe on bits that everybody knows
            raise RuntimeError("power cut")

    monkeypatch.setattr(sys.modules["optcomp.release.release"], "draw_many", broken)
    with pytest.raises(RuntimeError):
        release([1], plan_of(LAPLACE), name="it", record=tmp_path / "r")
    monkeypatch.undo()
    with pytest.raises(InvalidParameterError, match="was begun"):
        release([1], plan_of(LAPLACE), name="it", record=tmp_path / "r")


def clamped(steps: int, start: int, decay: Fraction) -> list[Fraction]:
    """Two-sided geometric noise around ``start``, with everything outside of 0 to ``steps`` put on the ends."""
    unit = (1 - decay) / (1 + decay)
    inner = [unit * decay ** abs(place - start) for place in range(1, steps)]
    low = decay**start / (1 + decay)
    return [low, *inner, 1 - low - sum(inner, Fraction(0))]


@pytest.mark.parametrize(("first", "second"), [(1, 1), (2, 1), (2, 2), (3, 1), (4, 3)])
@pytest.mark.parametrize("decay", [Fraction(1, 2), Fraction(9, 10), Fraction(1, 20)])
def test_one_long_shift_dominates_two_short_ones(first: int, second: int, decay: Fraction) -> None:
    """Both numbers are functions of the noisy values that keep all they tell of the two data sets."""
    whole = FinitePair(first=clamped(first + second, 0, decay), second=clamped(first + second, first + second, decay))
    parts = [FinitePair(first=clamped(n, 0, decay), second=clamped(n, n, decay)) for n in (first, second)]
    found = dominates(whole, parts[0].product(parts[1]))
    assert found.kernel is not None


def test_estimates_of_counts_are_the_values_with_their_radius(tmp_path: Path) -> None:
    plan = plan_of(LAPLACE)
    found = release({"a": 100, "b": 200}, plan, name="it", record=tmp_path / "r")
    wide = estimate(found.labelled, plan, name="it", confidence="0.999999")
    assert wide.names == ("a", "b")
    for each, exact in zip(wide.estimates, (100, 200), strict=True):
        assert each.interval.lower <= each.value.lower <= each.interval.upper
        assert each.interval.upper - each.interval.lower < 200
        assert abs(Fraction(each.value.lower) - exact) < 100


PLAN = """
title = "One week"
[target]
epsilon = "4"
delta = "1e-6"
[[release]]
name = "visits"
mechanism = { kind = "discrete_laplace", scale = "2" }
count = 2
[[release]]
name = "question"
mechanism = { kind = "randomized_response", probability = "3/4" }
"""


def run(*arguments: str, status: int = 0) -> str:
    found = CliRunner().invoke(app, list(arguments))
    assert found.exit_code == status, found.output
    return found.stdout


def test_the_command_line_releases_and_estimates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(PLAN)
    Path("exact.csv").write_text("north,1000\nsouth,2000\n")
    noisy = run("release", "plan.toml", "--name", "visits", "--values", "exact.csv", "--record", "book")
    assert [line.partition(",")[0] for line in noisy.split()] == ["north", "south"]
    Path("noisy.csv").write_text(noisy)
    found = json.loads(run("estimate", "plan.toml", "--name", "visits", "--observed", "noisy.csv", "--json"))
    assert [each["name"] for each in found["estimates"]] == ["north", "south"]
    run("release", "plan.toml", "--name", "visits", "--values", "exact.csv", "--record", "book", "--out", "out.csv")
    before = Path("out.csv").read_text()
    arguments = ("release", "plan.toml", "--name", "question", "--values", "-", "--record", "book")
    run(*arguments, "--out", "out.csv", status=2)
    assert Path("out.csv").read_text() == before
    assert len(list(Path("book", "slots").iterdir())) == 2
    run("release", "plan.toml", "--name", "visits", "--values", "exact.csv", "--record", "book", status=2)
    run("release", "plan.toml", "--name", "nothing", "--values", "exact.csv", "--record", "book", status=2)
    run("release", "plan.toml", "--name", "question", "--values", "missing.csv", "--record", "book", status=2)
    assert len(list(Path("book", "slots").iterdir())) == 2


def test_mechanisms_that_speak_of_a_bit(tmp_path: Path) -> None:
    found = release([0, 1, 1], plan_of(ApproxDP(epsilon="1", delta="0.1")), name="it", record=tmp_path / "a")
    assert set(found.values) <= {0, 1, 2, 3}
    found = release([0, 2, 1], plan_of(PureDP(epsilon="1")), name="it", record=tmp_path / "b", categories=3)
    assert set(found.values) <= {0, 1, 2}


def test_slots_stand_in_the_order_of_time(tmp_path: Path) -> None:
    plan = small_plan()
    entries = [release([1], plan, name=name, record=tmp_path / "r").entry for name in ("streets", "count", "streets")]
    begun = [each.begun or "" for each in entries]
    assert begun == sorted(begun)

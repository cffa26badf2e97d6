from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

import optcomp as oc
from optcomp.cli.allocate import allocate
from optcomp.cli.main import app
from optcomp.documents import parse, plan_from_mapping, read_plan

ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = {"COLUMNS": "160", "NO_COLOR": "1", "TERM": "dumb"}
BUDGET = """
title = "small"
[target]
epsilon = "0.5"
delta = 0
[[share]]
name = "pinned"
lock = { kind = "pure_dp", epsilon = "0.05" }
[[share]]
name = "rest"
family = "laplace"
count = 4
"""

alone = typer.Typer()
alone.command()(allocate)


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(alone, list(arguments), input=stdin, env=ENVIRONMENT)


def composed(path: Path) -> Result:
    return CliRunner().invoke(app, ["compose", str(path)], env=ENVIRONMENT)


def test_a_table_is_printed() -> None:
    done = run("-", "--compare", stdin=BUDGET)
    assert done.exit_code == 0, done.output
    assert "pinned (locked)" in done.output
    assert "epsilon 0.5 at delta 0" in done.output
    assert "least epsilon  0.5, the target is met" in done.output
    for method in ("optimal", "proportional", "equal"):
        assert f"\n{method}" in done.output


def test_json_has_exact_numbers() -> None:
    done = run("-", "--method", "equal", "--json", "--compare", stdin=BUDGET)
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    shares = [Fraction(line["share"]) for line in found["lines"]]
    assert shares == [Fraction(1, 10), Fraction(9, 10)]
    assert sum(shares) + Fraction(found["reserve"]) + Fraction(found["leftover"]) == 1
    assert found["least_epsilon"] == {"lower": "0.5", "upper": "0.5"}
    assert set(found["compared"]) == {"optimal", "proportional", "equal"}
    assert oc.recheck(oc.certificate_from_json(found["certificate"])).verdict is not oc.RecheckVerdict.CONTRADICTED
    plan = plan_from_mapping(parse(found["plan"].encode(), path="plan.toml"), where="answer")
    assert plan.releases[1].mechanism == oc.Laplace(epsilon="0.1125").repeated(4)


@pytest.mark.parametrize("name", ["year", "census_dhc", "mixed"])
@pytest.mark.parametrize("method", ["optimal", "proportional", "equal"])
def test_a_written_plan_fits_when_it_is_read_back(name: str, method: str, tmp_path: Path) -> None:
    out = tmp_path / "plan.toml"
    done = run(str(ROOT / "examples" / f"budget_{name}.toml"), "--method", method, "--out", str(out))
    assert done.exit_code == 0, done.output
    assert str(out.name) in done.output.replace("\n", "")
    back = composed(out)
    assert back.exit_code == 0, back.output
    assert "fits" in back.output
    assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]


def test_nothing_is_replaced_without_force(tmp_path: Path) -> None:
    out = tmp_path / "plan.toml"
    out.write_text("mine")
    done = run("-", "--out", str(out), stdin=BUDGET)
    assert done.exit_code == 2
    assert "--force" in done.output
    assert out.read_text() == "mine"
    assert run("-", "--out", str(out), "--force", stdin=BUDGET).exit_code == 0
    assert read_plan(str(out), standard_input=None).title == "small"  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["plan.toml"]


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", "[target]\nepsilon = 1\n", BUDGET.replace("count", "cuont"), BUDGET.replace('"0.05"', '"0.6"')],
)
def test_a_bad_file_writes_nothing(text: str, tmp_path: Path) -> None:
    out = tmp_path / "plan.toml"
    done = run("-", "--out", str(out), stdin=text)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("optcomp: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--epsilon", "much"),
        ("--delta", "2"),
        ("--method", "best"),
        ("--error", "bias"),
        ("--adjacency", "near"),
        ("--out", "/nowhere/at/all/plan.toml"),
    ],
)
def test_wrong_options_are_bad_input(arguments: tuple[str, ...]) -> None:
    assert run("-", *arguments, stdin=BUDGET).exit_code == 2


def test_a_target_may_be_typed_in() -> None:
    without = BUDGET.replace('[target]\nepsilon = "0.5"\ndelta = 0\n', "")
    assert run("-", stdin=without).exit_code == 2
    done = run("-", "--epsilon", "1", "--delta", "1e-6", "--json", stdin=without)
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert Fraction(found["least_epsilon"]["upper"]) <= 1
    assert found["unit"] == "rho"


def test_the_budgets_own_adjacency_is_not_overruled() -> None:
    done = run("-", "--adjacency", "replace_one", stdin='adjacency = "add_one"\n' + BUDGET)
    assert done.exit_code == 2

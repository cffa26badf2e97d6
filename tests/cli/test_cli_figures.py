"""The command ``figures``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from optcomp.cli.figures import figures

NAMES = [f"kov_1_region{ending}" for ending in (".svg", ".pdf", ".csv", ".txt")]


def run(*arguments: str) -> tuple[int, str, str]:
    app = typer.Typer()
    app.command()(figures)
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"})
    return done.exit_code, done.stdout, done.stderr


def test_one_figure_is_written_and_listed(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "folder"
    status, said, complained = run("--paper", "kov", "--figure", "1", "--out", str(out))
    assert (status, complained) == (0, "")
    first, *files = said.splitlines()
    assert first == "kov 1: The privacy region of one (1, 0.1)-DP mechanism"
    assert [line.strip() for line in files] == [str(out / name) for name in NAMES]
    assert sorted(path.name for path in out.iterdir()) == sorted(NAMES)
    svg = (out / NAMES[0]).read_text(encoding="utf-8")
    assert svg.startswith("<?xml")
    assert (out / NAMES[1]).read_bytes().startswith(b"%PDF")


def test_a_second_run_is_refused_and_may_be_forced(tmp_path: Path) -> None:
    arguments = ["--paper", "kov", "--figure", "1", "--out", str(tmp_path)]
    assert run(*arguments)[0] == 0
    status, said, complained = run(*arguments)
    assert (status, said) == (2, "")
    assert str(tmp_path / NAMES[0]) in complained
    assert "--force" in complained
    status, said, complained = run(*arguments, "--force", "--json")
    assert (status, complained) == (0, "")
    (written,) = json.loads(said)["written"]
    assert (written["figure"], written["name"]) == (1, "kov_1_region")
    assert written["files"] == [str(tmp_path / name) for name in NAMES]
    assert written["sources"][0].startswith("Kairouz, Oh, Viswanath 2015")


@pytest.mark.parametrize("wrong", [("--paper", "abc"), ("--paper", "kov", "--figure", "7")])
def test_a_figure_that_there_is_not_has_status_2(wrong: tuple[str, ...], tmp_path: Path) -> None:
    status, said, complained = run(*wrong, "--out", str(tmp_path / "new"))
    assert (status, said) == (2, "")
    assert complained.startswith("optcomp: ")
    assert "must be one of" in complained
    assert not (tmp_path / "new").exists()

"""Rules of the house that no other tool checks."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

import optcomp

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 600
LOADED_LATER = ["altair", "matplotlib", "rich", "scipy", "typer", "yaml"]
# Written in pieces, so that this file does not break its own rule.
BANNED = ["../" + "shared", "/" + "work/", "X" * 3, "file:" + "///"]


def own_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout: there is no list of the project's own files")
    return [path for path in (ROOT / name for name in listed.stdout.split("\0") if name) if path.is_file()]


def public_order(name: str) -> tuple[int, str]:
    """The order that the linter asks of `__all__`: constants, classes, then the rest."""
    if name.isupper():
        return 0, name
    return (1 if name[0].isupper() else 2), name


@pytest.mark.skipif(os.environ.get("OPTCOMP_SOURCE_TREE") == "1", reason="this run asks for the source tree")
def test_the_tests_meet_the_installed_package() -> None:
    places = {Path(sysconfig.get_path(key)).resolve() for key in ("purelib", "platlib")}
    assert places & set(Path(optcomp.__file__).resolve().parents)


def test_no_source_file_is_too_long() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in (ROOT / "src").rglob("*.py")
    }
    assert lengths
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_room_goes_through_the_public_face() -> None:
    """The import contracts cannot see through `optcomp/__init__.py`, so nothing below it may import from there."""
    face = ROOT / "src" / "optcomp" / "__init__.py"
    rooms = {path.stem for path in face.parent.iterdir()}
    found = []
    for path in sorted(set(face.parent.rglob("*.py")) - {face}):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "optcomp":
                names = {alias.name for alias in node.names} - rooms
            elif isinstance(node, ast.Import):
                names = {alias.name for alias in node.names} & {"optcomp"}
            else:
                continue
            found += [f"{path.relative_to(ROOT)}, line {node.lineno}: {name}" for name in sorted(names)]
    assert found == []


def test_no_file_holds_a_banned_word() -> None:
    found = []
    for path in own_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {word}" for word in BANNED if word in text]
    assert found == []


def test_the_lock_file_names_the_public_index_only() -> None:
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    sources = {source for package in packages if package["name"] != "optcomp" for source in package["source"].items()}
    assert sources == {("registry", "https://pypi.org/simple")}


def test_public_names_are_in_order_and_importable() -> None:
    names = list(optcomp.__all__)
    assert names == sorted(set(names), key=public_order)
    assert [name for name in names if not hasattr(optcomp, name)] == []


def test_importing_the_library_loads_no_slow_or_optional_package() -> None:
    program = "import sys, optcomp; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "optcomp" in loaded
    assert set(loaded) & set(LOADED_LATER) == set()


def test_every_target_of_the_makefile_is_phony_and_explained() -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z]+):", text, flags=re.MULTILINE)
    assert re.findall(r"^([a-z]+):.* ## .+", text, flags=re.MULTILINE) == targets
    assert {"run", "test", "nightly", "bench", "docs", "lint", "lock", "clean", "help"} <= set(targets)
    phony = re.search(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE)
    assert phony is not None
    assert set(phony[1].split()) == set(targets)

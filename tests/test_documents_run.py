"""Every example in README.md and docs/ runs and prints what the page says.

The blocks of one page run in their order and share their state: one namespace for `python`, one scratch folder for
`console`. The scratch folder shows the files of the project root through links, so that an example may read
`examples/...` and write files without leaving them in the checkout.

`console` lines that begin with `$ ` are commands. What is printed below a command must be what it prints (standard
output, then standard error); a line `...` stands for any lines; no lines at all ask nothing. A command must succeed
unless the fence says otherwise: ```console exit=3.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts)]
FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)$")
NOT_RUN = {"", "bibtex", "diff", "ini", "mermaid", "none", "text"}
SKIPPED_COMMANDS = {
    "git clone": "it needs the network, and the tests already run in a checkout",
    "make": "it would start this test run again; that the target exists is checked instead",
    "pip install": "it would change the environment under test",
    "uv": "it would change the environment under test",
}
LONGEST_SECONDS = 300


@dataclass(frozen=True, kw_only=True)
class Block:
    language: str
    options: tuple[str, ...]
    first_line: int
    text: str

    @property
    def expected_exit(self) -> int:
        return next((int(option.removeprefix("exit=")) for option in self.options if option.startswith("exit=")), 0)


@dataclass(frozen=True, kw_only=True)
class Command:
    line: str
    shown: tuple[str, ...]


def blocks_of(text: str) -> list[Block]:
    blocks: list[Block] = []
    opened: re.Match[str] | None = None
    start = 0
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if opened is None:
            opened, start = FENCE.match(line), number + 1
        elif line.strip() and set(line.strip()) == {opened["fence"][0]} and len(line.strip()) >= len(opened["fence"]):
            language, *options = opened["info"].split() or [""]
            inner = "\n".join(inside.removeprefix(opened["indent"]) for inside in lines[start:number])
            blocks.append(Block(language=language, options=tuple(options), first_line=start + 1, text=inner + "\n"))
            opened = None
    assert opened is None, f"the fence opened before line {start + 1} is never closed"
    return blocks


def commands_of(block: Block) -> list[Command]:
    commands: list[Command] = []
    lines = iter(block.text.splitlines())
    for line in lines:
        if line.startswith("$ "):
            words = line.removeprefix("$ ")
            while words.endswith("\\"):
                words = words[:-1].rstrip() + " " + next(lines).removeprefix("> ").strip()
            commands.append(Command(line=words, shown=()))
        else:
            assert commands, f"a console block must begin with a line '$ command', found {line!r}"
            commands[-1] = Command(line=commands[-1].line, shown=(*commands[-1].shown, line.rstrip()))
    return commands


def agrees(shown: list[str], printed: list[str]) -> bool:
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(agrees(shown[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and agrees(shown[1:], printed[1:])


def without_blank_ends(lines: list[str]) -> list[str]:
    return "\n".join(line.rstrip() for line in lines).strip("\n").splitlines()


def skip_reason(command: str) -> str | None:
    return next((why for start, why in SKIPPED_COMMANDS.items() if f"{command} ".startswith(f"{start} ")), None)


def targets_of_the_makefile() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))


def run_console(block: Block, folder: Path) -> None:
    environment = os.environ | {
        "COLUMNS": "120",
        "NO_COLOR": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONIOENCODING": "utf-8",
        "TERM": "dumb",
    }
    for command in commands_of(block):
        if skip_reason(command.line) is not None:
            words = command.line.split()
            if words[0] == "make":
                assert set(words[1:]) <= targets_of_the_makefile(), f"the Makefile lacks a target of {command.line!r}"
            continue
        done = subprocess.run(
            command.line,
            shell=True,
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=LONGEST_SECONDS,
        )
        report = f"$ {command.line}\n{done.stdout}{done.stderr}"
        assert done.returncode == block.expected_exit, f"exit status {done.returncode}\n{report}"
        shown = without_blank_ends(list(command.shown))
        printed = without_blank_ends(f"{done.stdout}{done.stderr}".splitlines())
        assert not shown or agrees(shown, printed), "the page shows something else\n" + report


def run_python(block: Block, page: Path, names: dict[str, Any]) -> None:
    if ">>> " in block.text:
        said: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        example = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.first_line - 1)
        runner.run(example, out=said.append, clear_globs=False)
        names.update(example.globs)
        assert not runner.failures, "".join(said)
        return
    code = "\n" * (block.first_line - 1) + block.text  # so that a traceback shows the line of the page
    exec(compile(code, str(page), "exec"), names)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for entry in ROOT.iterdir():
        if not entry.name.startswith("."):
            (tmp_path / entry.name).symlink_to(entry)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_example_of_a_page_runs(page: Path, scratch: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks_of(page.read_text(encoding="utf-8")):
        where = f"{page.relative_to(ROOT)}, line {block.first_line}"
        try:
            match block.language:
                case "python":
                    run_python(block, page, names)
                case "console":
                    run_console(block, scratch)
                case "toml":
                    tomllib.loads(block.text)
                case "json":
                    json.loads(block.text)
                case language:
                    assert language in NOT_RUN or language.startswith("{"), f"nothing runs a {language!r} block"
        except Exception as error:
            error.add_note(f"in the example at {where}")
            raise


def test_blocks_keep_their_fence_options_and_indent() -> None:
    text = "a\n```console exit=3\n$ false\n```\n- b\n\n  ````text\n  ```python\n  ```\n  ````\n"
    first, second = blocks_of(text)
    assert (first.language, first.expected_exit, first.first_line, first.text) == ("console", 3, 3, "$ false\n")
    assert (second.language, second.text) == ("text", "```python\n```\n")


@pytest.mark.parametrize(
    ("shown", "same"),
    [("a\nb\nc", True), ("a\n...\nc", True), ("...", True), ("a\n...", True), ("a\nc", False), ("a\n...\nb", False)],
)
def test_three_dots_stand_for_any_lines(shown: str, same: bool) -> None:
    assert agrees(shown.splitlines(), ["a", "b", "c"]) is same


def test_a_wrong_output_and_a_wrong_exit_status_are_noticed(tmp_path: Path) -> None:
    def console(text: str, *options: str) -> Block:
        return Block(language="console", options=options, first_line=1, text=text)

    run_console(console("$ echo one\none\n$ echo two \\\n>   three\ntwo three\n"), tmp_path)
    run_console(console("$ exit 3\n", "exit=3"), tmp_path)
    with pytest.raises(AssertionError, match="the page shows something else"):
        run_console(console("$ echo one\ntwo\n"), tmp_path)
    with pytest.raises(AssertionError, match="exit status 1"):
        run_console(console("$ false\n"), tmp_path)
    with pytest.raises(AssertionError, match="lacks a target"):
        run_console(console("$ make breakfast\n"), tmp_path)

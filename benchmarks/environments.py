"""The peers, and an environment of its own for each."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Case

__all__ = ["ROOT", "Peer", "Startup", "UnavailableError", "Variant", "interpreter", "peers"]

ROOT = Path(__file__).resolve().parent.parent
_PEERS = Path(__file__).resolve().parent / "peers"
_INSTALLED = "installed-requirements.txt"


class UnavailableError(Exception):
    """A peer cannot be measured; the text says why."""


@dataclass(frozen=True)
class Variant:
    """One way to ask a library: a row of the tables.

    Args:
        name: What the tables show.
        setting: What the runner gets.
        note: What the report says about it.
        kinds: The kinds of mechanisms that it can compose.
        slow: The cases that are measured with ``--slow`` only.
    """

    name: str
    setting: str
    note: str
    kinds: frozenset[str]
    slow: frozenset[str] = frozenset()

    def takes(self, case: Case) -> bool:
        """Whether the library has all that the case asks for, in this way."""
        return case.kinds <= self.kinds


@dataclass(frozen=True)
class Startup:
    """A whole process that is timed: what the Python interpreter is given."""

    label: str
    arguments: tuple[str, ...]
    goal_seconds: float | None


@dataclass(frozen=True)
class Peer:
    """One folder in ``benchmarks/peers``.

    Args:
        folder: Its name, also the name of the environment.
        title: The library's name.
        python: The version of Python that it needs; None when the one that runs this will do.
        requirements: The pinned versions; None for optcomp, which is measured in the environment that runs this.
        packages: The distributions whose versions the report shows.
        variants: The ways in which it is asked.
        startups: The processes that are timed.
    """

    folder: str
    title: str
    python: str | None
    requirements: Path | None
    packages: tuple[str, ...]
    variants: tuple[Variant, ...]
    startups: tuple[Startup, ...]

    @property
    def is_optcomp(self) -> bool:
        """Whether this is the library under test."""
        return self.requirements is None


def peers() -> tuple[Peer, ...]:
    """Every peer, optcomp first."""
    found = [_peer(path) for path in sorted(_PEERS.glob("*/peer.toml"))]
    return tuple(sorted(found, key=lambda peer: (not peer.is_optcomp, peer.folder)))


def _peer(path: Path) -> Peer:
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    requirements: Path | None = path.with_name("requirements.txt")
    if requirements is None or not requirements.exists():
        requirements = None
    return Peer(
        folder=path.parent.name,
        title=said["title"],
        python=said.get("python"),
        requirements=requirements,
        packages=tuple(said["packages"] if requirements is None else _pinned(requirements)),
        variants=tuple(_variant(**variant) for variant in said["variants"]),
        startups=tuple(
            Startup(startup["label"], tuple(startup["arguments"]), startup.get("goal_seconds"))
            for startup in said.get("startups", [])
        ),
    )


def _variant(*, name: str, setting: str, note: str, kinds: list[str], slow: tuple[str, ...] = ()) -> Variant:
    return Variant(name, setting, note, frozenset(kinds), frozenset(slow))


def _pinned(requirements: Path) -> list[str]:
    lines = requirements.read_text(encoding="utf-8").splitlines()
    return [line.partition("==")[0].strip() for line in lines if "==" in line and not line.startswith("#")]


def interpreter(peer: Peer) -> Path:
    """The Python that has the peer's pinned packages; its environment is made first when it is missing or outdated.

    Raises:
        UnavailableError: When the environment cannot be made.
    """
    if peer.requirements is None:
        return Path(sys.executable)
    home = ROOT / ".bench" / peer.folder
    python, stamp = home / "bin" / "python", home / _INSTALLED
    wanted = peer.requirements.read_text(encoding="utf-8")
    if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    base = _base(peer)
    for tool, commands in _ways(base, home, python, peer.requirements):
        print(f"bench: making .bench/{peer.folder} with {tool}", flush=True)
        shutil.rmtree(home, ignore_errors=True)
        if all(_succeeds(command) for command in commands):
            stamp.write_text(wanted, encoding="utf-8")
            return python
    shutil.rmtree(home, ignore_errors=True)
    raise UnavailableError("its environment could not be made")


def _base(peer: Peer) -> Path:
    """The Python that the environment is made with: on PATH, or where pyenv and uv keep theirs."""
    if peer.python is None:
        return Path(sys.executable)
    kept = [
        *(Path.home() / ".pyenv" / "versions").glob(f"{peer.python}.*/bin/python"),
        *(Path.home() / ".local" / "share" / "uv" / "python").glob(f"cpython-{peer.python}.*/bin/python"),
    ]
    found = [Path(name) for name in (shutil.which(f"python{peer.python}"),) if name]
    for candidate in (*found, *sorted(kept)):
        if _succeeds([str(candidate), "-c", ""]):
            return candidate
    raise UnavailableError(f"it needs Python {peer.python}, which is not here")


def _ways(base: Path, home: Path, python: Path, requirements: Path) -> list[tuple[str, list[list[str]]]]:
    """The tools that can make an environment, with their commands; the first that works is taken."""
    ways = []
    uv = shutil.which("uv") or shutil.which(ROOT / ".uv" / "bin" / "uv")
    if uv is not None:
        make = [uv, "venv", "--quiet", "--python", str(base), str(home)]
        fill = [uv, "pip", "install", "--quiet", "--python", str(python), "--requirement", str(requirements)]
        ways.append(("uv", [make, fill]))
    make = [str(base), "-m", "venv", str(home)]
    fill = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
    ways.append(("venv and pip", [make, fill]))
    return ways


def _succeeds(command: list[str]) -> bool:
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=900)
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.stderr.write(f"bench: {error}\n")
        return False
    if done.returncode:
        sys.stderr.write(f"bench: {' '.join(command)} ended with status {done.returncode}\n{done.stderr}")
    return done.returncode == 0

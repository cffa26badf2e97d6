"""Times, always in fresh processes with one thread."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.environments import ROOT, Peer, Startup, Variant

__all__ = ["MEMORY_BYTES", "Clock", "Effort", "Installed", "Outcome", "run_case", "time_startup"]

MEMORY_BYTES = 8 * 2**30
_LONGEST_ERROR = 100
_SLOW_SECONDS = 3.0  # a first call slower than this is not repeated in another process
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "RAYON_NUM_THREADS",
)
_KEPT = ("HOME", "LANG", "LC_ALL", "PATH", "TMPDIR")


@dataclass(frozen=True)
class Effort:
    """How often things are measured.

    Args:
        processes: Fresh processes for each case.
        repeats: Later calls in each of them.
        startups: Processes for each start-up figure.
        limit_seconds: Wall time that the first call of a process may take.
    """

    processes: int
    repeats: int
    startups: int
    limit_seconds: float


@dataclass(frozen=True)
class Clock:
    """Seconds: as a clock on the wall shows them, and as the processor worked."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Outcome:
    """What one variant did with one case.

    Args:
        value: Its epsilon, None when there is none; `math.inf` is the float.
        lower: The lower end, where the library claims one.
        upper: The upper end, where the library claims one.
        first: The first call of a process, the least of all processes.
        later: The best later call of all processes, from nothing but the parameters again.
        further: The best call for another delta on the same profile.
        peak_bytes: The most memory that a process needed up to the end of its first call.
        error: Why there is no value.
    """

    value: Fraction | float | None = None
    lower: Fraction | None = None
    upper: Fraction | None = None
    first: Clock | None = None
    later: Clock | None = None
    further: Clock | None = None
    peak_bytes: float | None = None
    error: str = ""


@dataclass
class Installed:
    """A library that can be measured.

    Args:
        peer: Which one.
        interpreter: The Python of its environment.
        python: The version of that Python, as its runner says.
        packages: The versions of its packages, as its runner says.
    """

    peer: Peer
    interpreter: Path
    python: str = ""
    packages: dict[str, str] = field(default_factory=dict)


def run_case(installed: Installed, variant: Variant, case: Case, effort: Effort) -> Outcome:
    """Ask one variant one case, in fresh processes."""
    said: list[dict[str, Any]] = []
    for _ in range(effort.processes):
        once = _ask(installed, variant, case, effort)
        installed.python = once.get("python", installed.python)
        installed.packages = once.get("packages", installed.packages)
        if "error" in once:
            return Outcome(error=once["error"].partition("\n")[0][:_LONGEST_ERROR])
        said.append(once)
        if once["first"]["cpu"] > _SLOW_SECONDS:
            break
    answers = [once["answer"] for once in said]
    if any(answer != answers[0] for answer in answers):
        return Outcome(error="another answer in another process")
    answer = {end: _number(text) for end, text in answers[0].items()}
    lower, upper = answer.get("lower"), answer.get("upper")
    return Outcome(
        value=answer["value"],
        lower=lower if isinstance(lower, Fraction) else None,
        upper=upper if isinstance(upper, Fraction) else None,
        first=_least(said, "first"),
        later=_least(said, "later"),
        further=_least(said, "further"),
        peak_bytes=max(once["peak_bytes"] for once in said),
    )


def _least(said: Sequence[dict[str, Any]], which: str) -> Clock | None:
    clocks = [once[which] for once in said if which in once]
    return Clock(*(min(clock[name] for clock in clocks) for name in ("wall", "cpu"))) if clocks else None


def _ask(installed: Installed, variant: Variant, case: Case, effort: Effort) -> dict[str, Any]:
    request = {
        "setting": variant.setting,
        "repeats": effort.repeats,
        "limit_seconds": effort.limit_seconds,
        "memory_bytes": MEMORY_BYTES,
        "packages": installed.peer.packages,
        "cases": [case.as_json()],
    }
    command = [str(installed.interpreter), "-m", f"benchmarks.peers.{installed.peer.folder}.runner"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(request),
            env=_environment(installed.peer),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=6 * effort.limit_seconds,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"no answer in {effort.limit_seconds:.0f} s"}
    merged: dict[str, Any] = {}
    for line in done.stdout.splitlines():
        merged |= json.loads(line)
    if "answer" not in merged and "error" not in merged:
        if done.returncode == -signal.SIGALRM:
            merged["error"] = f"no answer in {effort.limit_seconds:.0f} s"
        else:
            last = done.stderr.strip().splitlines()[-1:] or [f"ended with status {done.returncode}"]
            merged["error"] = last[0]
    return merged


def time_startup(installed: Installed, startup: Startup, times: int) -> Clock | None:
    """The least whole process; one more runs before and fills the caches. None when the command fails."""
    command = [str(installed.interpreter), *startup.arguments]
    spent = [_process(command, _environment(installed.peer)) for _ in range(times + 1)][1:]
    known = [clock for clock in spent if clock is not None]
    if len(known) < times:
        return None
    return Clock(min(clock.wall for clock in known), min(clock.cpu for clock in known))


def _process(command: Sequence[str], environment: dict[str, str]) -> Clock | None:
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return None
    return Clock(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _environment(peer: Peer) -> dict[str, str]:
    """The same few variables for all; optcomp may also be measured from its source tree."""
    kept = (*_KEPT, "PYTHONPATH") if peer.is_optcomp else _KEPT
    return {name: os.environ[name] for name in kept if name in os.environ} | dict.fromkeys(_THREADS, "1")


def _number(text: str) -> Fraction | float:
    try:
        return Fraction(text)
    except ValueError:
        return float(text)

"""How a runner talks: one JSON object on standard input, one JSON object a line on standard output.

The request holds ``setting``, ``repeats``, ``limit_seconds``, ``memory_bytes``, ``packages`` and ``cases``. The answer
begins with the versions of the packages; then, for every case, come a line after the first call and a line after the
later ones, so that an answer is not lost when a later call takes too long. This file needs the standard library only,
and numpy for random epsilons: it runs in the environment of every peer.
"""

from __future__ import annotations

import contextlib
import io
import json
import platform
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["Answer", "Profile", "serve"]

_ENOUGH_SECONDS = 3.0  # of later calls
_KIB = 1024

Answer = Mapping[str, str]
"""``value``, and ``lower`` and ``upper`` where the library claims them: numbers as text."""

Profile = Callable[[str], Answer]
"""From a delta, as text, to the answer; what a second delta can reuse is kept in it."""

Solve = Callable[[Mapping[str, Any], str], Profile]


def serve(solve: Solve) -> None:
    """Answer the request on standard input.

    Args:
        solve: From a case (``groups`` with ``kind``, ``count`` and parameters; the common ``step`` of the epsilons; the
            ``adjacency``) and the variant's setting to the profile. Random epsilons are in memory already, as the
            array ``epsilons`` of their group.
    """
    request = json.load(sys.stdin)
    memory = int(request["memory_bytes"])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    _say(python=platform.python_version(), packages={name: _version(name) for name in request["packages"]})
    for case in request["cases"]:
        for group in case["groups"]:
            if group["kind"] == "uniform":
                group["epsilons"] = _uniform(**{name: group[name] for name in ("seed", "low", "high", "count")})
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _serve_case(solve, case, request)
        except MemoryError:
            _say(case=case["name"], error=f"out of memory ({memory / 2**30:.0f} GiB)")
        except Exception as error:  # noqa: BLE001  # whatever a peer raises is its answer
            _say(case=case["name"], error=f"{type(error).__name__}: {error}")


def _uniform(*, seed: int, low: float, high: float, count: int) -> object:
    import numpy as np

    return np.random.default_rng(seed).uniform(low, high, count)


def _serve_case(solve: Solve, case: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    limit, setting = float(request["limit_seconds"]), str(request["setting"])
    # The alarm has no handler, so it ends the process even inside compiled code; the parent knows the signal. It
    # counts time on the wall: while a timer of processor time runs, Linux shows processor time in steps of 4 ms only.
    signal.setitimer(signal.ITIMER_REAL, limit)
    profile, answer, first = _timed(solve, case, setting)
    signal.setitimer(signal.ITIMER_REAL, 0)
    _say(case=case["name"], answer=dict(answer), first=first, peak_bytes=_peak_bytes())
    if first["wall"] > limit / 2:
        return
    signal.setitimer(signal.ITIMER_REAL, 2 * limit)
    later: list[dict[str, float]] = []
    further = [_asked(profile, str(case["further_delta"]))[1]]
    for _ in range(int(request["repeats"])):
        if sum(spent["wall"] for spent in (*later, *further)) > _ENOUGH_SECONDS:
            break
        profile, again, spent = _timed(solve, case, setting)
        if dict(again) != dict(answer):
            raise RuntimeError("a later call gave another answer")
        later.append(spent)
        further.append(_asked(profile, str(case["further_delta"]))[1])
    signal.setitimer(signal.ITIMER_REAL, 0)
    said: dict[str, object] = {"further": _best(further), "calls": len(later)}
    if later:
        said["later"] = _best(later)
    _say(case=case["name"], **said)


def _best(clocks: list[dict[str, float]]) -> dict[str, float]:
    return {clock: min(spent[clock] for spent in clocks) for clock in ("wall", "cpu")}


def _timed(solve: Solve, case: Mapping[str, Any], setting: str) -> tuple[Profile, Answer, dict[str, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        profile = solve(case, setting)
        answer = profile(str(case["delta"]))
    return profile, answer, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def _asked(profile: Profile, delta: str) -> tuple[Answer, dict[str, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        answer = profile(delta)
    return answer, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def _peak_bytes() -> int:
    """The most memory so far; what `getrusage` says would count the process that started this one."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIB
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * _KIB


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "source tree"


def _say(**fields: object) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()

"""How a runner talks: one JSON object on standard input, one JSON object a line on standard output.

The request holds ``setting``, ``repeats``, ``limit_seconds``, ``memory_bytes``, ``packages`` and ``cases``. The answer
begins with the versions of the packages; then, for every case, come a line after the first call and a line after the
later ones, so that an answer is not lost when a later call takes too long. This file needs the standard library only:
it runs in the environment of every peer.
"""

from __future__ import annotations

import json
import platform
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Any

__all__ = ["Answer", "serve"]

_ENOUGH_SECONDS = 10.0  # of later calls

Answer = Mapping[str, str]
"""``value``, and ``lower`` and ``upper`` where the library claims them: numbers as text."""


def serve(solve: Callable[[Mapping[str, Any], str], Answer]) -> None:
    """Answer the request on standard input.

    Args:
        solve: From a case (``groups`` of ``epsilon``, ``delta`` and ``count``; the total ``delta``; the common ``step``
            of the epsilons) and the variant's setting to the composed epsilon.
    """
    request = json.load(sys.stdin)
    memory = int(request["memory_bytes"])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    _say(python=platform.python_version(), packages={name: _version(name) for name in request["packages"]})
    for case in request["cases"]:
        try:
            _serve_case(solve, case, request)
        except MemoryError:
            _say(case=case["name"], error=f"out of memory ({memory / 2**30:.0f} GiB)")
        except Exception as error:  # noqa: BLE001  # whatever a peer raises is its answer
            _say(case=case["name"], error=f"{type(error).__name__}: {error}")


def _serve_case(
    solve: Callable[[Mapping[str, Any], str], Answer], case: Mapping[str, Any], request: Mapping[str, Any]
) -> None:
    limit, setting = float(request["limit_seconds"]), str(request["setting"])
    # The alarm has no handler, so it ends the process even inside compiled code; the parent knows the signal.
    signal.setitimer(signal.ITIMER_REAL, limit)
    answer, first = _timed(solve, case, setting)
    signal.setitimer(signal.ITIMER_REAL, 0)
    _say(case=case["name"], answer=dict(answer), first=first)
    later: list[dict[str, float]] = []
    for _ in range(int(request["repeats"])):
        if first["wall"] > limit / 2 or sum(spent["wall"] for spent in later) > _ENOUGH_SECONDS:
            break
        again, spent = _timed(solve, case, setting)
        if dict(again) != dict(answer):
            raise RuntimeError("a later call gave another answer")
        later.append(spent)
    if later:
        best = {clock: min(spent[clock] for spent in later) for clock in ("wall", "cpu")}
        _say(case=case["name"], later=best, calls=len(later))


def _timed(
    solve: Callable[[Mapping[str, Any], str], Answer], case: Mapping[str, Any], setting: str
) -> tuple[Answer, dict[str, float]]:
    wall, cpu = time.perf_counter(), time.process_time()
    answer = solve(case, setting)
    return answer, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "source tree"


def _say(**fields: object) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()

"""``python -m benchmarks``: measure, print the tables, write docs/benchmarks.md."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from benchmarks.cases import CASES, Case
from benchmarks.checking import Agreement, check
from benchmarks.environments import ROOT, UnavailableError, interpreter, peers
from benchmarks.machine import describe_machine
from benchmarks.measure import Effort, Installed, Outcome, run_case, time_startup
from benchmarks.report import page, text
from benchmarks.results import CaseResult, PeerRow, Results, StartupRow

_FULL = Effort(processes=2, repeats=5, startups=5, limit_seconds=40)
_QUICK = Effort(processes=1, repeats=2, startups=3, limit_seconds=10)
_SLOW = replace(_FULL, limit_seconds=400)
_PAGE = Path("docs") / "benchmarks.md"
_WORST_AGREEMENT = 1e-7


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmarks; the exit status is 1 when optcomp gave a wrong answer or none."""
    asked = _parser().parse_args(arguments)
    effort = _QUICK if asked.quick else _SLOW if asked.slow else _FULL
    everyone = peers()
    unknown = set(asked.only or ()) - {peer.folder for peer in everyone}
    if unknown:
        sys.stderr.write(f"bench: no such library: {', '.join(sorted(unknown))}\n")
        return 2
    # optcomp is always measured: its times are the denominators and its answers the truth.
    chosen = [peer for peer in everyone if peer.is_optcomp or not asked.only or peer.folder in asked.only]
    results = Results(
        date=dt.datetime.now(tz=dt.UTC).date().isoformat(),
        machine=describe_machine(),
        load=os.getloadavg()[0],
        peers=tuple(chosen),
        limit_seconds=effort.limit_seconds,
    )
    cases = [case for case in CASES if asked.case in case.name]
    if not cases:
        sys.stderr.write(f"bench: no such case: {asked.case}\n")
        return 2
    _prepare(results)
    for case in cases:
        results.cases.append(_measure(case, effort, results, slow=asked.slow))
    for installed in results.installed.values():
        print(f"bench: start-up of {installed.peer.title}", flush=True)
        for startup in installed.peer.startups:
            results.startups.append(StartupRow(startup, time_startup(installed, startup, effort.startups)))
    print(f"\n{text(results)}\n")
    return _finish(results, complete=not asked.quick and not asked.only and not asked.case, output=asked.output)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="optcomp side by side with other libraries."
    )
    parser.add_argument("--only", action="append", metavar="FOLDER", help="a folder of benchmarks/peers; repeatable")
    parser.add_argument("--case", default="", metavar="TEXT", help="only the cases with this in their name")
    parser.add_argument("--quick", action="store_true", help="few repeats")
    parser.add_argument("--slow", action="store_true", help="also what takes other libraries minutes")
    parser.add_argument(
        "--output", type=Path, help=f"write the page there; a complete run writes {_PAGE} when this is not given"
    )
    return parser


def _prepare(results: Results) -> None:
    for peer in results.peers:
        try:
            results.installed[peer.folder] = Installed(peer, interpreter(peer))
        except UnavailableError as reason:
            print(f"bench: {peer.title} is not available: {reason}", flush=True)
            results.missing[peer.folder] = str(reason)


def _measure(case: Case, effort: Effort, results: Results, *, slow: bool) -> CaseResult:
    ours, others = Outcome(error="not measured"), []
    for peer in results.peers:
        # The other libraries give the larger of both directions, never one of them.
        if not peer.is_optcomp and case.adjacency in {"add_one", "remove_one"}:
            continue
        for variant in (variant for variant in peer.variants if variant.takes(case)):
            print(f"bench: {case.name} at {case.delta}: {variant.name}", flush=True)
            installed = results.installed.get(peer.folder)
            if installed is None:
                outcome = Outcome(error="not available")
            elif case.name in variant.slow and not slow:
                outcome = Outcome(error="only with --slow")
            else:
                outcome = run_case(installed, variant, case, effort)
            if peer.is_optcomp and variant is peer.variants[0]:
                ours = outcome
            else:
                others.append(PeerRow(variant, outcome))
    return CaseResult(case, ours, _checked(case, ours), tuple(others))


def _checked(case: Case, ours: Outcome) -> Agreement | None:
    if not isinstance(ours.lower, Fraction) or not isinstance(ours.upper, Fraction):
        return None
    return check(case, (ours.lower + ours.upper) / 2)


def _finish(results: Results, *, complete: bool, output: Path | None) -> int:
    wrong = [
        f"{result.case.name} at {result.case.delta}: {result.ours.error or 'a second route disagrees'}"
        for result in results.cases
        if result.agreement is None or not result.agreement.distance < _WORST_AGREEMENT
    ]
    for line in wrong:
        sys.stderr.write(f"bench: {line}\n")
    if wrong:
        return 1
    if output is None and complete:
        output = ROOT / _PAGE
    if output is not None:
        output.write_text(page(results), encoding="utf-8")
        print(f"bench: {output} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())

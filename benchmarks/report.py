"""The tables, as text for the terminal and as a page of the documents."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from benchmarks.measure import LIMIT_SECONDS, MEMORY_BYTES, Clock, Outcome
from benchmarks.results import CaseResult, PeerRow, Results

__all__ = ["page", "text"]

_NONE = "-"


@dataclass(frozen=True)
class Table:
    """A title, what to know before reading, and rows of equal length."""

    title: str
    words: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def text(results: Results) -> str:
    """The tables for a terminal."""
    return "\n\n".join(_as_text(table) for table in _tables(results))


def page(results: Results) -> str:
    """The page of the documents."""
    parts = [_INTRODUCTION, *(_as_markdown(table) for table in _tables(results)), _conditions(results)]
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = """\
# Benchmarks

How fast optcomp answers and how wide its intervals are, side by side with other libraries: measured in one run, on one
machine, each library in an environment of its own with pinned versions. This page is written by

```console
$ make bench
```

`python -m benchmarks --only optcomp` leaves the other libraries out and `--quick` repeats less; both print the tables
and leave this page alone.

Every figure comes from fresh processes. *Cold* is the first call of a process, the import not counted, as the median
of several processes; *warm* is the best later call. Every call starts from nothing but the parameters."""


def _tables(results: Results) -> list[Table]:
    tables = [_epsilons(results.cases)]
    if any(result.others for result in results.cases):
        tables.append(_others(results.cases))
    tables.append(_startups(results))
    return tables


def _epsilons(cases: Sequence[CaseResult]) -> Table:
    words = (
        "The least epsilon at delta. *Width* is upper minus lower end, relative to the upper end. *Second route* tells "
        "how far away an answer is that was computed in another way, in plain floats and without code of optcomp, "
        "relative to epsilon: all losses added one at a time, or scipy's incomplete beta function. The goals are for "
        "wall time."
    )
    header = (
        "mechanisms",
        "delta",
        "epsilon",
        "width",
        "cold",
        "warm",
        "processor time, cold and warm",
        "goal",
        "cold goal",
        "warm goal",
        "second route",
    )
    return Table("Certified epsilon", words, header, tuple(_epsilon_row(result) for result in cases))


def _epsilon_row(result: CaseResult) -> tuple[str, ...]:
    case, ours, goal = result.case, result.ours, result.case.goal_seconds
    if ours.error:
        return (case.name, case.delta, ours.error, *[_NONE] * 8)
    return (
        case.name,
        case.delta,
        _decimal(ours.upper, 12),
        _small(_width(ours)),
        _wall(ours.cold),
        _wall(ours.warm),
        f"{_cpu(ours.cold)}, {_cpu(ours.warm)}",
        _NONE if goal is None else f"≤ {_seconds(goal)}",
        _verdict(ours.cold, goal),
        _verdict(ours.warm, goal),
        _NONE if result.agreement is None else f"{_small(result.agreement.distance)} ({result.agreement.route})",
    )


def _others(cases: Sequence[CaseResult]) -> Table:
    words = (
        "*Error* is relative to the certified epsilon. Below zero the answer is smaller than the truth, so it is no "
        "valid guarantee. *Ratio* is the processor time of that library divided by that of optcomp for the same "
        "question, cold and warm: above 1 optcomp is faster."
    )
    header = ("mechanisms", "delta", "library", "epsilon", "error", "cold", "warm", "cold ratio", "warm ratio")
    rows = [_other_row(result, row) for result in cases for row in result.others]
    return Table("Beside other libraries", words, header, tuple(rows))


def _other_row(result: CaseResult, row: PeerRow) -> tuple[str, ...]:
    case, ours, theirs = result.case, result.ours, row.outcome
    start = (case.name, case.delta, row.variant.name)
    if theirs.value is None:
        return (*start, theirs.error, *[_NONE] * 5)
    return (
        *start,
        _decimal(theirs.value, 12),
        _error(theirs, ours),
        _wall(theirs.cold),
        _wall(theirs.warm),
        _ratio(theirs.cold, ours.cold),
        _ratio(theirs.warm, ours.warm),
    )


def _startups(results: Results) -> Table:
    words = "Whole processes, from start to end, files in the cache: the median of several."
    rows = [
        (
            row.startup.label,
            "failed" if row.clock is None else _wall(row.clock),
            _cpu(row.clock),
            _NONE if row.startup.goal_seconds is None else f"≤ {_seconds(row.startup.goal_seconds)}",
            _verdict(row.clock, row.startup.goal_seconds),
        )
        for row in results.startups
    ]
    return Table("Start-up", words, ("process", "time", "processor time", "goal", "verdict"), tuple(rows))


def _conditions(results: Results) -> str:
    lines = [
        "## Conditions",
        "",
        f"- Date: {results.date}.",
        f"- Machine: {results.machine}. Load average at the start: {results.load:.1f}.",
        "- One thread: `OMP_NUM_THREADS=1` and the like for the other numerical libraries, in every process.",
        f"- Limits for a case: {LIMIT_SECONDS:.0f} s for the first call, {MEMORY_BYTES // 2**30} GiB of address space.",
        "- Times are wall time where nothing else is said. Ratios are ratios of processor time, which other work on",
        "  the machine disturbs less. A slow first call is measured in one process only; a very slow one is not called",
        "  again.",
    ]
    for peer in results.peers:
        if peer.folder in results.missing:
            lines.append(f"- {peer.title}: not available, {results.missing[peer.folder]}.")
            continue
        installed = results.installed[peer.folder]
        versions = ", ".join(f"{name} {version}" for name, version in installed.packages.items())
        lines.append(f"- {peer.title}, with Python {installed.python}, {versions}.")
        lines += [f"  - *{variant.name}*: {variant.note}" for variant in peer.variants]
    return "\n".join(lines)


def _as_text(table: Table) -> str:
    widths = [max(len(row[column]) for row in (table.header, *table.rows)) for column in range(len(table.header))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table.rows
    ]
    head = "  ".join(cell.ljust(width) for cell, width in zip(table.header, widths, strict=True)).rstrip()
    return "\n".join([table.title.upper(), head, "-" * len(head), *lines]).replace("`", "")


def _as_markdown(table: Table) -> str:
    rows = [table.header, tuple("---" for _ in table.header), *table.rows]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([f"## {table.title}", "", textwrap.fill(table.words, 120), "", *lines])


def _width(outcome: Outcome) -> float:
    if outcome.upper is None or outcome.lower is None:
        return math.nan
    return float((outcome.upper - outcome.lower) / outcome.upper)


def _error(theirs: Outcome, ours: Outcome) -> str:
    """The relative error, or an interval's two, against the nearest end of the certified interval."""
    if ours.lower is None or ours.upper is None:
        return _NONE
    shown = []
    for value in (theirs.lower, theirs.upper) if theirs.upper is not None else (theirs.value,):
        if not isinstance(value, Fraction):
            shown.append("infinite" if value == math.inf else _NONE)
            continue
        nearest = min(max(value, ours.lower), ours.upper)
        shown.append(f"{float((value - nearest) / nearest):+.1e}")
    return " to ".join(shown)


def _verdict(clock: Clock | None, goal: float | None) -> str:
    if clock is None or goal is None:
        return _NONE
    return "reached" if clock.wall <= goal else "missed"


def _ratio(theirs: Clock | None, ours: Clock | None) -> str:
    return _NONE if theirs is None or ours is None else f"{Decimal(f'{theirs.cpu / ours.cpu:.2g}'):f}"


def _cpu(clock: Clock | None) -> str:
    return _NONE if clock is None else _seconds(clock.cpu)


def _wall(clock: Clock | None) -> str:
    return _NONE if clock is None else _seconds(clock.wall)


def _seconds(seconds: float) -> str:
    scaled, unit = (seconds, "s") if seconds >= 0.9995 else (seconds * 1000, "ms")
    return f"{Decimal(f'{scaled:.3g}'):f} {unit}"


def _small(value: float) -> str:
    return f"{value:.0e}"


def _decimal(value: Fraction | float | None, digits: int) -> str:
    if isinstance(value, Fraction):
        context = Context(prec=digits)
        return f"{context.divide(Decimal(value.numerator), Decimal(value.denominator)):f}"
    return "infinite" if value == math.inf else _NONE

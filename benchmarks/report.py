"""The tables, as text for the terminal and as a page of the documents."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from benchmarks.measure import MEMORY_BYTES, Clock, Outcome
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

`--only optcomp` leaves the other libraries out, `--case TEXT` keeps the cases with that text in their names and
`--quick` repeats less; these print the tables and leave this page alone. `--slow` adds what takes other libraries
minutes.

Every figure comes from fresh processes, and every time is **processor time, the least of several repetitions**, because
other work on the machine disturbs that least. *First* is the first call of a process, the import not counted. *New
profile* is a later call in the same process that starts from nothing but the parameters. *Further delta* is another
query on the same profile: a tenth of the delta (0.06 instead of 0.05 in one case)."""


def _tables(results: Results) -> list[Table]:
    tables = [_epsilons(results.cases)]
    if any(result.others for result in results.cases):
        tables.append(_others(results.cases))
    tables.append(_startups(results))
    return tables


def _epsilons(cases: Sequence[CaseResult]) -> Table:
    words = (
        "The least epsilon at delta, asked for with both ends and a relative width of at most 1e-9. *Width* is upper "
        "minus lower end, relative to the upper end. *Memory* is the most that the whole process needed. *Goals* are "
        "for the first call and a new profile, and behind that for a further delta or for memory. *Second route* tells "
        "how far away an answer is that was computed in another way, in plain floats and without code of optcomp, "
        "relative to epsilon: all losses added one at a time, scipy's incomplete beta function, or a Fourier integral "
        "by the trapezoidal rule."
    )
    header = (
        "mechanisms",
        "delta",
        "epsilon",
        "width",
        "first",
        "new profile",
        "further delta",
        "memory",
        "goals",
        "verdict",
        "second route",
    )
    return Table("Certified epsilon", words, header, tuple(_epsilon_row(result) for result in cases))


def _epsilon_row(result: CaseResult) -> tuple[str, ...]:
    case, ours = result.case, result.ours
    if ours.error:
        return (case.name, case.delta, ours.error, *[_NONE] * 8)
    goals, verdict = _goals(result)
    return (
        case.name,
        case.delta,
        _decimal(ours.upper, 12),
        _small(_width(ours)),
        _cpu(ours.first),
        _cpu(ours.later),
        _cpu(ours.further),
        _memory(ours.peak_bytes),
        goals,
        verdict,
        _NONE if result.agreement is None else f"{_small(result.agreement.distance)} ({result.agreement.route})",
    )


def _goals(result: CaseResult) -> tuple[str, str]:
    """The goals as text, and which are missed."""
    case, ours = result.case, result.ours
    goals = [
        ("new profile", case.goal_seconds, _spent(ours.later), _seconds),
        ("first", case.goal_seconds, _spent(ours.first), None),
        ("further delta", case.further_goal_seconds, _spent(ours.further), _seconds),
        ("memory", case.memory_goal_bytes, ours.peak_bytes, _memory),
    ]
    shown = [f"≤ {show(goal)}" for _, goal, _, show in goals if goal is not None and show is not None]
    missed = [name for name, goal, taken, _ in goals if goal is not None and (taken is None or taken > goal)]
    if not shown:
        return _NONE, _NONE
    return ", ".join(shown), f"missed: {', '.join(missed)}" if missed else "reached"


def _others(cases: Sequence[CaseResult]) -> Table:
    words = (
        "*Error* is relative to the certified epsilon, of both ends where a library gives two. Below zero the answer "
        "is smaller than the truth, so an upper end is then no valid guarantee. *Ratios* are the time of that library "
        "divided by that of optcomp for the same question: first call, new profile, further delta; above 1 optcomp is "
        "faster. Mind the errors beside: a closed form is fast, and far from the truth."
    )
    header = (
        "mechanisms",
        "delta",
        "library",
        "epsilon",
        "error",
        "first",
        "new profile",
        "further delta",
        "ratios",
    )
    rows = [_other_row(result, row) for result in cases for row in result.others]
    return Table("Beside other libraries", words, header, tuple(rows))


def _other_row(result: CaseResult, row: PeerRow) -> tuple[str, ...]:
    case, ours, theirs = result.case, result.ours, row.outcome
    start = (case.name, case.delta, row.variant.name)
    if theirs.value is None:
        return (*start, theirs.error, *[_NONE] * 5)
    ratios = (
        _ratio(theirs.first, ours.first),
        _ratio(theirs.later, ours.later),
        _ratio(theirs.further, ours.further),
    )
    return (
        *start,
        _decimal(theirs.value, 12),
        _error(theirs, ours),
        _cpu(theirs.first),
        _cpu(theirs.later),
        _cpu(theirs.further),
        ", ".join(ratios),
    )


def _startups(results: Results) -> Table:
    words = (
        "Whole processes, from start to end, files in the cache: the least of several. The goals are for processor "
        "time."
    )
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
        f"- Limits for a first call: {results.limit_seconds:.0f} s of wall time, {MEMORY_BYTES // 2**30} GiB.",
        "- Other work went on on the machine. Times are processor time, the least of up to 2 processes with up to 5",
        "  repetitions each. A slow first call is measured in one process only; a very slow one is not repeated.",
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
    return "reached" if clock.cpu <= goal else "missed"


def _spent(clock: Clock | None) -> float | None:
    return None if clock is None else clock.cpu


def _memory(size: float | None) -> str:
    return _NONE if size is None else f"{size / 1e6:.0f} MB"


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

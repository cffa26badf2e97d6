"""Answers as text for people and as JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from optcomp.quantities import Enclosure, exact_text
from optcomp.usecases import (
    AuditAnswer,
    Budget,
    CompareAnswer,
    ComposeAnswer,
    DpsgdAnswer,
    ExplainAnswer,
    RecheckAnswer,
)

__all__ = [
    "ends_of",
    "print_facts",
    "print_table",
    "printable",
    "show_audit",
    "show_comparison",
    "show_composition",
    "show_dpsgd",
    "show_explanation",
    "show_json",
    "show_recheck",
]


class _Terminal(Console):
    """Plain text: no markup, since titles come from files; a reader who goes away is the caller's business."""

    def __init__(self) -> None:
        super().__init__(soft_wrap=False, highlight=False, markup=False, emoji=False)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def printable(text: str) -> str:
    """The text with line breaks, control characters and lone surrogates written as escapes."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def ends_of(interval: Enclosure | None) -> dict[str, str | None]:
    """Both ends as exact text."""
    if interval is None:
        return {"lower": None, "upper": None}
    return {"lower": exact_text(interval.lower), "upper": exact_text(interval.upper)}


def show_json(obj: object) -> None:
    """Print one JSON object, in ASCII."""
    sys.stdout.write(json.dumps(obj, indent=2) + "\n")
    sys.stdout.flush()


def _facts(rows: Iterable[tuple[str, str | None]]) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        if value is not None:
            table.add_row(name, printable(value))
    return table


def print_facts(rows: Iterable[tuple[str, str | None]]) -> None:
    """Print names with values; a value of None leaves the line out."""
    _Terminal().print(_facts(rows))


def print_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table with a line of names."""
    table = Table(box=None, pad_edge=False)
    for name in head:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(printable(each) for each in row))
    _Terminal().print(table)


def show_composition(answer: ComposeAnswer, *, as_json: bool) -> None:
    """Print a composed guarantee."""
    budget = answer.budget
    if as_json:
        show_json(
            {
                "title": answer.title,
                "question": answer.question,
                answer.given[0]: answer.given[1],
                **ends_of(answer.answer),
                "engine": answer.engine,
                "reason": answer.reason,
                "adjacency": answer.adjacency,
                "assumption": answer.assumption,
                "privacy_unit": answer.privacy_unit,
                "budget": None
                if budget is None
                else {"epsilon": exact_text(budget.epsilon), "delta": exact_text(budget.delta)},
                "verdict": None if budget is None else budget.verdict.value,
                "notes": list(answer.notes),
            }
        )
        return
    other, value = answer.given
    rows = [
        ("plan", answer.title),
        (other, value),
        (f"least {answer.question}", str(answer.answer)),
        ("engine", f"{answer.engine}: {answer.reason}"),
        ("adjacency", answer.adjacency),
        ("assumes", answer.assumption),
        ("privacy unit", answer.privacy_unit),
        *(_verdict_rows(budget) if budget else ()),
        *(("note", note) for note in answer.notes),
    ]
    print_facts(rows)


def _verdict_rows(budget: Budget) -> tuple[tuple[str, str], ...]:
    return (
        ("budget", f"epsilon {exact_text(budget.epsilon)} at delta {exact_text(budget.delta)}"),
        ("verdict", budget.verdict.value),
    )


def show_comparison(answer: CompareAnswer, *, as_json: bool) -> None:
    """Print every theorem's epsilon."""
    if as_json:
        rows = [
            {
                "name": row.name,
                **ends_of(row.epsilon),
                "waste_percent": ends_of(row.waste),
                "adaptive": row.adaptive,
                "source": row.source,
                "note": row.note,
            }
            for row in answer.rows
        ]
        show_json(
            {
                "title": answer.title,
                "delta": answer.delta,
                "adjacency": answer.adjacency,
                "assumption": answer.assumption,
                "rows": rows,
            }
        )
        return
    console = _Terminal()
    facts = [
        ("plan", answer.title),
        ("delta", answer.delta),
        ("adjacency", answer.adjacency),
        ("assumes", answer.assumption),
    ]
    console.print(_facts(facts))
    table = Table(box=None, pad_edge=False)
    for name in ("theorem", "epsilon", "wasted", "note"):
        table.add_column(name, overflow="fold")
    for row in answer.rows:
        waste = "" if row.waste is None else f"{float(row.waste):.1f} %"
        epsilon = "not applicable" if row.epsilon is None else str(row.epsilon)
        adaptive = "holds for parameters chosen as you go" if row.adaptive and row.epsilon is not None else ""
        table.add_row(row.name, epsilon, waste, "; ".join(filter(None, (row.note, adaptive))))
    console.print(table)


def show_recheck(answer: RecheckAnswer, *, as_json: bool) -> None:
    """Print a second engine's verdict."""
    found, first = answer.found, answer.certificate
    if as_json:
        show_json(
            {
                "verdict": found.verdict.value,
                **ends_of(found.answer),
                "engine": found.engine,
                "reason": found.reason,
                "assumption": answer.assumption,
                "certificate": first,
            }
        )
        return
    rows = [
        ("certified", f"[{first['lower']}, {first['upper']}] by {first['engine']}"),
        ("checked by", found.engine),
        ("assumes", answer.assumption),
        ("it finds", None if found.answer is None else str(found.answer)),
        ("verdict", f"{found.verdict.value}: {found.reason}"),
    ]
    print_facts(rows)


def show_explanation(answer: ExplainAnswer, *, as_json: bool) -> None:
    """Print which engine answers, and why."""
    if as_json:
        show_json(asdict(answer))
        return
    rows = [
        ("plan", answer.title),
        ("engine", f"{answer.engine}: {answer.reason}"),
        ("computes", answer.theorem),
        ("works in", answer.precision),
        ("cost", answer.cost),
        ("exact", "yes, up to rounding" if answer.exact else f"no. {answer.advice}"),
        ("adjacency", answer.adjacency),
        ("assumes", answer.assumption),
    ]
    terminal = _Terminal()
    terminal.print(_facts(rows))
    table = Table(box=None, pad_edge=False)
    for name in ("engine", "takes it", "what it takes"):
        table.add_column(name, overflow="fold")
    for each in answer.considered:
        table.add_row(each.name, "chosen" if each.chosen else "yes" if each.takes else "no", each.when)
    terminal.print(table)


def show_dpsgd(answer: DpsgdAnswer, *, as_json: bool) -> None:
    """Print what a training run guarantees."""
    if as_json:
        show_json(
            {
                "delta": exact_text(answer.delta),
                **ends_of(answer.epsilon),
                "steps": answer.steps,
                "steps_from": answer.steps_from,
                "sampling_probability": exact_text(answer.sampling_probability),
                "noise_multiplier": exact_text(answer.noise_multiplier),
                "adjacency": answer.adjacency,
                "assumption": answer.assumption,
                "engine": answer.engine,
                "reason": answer.reason,
            }
        )
        return
    rows = [
        ("delta", exact_text(answer.delta)),
        ("total epsilon", str(answer.epsilon)),
        ("steps", f"{answer.steps}, {answer.steps_from}"),
        ("sampling probability", exact_text(answer.sampling_probability)),
        ("noise multiplier", exact_text(answer.noise_multiplier)),
        ("adjacency", answer.adjacency),
        ("assumes", answer.assumption),
        ("engine", f"{answer.engine}: {answer.reason}"),
    ]
    print_facts(rows)


def show_audit(answer: AuditAnswer, *, as_json: bool) -> None:
    """Print the verdict on each claim."""
    if as_json:
        claims = [
            {
                "epsilon": exact_text(each.claim.epsilon),
                "delta": exact_text(each.claim.delta),
                "verdict": each.verdict.value,
                "least_delta": ends_of(each.least_delta),
                "note": each.note,
            }
            for each in answer.claims
        ]
        show_json(
            {
                "title": answer.title,
                "adjacency": answer.adjacency,
                "assumption": answer.assumption,
                "verdict": answer.verdict.value,
                "claims": claims,
            }
        )
        return
    terminal = _Terminal()
    facts = [("plan", answer.title), ("adjacency", answer.adjacency), ("assumes", answer.assumption)]
    if any(value is not None for _, value in facts):
        terminal.print(_facts(facts))
    table = Table(box=None, pad_edge=False)
    for name in ("epsilon", "claimed delta", "least delta", "verdict"):
        table.add_column(name, overflow="fold")
    for each in answer.claims:
        least = each.note if each.least_delta is None else str(each.least_delta)
        table.add_row(
            exact_text(each.claim.epsilon), exact_text(each.claim.delta), printable(least), each.verdict.value
        )
    terminal.print(table)

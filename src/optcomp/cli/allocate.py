"""The command ``allocate``."""

from __future__ import annotations

from typing import Annotated

import typer

from optcomp.cli.options import (
    AdjacencyOption,
    DeltaOption,
    EpsilonOption,
    FormatOption,
    JsonOption,
    standard_input,
)
from optcomp.cli.render import ends_of, print_facts, print_table, show_json
from optcomp.cli.status import guarded
from optcomp.quantities import exact_text
from optcomp.usecases.allocate import AllocateAnswer, AllocatedLine, AllocateRequest, allocate_budget

__all__ = ["allocate"]


def allocate(
    budget: Annotated[
        str,
        typer.Argument(
            help="A budget file: a target, and what it is split among; - reads standard input.", metavar="BUDGET"
        ),
    ],
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help="optimal: least weighted error. proportional: by weight. equal: all the same."),
    ] = None,
    error: Annotated[
        str | None, typer.Option("--error", help="What optimal makes small: variance, or magnitude.")
    ] = None,
    compare: Annotated[bool, typer.Option("--compare", help="Put the three methods side by side.")] = False,
    out: Annotated[
        str | None, typer.Option("--out", help="Write the finished plan into this TOML file.", metavar="PLAN")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a plan that is there already.")] = False,
    adjacency: AdjacencyOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Split a target over named releases. The finished plan is proved to meet the target as a whole."""
    with guarded():
        answer = allocate_budget(
            AllocateRequest(
                path=budget,
                format=format_,
                epsilon=epsilon,
                delta=delta,
                method=method,
                error=error,
                adjacency=adjacency,
                compare=compare,
                out=out,
                force=force,
                standard_input=standard_input(),
            )
        )
        if as_json:
            show_json(_as_json(answer))
        else:
            _show(answer)


def _as_json(answer: AllocateAnswer) -> dict[str, object]:
    return {
        "title": answer.title,
        "adjacency": answer.adjacency,
        "method": answer.method,
        "error": answer.error,
        "epsilon": answer.epsilon,
        "delta": answer.delta,
        "least_epsilon": ends_of(answer.least_epsilon),
        "unit": answer.unit,
        "total": exact_text(answer.total),
        "lines": [
            {
                "name": line.name,
                "mechanism": line.mechanism,
                "count": line.count,
                "share": exact_text(line.share),
                "standard_deviation": line.standard_deviation,
                "half_width": line.half_width,
                "locked": line.locked,
            }
            for line in answer.lines
        ],
        "reserve": exact_text(answer.reserve),
        "leftover": exact_text(answer.leftover),
        "total_error": answer.total_error,
        "compared": answer.compared,
        "certificate": answer.certificate,
        "plan": answer.plan,
        "written": answer.written,
    }


def _show(answer: AllocateAnswer) -> None:
    print_facts(
        [
            ("budget", answer.title),
            ("target", f"epsilon {answer.epsilon} at delta {answer.delta}"),
            ("least epsilon", f"{answer.least_epsilon}, the target is met"),
            ("method", f"{answer.method}, weighted {answer.error} {answer.total_error:.6g}"),
            ("shares", f"of {answer.unit} {float(answer.total):.6g}"),
            ("reserve", f"{float(answer.reserve):.6g}" if answer.reserve else None),
            ("unused", f"{float(answer.leftover):.3g}" if answer.leftover else None),
        ]
    )
    print_table(
        ("release", "runs", "share", "deviation", "95 % within", "mechanism"),
        [
            (
                f"{line.name} (locked)" if line.locked else line.name,
                str(line.count),
                f"{float(line.share):.6f}",
                _number(line.standard_deviation),
                _number(line.half_width),
                _words(line),
            )
            for line in answer.lines
        ],
    )
    if answer.compared is not None:
        print_table(
            ("method", f"weighted {answer.error}"), [(name, f"{value:.6g}") for name, value in answer.compared.items()]
        )
    if answer.written is not None:
        print_facts([("written", answer.written)])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.5g}"


def _words(line: AllocatedLine) -> str:
    given = [f"{name} {value}" for name, value in line.mechanism.items() if name not in {"kind", "sensitivity"}]
    return ", ".join([str(line.mechanism["kind"]), *given])

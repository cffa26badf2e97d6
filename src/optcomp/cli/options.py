"""The arguments and options that commands share."""

from __future__ import annotations

import io
import sys
from typing import Annotated, BinaryIO

import typer

from optcomp.usecases import Source

__all__ = [
    "AdjacencyOption",
    "CountOption",
    "DeltaOption",
    "EachOption",
    "EpsilonOption",
    "FormatOption",
    "JsonOption",
    "PlanArgument",
    "RigorOption",
    "WidthOption",
    "source_of",
    "standard_input",
]

PlanArgument = Annotated[
    str | None,
    typer.Argument(help="A plan file: TOML, YAML or JSON; - reads standard input.", metavar="PLAN", show_default=False),
]
FormatOption = Annotated[str | None, typer.Option("--format", help="toml, yaml or json, where no name tells.")]
EachOption = Annotated[
    list[str] | None,
    typer.Option("--each", help="Instead of a plan: EPSILON or EPSILON,DELTA of a mechanism. Repeatable."),
]
CountOption = Annotated[list[int] | None, typer.Option("--count", help="How often each --each is run. Repeatable.")]
EpsilonOption = Annotated[str | None, typer.Option("--epsilon", help="In nats. Text is exact: 0.1, 1/3, ln(3).")]
DeltaOption = Annotated[str | None, typer.Option("--delta", help="Between 0 and 1. Text is exact: 1e-6, 1/3.")]
WidthOption = Annotated[
    str | None, typer.Option("--width", help="The largest acceptable relative width of the answer, such as 1e-9.")
]
AdjacencyOption = Annotated[
    str | None,
    typer.Option(
        "--adjacency",
        help="How neighbouring data sets differ: add_or_remove_one, add_one, remove_one, replace_one or "
        "replace_special. Needed for sampled mechanisms when the plan names none.",
    ),
]
RigorOption = Annotated[
    str | None,
    typer.Option(
        "--rigor",
        help="float: any engine, every rounding counted. ball: engines in ball arithmetic only, which rely on no "
        "elementary function of the platform.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object with exact numbers as text.")]


def standard_input() -> BinaryIO:
    """Where ``-`` reads from; empty where there is none."""
    return sys.stdin.buffer if sys.stdin else io.BytesIO()


def source_of(
    plan: str | None, format_: str | None, each: list[str] | None, count: list[int] | None, adjacency: str | None
) -> Source:
    """The plan that is meant: a file, or values typed in."""
    return Source(
        path=plan,
        format=format_,
        each=tuple(each or ()),
        counts=tuple(count or ()),
        adjacency=adjacency,
        standard_input=standard_input(),
    )

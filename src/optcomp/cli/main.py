"""The program ``optcomp``."""

from __future__ import annotations

import io
import sys
from typing import Annotated, BinaryIO

import typer

from optcomp.cli.render import show_comparison, show_composition, show_explanation, show_json, show_recheck
from optcomp.cli.status import Status, guarded
from optcomp.usecases import (
    Source,
    certify_plan,
    compare_plan,
    compose_plan,
    explain_plan,
    recheck_file,
    schema_of,
)

__all__ = ["app", "main"]

app = typer.Typer(
    name="optcomp",
    help="What do several differentially private mechanisms on the same data guarantee together?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_RECHECK_STATUS = {
    "confirmed": Status.OK,
    "consistent": Status.OK,
    "contradicted": Status.VERIFICATION_FAILED,
    "undecided": Status.UNDECIDED,
}
_VERDICT_STATUS = {"fits": Status.OK, "over": Status.OVER_BUDGET, "undecided": Status.UNDECIDED}

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
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object with exact numbers as text.")]


@app.callback()
def _program() -> None:
    """Certified optimal composition of differential privacy."""


@app.command()
def compose(
    plan: PlanArgument = None,
    each: EachOption = None,
    count: CountOption = None,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    width: WidthOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """The optimal composed guarantee: the least epsilon at --delta, or the least delta at --epsilon.

    With both, or with both as the plan's targets, the exit status says whether that budget is kept: 0 it fits, 3 it
    is exceeded, 4 undecided.
    """
    with guarded():
        answer = compose_plan(_source(plan, format_, each, count), epsilon=epsilon, delta=delta, width=width)
        show_composition(answer, as_json=as_json)
    if answer.budget is not None:
        raise typer.Exit(_VERDICT_STATUS[answer.budget.verdict.value])


@app.command()
def compare(
    plan: PlanArgument = None,
    each: EachOption = None,
    count: CountOption = None,
    delta: DeltaOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Every theorem at the same total delta, and what each wastes against the optimum."""
    with guarded():
        show_comparison(compare_plan(_source(plan, format_, each, count), delta=delta), as_json=as_json)


@app.command()
def certify(
    plan: PlanArgument = None,
    each: EachOption = None,
    count: CountOption = None,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    width: WidthOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = True,
) -> None:
    """Print a certificate: the answer with everything that another engine needs to check it. It is always JSON."""
    del as_json
    with guarded():
        show_json(certify_plan(_source(plan, format_, each, count), epsilon=epsilon, delta=delta, width=width))


@app.command()
def recheck(
    certificate: Annotated[
        str, typer.Argument(help="A certificate file; - reads standard input.", metavar="CERTIFICATE")
    ],
    as_json: JsonOption = False,
) -> None:
    """Check a certificate with another engine.

    Exit status 0: confirmed or consistent; 4: undecided, no second engine reaches; 5: contradicted.
    """
    with guarded():
        answer = recheck_file(certificate, standard_input=_standard_input())
        show_recheck(answer, as_json=as_json)
    raise typer.Exit(_RECHECK_STATUS[answer.found.verdict.value])


@app.command()
def explain(
    plan: PlanArgument = None,
    each: EachOption = None,
    count: CountOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Which engine would answer, why, at what cost, and what would make the answer exact."""
    with guarded():
        show_explanation(explain_plan(_source(plan, format_, each, count)), as_json=as_json)


@app.command()
def schema(
    name: Annotated[str, typer.Argument(help="plan or certificate.", metavar="NAME")],
    as_json: JsonOption = True,
) -> None:
    """Print the JSON Schema of a kind of file. It is always JSON."""
    del as_json
    with guarded():
        show_json(schema_of(name))


def _standard_input() -> BinaryIO:
    return sys.stdin.buffer if sys.stdin else io.BytesIO()


def _source(plan: str | None, format_: str | None, each: list[str] | None, count: list[int] | None) -> Source:
    return Source(
        path=plan,
        format=format_,
        each=tuple(each or ()),
        counts=tuple(count or ()),
        standard_input=_standard_input(),
    )


def main() -> None:
    """Run the program and exit."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a letter that the terminal lacks is no reason to fail
    try:
        app()
    except Exception as error:  # noqa: BLE001  # the last door: nothing may leave as a traceback
        sys.stderr.write(f"optcomp: internal error, please report it: {type(error).__name__}: {error}\n")
        sys.exit(Status.INTERNAL)

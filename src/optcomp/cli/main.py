"""The program ``optcomp``."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from optcomp.cli.allocate import allocate
from optcomp.cli.attack import attack
from optcomp.cli.calibrate import calibrate, headroom
from optcomp.cli.domination import dominates, simulate_from
from optcomp.cli.figures import figures
from optcomp.cli.hardness import hardness_app
from optcomp.cli.multiparty import multiparty_app
from optcomp.cli.options import (
    AdjacencyOption,
    CountOption,
    DeltaOption,
    EachOption,
    EpsilonOption,
    FormatOption,
    JsonOption,
    PlanArgument,
    RigorOption,
    WidthOption,
    source_of,
    standard_input,
)
from optcomp.cli.release import estimate, release
from optcomp.cli.render import (
    show_audit,
    show_comparison,
    show_composition,
    show_dpsgd,
    show_explanation,
    show_json,
    show_recheck,
)
from optcomp.cli.status import Status, guarded
from optcomp.cli.tradeoff import tradeoff
from optcomp.usecases import (
    DpsgdRequest,
    account_dpsgd,
    audit_plan,
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
_AUDIT_STATUS = {"proven": Status.OK, "refuted": Status.OVER_BUDGET, "undecided": Status.UNDECIDED}
_VERDICT_STATUS = {"fits": Status.OK, "over": Status.OVER_BUDGET, "undecided": Status.UNDECIDED}


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
    adjacency: AdjacencyOption = None,
    rigor: RigorOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """The optimal composed guarantee: the least epsilon at --delta, or the least delta at --epsilon.

    With both, or with both as the plan's targets, the exit status says whether that budget is kept: 0 it fits, 3 it
    is exceeded, 4 undecided.
    """
    with guarded():
        source = source_of(plan, format_, each, count, adjacency)
        answer = compose_plan(source, epsilon=epsilon, delta=delta, width=width, rigor=rigor)
        show_composition(answer, as_json=as_json)
    if answer.budget is not None:
        raise typer.Exit(_VERDICT_STATUS[answer.budget.verdict.value])


@app.command()
def compare(
    plan: PlanArgument = None,
    each: EachOption = None,
    count: CountOption = None,
    delta: DeltaOption = None,
    adjacency: AdjacencyOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Every theorem at the same total delta, and what each wastes against the optimum."""
    with guarded():
        show_comparison(compare_plan(source_of(plan, format_, each, count, adjacency), delta=delta), as_json=as_json)


@app.command()
def certify(
    plan: PlanArgument = None,
    each: EachOption = None,
    count: CountOption = None,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    width: WidthOption = None,
    adjacency: AdjacencyOption = None,
    rigor: RigorOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = True,
) -> None:
    """Print a certificate: the answer with everything that another engine needs to check it. It is always JSON.

    Without --rigor it is made in ball arithmetic where an engine reaches, else in floats.
    """
    del as_json
    with guarded():
        source = source_of(plan, format_, each, count, adjacency)
        show_json(certify_plan(source, epsilon=epsilon, delta=delta, width=width, rigor=rigor))


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
        answer = recheck_file(certificate, standard_input=standard_input())
        show_recheck(answer, as_json=as_json)
    raise typer.Exit(_RECHECK_STATUS[answer.found.verdict.value])


@app.command()
def audit(
    plan: PlanArgument = None,
    claims: Annotated[
        list[str] | None,
        typer.Option("--claims", help="EPSILON,DELTA that somebody claims the whole to keep. Repeatable."),
    ] = None,
    each: EachOption = None,
    count: CountOption = None,
    width: WidthOption = None,
    adjacency: AdjacencyOption = None,
    rigor: RigorOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge claims about a plan: each is proven, refuted or undecided.

    Exit status 0: all claims are proven; 3: some claim is refuted; 4: none is refuted, but some is undecided.
    """
    with guarded():
        source = source_of(plan, format_, each, count, adjacency)
        answer = audit_plan(source, claims=claims or (), width=width, rigor=rigor)
        show_audit(answer, as_json=as_json)
    raise typer.Exit(_AUDIT_STATUS[answer.verdict.value])


@app.command()
def dpsgd(
    examples: Annotated[int, typer.Option("--examples", help="How many examples the training data have.")],
    batch: Annotated[int, typer.Option("--batch", help="The mean number of examples in a batch.")],
    noise_multiplier: Annotated[
        str,
        typer.Option("--noise-multiplier", help="The noise's standard deviation over the norm that gradients keep."),
    ],
    delta: Annotated[str, typer.Option("--delta", help="Between 0 and 1. Text is exact: 1e-6, 1/3.")],
    epochs: Annotated[
        str | None, typer.Option("--epochs", help="How often the data are gone through; it may be a fraction.")
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="The number of steps, instead of --epochs.")] = None,
    adjacency: Annotated[
        str, typer.Option("--adjacency", help="How neighbouring data sets differ.")
    ] = "add_or_remove_one",
    width: WidthOption = None,
    rigor: RigorOption = None,
    as_json: JsonOption = False,
) -> None:
    """The total epsilon of a training run by DP-SGD.

    Each step draws a Poisson sample: every example is in it with probability batch/examples, by a coin of its own.
    Batches that are shuffled and cut are another mechanism, and this is no account of them.
    """
    with guarded():
        request = DpsgdRequest(
            examples=examples,
            batch=batch,
            noise_multiplier=noise_multiplier,
            delta=delta,
            epochs=epochs,
            steps=steps,
            adjacency=adjacency,
            width=width,
            rigor=rigor,
        )
        show_dpsgd(account_dpsgd(request), as_json=as_json)


@app.command()
def explain(
    plan: PlanArgument = None,
    each: EachOption = None,
    count: CountOption = None,
    adjacency: AdjacencyOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Which engine would answer, why, at what cost, and what would make the answer exact."""
    with guarded():
        show_explanation(explain_plan(source_of(plan, format_, each, count, adjacency)), as_json=as_json)


@app.command()
def schema(
    name: Annotated[str, typer.Argument(help="plan, certificate, pair, budget or protocol.", metavar="NAME")],
    as_json: JsonOption = True,
) -> None:
    """Print the JSON Schema of a kind of file. It is always JSON."""
    del as_json
    with guarded():
        show_json(schema_of(name))


app.command()(tradeoff)
app.command()(attack)
app.command()(calibrate)
app.command()(allocate)
app.command()(release)
app.command()(estimate)
app.add_typer(multiparty_app, name="multiparty")
app.command()(headroom)
app.command()(figures)
app.add_typer(hardness_app, name="hardness")
app.command()(dominates)
app.command("simulate-from")(simulate_from)


def main() -> None:
    """Run the program and exit."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a letter that the terminal lacks is no reason to fail
    try:
        app()
    except Exception as error:  # noqa: BLE001  # the last door: nothing may leave as a traceback
        sys.stderr.write(f"optcomp: internal error, please report it: {type(error).__name__}: {error}\n")
        sys.exit(Status.INTERNAL)

"""The commands ``calibrate`` and ``headroom``."""

from __future__ import annotations

from typing import Annotated

import typer

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
    source_of,
    standard_input,
)
from optcomp.cli.render import ends_of, print_facts, print_table, show_json
from optcomp.cli.status import Status, guarded
from optcomp.errors import InvalidParameterError
from optcomp.quantities import Enclosure, exact_text
from optcomp.usecases import (
    CalibrateRequest,
    HeadroomRequest,
    Limit,
    RequiredNoise,
    calibrate_family,
    headroom_of,
    noise_required,
)

__all__ = ["calibrate", "headroom"]

_VERDICT_STATUS = {"fits": Status.OK, "over": Status.OVER_BUDGET, "undecided": Status.UNDECIDED}


def calibrate(
    family: Annotated[
        str | None,
        typer.Argument(
            help='Mechanisms or a plan with {"solve": NAME} in place of one number; - reads standard input.',
            metavar="FAMILY",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare", help="Instead of a family: the variance of each noise, by closed forms and at least."
        ),
    ] = False,
    count: Annotated[int, typer.Option("--count", help="With --compare: how many equal answers.")] = 1,
    sensitivity: Annotated[str, typer.Option("--sensitivity", help="With --compare: of each answer.")] = "1",
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    mu: Annotated[str | None, typer.Option("--mu", help="Another target: Gaussian differential privacy.")] = None,
    attack: Annotated[
        tuple[str, str] | None,
        typer.Option("--attack", help="Another target: a false positive rate, and the most true positives at it."),
    ] = None,
    digits: Annotated[
        int | None, typer.Option("--digits", help="So many decimals after the point, rounded to the safe side.")
    ] = None,
    adjacency: AdjacencyOption = None,
    rigor: RigorOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """The least noise, or the most epsilon, that meets a target: the free number with both sides proved."""
    with guarded():
        if compare == (family is not None):
            raise InvalidParameterError(
                field="family",
                value=family,
                condition="must be given, or --compare instead, and not both",
                remedy="Write: optcomp calibrate FAMILY --epsilon 1 --delta 1e-6.",
            )
        if family is None:
            _show_required(
                noise_required(epsilon=epsilon, delta=delta, count=count, sensitivity=sensitivity), as_json=as_json
            )
            return
        answer = calibrate_family(
            CalibrateRequest(
                path=family,
                format=format_,
                epsilon=epsilon,
                delta=delta,
                mu=mu,
                attack=attack,
                adjacency=adjacency,
                digits=digits,
                rigor=rigor,
                standard_input=standard_input(),
            )
        )
        if as_json:
            show_json(
                {
                    "title": answer.title,
                    "name": answer.name,
                    "parameter": answer.parameter,
                    "other_side": answer.other_side,
                    "adjacency": answer.adjacency,
                    "certificate": answer.certificate,
                }
            )
            return
        proof = answer.certificate
        print_facts(
            [
                ("plan", answer.title),
                ("adjacency", answer.adjacency),
                (answer.name, f"{answer.parameter}, which meets the target"),
                ("other side", f"{answer.other_side}, which breaks it" if answer.other_side else "the range ends here"),
                ("proved by", f"engine {proof['engine']}, {proof['precision']}"),
            ]
        )


def _show_required(rows: tuple[RequiredNoise, ...], *, as_json: bool) -> None:
    if as_json:
        show_json(
            {
                "rows": [
                    {
                        "noise": row.noise,
                        "known_by": row.how,
                        "earlier": ends_of(row.earlier),
                        "closed_form": ends_of(row.closed_form),
                        "least": ends_of(row.least),
                        "closed_form_over_least": ends_of(row.saved),
                        "note": row.note,
                    }
                    for row in rows
                ]
            }
        )
        return
    print_table(
        ("noise", "known by", "earlier", "closed form", "least variance", "times", "note"),
        [
            (
                row.noise,
                row.how,
                _rough(row.earlier),
                _rough(row.closed_form),
                "" if row.least is None else str(row.least),
                _rough(row.saved),
                row.note,
            )
            for row in rows
        ],
    )


def _rough(value: Enclosure | None) -> str:
    """To six digits, rounded up: the safe side of a variance that suffices."""
    return "" if value is None else exact_text(value.rounded(6).upper)


def headroom(
    plan: PlanArgument = None,
    each: EachOption = None,
    count: CountOption = None,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    more: Annotated[
        str | None, typer.Option("--more", help="EPSILON or EPSILON,DELTA: how often may that run as well?")
    ] = None,
    adjacency: AdjacencyOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """What a target leaves beside a plan. Each line is an alternative to the others.

    Exit status 0: the plan meets the target; 3: it does not; 4: undecided.
    """
    with guarded():
        answer = headroom_of(
            HeadroomRequest(
                source=source_of(plan, format_, each, count, adjacency), epsilon=epsilon, delta=delta, more=more
            )
        )
        if as_json:
            show_json(
                {
                    "title": answer.title,
                    "epsilon": answer.epsilon,
                    "delta": answer.delta,
                    "verdict": answer.verdict.value,
                    "epsilon_left": _ends(answer.pure),
                    "mu_left": _ends(answer.gaussian),
                    "more": _ends(answer.more),
                }
            )
        else:
            print_facts(
                [
                    ("plan", answer.title),
                    ("target", f"epsilon {answer.epsilon} at delta {answer.delta}"),
                    ("verdict", answer.verdict.value),
                    ("one more pure mechanism", _words(answer.pure, "epsilon ")),
                    ("one more Gaussian answer", _words(answer.gaussian, "mu ")),
                    (f"runs of {more}", _words(answer.more, "")),
                ]
            )
    raise typer.Exit(_VERDICT_STATUS[answer.verdict.value])


def _ends(limit: Limit | None) -> dict[str, str | None] | None:
    if limit is None:
        return None
    return {name: None if value is None else exact_text(value) for name, value in vars(limit).items()}


def _words(limit: Limit | None, name: str) -> str | None:
    if limit is None:
        return None
    if limit.fits is None:
        return "nothing is left"
    beyond = "" if limit.breaks is None else f"; {exact_text(limit.breaks)} is too much"
    return f"{name}{exact_text(limit.fits)}{beyond}"

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
from optcomp.cli.render import print_facts, show_json
from optcomp.cli.status import Status, guarded
from optcomp.quantities import exact_text
from optcomp.usecases import CalibrateRequest, HeadroomRequest, Limit, calibrate_family, headroom_of

__all__ = ["calibrate", "headroom"]

_VERDICT_STATUS = {"fits": Status.OK, "over": Status.OVER_BUDGET, "undecided": Status.UNDECIDED}


def calibrate(
    family: Annotated[
        str,
        typer.Argument(
            help='Mechanisms or a plan with {"solve": NAME} in place of one number; - reads standard input.',
            metavar="FAMILY",
        ),
    ],
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

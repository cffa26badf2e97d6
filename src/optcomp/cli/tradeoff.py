"""The command ``tradeoff``."""

from __future__ import annotations

from typing import Annotated

import typer

from optcomp.cli.options import (
    AdjacencyOption,
    CountOption,
    EachOption,
    FormatOption,
    JsonOption,
    PlanArgument,
    source_of,
)
from optcomp.cli.render import ends_of, print_facts, print_table, show_json
from optcomp.cli.status import guarded
from optcomp.quantities import exact_text
from optcomp.usecases import TradeoffAnswer, TradeoffRequest, tradeoff_of

__all__ = ["tradeoff"]


def tradeoff(
    plan: PlanArgument = None,
    each: EachOption = None,
    count: CountOption = None,
    probabilities: Annotated[
        str | None,
        typer.Option(
            "--probabilities", help="Instead of a plan: a file with the lists first and second.", metavar="FILE"
        ),
    ] = None,
    false_alarm: Annotated[
        list[str] | None, typer.Option("--false-alarm", help="Where to ask the curve, between 0 and 1. Repeatable.")
    ] = None,
    prior: Annotated[
        str | None, typer.Option("--prior", help="The probability that the data were used, for the best guess's error.")
    ] = None,
    gaussians: Annotated[
        tuple[str, str] | None,
        typer.Option("--gaussians", help="Compare with curves of normal noise between these two false alarms."),
    ] = None,
    picture: Annotated[
        str | None, typer.Option("--picture", help="Draw the curve into this .svg, .pdf or .png file.", metavar="FILE")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a picture that is there already.")] = False,
    adjacency: AdjacencyOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """What an attacker can tell: the least missed detection at each false alarm, and in words."""
    with guarded():
        request = TradeoffRequest(
            source=source_of(plan, format_, each, count, adjacency),
            probabilities=probabilities,
            false_alarms=tuple(false_alarm or ()),
            prior=prior,
            gaussians=gaussians,
            picture=picture,
            force=force,
        )
        answer = tradeoff_of(request)
        if as_json:
            show_json(_as_json(answer))
        else:
            _show(answer)


def _as_json(answer: TradeoffAnswer) -> dict[str, object]:
    near = answer.gaussians
    return {
        "title": answer.title,
        "adjacency": answer.adjacency,
        "assumption": answer.assumption,
        "points": [
            {
                "false_alarm": exact_text(pair.false_alarm),
                "missed_detection": ends_of(pair.missed_detection),
                "true_positive_rate": ends_of(pair.true_positive_rate),
            }
            for pair in answer.pairs
        ],
        "advantage": ends_of(answer.advantage),
        "prior": None if answer.prior is None else exact_text(answer.prior),
        "bayes_error": None if answer.bayes_error is None else ends_of(answer.bayes_error),
        "corners": None
        if answer.corners is None
        else [
            {"false_alarm": ends_of(each.false_alarm), "missed_detection": ends_of(each.missed_detection)}
            for each in answer.corners
        ],
        "gaussians": None
        if near is None
        else {
            "least_mu_below": ends_of(near.least_below),
            "greatest_mu_above": ends_of(near.greatest_above),
            "false_alarms": None if near.false_alarms is None else [exact_text(each) for each in near.false_alarms],
        },
        "words": list(answer.words),
        "picture": answer.picture,
    }


def _show(answer: TradeoffAnswer) -> None:
    near = answer.gaussians
    print_facts(
        [
            ("plan", answer.title),
            ("adjacency", answer.adjacency),
            ("assumes", answer.assumption),
            ("corners", None if answer.corners is None else str(len(answer.corners))),
            ("largest advantage", str(answer.advantage)),
            ("least error of a guess", None if answer.bayes_error is None else str(answer.bayes_error)),
            ("normal curve below", None if near is None else f"mu {near.least_below}"),
            ("normal curve above", None if near is None else f"mu {near.greatest_above}"),
        ]
    )
    print_table(
        ("false alarm", "least missed detection"),
        [(exact_text(pair.false_alarm), str(pair.missed_detection)) for pair in answer.pairs],
    )
    print_facts([("in words", sentence) for sentence in answer.words])
    if answer.picture is not None:
        print_facts([("picture", answer.picture)])

"""The command ``attack``: what an attack proves, and whether it refutes a plan."""

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
    RigorOption,
    source_of,
)
from optcomp.cli.render import printable, show_json
from optcomp.cli.status import Status, guarded
from optcomp.quantities import Enclosure, exact_text
from optcomp.usecases.attack import AttackAnswer, AttackCounts, AttackRequest, AttackVerdict, judge_attack

__all__ = ["attack", "show_attack"]

_DIGITS = 6


def attack(
    false_positives: Annotated[
        int, typer.Option("--false-positives", help="How many nonmember trials the attack called members.")
    ],
    nonmembers: Annotated[int, typer.Option("--nonmembers", help="How many nonmember trials there were.")],
    true_positives: Annotated[
        int, typer.Option("--true-positives", help="How many member trials the attack called members.")
    ],
    members: Annotated[int, typer.Option("--members", help="How many member trials there were.")],
    delta: Annotated[str, typer.Option("--delta", help="Between 0 and 1. Text is exact: 1e-6, 1/3.")],
    confidence: Annotated[
        str, typer.Option("--confidence", help="How often such a statement is right, over the trials.")
    ] = "0.95",
    plan: PlanArgument = None,
    each: EachOption = None,
    count: CountOption = None,
    picture: Annotated[
        str | None,
        typer.Option("--picture", help="Draw the plan's curve and the attack into this file.", metavar="FILE"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a picture that is there already.")] = False,
    adjacency: AdjacencyOption = None,
    rigor: RigorOption = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """The epsilon that an attack's counts prove, and whether they refute a plan.

    A trial is one run with one guess; trials are independent. With a plan, exit status 0: the attack is consistent with
    it; 5: the attack contradicts it.
    """
    with guarded():
        source = None
        if any(given is not None for given in (plan, format_, adjacency)) or each or count:
            source = source_of(plan, format_, each, count, adjacency)
        request = AttackRequest(
            counts=AttackCounts(false_positives, nonmembers, true_positives, members),
            delta=delta,
            confidence=confidence,
            source=source,
            rigor=rigor,
            picture=picture,
            force=force,
        )
        answer = judge_attack(request)
        show_attack(answer, as_json=as_json)
        if picture is not None and not as_json:
            typer.echo(printable(f"Picture: {picture}"))
    if answer.plan is not None and answer.plan.verdict is AttackVerdict.CONTRADICTED:
        raise typer.Exit(Status.VERIFICATION_FAILED)


def show_attack(answer: AttackAnswer, *, as_json: bool) -> None:
    """Print what an attack proves."""
    if as_json:
        show_json(_as_object(answer))
        return
    for line in _sentences(answer):
        typer.echo(printable(line))


def _ends(interval: Enclosure) -> dict[str, str]:
    return {"lower": exact_text(interval.lower), "upper": exact_text(interval.upper)}


def _as_object(answer: AttackAnswer) -> dict[str, object]:
    bound, plan, counts = answer.bound, answer.plan, answer.bound.counts
    return {
        "delta": exact_text(bound.delta),
        "confidence": exact_text(bound.confidence),
        "false_positives": counts.false_positives,
        "nonmembers": counts.nonmembers,
        "true_positives": counts.true_positives,
        "members": counts.members,
        "false_positive_rate": _ends(bound.false_positive_rate),
        "false_negative_rate": _ends(bound.false_negative_rate),
        "epsilon_at_least": exact_text(bound.epsilon.lower),
        "plan": None
        if plan is None
        else {
            "title": plan.title,
            "adjacency": plan.adjacency,
            "assumption": plan.assumption,
            "epsilon": _ends(plan.epsilon),
        },
        "verdict": None if plan is None else plan.verdict.value,
    }


def _sentences(answer: AttackAnswer) -> list[str]:
    """The answer in short sentences; every number is rounded to its safe side."""
    bound, plan, counts = answer.bound, answer.plan, answer.bound.counts
    level, share = exact_text(bound.confidence), exact_text(bound.delta)
    found = [
        _counted("False positives", counts.false_positives, counts.nonmembers, bound.false_positive_rate),
        _counted("False negatives", counts.false_negatives, counts.members, bound.false_negative_rate),
        f"At delta {share}, epsilon is at least {_down(bound.epsilon)}. This holds with confidence {level}.",
    ]
    if plan is None:
        return found
    if plan.title is not None:
        found.append(f"Plan: {plan.title}.")
    if plan.adjacency is not None:
        found.append(f"Adjacency: {plan.adjacency}.")
    if plan.assumption is not None:
        found.append(f"Assumed: {plan.assumption}")
    found.append(f"The plan guarantees that epsilon is at most {_up(plan.epsilon)}.")
    if plan.verdict is AttackVerdict.CONTRADICTED:
        return [*found, "Verdict: contradicted. The attack does what the plan rules out."]
    return [*found, "Verdict: consistent. The attack stays within what the plan allows."]


def _counted(name: str, hits: int, trials: int, rate: Enclosure) -> str:
    return f"{name}: {hits} of {trials}. The rate lies in [0, {_up(rate)}]."


def _down(interval: Enclosure) -> str:
    return exact_text(interval.rounded(_DIGITS).lower)


def _up(interval: Enclosure) -> str:
    return exact_text(interval.rounded(_DIGITS).upper)

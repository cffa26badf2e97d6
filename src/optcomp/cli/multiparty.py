"""The commands ``multiparty solve``, ``broadcast``, ``decide``, ``figure`` and ``survey``."""

from __future__ import annotations

from typing import Annotated

import typer

from optcomp.cli.options import FormatOption, JsonOption, standard_input
from optcomp.cli.render import ends_of, print_facts, print_table, show_json
from optcomp.cli.status import guarded
from optcomp.quantities import exact_text
from optcomp.usecases import (
    ProblemFile,
    SurveyRequest,
    broadcast_bit,
    decide_from,
    draw_accuracies,
    plan_survey,
    solve_problem,
)

__all__ = ["multiparty_app"]

multiparty_app = typer.Typer(
    help="Many parties with a bit each: what can they find out together, and what does each answer?",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Problem = Annotated[
    str, typer.Argument(help="A problem file: TOML, YAML or JSON; - reads standard input.", metavar="PROBLEM")
]
_Transcript = Annotated[str, typer.Option("--transcript", help="The folder of the messages.", metavar="FOLDER")]
_Bit = Annotated[
    str | None,
    typer.Option("--bit", help="The own bit, 0 or 1; - reads it from standard input, where nobody sees it."),
]


@multiparty_app.command()
def solve(
    problem: _Problem,
    worst: Annotated[bool, typer.Option("--worst", help="On the worst data, not on average.")] = False,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """The best accuracy of every listener, and what everybody's privacy costs it."""
    with guarded():
        answer = solve_problem(_file(problem, format_), worst=worst)
        if as_json:
            show_json(
                {
                    "title": answer.title,
                    "measure": answer.measure,
                    "listeners": [
                        {
                            "name": each.name,
                            "function": each.function,
                            "accuracy": ends_of(each.accuracy),
                            "lost_to_privacy": ends_of(each.lost),
                            "method": each.method,
                            "rule": each.rule,
                        }
                        for each in answer.listeners
                    ],
                }
            )
            return
        print_facts([("problem", answer.title), ("accuracy", answer.measure)])
        print_table(
            ("listener", "wants", "best accuracy", "lost to privacy", "found by"),
            [(each.name, each.function, str(each.accuracy), str(each.lost), each.method) for each in answer.listeners],
        )
        print_facts([(f"{each.name} should", each.rule) for each in answer.listeners])


@multiparty_app.command()
def broadcast(
    problem: _Problem,
    party: Annotated[int, typer.Option("--party", help="The number of the party, from 0.")],
    transcript: _Transcript,
    bit: _Bit = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw one party's message, exactly, and put it into the transcript. Each party does so once."""
    with guarded():
        path = broadcast_bit(_file(problem, format_), party=party, bit=_own(bit) or "", folder=transcript)
        if as_json:
            show_json({"message": path})
        else:
            print_facts([("message", path)])


@multiparty_app.command()
def decide(
    problem: _Problem,
    transcript: _Transcript,
    party: Annotated[int | None, typer.Option("--party", help="The listener's number; none for the observer.")] = None,
    bit: _Bit = None,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """The best answer to what was heard."""
    with guarded():
        answer = decide_from(_file(problem, format_), folder=transcript, party=party, bit=_own(bit))
        if as_json:
            show_json({"answer": answer.answer, "expected_accuracy_about": answer.score, "rule": answer.rule})
        else:
            print_facts(
                [("answer", answer.answer), ("expected accuracy", f"about {answer.score:.4g}"), ("rule", answer.rule)]
            )


@multiparty_app.command()
def figure(
    problem: _Problem,
    out: Annotated[str, typer.Option("--out", help="A .svg, .pdf or .png file.", metavar="FILE")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the accuracies against a common epsilon."""
    with guarded():
        draw_accuracies(_file(problem, format_), out=out, force=force)
        if as_json:
            show_json({"picture": out})
        else:
            print_facts([("picture", out)])


@multiparty_app.command()
def survey(
    epsilon: Annotated[str, typer.Option("--epsilon", help="What one answer may give away: 1, ln(3).")],
    questions: Annotated[int, typer.Option("--questions", help="How many questions each person answers.")] = 1,
    delta: Annotated[str, typer.Option("--delta", help="For all answers of one person together.")] = "0",
    half_width: Annotated[
        str | None, typer.Option("--half-width", help="The largest wanted error of a share, such as 0.02.")
    ] = None,
    confidence: Annotated[str, typer.Option("--confidence", help="Of that error, and of the interval.")] = "0.95",
    positives: Annotated[int | None, typer.Option("--positives", help="How many answered yes.")] = None,
    respondents: Annotated[int | None, typer.Option("--respondents", help="How many answered at all.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Design a survey by randomized response: field instructions, sample size, and afterwards the estimate."""
    with guarded():
        answer = plan_survey(
            SurveyRequest(
                epsilon=epsilon,
                questions=questions,
                delta=delta,
                half_width=half_width,
                confidence=confidence,
                positives=positives,
                respondents=respondents,
            )
        )
        share = answer.share
        if as_json:
            show_json(
                {
                    "chance_of_truth": exact_text(answer.truth),
                    "epsilon": answer.epsilon,
                    "instructions": answer.instructions,
                    "epsilon_of_all_answers": ends_of(answer.whole),
                    "sample_size": answer.sample_size,
                    "share": None if share is None else ends_of(share[0]),
                    "interval": None if share is None else ends_of(share[1]),
                }
            )
            return
        print_facts(
            [
                ("chance of the truth", exact_text(answer.truth)),
                ("one answer", f"epsilon {answer.epsilon}"),
                ("all answers of one person", f"epsilon {answer.whole} at delta {delta}"),
                ("instructions", answer.instructions),
                ("people", None if answer.sample_size is None else f"{answer.sample_size} are enough"),
                ("share", None if share is None else str(share[0])),
                ("interval", None if share is None else str(share[1].rounded(6))),
            ]
        )


def _file(path: str, format_: str | None) -> ProblemFile:
    return ProblemFile(path=path, format=format_, standard_input=standard_input())


def _own(bit: str | None) -> str | None:
    return standard_input().read(16).decode("ascii", "replace") if bit == "-" else bit

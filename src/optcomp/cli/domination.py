"""The commands ``dominates`` and ``simulate-from``."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated

import typer

from optcomp.cli.options import FormatOption, JsonOption, standard_input
from optcomp.cli.render import print_facts, print_table, show_json
from optcomp.cli.status import Status, guarded
from optcomp.errors import InvalidParameterError
from optcomp.quantities import exact_text
from optcomp.usecases import PairFile, SimulationAnswer, compare_pairs, simulate_pair

__all__ = ["dominates", "simulate_from"]

_PAIR = "A file with the lists first and second, the probabilities of each outcome; - reads standard input."


def dominates(
    first: Annotated[str, typer.Argument(help=_PAIR, metavar="FIRST")],
    second: Annotated[str, typer.Argument(help=_PAIR, metavar="SECOND")],
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Whether the second finite mechanism can be made from the first one without looking at the data.

    Exit status 0: it can, and the kernel is printed; 3: it cannot, and an epsilon that shows it is printed.
    """
    with guarded():
        if first == second == "-":
            raise InvalidParameterError(
                field="second",
                value="-",
                condition="must be a file when the first is standard input",
                remedy="Standard input can be read once only.",
            )
        found = compare_pairs(_file(first, format_), _file(second, format_))
        witness = found.witness
        if as_json:
            show_json(
                {
                    "dominates": found.holds,
                    "kernel": None if found.kernel is None else _texts(found.kernel.rows),
                    "witness": None
                    if witness is None
                    else {
                        "exp_epsilon": exact_text(witness.exp_epsilon),
                        "first_delta": exact_text(witness.first_delta),
                        "second_delta": exact_text(witness.second_delta),
                    },
                }
            )
        elif found.kernel is not None:
            print_facts([("verdict", "the first dominates the second: replace each of its outcomes by these laws")])
            _print_rows(found.kernel.rows)
        elif witness is not None:
            print_facts(
                [
                    ("verdict", "the first does not dominate the second"),
                    (
                        "at e^epsilon",
                        exact_text(witness.exp_epsilon)
                        + (", which speaks of the data sets in the other order" if witness.exp_epsilon < 1 else ""),
                    ),
                    ("first delta", exact_text(witness.first_delta)),
                    ("second delta", f"{exact_text(witness.second_delta)}, which is larger"),
                ]
            )
    if not found.holds:
        raise typer.Exit(Status.OVER_BUDGET)


def simulate_from(
    pair: Annotated[str, typer.Argument(help=_PAIR, metavar="PAIR")],
    epsilon: Annotated[str, typer.Option("--epsilon", help="The logarithm of a rational number, such as ln(3), or 0.")],
    delta: Annotated[str, typer.Option("--delta", help="Between 0 and 1. Text is exact: 1e-6, 1/3.")] = "0",
    two_stages: Annotated[
        bool, typer.Option("--two-stages", help="By way of a randomized response with a delta for each order.")
    ] = False,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a finite (epsilon, delta)-DP mechanism from the four-outcome randomized response, exactly."""
    with guarded():
        answer = simulate_pair(_file(pair, format_), epsilon=epsilon, delta=delta, two_stages=two_stages)
        if as_json:
            show_json(_as_json(answer))
            return
        print_facts(
            [
                ("randomized response", f"epsilon {answer.epsilon}, delta {answer.delta}"),
                ("first data set", _line(answer.source.first)),
                ("second data set", _line(answer.source.second)),
                ("then", "replace each of the four outcomes by these laws; both rows come out exactly"),
            ]
        )
        _print_rows(answer.combined.rows)
        if answer.generalised is not None:
            print_facts(
                [
                    ("between both stages", ""),
                    ("first data set", _line(answer.generalised.first)),
                    ("second data set", _line(answer.generalised.second)),
                ]
            )
            for name, stage in zip(("first stage", "second stage"), answer.stages, strict=True):
                print_facts([(name, "")])
                _print_rows(stage.rows)


def _as_json(answer: SimulationAnswer) -> dict[str, object]:
    middle = answer.generalised
    return {
        "epsilon": answer.epsilon,
        "delta": answer.delta,
        "source": {"first": _row(answer.source.first), "second": _row(answer.source.second)},
        "target": {"first": _row(answer.target.first), "second": _row(answer.target.second)},
        "generalised": None if middle is None else {"first": _row(middle.first), "second": _row(middle.second)},
        "stages": [_texts(stage.rows) for stage in answer.stages],
        "kernel": _texts(answer.combined.rows),
    }


def _file(path: str, format_: str | None) -> PairFile:
    return PairFile(path=path, format=format_, standard_input=standard_input())


def _row(law: Iterable[Fraction]) -> list[str]:
    return [exact_text(each) for each in law]


def _texts(rows: Iterable[Iterable[Fraction]]) -> list[list[str]]:
    return [_row(row) for row in rows]


def _line(law: Iterable[Fraction]) -> str:
    return ", ".join(_row(law))


def _print_rows(rows: Iterable[Iterable[Fraction]]) -> None:
    print_table(("outcome", "is replaced by"), [(str(place), _line(row)) for place, row in enumerate(rows)])

"""The commands ``release`` and ``estimate``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from optcomp.cli.options import FormatOption, JsonOption, source_of, standard_input
from optcomp.cli.render import ends_of, print_facts, print_table, show_json
from optcomp.cli.status import guarded
from optcomp.quantities import Enclosure, exact_text
from optcomp.usecases.estimate import EstimateAnswer, EstimateRequest, estimate_file
from optcomp.usecases.release import ReleaseAnswer, ReleaseRequest, release_file

__all__ = ["estimate", "release"]

_DIGITS = 6

_PlanArgument = Annotated[
    str, typer.Argument(help="A plan file: TOML, YAML or JSON; - reads standard input.", metavar="PLAN")
]
_NameOption = Annotated[str, typer.Option("--name", help="The name of one of the plan's releases.")]
_PlacesOption = Annotated[
    int,
    typer.Option(
        "--places",
        help="How many decimals all values have. The mechanism's sensitivity and noise count in units of the last one.",
    ),
]
_CategoriesOption = Annotated[
    str | None,
    typer.Option("--categories", help="For responses: how many categories there are, or their names: yes,no."),
]
_HeaderOption = Annotated[bool, typer.Option("--header", help="The first line of the file holds names.")]


def release(
    plan: _PlanArgument,
    name: _NameOption,
    values: Annotated[
        str,
        typer.Option(
            "--values",
            help="The exact values as CSV: a value on each line, or a label and a value; - reads standard input.",
            metavar="FILE",
        ),
    ],
    record: Annotated[
        str,
        typer.Option("--record", help="The plan's record. It is created for the first slot.", metavar="FOLDER"),
    ],
    run: Annotated[
        int | None,
        typer.Option("--run", help="Which run of the release, from 0 on; by default the first that is free."),
    ] = None,
    places: _PlacesOption = 0,
    categories: _CategoriesOption = None,
    header: _HeaderOption = False,
    out: Annotated[
        str | None,
        typer.Option("--out", help="Write the noisy values here, not to standard output.", metavar="FILE"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file of --out. A slot that is spent stays spent.")
    ] = False,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a plan's noise to values, once for each slot, and note it in the plan's record before anything is drawn.

    The noisy values come in the shape of the exact ones. Exit status 2: refused, and nothing was drawn.
    """
    with guarded():
        answer = release_file(
            ReleaseRequest(
                source=source_of(plan, format_, None, None, None),
                name=name,
                values=values,
                record=record,
                run=run,
                places=places,
                categories=categories,
                header=header,
                out=out,
                force=force,
                standard_input=standard_input(),
            )
        )
        _show_release(answer, as_json=as_json)


def estimate(
    plan: _PlanArgument,
    name: _NameOption,
    observed: Annotated[
        str,
        typer.Option(
            "--observed", help="The noisy values as they were released; - reads standard input.", metavar="FILE"
        ),
    ],
    places: _PlacesOption = 0,
    categories: _CategoriesOption = None,
    header: _HeaderOption = False,
    confidence: Annotated[
        str, typer.Option("--confidence", help="With which probability an interval contains the truth.")
    ] = "0.95",
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="All intervals hold together with that probability.")
    ] = False,
    format_: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """What was true, from noisy values: unbiased estimates with exact confidence intervals."""
    with guarded():
        answer = estimate_file(
            EstimateRequest(
                source=source_of(plan, format_, None, None, None),
                name=name,
                observed=observed,
                places=places,
                categories=categories,
                header=header,
                confidence=confidence,
                simultaneous=simultaneous,
                standard_input=standard_input(),
            )
        )
        _show_estimate(answer, as_json=as_json)


def _show_release(answer: ReleaseAnswer, *, as_json: bool) -> None:
    entry = answer.entry
    if as_json:
        show_json(
            {
                "title": answer.title,
                "slot": entry,
                "file": answer.file,
                "labels": None if answer.labels is None else list(answer.labels),
                "values": list(answer.values),
                "out": answer.out,
            }
        )
    elif answer.out is None:
        sys.stdout.write(answer.text)
        sys.stdout.flush()
    else:
        print_facts(
            [
                ("plan", answer.title),
                ("slot", f"{entry['name']}, run {entry['run']}"),
                ("drawn from", str(entry["source"])),
                ("values", str(entry["count"])),
                ("written to", answer.out),
                ("recorded in", answer.file),
            ]
        )


def _show_estimate(answer: EstimateAnswer, *, as_json: bool) -> None:
    found = answer.found
    if as_json:
        rows = [
            {"name": name, "estimate": ends_of(each.value), "interval": ends_of(each.interval)}
            for name, each in zip(found.names, found.estimates, strict=True)
        ]
        show_json(
            {
                "title": answer.title,
                "release": answer.name,
                "kind": found.kind,
                "confidence": exact_text(answer.confidence),
                "simultaneous": found.simultaneous,
                "estimates": rows,
            }
        )
        return
    together = "all together" if found.simultaneous else "each by itself"
    print_facts(
        [
            ("plan", answer.title),
            ("release", answer.name),
            ("confidence", exact_text(answer.confidence) + (f", {together}" if len(found.names) > 1 else "")),
        ]
    )
    rounded = found.kind == "share"
    print_table(
        ("name", found.kind, "interval"),
        (
            (name, _middle(each.value, rounded=rounded), _both(each.interval, rounded=rounded))
            for name, each in zip(found.names, found.estimates, strict=True)
        ),
    )


def _middle(value: Enclosure, *, rounded: bool) -> str:
    return exact_text(value.lower) if value.is_exact and not rounded else str(value.rounded(_DIGITS))


def _both(interval: Enclosure, *, rounded: bool) -> str:
    """Both ends; where they are rounded, outwards."""
    shown = interval.rounded(_DIGITS) if rounded else interval
    return f"[{exact_text(shown.lower)}, {exact_text(shown.upper)}]"

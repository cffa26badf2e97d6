"""The command ``figures``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optcomp.cli.options import JsonOption
from optcomp.cli.render import printable, show_json
from optcomp.cli.status import guarded
from optcomp.usecases.figures import FiguresAnswer, FiguresRequest, make_figures

__all__ = ["figures"]


def figures(
    paper: Annotated[str, typer.Option("--paper", help="kov, mv or ours.")],
    out: Annotated[Path, typer.Option("--out", help="The folder for the files; it is made when it is missing.")],
    figure: Annotated[int | None, typer.Option("--figure", help="The number of one figure, instead of all.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there already.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write the figures of a paper: vector pictures, their numbers as CSV, and captions with the theorems.

    Each figure becomes four files: .svg, .pdf, .csv with the exact ends of all intervals, and .txt. kov is Kairouz, Oh
    and Viswanath, mv is Murtagh and Vadhan, ours shows two plans of the real world.
    """
    with guarded():
        answer = make_figures(FiguresRequest(paper=paper, out=out, figure=figure, force=force))
        _show(answer, as_json=as_json)


def _show(answer: FiguresAnswer, *, as_json: bool) -> None:
    if as_json:
        written = [
            {
                "figure": each.figure,
                "name": each.picture.name,
                "title": each.picture.title,
                "sources": list(each.picture.sources),
                "files": [str(path) for path in each.files],
            }
            for each in answer.written
        ]
        show_json({"paper": answer.paper, "written": written})
        return
    for each in answer.written:
        typer.echo(f"{answer.paper} {each.figure}: {each.picture.title}")
        for path in each.files:
            typer.echo(f"  {printable(str(path))}")

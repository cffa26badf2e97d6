"""The commands ``optcomp hardness ...``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from optcomp.cli.options import JsonOption
from optcomp.cli.render import printable, show_json
from optcomp.cli.status import guarded
from optcomp.usecases.hardness import walk_as_json, walk_in_words, walk_through

__all__ = ["hardness_app"]

hardness_app = typer.Typer(
    name="hardness",
    help="Why optimal composition is hard.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@hardness_app.callback()
def _hardness() -> None:
    """Why optimal composition is hard: counting problems that it solves."""


@hardness_app.command()
def demo(
    integers: Annotated[
        str, typer.Option("--integers", help="Whole numbers of at least 1, with commas between them.")
    ] = "1,1,2",
    as_json: JsonOption = False,
) -> None:
    """Count the even splits of a few integers by asking for optimal compositions, and show every step."""
    with guarded():
        found = walk_through(integers)
        if as_json:
            show_json(walk_as_json(found))
            return
        sys.stdout.write("".join(f"{printable(line)}\n" for line in walk_in_words(found)))
        sys.stdout.flush()

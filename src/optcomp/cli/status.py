"""Exit statuses, and the one place where errors become one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import typer

from optcomp.cli.progress import patience
from optcomp.cli.render import printable
from optcomp.errors import OptcompError, UndecidedError

__all__ = ["Status", "guarded"]


class Status(IntEnum):
    """What the exit status of the program means."""

    OK = 0
    INTERNAL = 1
    BAD_INPUT = 2
    OVER_BUDGET = 3
    UNDECIDED = 4
    VERIFICATION_FAILED = 5


@contextmanager
def guarded() -> Iterator[None]:
    """Turn an error of the library into one clear message and its status, and say so when the work takes long."""
    with patience():
        try:
            yield
        except OptcompError as error:
            typer.echo(f"optcomp: {printable(str(error))}", err=True)
            raise typer.Exit(Status.UNDECIDED if isinstance(error, UndecidedError) else Status.BAD_INPUT) from None
        except BrokenPipeError:  # the reader of our output went away, which is its right
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(Status.OK) from None
        except OSError as error:
            typer.echo(f"optcomp: the answer cannot be written ({error.strerror})", err=True)
            raise typer.Exit(Status.INTERNAL) from None

"""A sign of life on standard error while an answer takes long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer

__all__ = ["patience"]

_FIRST = 1.0  # seconds before the first line
_PAUSE = 3.0  # seconds between lines


@contextmanager
def patience() -> Iterator[None]:
    """Say every few seconds that something is going on, where a person looks on.

    Only a terminal gets these lines: standard error of scripts stays empty, and standard output is never touched.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    start = time.monotonic()

    def watch() -> None:
        pause = _FIRST
        while not done.wait(pause):
            typer.echo(f"optcomp: still computing, {time.monotonic() - start:.0f} s", err=True)
            pause = _PAUSE

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()

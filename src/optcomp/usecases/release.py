"""Release a file of values by a plan."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from optcomp.documents import read_bytes
from optcomp.errors import InvalidParameterError
from optcomp.release import Released, Table, read_table, release
from optcomp.release.durable import temporary_beside
from optcomp.usecases.source import Source

__all__ = ["ReleaseAnswer", "ReleaseRequest", "categories_from", "refuse_two_inputs", "release_file", "table_of"]


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest:
    """Values to release.

    Args:
        source: The plan file.
        name: Of the release.
        values: The file of exact values, or ``-`` for standard input.
        record: The plan's record.
        run: Which run; by default the first that is free.
        places: How many decimals the values have.
        categories: For responses: a number of categories, or names with commas.
        header: Whether the first line of the file holds names.
        out: A file for the noisy values.
        force: Whether ``out`` may be replaced. It never frees a slot.
        standard_input: Where ``-`` reads from.
    """

    source: Source
    name: str
    values: str
    record: str
    run: int | None = None
    places: int = 0
    categories: str | None = None
    header: bool = False
    out: str | None = None
    force: bool = False
    standard_input: BinaryIO = field(default_factory=io.BytesIO)


@dataclass(frozen=True, kw_only=True)
class ReleaseAnswer:
    """What was released.

    Args:
        title: The plan's title.
        entry: What the record says, as a JSON object.
        file: The slot's file.
        labels: The labels of the values, where they have any.
        values: The noisy values as text.
        text: The same as CSV, in the shape of the file of exact values.
        out: Where that was written.
    """

    title: str | None
    entry: dict[str, object]
    file: str
    labels: tuple[str, ...] | None
    values: tuple[str, ...]
    text: str
    out: str | None


def release_file(request: ReleaseRequest) -> ReleaseAnswer:
    """Release a file of values.

    **Guarantee**: see `optcomp.release.release`. What is wrong with the files is found before a slot is spent.

    Raises:
        InvalidParameterError: See `optcomp.release.release`; also when ``out`` is there and ``force`` was not said.
        UnsupportedError: See `optcomp.release.release`.
        UndecidedError: See `optcomp.release.release`.
    """
    refuse_two_inputs(request.source.path, request.values, field="values")
    plan = request.source.plan()
    table = table_of(request.values, header=request.header, standard_input=request.standard_input)
    with _room_for(request) as written:
        found = release(
            table.column,
            plan,
            name=request.name,
            record=request.record,
            run=request.run,
            places=request.places,
            categories=categories_from(request.categories),
            header=table.header,
        )
        if written is not None:
            _publish(found, written, Path(request.out or ""), force=request.force)
    return ReleaseAnswer(
        title=plan.title,
        entry=found.entry.to_json(),
        file=str(found.file),
        labels=found.labels,
        values=tuple(map(str, found.values)),
        text=found.text,
        out=request.out,
    )


def table_of(path: str, *, header: bool, standard_input: BinaryIO) -> Table:
    """The values in a file, or on standard input for ``-``.

    Raises:
        DocumentError: When they cannot be read.
    """
    where = "standard input" if path == "-" else path
    return read_table(read_bytes(path, standard_input=standard_input), where=where, header=header)


def categories_from(text: str | None) -> int | tuple[str, ...] | None:
    """A number of categories, or their names, from ``3`` or ``yes,no``."""
    if text is None:
        return None
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else tuple(text.split(","))


def refuse_two_inputs(plan: str | None, values: str, *, field: str) -> None:
    """Refuse a plan and values that both come from standard input."""
    if plan == "-" and values == "-":
        raise InvalidParameterError(
            field=field, value="-", condition="and the plan cannot both be standard input", remedy="Name a file."
        )


@contextmanager
def _room_for(request: ReleaseRequest) -> Iterator[Path | None]:
    """An empty file beside ``out``, which shows before a slot is spent that something can be written there."""
    if request.out is None:
        yield None
        return
    out = Path(request.out)
    _refuse_to_overwrite(out, request)
    fresh = temporary_beside(out.absolute())
    try:
        fresh.touch(exist_ok=False)
    except OSError as error:
        raise InvalidParameterError(
            field="out",
            value=request.out,
            condition=f"cannot be written ({error.strerror or error})",
            remedy="Name a file in a folder that exists. Nothing was drawn.",
        ) from None
    try:
        yield fresh
    except BaseException:
        if fresh.exists() and fresh.stat().st_size == 0:
            fresh.unlink()
        raise


def _refuse_to_overwrite(out: Path, request: ReleaseRequest) -> None:
    if not out.exists() and not out.is_symlink():
        return
    condition = "must not be there already"
    if not out.is_file() or any(_is_same(out, each) for each in (request.values, request.source.path)):
        condition = "must be a file of its own"
    elif request.force:
        return
    raise InvalidParameterError(
        field="out",
        value=str(out),
        condition=condition,
        remedy="Choose another file, or add --force to replace one. Nothing was drawn.",
    )


def _is_same(out: Path, other: str | None) -> bool:
    return other not in {None, "-"} and Path(other or "").exists() and out.samefile(other or "")


def _publish(found: Released, fresh: Path, out: Path, *, force: bool) -> None:
    """Give the text its name; where that fails after all, it stays where it is, since the slot is spent."""
    fresh.write_text(found.text, encoding="utf-8", newline="\n")
    try:
        if force:
            fresh.replace(out)
        else:
            os.link(fresh, out)  # unlike a renaming, this replaces nothing
            fresh.unlink()
    except OSError as error:
        raise InvalidParameterError(
            field="out",
            value=str(out),
            condition=f"cannot be written ({error.strerror or error})",
            remedy=f"The slot is spent; what was released is in {fresh}.",
        ) from None

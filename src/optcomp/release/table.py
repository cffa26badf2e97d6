"""Values as CSV text: a column of values, or labels in a first column and values in a second one."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from optcomp.errors import DocumentError
from optcomp.release.values import Column

__all__ = ["Table", "read_table", "write_table"]


@dataclass(frozen=True)
class Table:
    """A table that was read.

    Args:
        column: The values as texts, with their labels where there are any.
        header: The line of names, where there is one.
    """

    column: Column
    header: tuple[str, ...] | None = None


def read_table(content: bytes, *, where: str, header: bool = False) -> Table:
    """Read values from CSV text.

    Args:
        content: UTF-8, with commas; one or two columns, as many in every line.
        where: The name of the file, for errors.
        header: Whether the first line holds names. That is never guessed, since a mistyped first value would pass for
            a name.

    Raises:
        DocumentError: When it is no such table, is empty, or a label stands twice. It names the line, and shows no
            value.
    """
    try:
        text = content.decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        lines = [(reader.line_num, tuple(row)) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        reason = "it is no UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
        raise _refused(where, "file", "text, not shown", f"cannot be read as CSV ({reason})", "Mend it.") from None
    while lines and not any(lines[-1][1]):
        lines.pop()
    names = lines.pop(0)[1] if header and lines else None
    if not lines:
        raise _refused(where, "file", "no values", "must hold at least one value", "Write one value on each line.")
    width = len(names or lines[0][1])
    for number, row in lines:
        if len(row) != width or width > 2 or not row[-1].strip():
            raise _refused(
                where,
                f"line {number}",
                f"{len(row)} columns",
                "must hold a value, or a label and a value, like the other lines",
                "Mend that line.",
            )
    values = tuple(row[-1] for _, row in lines)
    if width == 1:
        return Table(Column(values), names)
    labels = tuple(row[0] for _, row in lines)
    seen: set[str] = set()
    for number, row in lines:
        if row[0] in seen:
            raise _refused(where, f"line {number}", row[0], "has a label that stood before", "Label each value once.")
        seen.add(row[0])
    return Table(Column(values, labels), names)


def write_table(values: tuple[str, ...], labels: tuple[str, ...] | None, header: tuple[str, ...] | None) -> str:
    """The CSV text of values, each line ended by a line feed."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    if header is not None:
        writer.writerow(header)
    writer.writerows(((value,) for value in values) if labels is None else zip(labels, values, strict=True))
    return written.getvalue()


def _refused(where: str, field: str, value: object, condition: str, remedy: str) -> DocumentError:
    return DocumentError(where=where, field=field, value=value, condition=condition, remedy=remedy)

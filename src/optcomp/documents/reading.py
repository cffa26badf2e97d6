"""From bytes to plain mappings, with numbers as exact decimals and errors that name the file and the line."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO

from optcomp.errors import DocumentError

__all__ = ["FORMATS", "LARGEST_FILE", "parse", "parse_any", "read_bytes"]

LARGEST_FILE = 16 * 2**20
"""The largest file that is read, in bytes."""

_STANDARD_INPUT = "-"
_MOST_DOTS = 1000


def read_bytes(path: str, *, standard_input: BinaryIO) -> bytes:
    """The content of a file, or of standard input for ``-``.

    Raises:
        DocumentError: When there is no such file, it cannot be read, or it is larger than 16 MB.
    """
    where = _name(path)
    try:
        if path == _STANDARD_INPUT:
            content = standard_input.read(LARGEST_FILE + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DocumentError(
            where=where, field="file", value=path, condition=f"cannot be read ({reason})", remedy="Check the path."
        ) from None
    if len(content) > LARGEST_FILE:
        raise DocumentError(
            where=where,
            field="file",
            value=f"more than {LARGEST_FILE} bytes",
            condition="must be at most 16 MB",
            remedy="Use count for repeated mechanisms.",
        )
    return content


def parse(content: bytes, *, path: str, format: str | None = None) -> dict[str, object]:  # noqa: A002  # the option's name
    """Read a TOML, JSON or YAML document that is one object.

    Args:
        content: The bytes of the file.
        path: Its name, for errors and for the ending ``.toml``, ``.json``, ``.yaml`` or ``.yml``.
        format: ``toml``, ``json`` or ``yaml``; by default the ending decides, else JSON when it begins with ``{``.

    Raises:
        DocumentError: When the content is empty, binary, or no such document.
    """
    found = parse_any(content, path=path, format=format)
    if not isinstance(found, dict):
        raise DocumentError(
            where=_name(path),
            field="file",
            value=found,
            condition="must be an object",
            remedy="Begin with { and a title.",
        )
    return found


def parse_any(content: bytes, *, path: str, format: str | None = None) -> object:  # noqa: A002  # the option's name
    """The same, whatever stands at the top."""
    where = _name(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise DocumentError(
            where=where,
            field="file",
            value="binary data",
            condition="must be text in UTF-8",
            remedy="Give a text file.",
        )
    if not text.strip():
        raise DocumentError(
            where=where,
            field="file",
            value="nothing",
            condition="must not be empty",
            remedy="Check the path; standard input can be read once only.",
        )
    if format is not None and format not in FORMATS:
        raise DocumentError(
            where=where,
            field="format",
            value=format,
            condition=f"must be one of {', '.join(FORMATS)}",
            remedy="Choose one.",
        )
    loader = FORMATS[format or _format_of(path, text)]
    try:
        found: object = loader(text)
    except (ArithmeticError, RecursionError, ValueError) as error:
        raise DocumentError(
            where=where,
            field="file",
            value=text.strip()[:40],
            condition=f"cannot be read as {loader.__name__.removeprefix('_').upper()} ({_reason(error)})",
            remedy="Mend that place.",
        ) from None
    return found


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, ArithmeticError):  # decimal's own limit, far beyond the one on exponents here
        return "a number has too large an exponent"
    if "integer string conversion" in str(error):
        return "an integer has too many digits to stand there without quotes"
    return str(error)


def _name(path: str) -> str:
    return "standard input" if path == _STANDARD_INPUT else path


def _format_of(path: str, text: str) -> str:
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending in FORMATS:
        return ending
    return "json" if text.lstrip().startswith("{") else "toml"


def _toml(text: str) -> object:
    if any(line.count(".") > _MOST_DOTS for line in text.splitlines()):  # the parser needs the square of their number
        raise ValueError(f"a line has more than {_MOST_DOTS} dots")
    return tomllib.loads(text, parse_float=Decimal)


def _json(text: str) -> object:
    return json.loads(text, parse_float=Decimal, object_pairs_hook=_without_repetition)


def _without_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name!r} stands twice in one object")
        found[name] = value
    return found


def _yaml(text: str) -> object:
    from optcomp.documents.yaml_loader import load_yaml

    return load_yaml(text)


FORMATS: dict[str, Callable[[str], object]] = {"toml": _toml, "json": _json, "yaml": _yaml, "yml": _yaml}
"""The formats that can be read, each with its loader."""

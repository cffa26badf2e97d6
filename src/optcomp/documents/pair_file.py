"""Finite mechanisms from files: two rows of probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from optcomp.documents.reading import parse, read_bytes
from optcomp.errors import DocumentError, InvalidParameterError
from optcomp.quantities import Number
from optcomp.tradeoff import FinitePair

__all__ = ["pair_from_mapping", "read_pair"]

_KEYS = ("title", "first", "second")


def read_pair(path: str, *, standard_input: BinaryIO, format: str | None = None) -> FinitePair:  # noqa: A002  # the option's name
    """Read a finite mechanism.

    Args:
        path: The file, or ``-`` for standard input.
        standard_input: Where ``-`` reads from.
        format: ``toml``, ``json`` or ``yaml``; by default it is told by the ending or the first character.

    Raises:
        DocumentError: For anything else; it names the file, the line or key, the value and the remedy.
    """
    content = read_bytes(path, standard_input=standard_input)
    where = "standard input" if path == "-" else path
    return pair_from_mapping(parse(content, path=path, format=format), where=where)


def pair_from_mapping(obj: Mapping[str, object], *, where: str) -> FinitePair:
    """Read a finite mechanism from plain mappings.

    Args:
        obj: With the keys ``first`` and ``second``, lists of exact probabilities, and perhaps a ``title``.
        where: What to call it in errors.

    Raises:
        DocumentError: See `read_pair`.
    """
    for key in obj:
        if key not in _KEYS:
            raise DocumentError(
                where=where, field=key, value=obj[key], condition="is no key here", remedy=f"Use {', '.join(_KEYS)}."
            )
    try:
        return FinitePair(first=_row(obj, "first"), second=_row(obj, "second"))
    except DocumentError:
        raise
    except InvalidParameterError as error:
        raise DocumentError(
            where=where, field=error.field, value=error.value, condition=error.condition, remedy=error.remedy
        ) from None


def _row(obj: Mapping[str, object], key: str) -> list[Number]:
    found = obj.get(key)
    if not isinstance(found, list) or not found:
        raise InvalidParameterError(
            field=key,
            value=found,
            condition="must be a list of probabilities",
            remedy='Write {"first": ["3/4", "1/4"], "second": ["1/4", "3/4"]}.',
        )
    return found

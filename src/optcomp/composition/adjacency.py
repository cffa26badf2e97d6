"""The relations between neighbouring data sets that have a name here."""

from __future__ import annotations

from optcomp.errors import InvalidParameterError

__all__ = ["ADJACENCIES", "checked_adjacency"]

ADJACENCIES = ("add_or_remove_one", "add_one", "remove_one", "replace_one", "replace_special")
"""The names."""


def checked_adjacency(value: str | None) -> str | None:
    """The name itself, or None where none is given.

    Raises:
        InvalidParameterError: When there is no such relation.
    """
    if value is not None and value not in ADJACENCIES:
        raise InvalidParameterError(
            field="adjacency",
            value=value,
            condition=f"must be one of {', '.join(ADJACENCIES)}",
            remedy="Choose one.",
        )
    return value

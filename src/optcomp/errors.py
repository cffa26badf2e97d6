"""Every exception that optcomp raises on purpose.

::

    OptcompError
    ├── InvalidParameterError   a value that no correct answer exists for (also a ValueError)
    │   └── DocumentError       the same, found in a file: it knows the file and the line or key
    ├── UnsupportedError        a valid question that no engine or theorem here reaches
    └── UndecidedError          a valid question that could not be decided at the highest precision tried

Each carries ``field`` (what was wrong), ``value`` (what was given), ``condition`` (what must hold) and ``remedy``
(what to do about it).
"""

from __future__ import annotations

__all__ = ["DocumentError", "InvalidParameterError", "OptcompError", "UndecidedError", "UnsupportedError"]

_LONGEST_SHOWN = 120


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer too long for decimal text, or a structure too deep to print
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


class OptcompError(Exception):
    """Base of all errors of this library.

    Args:
        field: The name of the parameter, key or question that is at fault.
        value: The value that was given.
        condition: What must hold instead, as the end of a sentence that begins with the field.
        remedy: What the caller can do.
    """

    def __init__(self, *, field: str, value: object, condition: str, remedy: str) -> None:
        super().__init__(field, value, condition, remedy)
        self.field = field
        self.value = value
        self.condition = condition
        self.remedy = remedy

    def __str__(self) -> str:
        """One sentence for people."""
        return f"{self.field} {self.condition}, got {_shown(self.value)}. {self.remedy}"


class InvalidParameterError(OptcompError, ValueError):
    """A parameter is out of range, of the wrong type, or not a number."""


class DocumentError(InvalidParameterError):
    """A file or a JSON object cannot be read as what it claims to be.

    Args:
        where: The file, with the line or the key where there is one.
        field: See `OptcompError`.
        value: See `OptcompError`.
        condition: See `OptcompError`.
        remedy: See `OptcompError`.
    """

    def __init__(self, *, where: str, field: str, value: object, condition: str, remedy: str) -> None:
        super().__init__(field=field, value=value, condition=condition, remedy=remedy)
        self.where = where

    def __str__(self) -> str:
        """One sentence for people, beginning with the place."""
        return f"{self.where}: {super().__str__()}"


class UnsupportedError(OptcompError):
    """The question is sound, but nothing here answers it yet."""


class UndecidedError(OptcompError, ArithmeticError):
    """Two numbers lie so close that the precision tried cannot order them.

    Args:
        field: See `OptcompError`.
        value: See `OptcompError`.
        condition: See `OptcompError`.
        remedy: See `OptcompError`.
        reached: What is known nevertheless, such as an enclosure that is wider than was asked for.
    """

    def __init__(
        self, *, field: str, value: object, condition: str, remedy: str, reached: object | None = None
    ) -> None:
        super().__init__(field=field, value=value, condition=condition, remedy=remedy)
        self.reached = reached

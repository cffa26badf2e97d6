"""The attributes of a foreign event, checked one by one, with errors that name their place in the tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.quantities import count, positive_rational, probability, rational

__all__ = ["DEEPEST", "Place"]

DEEPEST = 50
"""How many events or mechanisms may stand inside one another."""

_MISSING = object()


@dataclass(frozen=True, kw_only=True)
class Place:
    """One event and where in its tree it stands.

    Args:
        event: The event, of any type.
        path: The way to it from the root, such as ``events[2].event``; empty at the root.
        depth: How many events are above it.
        adjacency: The relation that the reader was told, or None.
    """

    event: object
    path: str = ""
    depth: int = 0
    adjacency: str | None = None

    @property
    def name(self) -> str:
        """The name of the event's class, by which it is known."""
        return type(self.event).__name__

    @property
    def where(self) -> str:
        """The path, or ``event`` for the root."""
        return self.path or "event"

    def field(self, name: str) -> str:
        """The path of one attribute."""
        return f"{self.path}.{name}" if self.path else name

    def inner(self, name: str) -> Place:
        """The event in an attribute."""
        return self._below(self.value(name), self.field(name))

    def inner_events(self, name: str) -> tuple[Place, ...]:
        """The events in an attribute that holds a list."""
        listed = self.value(name)
        if isinstance(listed, str | bytes) or not isinstance(listed, Iterable):
            raise InvalidParameterError(
                field=self.field(name), value=listed, condition="must be a list of events", remedy="Write [a, b]."
            )
        return tuple(self._below(each, f"{self.field(name)}[{index}]") for index, each in enumerate(listed))

    def _below(self, event: object, path: str) -> Place:
        if self.depth >= DEEPEST:
            raise InvalidParameterError(
                field=path,
                value=f"depth {self.depth + 1}",
                condition=f"must not be nested deeper than {DEEPEST}",
                remedy="Flatten the tree.",
            )
        return Place(event=event, path=path, depth=self.depth + 1, adjacency=self.adjacency)

    def value(self, name: str, default: object = _MISSING) -> Any:  # noqa: ANN401  # attributes of foreign objects
        """An attribute as it is."""
        found = getattr(self.event, name, default)
        if found is _MISSING:
            raise InvalidParameterError(
                field=self.field(name), value=self.name, condition="is missing", remedy=f"Give the event a {name}."
            )
        return found

    def positive(self, name: str) -> Fraction:
        """An attribute that must be a number above 0."""
        return positive_rational(self.value(name), field=self.field(name))

    def nonnegative(self, name: str, default: object = _MISSING) -> Fraction:
        """An attribute that must be a number of at least 0."""
        value = self.value(name, default)
        number = rational(value, field=self.field(name))
        if number < 0:
            raise InvalidParameterError(
                field=self.field(name), value=value, condition="must be at least 0", remedy="Give a number such as 0.1."
            )
        return number

    def probability(self, name: str) -> Fraction:
        """An attribute that must be a number between 0 and 1."""
        return probability(self.value(name), field=self.field(name))

    def count(self, name: str, *, least: int = 0) -> int:
        """An attribute that must be a whole number."""
        return count(self.value(name), field=self.field(name), least=least)

    def whole(self, name: str, default: object = _MISSING) -> int:
        """An attribute that must be a whole number of at least 0, and may be written as 1.0."""
        number = self.nonnegative(name, default)
        if number.denominator != 1:
            raise InvalidParameterError(
                field=self.field(name), value=number, condition="must be a whole number", remedy="Give an int."
            )
        return number.numerator

    def unsupported(self, reason: str, remedy: str) -> UnsupportedError:
        """The error for an event that no mechanism here stands for."""
        return UnsupportedError(
            field=self.where,
            value=self.event,
            condition=f"is a {self.name}, which cannot be read: {reason}",
            remedy=remedy,
        )

"""What every mechanism is: frozen data that says what was run, and nothing about how it is accounted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from optcomp.errors import InvalidParameterError
from optcomp.quantities import count as _whole_number

__all__ = ["Mechanism", "Repeated"]


@dataclass(frozen=True, init=False)
class Mechanism:
    """A mechanism, or a structure of mechanisms, as permanent data.

    Subclasses are final, take keyword arguments only, and check them when they are made.
    """

    kind: ClassVar[str]

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def repeated(self, count: int) -> Repeated:
        """This mechanism, run ``count`` times on the same data (0 is allowed)."""
        return Repeated(mechanism=self, count=count)


@dataclass(frozen=True, init=False)
class Repeated(Mechanism):
    """One mechanism, run several times on the same data.

    A repetition of a repetition is kept as one, with the product of the counts.

    Args:
        mechanism: What is run.
        count: How many times, at least 0.
    """

    kind: ClassVar[str] = "repeated"
    mechanism: Mechanism
    count: int

    def __init__(self, *, mechanism: Mechanism, count: int) -> None:
        times, inner = _whole_number(count, field="count"), checked(mechanism, field="mechanism")
        if isinstance(inner, Repeated):
            self._set(mechanism=inner.mechanism, count=inner.count * times)
        else:
            self._set(mechanism=inner, count=times)


def checked(value: object, *, field: str) -> Mechanism:
    """The value itself when it is a mechanism, else an error that names the field."""
    if not isinstance(value, Mechanism):
        raise InvalidParameterError(
            field=field, value=value, condition="must be a mechanism", remedy="Give one such as PureDP(epsilon='0.1')."
        )
    return value

"""Mechanisms made of several mechanisms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from optcomp.errors import InvalidParameterError
from optcomp.mechanisms.base import Mechanism, checked

__all__ = ["Sequence"]


@dataclass(frozen=True, init=False)
class Sequence(Mechanism):
    """Several mechanisms, all run on the same data. Their order does not change the guarantee.

    Args:
        parts: The mechanisms.
    """

    kind: ClassVar[str] = "sequence"
    parts: tuple[Mechanism, ...]

    def __init__(self, *, parts: Iterable[Mechanism]) -> None:
        if isinstance(parts, str) or not isinstance(parts, Iterable):
            raise InvalidParameterError(
                field="parts", value=parts, condition="must be a list of mechanisms", remedy="Write [first, second]."
            )
        self._set(parts=tuple(checked(part, field=f"parts[{place}]") for place, part in enumerate(parts)))

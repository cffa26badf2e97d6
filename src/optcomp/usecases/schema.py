"""What files look like."""

from __future__ import annotations

from optcomp.documents import SCHEMAS
from optcomp.errors import InvalidParameterError

__all__ = ["schema_of"]


def schema_of(name: str) -> dict[str, object]:
    """The JSON Schema of a kind of file.

    Raises:
        InvalidParameterError: When there is no such kind.
    """
    if name not in SCHEMAS:
        raise InvalidParameterError(
            field="schema", value=name, condition=f"must be one of {', '.join(SCHEMAS)}", remedy="Choose one."
        )
    return SCHEMAS[name]()

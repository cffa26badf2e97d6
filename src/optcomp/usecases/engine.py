"""Which engine stands behind an answer."""

from __future__ import annotations

from typing import Literal

from optcomp.composition import Profile
from optcomp.engines.auto import RIGORS
from optcomp.errors import InvalidParameterError, UnsupportedError

__all__ = ["Rigor", "checked_rigor", "engine_of"]

Rigor = Literal["float", "ball"]


def checked_rigor(value: str | None) -> Rigor:
    """The rigor of that name, ``float`` by default.

    Raises:
        InvalidParameterError: When there is no such rigor.
    """
    for known in RIGORS:
        if value in {known, None}:
            return known
    raise InvalidParameterError(
        field="rigor", value=value, condition=f"must be one of {', '.join(RIGORS)}", remedy="Choose one."
    )


def engine_of(profile: Profile, rigor: Rigor) -> tuple[str, str]:
    """The name of the engine that is asked first, and why it is that one."""
    try:
        choice = profile.sides[0].choice(rigor)
    except UnsupportedError:
        return "none", "the failure probabilities alone decide"
    return choice.name, choice.reason

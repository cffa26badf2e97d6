"""An answer together with the engine that gave it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from optcomp.composition import Profile
from optcomp.engines.auto import RIGORS
from optcomp.errors import InvalidParameterError
from optcomp.quantities import Enclosure, Number, Real, positive_rational, probability

__all__ = ["Answered", "Rigor", "answered", "checked_rigor"]

Rigor = Literal["float", "ball"]


@dataclass(frozen=True)
class Answered:
    """An enclosure, the engine that it comes from (``none`` where none was needed), and why that engine."""

    value: Enclosure
    engine: str
    reason: str


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


def answered(
    profile: Profile, asked: Literal["epsilon", "delta"], point: Real, *, width: Number | None, rigor: Rigor
) -> Answered:
    """What `Profile.epsilon` or `Profile.delta` answers, and which engine stands behind it.

    Args:
        profile: The composition.
        asked: ``epsilon`` for the least epsilon at a delta, ``delta`` for the other way round.
        point: That delta or epsilon.
        width: The largest acceptable relative width.
        rigor: See `optcomp.Profile.delta`.

    **Guarantee**: ``value.lower <= truth <= value.upper``; in several directions the largest of them is the truth.

    Raises:
        UnsupportedError: As for the profile.
        UndecidedError: As for the profile.
    """
    limit = None if width is None else float(positive_rational(width, field="width"))
    if asked == "delta":
        found = [side.delta(point, width=limit, rigor=rigor) for side in profile.sides]
    else:
        wanted = point if isinstance(point, Fraction) else probability(point, field="delta")
        found = [side.epsilon(wanted, width=limit, rigor=rigor) for side in profile.sides]
    value = Enclosure(max(each.value.lower for each in found), max(each.value.upper for each in found))
    largest = max(found, key=lambda each: each.value.upper)
    if largest.choice is not None:
        return Answered(value, largest.choice.name, largest.choice.reason)
    if asked == "epsilon" and 0 < value.upper < math.inf:
        return Answered(value, "none", "the largest losses alone decide")
    return Answered(value, "none", "the failure probabilities alone decide")

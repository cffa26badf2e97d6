"""Where a composition begins to break its target, in floats. Nothing found here is promised to anyone."""

from __future__ import annotations

import math
from collections.abc import Callable

from optcomp.errors import OptcompError

__all__ = ["NothingFoundError", "bracket", "root"]

_FIRST = math.log(4.0)
_FARTHEST = 600.0  # of the logarithm of a parameter
_TOLERANCE = 1e-11
_RETREATS = 12


class NothingFoundError(Exception):
    """The search ends without a change of sign; the text says on which side everything lies."""


def bracket(excess: Callable[[float], float], *, start: float, rises: bool) -> tuple[float, float]:
    """Two places, logarithms of the parameter, between which the excess changes its sign, the lower one first.

    It walks from the start towards the change with growing steps. Where an engine refuses a place, or the parameter
    does not reach that far, it goes half the way only.

    Raises:
        NothingFoundError: When the sign is the same everywhere.
    """
    here, value = start, excess(start)
    forward = (value < 0) == rises  # towards larger parameters
    sign = 1.0 if forward else -1.0
    step, retreats, trouble = _FIRST, 0, ""
    while abs(here - start) < _FARTHEST:
        try:
            after = here + sign * step
            found = excess(after)
        except (OptcompError, OverflowError) as error:
            retreats, step, trouble = retreats + 1, step / 2, str(error)
            if retreats > _RETREATS:
                break
            continue
        if (found < 0) != (value < 0):
            return (here, after) if forward else (after, here)
        here, step = after, 2 * step if retreats == 0 else step
    side = "below" if value < 0 else "above"
    raise NothingFoundError(f"{side} the target wherever it was tried; {trouble}" if trouble else side)


def root(excess: Callable[[float], float], low: float, high: float) -> float:
    """The place of the change of sign, to about 1e-11."""
    from scipy.optimize import toms748

    known: dict[float, float] = {}

    def at(place: float) -> float:
        if place not in known:
            known[place] = excess(place)
        return known[place]

    found = toms748(at, low, high, xtol=_TOLERANCE, rtol=4 * math.ulp(1.0), k=2)
    return float(found)

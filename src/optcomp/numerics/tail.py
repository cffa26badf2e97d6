"""What lies beyond a lattice point, weighted as a privacy profile weighs it, from a tilted measure.

A `Measure` over places D stands for points ``(top - D) unit`` with probabilities tilted by theta. For the lattice
point l of a place the two sums

    falling = sum over points L >= l of mass e^(-theta (L - l)) (1 - e^-(L - l)),
    border  = sum over points L >= l of mass e^(-(theta + 1) (L - l))

give the profile between l and the next lower point: ``falling + (1 - e^(x - l)) border``, up to the tilt's own factor.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from optcomp.numerics.balls import Ball, nearest_float, with_error
from optcomp.numerics.bracket import least_true
from optcomp.numerics.directed import ROUNDING, compound_up
from optcomp.numerics.exponentials import TABLE_ROUNDINGS, decay_and_rise
from optcomp.numerics.lattice import Measure
from optcomp.numerics.sums import blocked_sum, norm_up

__all__ = ["Tail", "weighted_sum"]

Floats = npt.NDArray[np.float64]

_LOST = 1e-280  # more than all products that can underflow in one sum


class Tail:
    """The two sums at any place.

    Args:
        law: The tilted measure.
        unit: The distance of neighbouring points, a ball.
        tilt: theta, a ball.
    """

    def __init__(self, law: Measure, *, unit: Ball, tilt: Ball) -> None:
        self.law = law
        self._unit, self._tilt = unit, tilt
        self._decay, _ = decay_and_rise(tilt * unit, len(law.masses))
        self._unit_decay, self._rise = decay_and_rise(unit, len(law.masses))

    @property
    def middle(self) -> int:
        """A place near the measure's median."""
        return self.law.start + int(np.searchsorted(np.cumsum(self.law.masses), 0.5))

    def sums(self, place: int) -> tuple[Ball, Ball]:
        """``falling`` and ``border`` at a place.

        **Guarantee**: the balls contain the sums over the exact tilted measure.
        """
        start, size = self.law.start, len(self.law.masses)
        masses = self.law.masses[: max(place - start + 1, 0)][::-1]
        beyond = max(place - start + 1 - size, 0)  # points between the end of the window and the place
        decay, unit_decay, rise = (part[: len(masses)] for part in (self._decay, self._unit_decay, self._rise))
        if beyond:
            distance = beyond * self._unit
            far_unit, far_rise = nearest_float((-distance).exp()), nearest_float(-(-distance).expm1())
            decay = decay * nearest_float((-self._tilt * distance).exp())
            unit_decay, rise = unit_decay * far_unit, far_rise + far_unit * rise
        outside = with_error(self.law.dropped / 2, relative=0.0, absolute=self.law.dropped / 2)
        falling, border = (
            weighted_sum(self.law, masses, weights, roundings=4 * TABLE_ROUNDINGS + 8)
            for weights in (decay * rise, decay * unit_decay)
        )
        return falling + outside, border + outside

    def crossing(self, scale: Callable[[int], Ball], wanted: Ball, *, last: int) -> tuple[int, float]:
        """Where the profile falls to a wanted value, about: a search, not a bound.

        Args:
            scale: The factor that undoes the tilt at a place.
            wanted: The value, above 0.
            last: The rightmost place that is of interest.

        Returns:
            A place whose point is at or right of the answer, and how far left of the point the answer lies.
        """

        def exceeds(place: int) -> bool:
            """Whether the profile is above the value at a place, or too far away for this tilt to tell."""
            return not scale(place) * self.sums(place)[0] <= wanted

        place = least_true(exceeds, 1, last + 1) - 1
        falling, border = (part.mid() for part in self.sums(place))
        share = nearest_float((wanted / scale(place) - falling) / border) if border > 0 else 0.0
        return place, -math.log1p(-min(max(share, 0.0), 1 - ROUNDING))


def weighted_sum(law: Measure, masses: Floats, weights: Floats, *, roundings: float) -> Ball:
    """The sum of some masses of a law with non-negative weights.

    Args:
        law: Where the masses come from: it knows their errors.
        masses: A part of its masses.
        weights: One each.
        roundings: Bound on the roundings of a weight.

    **Guarantee**: the ball contains the sum over the exact masses and weights.
    """
    terms = masses * weights
    middle, added = blocked_sum(terms)
    magnitude = blocked_sum(np.abs(terms))[0] if law.signed else middle
    relative = law.relative + compound_up(added + roundings + 2)
    noise = law.noise * (1 + law.relative) * norm_up(weights) * (1 + 1e-9)
    return with_error(middle, relative=0.0, absolute=magnitude * relative * (1 + law.relative) + noise + _LOST)

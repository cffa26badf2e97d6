"""Laws on the real line moved to equally spaced points, so that two sums over each cell stay what they are.

Let a law P have the companion ``dQ = e^-L dP``. The part of it in a cell ``(l, l + h]``, with the masses p and q, goes
to the two ends of the cell with the weights

    high = (p - q e^l)/(1 - e^-h),    low = p - high,

which keep p and q. No sum ``E[(1 - e^(x - L))_+]`` falls by that, and it stays the same where x is one of the points.
What lies above the last point leaves the law, and its mass is told. What lies below the first point is moved up to it
or left out: the law's errors cover both.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from optcomp.numerics.balls import Ball, ball, nearest_float, precision
from optcomp.numerics.directed import compound_up
from optcomp.numerics.lattice import Measure
from optcomp.numerics.sums import norm_up

__all__ = ["Dots", "Points", "dots_of_tails", "dots_of_values", "range_of"]

Floats = npt.NDArray[np.float64]
Tails = Callable[[Ball], tuple[Ball, Ball]]

_SLACK = 1.0 + 1e-9
_UNDERFLOW = 1e-290
_HAZE = 1e-20  # a probability known no better than this belongs to a point that carries mass of its own
_TAIL_BITS = 100  # of tails, which are many; their differences lose up to about 30
_FIRST_LEVEL, _MOST_DOUBLINGS, _HALVINGS = 2.0**-50, 120, 10


@dataclass(frozen=True)
class Points:
    """The points ``offset + i step``, and a tilt.

    Args:
        step: The distance of neighbours, above 0.
        offset: Where one of them is.
        tilt: theta, at least 0.
    """

    step: Fraction
    offset: Fraction
    tilt: Fraction


@dataclass(frozen=True)
class Dots:
    """A tilted law on points.

    Args:
        points: The points.
        top: The largest i.
        law: The tilted probabilities of ``top - i``.
        cumulant: The logarithm of ``sum weight e^(tilt point)``, which the tilted probabilities were divided by.
        lost: Contains 0 and the probability of all that lies above the top, before the tilt.
    """

    points: Points
    top: int
    law: Measure
    cumulant: Ball
    lost: Ball


def range_of(tails: Tails, *, log_above: float, log_below: float, tilt: float) -> tuple[float, float] | None:
    """Two levels beyond which next to nothing lies, about: a search, not a bound.

    Args:
        tails: The probabilities of ``L > level`` under P and under Q.
        log_above: The logarithm of the probability that may lie above.
        log_below: The logarithm of the tilted probability, not yet divided by the whole, that may lie below.
        tilt: theta.
    """
    above, below = ball(log_above).exp(), ball(log_below)

    def little_above(level: float) -> bool:
        return bool(tails(ball(level))[0] <= above)

    def little_below(size: float) -> bool:
        return bool(1 - tails(ball(-size))[0] <= (below + ball(tilt) * ball(size)).exp())

    high, low = _least_size(little_above), _least_size(little_below)
    return None if high is None or low is None else (-low, high)


def _least_size(holds: Callable[[float], bool]) -> float | None:
    """About the least positive number where a condition holds that stays true once it is."""
    high = _FIRST_LEVEL
    for _ in range(_MOST_DOUBLINGS):
        if holds(high):
            break
        high *= 2
    else:
        return None
    low = high / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def dots_of_tails(tails: Tails, points: Points, *, first: int, last: int) -> Dots | None:
    """The law with the given tails, on the points from ``first`` to ``last``.

    **Guarantee**: `Dots` for the moved law. None when a point carries mass of its own: another offset is needed.
    """
    step, offset, tilt = points.step, points.offset, points.tilt
    with precision(_TAIL_BITS):
        width = ball(step)
        share = 1 / -(-width).expm1()
        start = ball(offset + first * step)
        level_growth, growth = start.exp(), (ball(tilt) * start).exp()
        level_factor, factor = width.exp(), (ball(tilt) * width).exp()
        likely, unlikely = tails(start)
        if likely.rad() > _HAZE:
            return None
        carried = (1 - likely).union(ball(0))
        weights: list[Ball] = []
        for place in range(1, last - first + 1):
            next_likely, next_unlikely = tails(start + place * width)
            if next_likely.rad() > _HAZE:
                return None
            mass = likely - next_likely
            high = (mass - (unlikely - next_unlikely) * level_growth) * share
            weights.append((carried + mass - high) * growth)
            carried, likely, unlikely = high, next_likely, next_unlikely
            level_growth *= level_factor
            growth *= factor
        weights.append(carried * growth)
        weights.reverse()
    law, cumulant = _normalised(weights)
    return Dots(points, last, law, cumulant, likely.union(ball(0)))


def dots_of_values(values: Iterable[tuple[Ball, Ball]], points: Points, *, on_points: bool, beyond: Ball) -> Dots:
    """A law of finitely many values, and next to nothing beyond them on either side.

    Args:
        values: Each with its probability.
        points: Where they go.
        on_points: Whether it is known that every value is one of the points.
        beyond: A bound on the probability of all other values on either side.

    **Guarantee**: `Dots` for the moved law.
    """
    step, offset, tilt = points.step, points.offset, points.tilt
    width, share = ball(step), 1 / -(-ball(step)).expm1()
    found: defaultdict[int, Ball] = defaultdict(lambda: ball(0))
    for value, likely in values:
        below = math.floor(nearest_float((value - ball(offset)) / width))
        gap = value - ball(offset + below * step)
        if on_points:
            found[below + (gap > width / 2)] += likely
            continue
        while gap < 0:
            below, gap = below - 1, gap + width
        while gap > width:
            below, gap = below + 1, gap - width
        if gap >= 0 and gap <= width:
            high = likely * -(-gap).expm1() * share
            found[below + 1] += high
            found[below] += likely - high
        else:  # at a point, as far as can be told
            nearest = below + int(gap > width / 2)
            moved = likely * abs(gap if nearest == below else gap - width).expm1() * share
            found[nearest] += likely - moved.union(ball(0))
            for place in (nearest - 1, nearest + 1):
                found[place] += moved.union(ball(0))
    top, bottom = max(found), min(found)
    found[bottom] += beyond.union(ball(0))
    if len(found) * 8 < top - bottom:
        weights = {place: each * (ball(tilt) * ball(offset + place * step)).exp() for place, each in found.items()}
        whole = sum(weights.values(), start=ball(0))
        masses, radii = np.zeros(top - bottom + 1), []
        for place, weight in weights.items():
            masses[top - place], radius = _float(weight / whole)
            radii.append(radius)
        return Dots(points, top, _law(masses, np.array(radii)), whole.log(), beyond.union(ball(0)))
    law, cumulant = _normalised(
        [
            found[place] * (ball(tilt) * ball(offset + place * step)).exp() if place in found else ball(0)
            for place in range(top, bottom - 1, -1)
        ]
    )
    return Dots(points, top, law, cumulant, beyond.union(ball(0)))


def _float(value: Ball) -> tuple[float, float]:
    """A probability's float, and how far off it is apart from one rounding."""
    return max(nearest_float(value), 0.0), float(value.rad())


def _normalised(weights: list[Ball]) -> tuple[Measure, Ball]:
    """The weights over their sum, and the logarithm of the sum."""
    whole = sum(weights, start=ball(0))
    inverse = 1 / whole
    pairs = np.array([_float(weight * inverse) for weight in weights])
    return _law(np.ascontiguousarray(pairs[:, 0]), pairs[:, 1]), whole.log()


def _law(masses: Floats, radii: Floats) -> Measure:
    return Measure(
        start=0, masses=masses, relative=compound_up(2), noise=norm_up(radii) * _SLACK + _UNDERFLOW, dropped=0.0
    )

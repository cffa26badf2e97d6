"""The two-sided bounds from the law of a sum on equally spaced points, under a tilt.

With ``U(x) = E[(1 - e^(x - L))_+]`` over the points L, and ``U_4w`` for the same law with a normal ``mu^2 = 4w`` added,

    2 U - e^(3w/8) U_4w <= truth <= U + lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from optcomp.numerics.balls import Ball, ball, ends, hull, nearest_float, precision
from optcomp.numerics.bracket import Guess, enclose_inverse
from optcomp.numerics.gaussian_kernel import bump
from optcomp.numerics.lattice import Measure
from optcomp.numerics.tail import Tail, weighted_sum
from optcomp.quantities import Enclosure

__all__ = ["TwoSided"]

_BITS = 128
_LARGEST_WEIGHT = 1e100


@dataclass(frozen=True)
class TwoSided:
    """The law of a sum on the points ``top - D step``, and what can be read from it.

    Args:
        law: Of D, under the tilt.
        step: The distance of the points.
        top: The largest point.
        tilt: theta.
        cumulant: What the tilted probabilities were divided by, its logarithm.
        lost: Contains 0 and the probability that the law leaves out above.
        variance: w, for the terms that were moved to the points.
    """

    law: Measure
    step: Fraction
    top: Fraction
    tilt: Fraction
    cumulant: Ball
    lost: Ball
    variance: Fraction

    @cached_property
    def _tail(self) -> Tail:
        return Tail(self.law, unit=ball(self.step), tilt=ball(self.tilt))

    def at(self, point: tuple[Fraction, Fraction]) -> Enclosure:
        """An enclosure of the truth at a real number between two rationals."""
        low, high = point
        with precision(_BITS):
            upper = self._upper(low)[0]
            lower = self._lower(high, self._upper(high)[0] if high != low else upper)
            bottom, top = ends(lower)[0], ends(upper)[1]
        top = min(max(top, Fraction(0)), Fraction(1))
        return Enclosure(min(max(bottom, Fraction(0)), top), top)

    def _upper(self, x: Fraction) -> tuple[Ball, Ball]:
        """U at x with and without what was left out, in one ball, and the size of its slope."""
        if x >= self.top:
            return self.lost, ball(0)
        place, gap = self._place(x)
        falling, border = self._tail.sums(place)
        scale = self._scale(place)
        return scale * (falling - gap.expm1() * border) + self.lost, scale * gap.exp() * border

    def _lower(self, x: Fraction, upper: Ball) -> Ball:
        """``2 U - e^(3w/8) U_4w`` at x, given U there."""
        variance = self.variance
        if variance == 0:
            return upper
        bumps = self._bumps(x, 4 * variance, ends(upper)[1])
        if bumps is None:
            return ball(0)
        growth = (3 * ball(variance) / 8).exp()
        return (2 - growth) * upper - growth * bumps

    def _bumps(self, x: Fraction, variance: Fraction, value: Fraction | float) -> Ball | None:
        """What a Gaussian of that variance adds to U at x, as a ball that contains it.

        Points within so many cells of x are summed; all others together have probability at most 1 and a bump of at
        most that at the border. None when the tilt makes the weights of the near points too large for floats.
        """
        size = -math.log(max(float(min(value, Fraction(1))), 1e-320)) + 30.0
        cells = math.ceil(math.sqrt(2 * size * float(variance)) / float(self.step)) + 1
        largest_weight = (ball(self.tilt) * cells * ball(self.step)).exp()
        if not largest_weight < _LARGEST_WEIGHT:
            return None
        place, gap = self._place(x)
        law = self.law
        first = min(max(place - cells - law.start, 0), len(law.masses))
        last = min(max(place + cells + 1 - law.start, 0), len(law.masses))
        offsets = range(place - law.start - first, place - law.start - last, -1)  # of the points from l, in steps
        weights = [
            nearest_float((-ball(self.tilt) * n * ball(self.step)).exp() * bump(n * ball(self.step) - gap, variance))
            for n in offsets
        ]
        near = weighted_sum(law, law.masses[first:last], np.array(weights), roundings=4) if weights else ball(0)
        dropped = (largest_weight * ball(law.dropped)).union(ball(0))
        beyond = bump(-(cells - 1) * ball(self.step), variance).union(ball(0))
        return self._scale(place) * (near + dropped) + beyond

    def _place(self, x: Fraction) -> tuple[int, Ball]:
        """The place of the least grid point ``l >= x``, and ``x - l``."""
        place = math.floor((self.top - x) / self.step)
        return place, ball(x - self.top + place * self.step)

    def _scale(self, place: int) -> Ball:
        return (self.cumulant - ball(self.tilt * (self.top - place * self.step))).exp()

    def falls_to(self, target: Enclosure) -> Enclosure | None:
        """Two points between which the truth falls to the target, where 0 is the least; None when nothing is proved."""
        if not self.lost <= hull(target):
            return None
        guess, slope = self._search(target)
        with precision(_BITS):
            at_guess = self.at((guess, guess))
            middle = Fraction(at_guess.upper)
            below = Fraction((middle - Fraction(at_guess.lower)) / slope) * Fraction(17, 16)
            above = abs(middle - Fraction(target.lower)) / slope + guess / 2**44
        return enclose_inverse(
            lambda x: self.at((x, x)), target, Guess(guess, below, above), largest=max(self.top, Fraction(0))
        )

    def _search(self, target: Enclosure) -> tuple[Fraction, Fraction]:
        """About where U meets the target, at least 0, and the size of its slope there."""
        with precision(_BITS):
            last = max(math.floor(self.top / self.step), 0)
            place, below = self._tail.crossing(self._scale, hull(target) - self.lost.mid(), last=last)
            x = max(self.top - place * self.step - Fraction(below), Fraction(0))
            slope = ends(self._upper(x)[1].mid())[0]
        return x, max(Fraction(slope), Fraction(1, 2**1000))

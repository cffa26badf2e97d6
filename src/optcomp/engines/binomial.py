"""Equal mechanisms, any number of them: the closed form of Kairouz, Oh and Viswanath in ball arithmetic.

With k losses ``+-epsilon``, ``p = e^epsilon/(1+e^epsilon)``, ``q = 1-p`` and J the least integer with
``(2J-k) epsilon > x``,

    delta(x) = A_J - e^x B_J,   A_J = I_p(J, k-J+1),   B_J = I_q(J, k-J+1)

(regularized incomplete beta functions). Between two neighbouring losses J is constant, so the inverse is
``x = ln((A_J - t)/B_J)``: one evaluation once the segment is known. The right J gives the largest ``A_J - e^x B_J``,
hence ``x_J = ln((A_J - t)/B_J)`` is at most the answer for every J, and stepping to the segment of ``x_J`` is Newton's
method on a convex function: it never overshoots and ends at the answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from optcomp.numerics.balls import Ball, ball, enclose, ends, hull, nearest_float, precision, present_precision, refine
from optcomp.numerics.saddle import tail_for
from optcomp.numerics.tails import both_tails, distance_below
from optcomp.quantities import Enclosure, Real, approximately, ratio
from optcomp.sources import KOV15, states

__all__ = ["Binomial"]

_SEARCH_BITS = 64
_START_BITS = 96
_ACCURACY = 60  # bits, so the relative width is below 1e-17
_RESOLUTION = 200  # bits of one mechanism's epsilon, where the target itself is known to a few more only
_FLOOR = 4096  # an epsilon known to 2^-4096 is as good as known
_DEVIATIONS = 30  # farther left of the mean delta is 1 for all that matters
_HUGE, _TINY = 1e100, 1e-100  # beyond these the search is scaled
_MOST_STEPS = 200


@dataclass(frozen=True)
class Binomial:
    """``count`` equal two-point losses.

    Args:
        loss: Their epsilon, in nats, above 0.
        count: How many, at least 1.
    """

    name: ClassVar[str] = "binomial"
    precision: ClassVar[str] = "balls of 96 bits and more"
    cost: ClassVar[str] = "a few incomplete beta functions, whatever the count"
    loss: Real
    count: int

    @states(KOV15, "Theorem 3.3")
    def delta(self, epsilon: Real) -> Enclosure:
        """The composed delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``, relative width below 1e-17.

        Raises:
            UndecidedError: When 32,768 bits do not reach that width.
        """
        found = refine(lambda: self._delta(epsilon), start=self._start_bits, accuracy=_ACCURACY, what="delta")
        return enclose(found, least=Fraction(0), most=Fraction(1))

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``; relative width below 1e-17 when the target
        is that narrow too.

        Raises:
            UndecidedError: When 32,768 bits do not reach that width.
        """
        with precision(_SEARCH_BITS + math.floor(math.log2(1 + self.count * min(approximately(self.loss), 1e6)))):
            segment = self._search(target)
        found = refine(
            lambda: self._solve(segment, hull(target)),
            start=self._start_bits,
            accuracy=_ACCURACY,
            floor=_FLOOR if target.is_exact else self._resolution,
            what="epsilon",
        )
        return enclose(found, least=Fraction(0))

    def _delta(self, epsilon: Real) -> Ball | None:
        x = ball(epsilon)
        steps = ratio(epsilon, self.loss)
        if steps is not None:
            return self._value(math.floor((steps + self.count) / 2) + 1, x)
        first, last = self._segments(x)
        if first is None or last is None or last - first > 1:
            return None
        value = self._value(first, x)
        return value if first == last else value.union(self._value(last, x))  # delta is continuous at their border

    def _value(self, segment: int, x: Ball) -> Ball:
        if segment <= 0:
            return -x.expm1()
        if segment > self.count:
            return ball(Fraction(0))
        distance = distance_below(ball(self.loss), self.count, segment)
        if distance > present_precision():  # delta is 1 to this precision, and beta functions would be slow
            return 1 - (2 * (-distance).exp()).union(ball(0))
        above, below = self._tails(segment)
        return above - x.exp() * below

    def _tails(self, segment: int) -> tuple[Ball, Ball]:
        """A_J and B_J for 1 <= J <= k."""
        return both_tails(ball(self.loss), self.count, segment)

    def _segments(self, x: Ball) -> tuple[int | None, int | None]:
        """The least integers J with ``(2J-k) epsilon > x`` at the two ends of x."""
        low, high = ends((x / ball(self.loss) + self.count) / 2)
        if isinstance(low, float) or isinstance(high, float):
            return None, None
        return math.floor(low) + 1, math.floor(high) + 1

    @cached_property
    def _resolution(self) -> int:
        """An epsilon known to 2 to minus this power is known well beside the mechanisms' own."""
        return _RESOLUTION - math.floor(math.log2(max(approximately(self.loss), 1e-300)))

    @property
    def _start_bits(self) -> int:
        """Bits that usually suffice: tails of many losses nearly cancel."""
        return _START_BITS + self.count.bit_length()

    @property
    def _first(self) -> int:
        """The segment of x = 0."""
        return self.count // 2 + 1

    def _root(self, segment: int, target: Ball) -> Ball | None:
        """x_J, or None when t is not certainly below A_J."""
        if segment == self.count:  # no loss is negative: closed forms, for epsilons of any size
            decay = (-ball(self.loss)).exp().log1p()
            excess = (-self.count * decay).exp() - target
            return excess.log() + self.count * (ball(self.loss) + decay) if excess > 0 else None
        above, below = self._tails(segment)
        ratio = (above - target) / below
        return ratio.log() if ratio > 0 else None

    def _search(self, target: Enclosure) -> int:
        """A segment that is probably the answer's: Newton's method on the logarithm of delta."""
        wanted = hull(target)
        segment, failures = self._guess(wanted), 0
        for _ in range(_MOST_STEPS):
            x = self._log_newton(segment, wanted)
            x = self._root(segment, wanted) if x is None else x
            failures += x is None
            following = self._following(segment, x, failures)
            if following is None or following == segment:
                break
            segment = following
        return segment

    def _log_newton(self, segment: int, target: Ball) -> Ball | None:
        """The next x from the right end of a segment; None when delta is lost in rounding there."""
        above, below = (part.mid() for part in self._tails(segment))
        corner = (2 * segment - self.count) * ball(self.loss)
        density = corner.exp() * below
        value = above - density
        return corner + value * (value / target).log() / density if value > 0 and density > 0 else None

    def _guess(self, target: Ball) -> int:
        if ball(self.loss) > _HUGE:
            return self.count  # every loss is positive, for all that floats can tell
        scale = max(ball(1), _TINY / ball(self.loss))  # delta scales with epsilon as long as both are tiny
        epsilon, log_target = nearest_float(scale * ball(self.loss)), nearest_float((scale * target).log())
        point = tail_for(np.array([epsilon]), np.array([float(self.count)]), log_target)
        steps = min(max(point.x / epsilon, 0.0), float(self.count))
        likely = 1 / (1 + math.exp(-min(epsilon, 700.0)))
        near_mean = math.floor(self.count * likely - _DEVIATIONS * math.sqrt(self.count * likely * (1 - likely))) - 1
        return min(max(math.floor((self.count + steps) / 2) + 1, self._first, near_mean), self.count)

    def _following(self, segment: int, x: Ball | None, failures: int) -> int | None:
        """Where Newton's method goes from a segment whose root is x; None when nothing is left to try.

        Without a root the segment is too far right: step back, farther after each failure.
        """
        if x is None:
            unlikely = math.exp(-min(approximately(self.loss), 700.0))
            stride = math.ceil(math.sqrt(self.count * unlikely) / (1 + unlikely) / 8) << failures
            return None if segment == self._first else max(self._first, segment - stride)
        first, _ = self._segments(x.mid())
        return None if first is None else min(max(first, self._first), self.count)

    def _solve(self, segment: int, target: Ball) -> Ball | None:
        """The answer as a ball; None when the present precision does not prove it."""
        for step in range(_MOST_STEPS):
            x = self._root(segment, target)
            if segment == self._first and (x is None or x <= 0):
                return self._zero(target)
            proven = None if x is None else self._proven(segment, x, target)
            if proven is not None:
                return proven
            ahead = self._log_newton(segment, target)
            following = self._following(segment, x if ahead is None else ahead, step)
            if following == segment:  # close by: the tangent decides
                following = self._following(segment, x, step)
            if following is None or following == segment:
                return None
            segment = following
        return None

    def _zero(self, target: Ball) -> Ball | None:
        """0 when delta(0) is at most the target."""
        return ball(Fraction(0)) if self._value(self._first, ball(0)) <= target else None

    def _proven(self, segment: int, x: Ball, target: Ball) -> Ball | None:
        """The answer when x, the root in this segment, lies in it or at a border that it shares with the true one.

        When x touches the border of a neighbouring segment, the answer is this root or the neighbour's. Both are
        taken, provided that the neighbour's root reaches no further segment.
        """
        first, last = self._segments(x)
        if first is None or last is None or not first <= segment <= last or last - first > 1:
            return None
        at_an_end = (segment == self._first and first < segment) or (segment == self.count and last > segment)
        if first == last or at_an_end:  # beyond the ends there is no other root: 0 on the left, nothing on the right
            return x
        neighbour = first + last - segment
        other = self._root(neighbour, target)
        if other is None:
            return None
        reached = self._segments(other)
        return x.union(other) if set(reached) <= {first, last} else None

"""Staircase noise on a grid: a law of its own on the whole numbers, with its privacy loss.

Let n be the number of grid steps in the sensitivity, and m with ``1 <= m <= n`` the number of steps before the first
fall. The *level* of a whole number ``a = j n + r >= 0``, with ``0 <= r < n``, is j when ``r < m`` and ``j + 1``
otherwise. Noise Z, in grid steps, has ``P(Z = z)`` proportional to ``B^level(|z|)`` with ``B = e^-epsilon``.

*It is epsilon-DP.* The level never falls as a grows, and ``level(a + n) = level(a) + 1``. Let z and y be at most n
apart. Then so are ``|z|`` and ``|y|``; say ``|z| <= |y| <= |z| + n``. So ``level(|y|)`` is ``level(|z|)`` or 1 more,
and ``P(Z = z)/P(Z = y)`` is 1 or e to the power epsilon or -epsilon, for every shift up to the sensitivity.

*The loss.* For a shift by d steps, the loss at z is epsilon times ``level(|z + d|) - level(|z|)``, which is -1, 0 or 1.
Numbers ``z >= 0`` have 0 or 1, numbers ``z <= -d`` have 0 or -1, and of those between, z and ``-d - z`` have opposite
signs. Reflection at ``-d/2`` maps the law to its shift, so the mass at -epsilon is B times the mass at epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Self

from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import Staircase
from optcomp.noise.coins import coin, uniform_below
from optcomp.noise.integers import geometric
from optcomp.noise.source import RandomSource
from optcomp.noise.thresholds import Threshold
from optcomp.numerics.balls import Ball, ball, enclose, precision
from optcomp.quantities import Enclosure, Number, Real, count, exponential, nonnegative_real, positive_rational, scaled

__all__ = ["GridStaircase"]

_BITS = 256
_LONGEST = 4096


@dataclass(frozen=True, init=False)
class GridStaircase:
    """Staircase noise on a grid, in grid steps.

    Args:
        epsilon: In nats, above 0: the guarantee for shifts up to the sensitivity.
        steps: The sensitivity in grid steps, at least 0; with 0 there is no noise.
        fall: After how many grid steps the probability falls first, from 1 to ``steps``.

    **Guarantee**: adding a draw to an answer in grid steps is (epsilon, 0)-DP when neighbours move the answer by at
    most ``steps``. The proof is at the head of this module.
    """

    epsilon: Real
    steps: int
    fall: int

    def __init__(self, *, epsilon: Number, steps: int, fall: int) -> None:
        rate, reach = nonnegative_real(epsilon, field="epsilon"), count(steps, field="steps")
        if rate == 0 and reach:
            raise InvalidParameterError(
                field="epsilon",
                value=epsilon,
                condition="must be above 0: no noise gives 0",
                remedy="Give a positive epsilon.",
            )
        first = count(fall, field="fall", least=min(reach, 1))
        if first > reach:
            raise InvalidParameterError(
                field="fall",
                value=fall,
                condition=f"must be at most steps, which is {reach}",
                remedy="Give a smaller one.",
            )
        for name, value in {"epsilon": rate, "steps": reach, "fall": first}.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, mechanism: Staircase, *, step: Number) -> Self:
        """The staircase with the same epsilon and sensitivity on a grid, its fall next to gamma sensitivities.

        Args:
            mechanism: What to put on the grid.
            step: The width of a grid step, above 0, with the sensitivity a whole multiple of it.

        **Guarantee**: (epsilon, 0)-DP like the mechanism; the law is another one, and so is the rest of its loss.
        """
        reach = mechanism.sensitivity / positive_rational(step, field="step")
        if reach.denominator != 1:
            raise InvalidParameterError(
                field="step",
                value=step,
                condition="must divide the sensitivity",
                remedy="Give the sensitivity over a whole number.",
            )
        steps = int(reach)
        nearest = math.floor(mechanism.gamma * steps + Fraction(1, 2))
        return cls(epsilon=mechanism.epsilon, steps=steps, fall=min(max(nearest, 1), steps))

    def level(self, size: int) -> int:
        """How many falls there are up to an absolute value; the noise is not constantly 0."""
        blocks, rest = divmod(size, self.steps)
        return blocks + (rest >= self.fall)

    def draw(self, source: RandomSource) -> int:
        """Noise in grid steps, exact.

        The absolute value is ``j n + r``: j is geometric with rate epsilon, and r lies in the first m places with
        probability ``m/(m + (n - m) B)``, uniformly there, else uniformly in the other ones. A random sign is put
        before it, and a zero with a minus is drawn anew.
        """
        if self.steps == 0:
            return 0
        while True:
            block = geometric(self.epsilon, source)
            first = self.fall == self.steps or self._is_first(source)
            rest = uniform_below(self.fall, source) if first else self._later(source)
            size, minus = block * self.steps + rest, source.bits(1)
            if size or not minus:
                return -size if minus else size

    def _later(self, source: RandomSource) -> int:
        return self.fall + uniform_below(self.steps - self.fall, source)

    def _is_first(self, source: RandomSource) -> bool:
        exact = exponential(scaled(self.epsilon, Fraction(-1)), longest=_LONGEST)
        if exact is not None:
            return coin(Fraction(self.fall) / (self.fall + (self.steps - self.fall) * exact), source)
        return self._first.is_above(source)

    @cached_property
    def _first(self) -> Threshold:
        return Threshold(lambda: ball(self.fall) / (self.fall + (self.steps - self.fall) * self.decay_ball()))

    def decay_ball(self) -> Ball:
        """``B = e^-epsilon`` at the present precision."""
        exact = exponential(scaled(self.epsilon, Fraction(-1)), longest=_LONGEST)
        return (-ball(self.epsilon)).exp() if exact is None else ball(exact)

    def weight_from(self, size: int) -> Ball:
        """The sum of ``B^level(a)`` over all whole numbers ``a >= size``, at the present precision; size at least 0."""
        decay = self.decay_ball()
        blocks, rest = divmod(size, self.steps)
        before = min(rest, self.fall) + max(rest - self.fall, 0) * decay
        return decay**blocks * ((self.fall + (self.steps - self.fall) * decay) / (1 - decay) - before)

    def total_ball(self) -> Ball:
        """The sum of ``B^level(|z|)`` over all whole numbers z, at the present precision."""
        return 2 * self.weight_from(0) - 1

    def probability(self, noise: int) -> Enclosure:
        """The probability of one value of the noise, in grid steps.

        **Guarantee**: the enclosure contains it.
        """
        if self.steps == 0:
            return Enclosure.exactly(int(noise == 0))
        with precision(_BITS):
            value = self.decay_ball() ** self.level(abs(noise)) / self.total_ball()
            return enclose(value, least=Fraction(0), most=Fraction(1))

    def losses(self, shift: int) -> dict[int, Enclosure]:
        """The privacy loss of a shift: the masses at -1, 0 and 1 times epsilon, under the law that is not shifted.

        Args:
            shift: In grid steps, from 0 to ``steps``.

        **Guarantee**: each enclosure contains the mass; no other value of the loss has any.
        """
        moved = count(shift, field="shift")
        if moved > self.steps:
            raise InvalidParameterError(
                field="shift", value=shift, condition=f"must be at most {self.steps}", remedy="It is in grid steps."
            )
        if moved == 0:
            return {-1: Enclosure.exactly(0), 0: Enclosure.exactly(1), 1: Enclosure.exactly(0)}
        fall, steps = self.fall, self.steps
        high_up = min(moved, fall)  # so many places r < m have r + d on the next level; and of those from m on:
        low_up = max(0, min(steps - fall, moved - fall))
        with precision(_BITS):
            decay = self.decay_ball()
            between = moved - 1 - self._flat(moved)
            up = ((high_up + low_up * decay) / (1 - decay) + between // 2) / self.total_ball()
            down = decay * up
            return {
                sign: enclose(mass, least=Fraction(0), most=Fraction(1))
                for sign, mass in ((-1, down), (0, 1 - up - down), (1, up))
            }

    def _flat(self, shift: int) -> int:
        """How many a with ``0 < a < shift`` have the level of ``shift - a``."""
        both_high = max(0, shift - 2 * self.fall + 1)
        both_low = max(0, min(self.fall, shift) - max(1, shift - self.fall + 1))
        return both_high + both_low

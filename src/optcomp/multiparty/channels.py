"""What a party's broadcast tells of its bit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from optcomp.numerics.balls import Ball, ball, nearest_float, precision
from optcomp.quantities import Number, Real, exponential, nonnegative_real, probability

__all__ = ["Channel"]

_BITS = 128

Chances = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]


@dataclass(frozen=True)
class Channel:
    """The four-outcome randomized response of one bit.

    Outcomes are numbered as in a transcript: 0 and 3 give the bits 0 and 1 away, 1 and 2 speak for 0 and 1. Those
    that cannot happen are left out.

    Args:
        epsilon: In nats, at least 0.
        delta: Between 0 and 1.
    """

    epsilon: Real
    delta: Fraction

    @classmethod
    def of(cls, epsilon: Number, delta: Number = 0) -> Channel:
        """Read both numbers."""
        return cls(nonnegative_real(epsilon, field="epsilon"), probability(delta, field="delta"))

    @property
    def outcomes(self) -> tuple[int, ...]:
        """The outcomes that can happen."""
        if self.delta == 0:
            return (1, 2)
        return (0, 3) if self.delta == 1 else (0, 1, 2, 3)

    @cached_property
    def exact(self) -> Chances | None:
        """The probabilities of the outcomes for bit 0 and for bit 1, where they are rational."""
        odds = exponential(self.epsilon)
        if odds is None and self.delta < 1:
            return None
        unit = (1 - self.delta) / (1 + odds) if odds is not None else Fraction(0)
        chances = {0: (self.delta, Fraction(0)), 3: (Fraction(0), self.delta)}
        if odds is not None:
            chances |= {1: (odds * unit, unit), 2: (unit, odds * unit)}
        return tuple(chances[each][0] for each in self.outcomes), tuple(chances[each][1] for each in self.outcomes)

    @cached_property
    def floats(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The same in floats. **Guarantee**: each is within one rounding of the truth, or of 1e-300."""
        with precision(_BITS):
            likely, unlikely = self.shares()
            chances = {
                0: (ball(self.delta), ball(0)),
                1: (likely, unlikely),
                2: (unlikely, likely),
                3: (ball(0), ball(self.delta)),
            }
            rows = tuple(tuple(nearest_float(chances[each][bit]) for each in self.outcomes) for bit in (0, 1))
        return rows[0], rows[1]

    def shares(self) -> tuple[Ball, Ball]:
        """The probabilities of the outcomes 1 and 2 for bit 0, at the present precision."""
        rate, alive = ball(self.epsilon), ball(1 - self.delta)
        return alive / (1 + (-rate).exp()), alive / (1 + rate.exp())

    def bias(self) -> Ball:
        """``delta + (1 - delta) tanh(epsilon/2)``: what the broadcast tells of the bit, at the present precision."""
        return ball(self.delta) + ball(1 - self.delta) * (ball(self.epsilon) / 2).tanh()

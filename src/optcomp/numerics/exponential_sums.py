"""Sums ``c_1 e^r_1 + c_2 e^r_2 + ...`` with rational c and r, whose sign is decided exactly.

Different rational exponents make the powers of e linearly independent over the rationals (Lindemann and Weierstrass):
such a sum is 0 only when every coefficient is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from optcomp.numerics.balls import Ball, ball, refine, sign
from optcomp.quantities import Real, exponential

__all__ = ["ExponentialSum"]

_FIRST_BITS = 128


@dataclass(frozen=True, init=False)
class ExponentialSum:
    """One such sum: coefficients by exponent, none of them 0."""

    terms: Mapping[Fraction, Fraction]

    def __init__(self, terms: Mapping[Fraction, Fraction]) -> None:
        object.__setattr__(self, "terms", {exponent: value for exponent, value in terms.items() if value})

    @staticmethod
    def constant(value: Fraction | int) -> ExponentialSum:
        """A rational number."""
        return ExponentialSum({Fraction(0): Fraction(value)})

    @staticmethod
    def power(exponent: Real) -> ExponentialSum | None:
        """``e^exponent`` for a rational, or for the logarithm of one; None for any other exponent."""
        if isinstance(exponent, Fraction):
            return ExponentialSum({exponent: Fraction(1)})
        value = exponential(exponent)
        return None if value is None else ExponentialSum.constant(value)

    def __add__(self, other: ExponentialSum) -> ExponentialSum:
        """The sum of both."""
        terms = dict(self.terms)
        for exponent, value in other.terms.items():
            terms[exponent] = terms.get(exponent, Fraction(0)) + value
        return ExponentialSum(terms)

    def __neg__(self) -> ExponentialSum:
        """Minus this."""
        return ExponentialSum({exponent: -value for exponent, value in self.terms.items()})

    def __sub__(self, other: ExponentialSum) -> ExponentialSum:
        """The difference."""
        return self + -other

    def __mul__(self, other: ExponentialSum) -> ExponentialSum:
        """The product."""
        terms: dict[Fraction, Fraction] = {}
        for exponent, value in self.terms.items():
            for further, factor in other.terms.items():
                terms[exponent + further] = terms.get(exponent + further, Fraction(0)) + value * factor
        return ExponentialSum(terms)

    @property
    def rational(self) -> Fraction | None:
        """The number itself where it is rational; else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(Fraction(0)) if set(self.terms) == {Fraction(0)} else None

    @property
    def sign(self) -> int:
        """-1, 0 or 1, decided exactly.

        Raises:
            UndecidedError: When a sum that is not 0 is too close to it for the highest precision.
        """
        known = self.rational
        if known is not None:
            return (known > 0) - (known < 0)
        found = sign(refine(self._told, start=_FIRST_BITS, accuracy=1, what="the sign of a sum of exponentials"))
        return 0 if found is None else found

    def _told(self) -> Ball | None:
        """The ball where it tells the sign."""
        value = self.ball()
        return value if sign(value) else None

    def ball(self) -> Ball:
        """The number at the present precision."""
        return sum((ball(value) * ball(exponent).exp() for exponent, value in self.terms.items()), start=ball(0))

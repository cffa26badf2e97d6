"""One loss: its own profile, ``delta(x) = P(L > x) - e^x Q(L > x)``, from closed forms of both probabilities.

Any number of Gaussian mechanisms is one normal loss, so this is also the answer for all of them:

    delta(x) = Phi(mu/2 - x/mu) - e^x Phi(-mu/2 - x/mu),   mu^2 = sum of (sensitivity/standard deviation)^2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from optcomp.errors import UndecidedError
from optcomp.losses import AtomicLoss, Loss, PromisedLoss, TwoPointColumn
from optcomp.numerics.balls import Ball, ball, enclose, ends, hull, precision, refine
from optcomp.numerics.bracket import Guess, enclose_inverse
from optcomp.quantities import Enclosure, Real
from optcomp.sources import BW18, states

__all__ = ["ClosedForm"]

_ACCURACY = 60
_BITS = (128, 512, 2048, 8192)
_DIGITS = 40
_HALVINGS = 200


@dataclass(frozen=True)
class ClosedForm:
    """A single loss.

    Args:
        loss: Whose probabilities are known in closed form.
    """

    name: ClassVar[str] = "closed_form"
    precision: ClassVar[str] = "balls of 128 bits and more"
    cost: ClassVar[str] = "two probabilities, whatever the number of Gaussian mechanisms"
    loss: Loss

    @classmethod
    def of(cls, losses: tuple[tuple[Loss, int], ...]) -> Self | None:
        """The engine for these losses, or None when there is more than one."""
        if len(losses) != 1 or losses[0][1] != 1 or isinstance(losses[0][0], TwoPointColumn | PromisedLoss):
            return None
        return cls(losses[0][0])

    @states(BW18, "Theorem 5, for any pair")
    def delta(self, epsilon: Real) -> Enclosure:
        """Delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``, relative width below 1e-17.

        Raises:
            UndecidedError: When 8192 bits do not reach that width.
        """
        found = refine(lambda: self._value(ball(epsilon)), start=128, accuracy=_ACCURACY, floor=8192, what="delta")
        return enclose(found, least=Fraction(0), most=Fraction(1))

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``; relative width below 1e-17 when the target
        is that narrow too.

        Raises:
            UndecidedError: When 8192 bits do not reach that width.
        """
        for bits in _BITS:
            found = self._inverse(target, bits)
            if found is not None and (found.is_exact or found.relative_width < 2.0**-_ACCURACY):
                return found.rounded(_DIGITS)
        raise UndecidedError(
            field="epsilon",
            value=f"{_BITS[-1]} bits",
            condition="could not be computed to the promised accuracy",
            remedy="Ask for a nearby value.",
        )

    def _value(self, x: Ball) -> Ball:
        if isinstance(self.loss, AtomicLoss):  # an atom at x itself adds next to nothing, whichever side it is on
            parts = [(atom.loss, atom.likely - x.exp() * atom.unlikely) for atom in self.loss.atoms()]
            return sum((part.max(ball(0)) for loss, part in parts if not loss < x), start=ball(0))
        likely, unlikely = self.loss.above(x)
        return likely - x.exp() * unlikely

    def _inverse(self, target: Enclosure, bits: int) -> Enclosure | None:
        with precision(bits):
            wanted = hull(target)
            low, high = self._bracket(wanted)
            top = ends(self.loss.largest_ball())[1]
            for _ in range(_HALVINGS):
                middle = (low + high) / 2
                if abs(high - low) <= abs(high) / 2**68:
                    break
                if self._value(ball(middle)) > wanted:
                    low = middle
                else:
                    high = middle
        largest = Fraction(top) if isinstance(top, Fraction) else high * 2**100 + 1
        reach = max(high, Fraction(1, 2**400)) / 2**66
        return enclose_inverse(self._known(bits), target, Guess(high, reach, reach), largest=largest)

    def _known(self, bits: int) -> Callable[[Fraction], Enclosure]:
        def value(x: Fraction) -> Enclosure:
            with precision(bits):
                low, high = ends(self._value(ball(x)))
            return Enclosure(min(max(low, Fraction(0)), Fraction(1)), max(min(high, Fraction(1)), Fraction(0)))

        return value

    def _bracket(self, wanted: Ball) -> tuple[Fraction, Fraction]:
        """Two numbers around the answer, in rough terms."""
        if not self._value(ball(0)) > wanted:
            return Fraction(0), Fraction(0)
        high = Fraction(1)
        while self._value(ball(high)) > wanted:
            high *= 4
        while high > Fraction(1, 2**3000) and not self._value(ball(high / 4)) > wanted:
            high /= 4
        return high / 4, high

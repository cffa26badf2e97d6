"""Everything, fast: a short sum of waves on a vertical line (`optcomp.numerics.contour`), in floats or in balls.

What ends the sum is proven, never a look at small terms:

* *smooth*: some losses damp the waves by a known amount beyond any height (Gaussian, sampled Gaussian, sampled Laplace
  in number, bounded range);
* *grid*: all losses lie on a common grid; the nodes of one period are all there are, and those that are left out were
  bounded one by one;
* *dithered*: nothing damps the waves. With D(v) for the composition with one Gaussian of ``mu^2 = v`` added,

      2 D(v) - e^(3v/8) D(4v) <= delta(x) <= D(v),

  and the added Gaussian ends the sum; the width is of second order in the noise that it adds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

from optcomp.engines.contour_saddles import BITS, Losses, Saddles
from optcomp.engines.contour_waves import Waves, log_of
from optcomp.errors import UndecidedError
from optcomp.losses import mirrored
from optcomp.losses.ripples import has_ripple
from optcomp.numerics.balls import ball, enclose, hull, nearest_float, precision
from optcomp.quantities import Enclosure, Logarithm, Real, approximately
from optcomp.sources import ZDW22, states

__all__ = ["BallContour", "Contour"]

_DIGITS = 40
_TRIES = 4


@dataclass(frozen=True)
class _Sum:
    """What the sum is in either arithmetic.

    Args:
        losses: Different losses with their counts.
        width: The wanted relative width; None takes that of the arithmetic.
    """

    in_balls: ClassVar[bool]
    epsilon_width: ClassVar[float]
    delta_width: ClassVar[float]
    losses: Losses
    width: float | None = None

    @classmethod
    def of(cls, losses: Losses) -> Self | None:
        """The engine for these losses, or None when one of them cannot be followed."""
        return cls(losses) if losses and has_ripple(losses) else None

    @property
    def cost(self) -> str:
        """What an answer costs, in words."""
        where = " in balls" if self.in_balls else ""
        return f"a sum of waves over {len(self.losses)} different losses{where}, whatever their counts"

    def with_width(self, width: float) -> Self:
        """The same engine for another wanted width."""
        return replace(self, width=width)

    @states(ZDW22, "the profile from the characteristic function")
    def delta(self, epsilon: Real) -> Enclosure:
        """The composed delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``, relative width at most the wanted one.

        Raises:
            UndecidedError: When that width is out of reach.
        """
        return self._questions.delta(epsilon, self.width or self.delta_width)

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``, relative width at most the wanted one.

        Raises:
            UndecidedError: When that width is out of reach.
        """
        return self._questions.epsilon(target, self.width or self.epsilon_width)

    @cached_property
    def _questions(self) -> _Questions:
        return _Questions(self.losses, in_balls=self.in_balls)


@dataclass(frozen=True)
class Contour(_Sum):
    """Losses that can be followed along a line, in floats; by default 1e-9 for an epsilon and 1e-8 for a delta."""

    name: ClassVar[str] = "contour"
    precision: ClassVar[str] = "double precision, every rounding counted, elementary functions to 4 ulp"
    in_balls: ClassVar[bool] = False
    epsilon_width: ClassVar[float] = 1e-9
    delta_width: ClassVar[float] = 1e-8


@dataclass(frozen=True)
class BallContour(_Sum):
    """The same sums in balls, by default to 1e-13; floats only choose the nodes, and bound the rest with room."""

    name: ClassVar[str] = "contour_balls"
    precision: ClassVar[str] = "balls of 128 bits and more"
    in_balls: ClassVar[bool] = True
    epsilon_width: ClassVar[float] = 1e-13
    delta_width: ClassVar[float] = 1e-13


class _Questions:
    """One composition, and how its answers are found."""

    def __init__(self, losses: Losses, *, in_balls: bool) -> None:
        self.saddles = Saddles(losses, in_balls=in_balls)
        self._last: Waves | None = None  # of the latest question: often good enough for the next

    def delta(self, x: Real, width: float) -> Enclosure:
        """Delta at a point; a negative one by ``delta(x) = 1 - e^x (1 - delta'(-x))``, delta' of the pair (Q, P)."""
        other = mirrored(self.saddles.losses) if approximately(x) < 0 else None
        if other is None:
            return self._delta(x, width)
        back = -x if isinstance(x, Logarithm) else Fraction(-x)
        found = _Questions(other, in_balls=self.saddles.in_balls).delta(back, width)
        with precision(BITS):
            return enclose(1 - ball(x).exp() * (1 - hull(found)), least=Fraction(0), most=Fraction(1))

    def _delta(self, x: Real, width: float) -> Enclosure:
        with precision(BITS):
            if ball(x) >= self.saddles.top:
                return Enclosure.exactly(0)
            point = nearest_float(ball(x))
        tilt, log_delta = self.saddles.saddle_at(point)
        noise = 0.45 * width / (1.5 * tilt * (tilt + 1) + 1)
        if self._last is not None and abs(self._last.line.tilt - tilt) < 0.5 * tilt:
            again = self._last.delta(x)
            if again.relative_width <= width:
                return again.rounded(_DIGITS)
        found: Enclosure | None = None
        for attempt in range(_TRIES):
            waves = Waves.build(self.saddles, tilt, point, log_delta, noise, attempt)
            if waves is None:
                break
            found = waves.delta(x)
            if found.relative_width <= width:
                self._last = waves
                return found.rounded(_DIGITS)
            smaller = log_of(Fraction(found.upper)) - 1.0 if found.upper > 0 else 2 * log_delta - 10
            if not waves.noise and smaller > log_delta - 1.0:
                break
            log_delta = min(log_delta, smaller)
            if not waves.noise:
                continue
            noise /= min(max(2 * found.relative_width / width, 2.0), 1e4)
        raise self._undecided("delta", found, width)

    def epsilon(self, target: Enclosure, width: float) -> Enclosure:
        """The inverse."""
        with precision(BITS):
            log_target = nearest_float(hull(target).log())
        tilt, x = self.saddles.saddle_for(log_target)
        noise = 0.45 * width * max(x, 1e-300) / (1.5 * (tilt + 1))
        if x == 0 and self.saddles.is_private(log_target):
            return Enclosure.exactly(0)
        if self._last is not None and abs(self._last.line.tilt - tilt) < 0.5 * tilt:
            again = self._last.epsilon(target, x)
            if again is not None and (again.is_exact or again.relative_width <= width):
                return again.rounded(_DIGITS)
        found: Enclosure | None = None
        for attempt in range(_TRIES):
            waves = Waves.build(self.saddles, tilt, x, log_target, noise, attempt)
            if waves is None:
                break
            found = waves.epsilon(target, x)
            if found is not None and (found.is_exact or found.relative_width <= width):
                self._last = waves
                return found.rounded(_DIGITS)
            if found is not None and found.upper > 0:
                moved = float(found.upper)
                tilt = self.saddles.saddle_at(moved)[0] if abs(moved - x) > 0.05 * abs(x) else tilt
                x = moved
            if found is not None and waves.noise:
                noise /= min(max(2 * found.relative_width / width, 2.0), 1e4)
            elif found is not None and attempt and abs(float(found.upper) - x) <= 0.05 * abs(x):
                break
        raise self._undecided("epsilon", found, width)

    def _undecided(self, what: str, found: Enclosure | None, width: float) -> UndecidedError:
        return UndecidedError(
            field=what,
            value="nothing" if found is None else str(found),
            condition=f"could not be enclosed to a relative width of {width:g} with this method",
            remedy="Ask for a larger width.",
            reached=found,
        )

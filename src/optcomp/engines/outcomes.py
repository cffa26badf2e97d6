"""Few different outcomes: the profile's definition, summed in ball arithmetic.

With losses L, probabilities P and ``Q = e^-L P`` over all outcomes,

    delta(x) = sum of (P - e^x Q)_+ .

For any set of outcomes, ``ln((P(set) - t)/Q(set))`` is at most the x where delta falls to t, with equality for the set
``L > x``; so Newton's method over sets climbs to the answer from the left. Two points around it are then certified.
Epsilons of any size are welcome here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

from optcomp.errors import UndecidedError
from optcomp.losses import Atom, AtomicLoss, Loss
from optcomp.numerics.balls import Ball, ball, enclose, ends, hull, precision
from optcomp.numerics.bracket import Guess, enclose_inverse
from optcomp.quantities import Enclosure, Real
from optcomp.sources import MV16, states

__all__ = ["Outcomes"]

_MOST = 2048
_MOST_DIFFERENT = 11  # each has at least two values
_ACCURACY = 60
_ENOUGH = 8192  # bits at which a delta that cannot be told from 0 is taken for next to 0
_BITS = (128, 512, 2048, 8192, 32768)
_NEWTON_STEPS = 300
_DIGITS = 40


@dataclass(frozen=True)
class _Outcome:
    """One value of the composed loss, with its probabilities."""

    loss: Ball
    likely: Ball
    unlikely: Ball


@dataclass(frozen=True)
class Outcomes:
    """Losses with finitely many values whose sum has at most 2048.

    Args:
        losses: Different losses with their counts.
    """

    name: ClassVar[str] = "outcomes"
    precision: ClassVar[str] = "balls of 128 bits and more"
    losses: tuple[tuple[AtomicLoss, int], ...]

    @classmethod
    def of(cls, losses: tuple[tuple[Loss, int], ...]) -> Self | None:
        """The engine for these losses, or None when they have too many outcomes."""
        if len(losses) > _MOST_DIFFERENT:
            return None
        known = tuple((loss, count) for loss, count in losses if isinstance(loss, AtomicLoss))
        return cls(known) if len(known) == len(losses) and _size(known) <= _MOST else None

    @property
    def cost(self) -> str:
        """What an answer costs, in words."""
        return f"a sum over {_size(self.losses)} outcomes"

    @cached_property
    def _known(self) -> dict[int, tuple[_Outcome, ...]]:
        return {}

    def _outcomes(self, bits: int) -> tuple[_Outcome, ...]:
        """All outcomes at a precision, which must be the present one."""
        if bits not in self._known:
            found = [_Outcome(ball(0), ball(1), ball(1))]
            for loss, count in self.losses:
                steps = _steps(loss.atoms(), count)
                found = [
                    _Outcome(a.loss + b.loss, a.likely * b.likely, a.unlikely * b.unlikely)
                    for a in found
                    for b in steps
                ]
            self._known[bits] = tuple(found)
        return self._known[bits]

    @states(MV16, "Theorem 1.5, outcome by outcome")
    def delta(self, epsilon: Real) -> Enclosure:
        """The composed delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``, relative width below 1e-17.

        Raises:
            UndecidedError: When 32,768 bits do not reach that width.
        """
        for bits in _BITS:
            with precision(bits):
                value = self._value(ball(epsilon), bits)
                small = bits >= _ENOUGH and value.contains(0) and bool(value.rad() < ball(2) ** (-bits // 2))
                if value.is_finite() and (small or value.is_zero() or value.rel_accuracy_bits() >= _ACCURACY):
                    return enclose(value, least=Fraction(0), most=Fraction(1))
        raise _undecided("delta")

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``; relative width below 1e-17 when the target
        is that narrow too.

        Raises:
            UndecidedError: When 32,768 bits do not reach that width.
        """
        for bits in _BITS:
            with precision(bits):
                guess = self._climb(hull(target), bits)
                largest = ends(sum((count * loss.largest_ball() for loss, count in self.losses), start=ball(0)))[1]
            found = self._certified(guess, target, bits, Fraction(largest))
            if found is not None and (found.is_exact or found.relative_width < 2.0**-_ACCURACY):
                return found.rounded(_DIGITS)
        raise _undecided("epsilon")

    def _value(self, x: Ball, bits: int) -> Ball:
        total, growth = ball(0), x.exp()
        for outcome in self._outcomes(bits):
            if (
                not outcome.loss < x
            ):  # an outcome at x itself, to this precision, adds next to nothing: keep what it may add
                excess = outcome.likely - growth * outcome.unlikely
                total += excess if outcome.loss > x else excess.max(ball(0))
        return total

    def _climb(self, target: Ball, bits: int) -> Ball:
        """Newton's method from 0, or from the left of it."""
        x = ball(0)
        for _ in range(_NEWTON_STEPS):
            above = [outcome for outcome in self._outcomes(bits) if outcome.loss > x]
            likely = sum((outcome.likely for outcome in above), start=ball(0))
            unlikely = sum((outcome.unlikely for outcome in above), start=ball(0))
            if not likely - target > 0:
                break
            following = ((likely - target) / unlikely).log().mid()
            if not following > x:
                break
            x = following
        return x

    def _certified(self, guess: Ball, target: Enclosure, bits: int, largest: Fraction) -> Enclosure | None:
        def value(point: Fraction) -> Enclosure:
            with precision(bits):
                low, high = ends(self._value(ball(point), bits))
            return Enclosure(min(max(low, Fraction(0)), Fraction(1)), max(min(high, Fraction(1)), Fraction(0)))

        point = max(Fraction(ends(guess)[0]), Fraction(0))
        if point == 0 and value(point).upper <= target.lower:
            return Enclosure.exactly(0)
        reach = max(point, Fraction(1, 2 ** (bits // 2))) / 2**72
        return enclose_inverse(value, target, Guess(point, reach, reach), largest=largest)


def _size(losses: tuple[tuple[AtomicLoss, int], ...]) -> int:
    """The number of outcomes, equal values not merged."""
    total = 1
    for loss, count in losses:
        if loss.size > _MOST or count > _MOST:  # at least one outcome more than there are
            return _MOST + 1
        total *= math.comb(count + loss.size - 1, loss.size - 1)
    return total


def _steps(atoms: tuple[Atom, ...], count: int) -> list[_Outcome]:
    """The outcomes of ``count`` equal losses."""
    found = []
    for times in _shares(count, len(atoms)):
        ways, left = 1, count
        for each in times:
            ways, left = ways * math.comb(left, each), left - each
        outcome = _Outcome(ball(0), ball(ways), ball(ways))
        for each, atom in zip(times, atoms, strict=True):
            outcome = _Outcome(
                outcome.loss + each * atom.loss,
                outcome.likely * atom.likely**each,
                outcome.unlikely * atom.unlikely**each,
            )
        found.append(outcome)
    return found


def _shares(count: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a count as a sum of that many numbers, in order."""
    if parts == 1:
        yield (count,)
        return
    for first in range(count, -1, -1):
        for rest in _shares(count - first, parts - 1):
            yield (first, *rest)


def _undecided(what: str) -> UndecidedError:
    return UndecidedError(
        field=what,
        value=f"{_BITS[-1]} bits",
        condition="could not be computed to the promised accuracy",
        remedy="Ask for a nearby value.",
    )

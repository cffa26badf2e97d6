"""Laplace and bounded-range losses: the profile as a finite sum of residues, in ball arithmetic.

With ``u = s + 1/2`` every such loss has the growth ``(a e^(u r) + b e^(-u r))/(2 u)``, so a composition of N of them is

    sum of  w (u + 1/2)^(n - q) (u - 1/2)^q e^(u c) / (2 u)^N,

one term for every choice of ends; atomic losses only shift the c. The profile is the integral of
``M(s) e^(-s x)/(s (s + 1))`` over a line right of 0. A term with ``c > x`` adds its residues at u = 0, 1/2 and -1/2; a
term with ``c <= x`` adds nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations_with_replacement
from typing import ClassVar, Self

from optcomp.errors import UndecidedError
from optcomp.losses import Atom, AtomicLoss, LaplaceLoss, Loss
from optcomp.losses.selection import BoundedRangeLoss
from optcomp.numerics.balls import (
    Ball,
    ball,
    enclose,
    ends,
    hull,
    nearest_float,
    polynomial_at,
    precision,
    present_precision,
    refine,
)
from optcomp.numerics.bracket import Guess, enclose_inverse
from optcomp.quantities import Enclosure, Real, approximately
from optcomp.sources import ZDW22, states

__all__ = ["Residues"]

_MOST = 1000  # losses with a density
_MOST_TERMS = 10_000
_MOST_WORK = 1_100_000  # terms times losses with a density
_LEAST_SIZE, _MOST_SIZE = 1e-100, 1e6  # of a loss
_ACCURACY = 60
_ACCURACIES = (112, 256, 512, 1024)  # of the deltas that certify an epsilon
_SPARE_BITS = 48  # what an estimate of the cancellation may be off by
_START_BITS = (128, 16384)
_FLOOR = 8192
_DIGITS = 40
_ROUGH_BITS = 256
_ROUGH_STEPS = 400
_SEARCH_STEPS = 60
_NARROW = 2.0**-80

Losses = tuple[tuple[Loss, int], ...]


@dataclass(frozen=True)
class _Term:
    """``weight (u + 1/2)^(n - order) (u - 1/2)^order e^(u place)``."""

    place: Ball
    order: int
    weight: Ball

    def __mul__(self, other: _Term) -> _Term:
        return _Term(self.place + other.place, self.order + other.order, self.weight * other.weight)


@dataclass(frozen=True)
class _Rough:
    """A saddle point's idea of ``ln delta(x)`` and of its slope; nothing is promised."""

    log: float
    slope: float


@dataclass(frozen=True)
class Residues:
    """Laplace and bounded-range losses, up to 1000 of them, and a few atomic losses beside them.

    Args:
        losses: Different losses with their counts.
    """

    name: ClassVar[str] = "residues"
    precision: ClassVar[str] = "balls of 128 bits and more"
    losses: Losses

    @classmethod
    def of(cls, losses: Losses) -> Self | None:
        """The engine for these losses, or None when they are of another kind, too many, or of extreme size."""
        if not all(isinstance(loss, LaplaceLoss | BoundedRangeLoss | AtomicLoss) for loss, _ in losses):
            return None
        smooth = sum(count for loss, count in losses if not isinstance(loss, AtomicLoss))
        if not 0 < smooth <= _MOST or not all(_fits(loss) for loss, _ in losses):
            return None
        terms = _size(losses)
        return cls(losses) if terms <= _MOST_TERMS and terms * smooth <= _MOST_WORK else None

    @property
    def cost(self) -> str:
        """What an answer costs, in words."""
        return f"up to {_size(self.losses)} residues of order {self._poles}"

    @cached_property
    def _poles(self) -> int:
        """N: the order of the pole at u = 0."""
        return sum(count for loss, count in self.losses if not isinstance(loss, AtomicLoss))

    @cached_property
    def _laplace(self) -> int:
        """n: how many of the losses are Laplace."""
        return sum(count for loss, count in self.losses if isinstance(loss, LaplaceLoss))

    @cached_property
    def _known(self) -> dict[int, tuple[_Term, ...]]:
        return {}

    @states(ZDW22, "characteristic functions, as a sum of residues")
    def delta(self, epsilon: Real) -> Enclosure:
        """The composed delta at any real epsilon.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``; relative width below 1e-17, or delta is below 2^-8191.

        Raises:
            UndecidedError: When 32,768 bits do not reach that width.
        """
        return enclose(self._delta(epsilon, _ACCURACY), least=Fraction(0), most=Fraction(1))

    def epsilon(self, target: Enclosure) -> Enclosure:
        """The least ``x >= 0`` with ``delta(x) <= t`` for t in ``target``.

        **Guarantee**: ``lower <= x(t) <= upper`` for every t in ``target``; relative width below 1e-17 when the target
        is narrower than 2^-80 of itself.

        Raises:
            UndecidedError: When that width cannot be reached: t is next to delta(0), or to 0.
        """
        for accuracy in _ACCURACIES:
            found = self._inverse(target, accuracy)
            if found is not None and (found.relative_width < 2.0**-_ACCURACY or target.relative_width > _NARROW):
                return found.rounded(_DIGITS)
            if target.relative_width > 2.0 ** (16 - accuracy):  # more accurate deltas would tell no more
                break
        raise UndecidedError(
            field="epsilon",
            value=str(target),
            condition="is a target whose epsilon could not be computed to the promised accuracy",
            remedy="Ask for a nearby value.",
        )

    def _delta(self, x: Real, accuracy: int) -> Ball:
        """Delta in a ball with that many accurate bits."""
        top = self._largest_exact
        if top is not None and isinstance(x, Fraction) and x >= top:
            return ball(0)
        bits = accuracy + _SPARE_BITS + self._cancelled(x)
        start = min(max(bits, self._laplace + 8, _START_BITS[0]), _START_BITS[1])
        return refine(lambda: self._value(ball(x)), start=start, accuracy=accuracy, floor=_FLOOR, what="delta")

    @cached_property
    def _largest_exact(self) -> Fraction | None:
        """The largest loss when it is known to be rational."""
        total = Fraction(0)
        for loss, count in self.losses:
            if not isinstance(loss.largest, Fraction):
                return None
            total += count * loss.largest
        return total

    def _largest_ball(self) -> Ball:
        return sum((count * loss.largest_ball() for loss, count in self.losses), start=ball(0))

    def _terms(self) -> tuple[_Term, ...]:
        """All terms at the present precision."""
        bits = present_precision()
        if bits not in self._known:
            self._known.clear()
            found = [_Term(ball(0), 0, ball(1))]
            for loss, count in self.losses:
                steps = tuple(_steps(loss, count))
                found = [one * other for one in found for other in steps]
            self._known[bits] = tuple(found)
        return self._known[bits]

    def _value(self, x: Ball) -> Ball:
        """Delta from the residues of the terms beyond x, or from those of the others when they are fewer."""
        beyond = [term for term in self._terms() if not term.place <= x]
        others = [term for term in self._terms() if not term.place >= x]
        root = (x / 2).exp()
        if len(beyond) <= len(others):
            return root * self._residues(beyond, x)
        return self._whole(x) - root * self._residues(others, x)

    def _whole(self, x: Ball) -> Ball:
        """What all terms together add: ``M(0) - e^x M(-1)``, where M is 1 but for atoms that are a part of a law."""
        likely, unlikely, atomic = ball(1), ball(1), False
        for loss, count in self.losses:
            if isinstance(loss, AtomicLoss):
                atomic, atoms = True, loss.atoms()
                likely *= sum((atom.likely for atom in atoms), start=ball(0)) ** count
                unlikely *= sum((atom.unlikely for atom in atoms), start=ball(0)) ** count
        return likely - x.exp() * unlikely if atomic else -x.expm1()

    def _residues(self, terms: list[_Term], x: Ball) -> Ball:
        groups: dict[int, list[_Term]] = defaultdict(list)
        for term in terms:
            groups[term.order].append(term)
        total, kernels = ball(0), _kernels(self._laplace, self._poles)
        inverse = list(accumulate(range(1, self._poles), lambda done, k: done / k, initial=ball(1)))
        for order in range(max(groups, default=-1) + 1):
            kernel = next(kernels)
            if order not in groups:
                continue
            coefficients = [each * factor for each, factor in zip(reversed(kernel), inverse, strict=True)]
            for term in groups[order]:
                z = (term.place - x) / 2
                residue = polynomial_at(coefficients, z) * ball(2) ** (1 - self._laplace)
                if order == 0:
                    residue += z.exp()
                if order == self._laplace:
                    residue += (-1) ** (order + 1 + self._poles) * (-z).exp()
                here = term.weight * residue
                total += here if z > 0 or z < 0 else here.union(ball(0))  # at z = 0 it adds 0, and it is continuous
        return total

    def _cancelled(self, x: Real) -> int:
        """About how many bits are lost between the largest residue and delta."""
        with precision(_ROUGH_BITS):
            place = ball(x)
            top = self._largest_ball()
            if abs(place) >= top:  # then no bits are lost
                return 0
            far = nearest_float(top - abs(place)) / 2
            size = nearest_float(place) / 2 + (1 - self._laplace) * math.log(2)
            size += sum(count * nearest_float(_weight(loss).log()) for loss, count in self.losses)
            rough = self._rough(place).log
        size += min(_taylor(self._laplace - 2, self._poles - 1, far, step) for step in range(-60, 61))
        lost = (max(size, 0.0) - min(rough, 0.0)) / math.log(2)
        return int(lost) if math.isfinite(lost) else 0

    def _rough(self, x: Ball) -> _Rough:
        """Look for the saddle point on the real line, its logarithm in steps that become finer."""

        def exponent(place: float) -> float:
            s = ball(place).exp()
            growth = sum((count * loss.growth(s).log() for loss, count in self.losses), start=-s * x)
            return nearest_float(growth - s.log() - (1 + s).log())

        place = -math.log(max(nearest_float(self._largest_ball()), 1e-300))
        least, step = exponent(place), 4.0
        for _ in range(_ROUGH_STEPS):
            there, value = min(((each, exponent(each)) for each in (place - step, place + step)), key=lambda at: at[1])
            if value < least:
                place, least = there, value
                continue
            step /= 4
            if step < 0.05:
                break
        curve = (exponent(place + 0.1) + exponent(place - 0.1) - 2 * least) / 0.01
        log = least + place - math.log(2 * math.pi * max(curve, 1e-9)) / 2
        return _Rough(log, -math.exp(min(place, 700.0)))

    def _inverse(self, target: Enclosure, accuracy: int) -> Enclosure | None:
        known: dict[Fraction, Ball] = {}

        def delta(x: Fraction) -> Ball:
            if x not in known:
                known[x] = self._delta(x, accuracy)
            return known[x]

        def value(x: Fraction) -> Enclosure:
            low, high = ends(delta(x))
            return Enclosure(min(max(low, Fraction(0)), Fraction(1)), max(min(high, Fraction(1)), Fraction(0)))

        with precision(accuracy):
            wanted = hull(target)
            log_wanted = wanted.mid().log()
            top = Fraction(ends(self._largest_ball())[1])

        def rough(x: Fraction) -> tuple[float, float]:
            with precision(_ROUGH_BITS):
                found = self._rough(ball(x))
                return found.log - nearest_float(log_wanted), found.slope

        def excess(x: Fraction) -> tuple[float, None]:
            with precision(accuracy):
                return nearest_float(delta(x).log() - log_wanted), None

        if rough(Fraction(0))[0] < 1 and value(Fraction(0)).upper <= target.lower:
            return Enclosure.exactly(0)
        enough = min(target.relative_width, 1.0)
        start = _root(rough, (top / 2, -1.0), top, tolerance=2.0**-12, enough=1e-6)
        point, slope = _root(excess, start, top, tolerance=2.0**-44, enough=max(enough, 2.0 ** (10 - accuracy)))
        unsure = max(enough, 2.0 ** (8 - accuracy)) / max(-slope, 1e-300)
        reach = max(point / 2**63, Fraction(2 * unsure) if math.isfinite(unsure) else Fraction(0))
        return enclose_inverse(value, target, Guess(point, reach, reach), largest=top)


def _root(
    function: Callable[[Fraction], tuple[float, float | None]],
    start: tuple[Fraction, float],
    high: Fraction,
    *,
    tolerance: float,
    enough: float,
) -> tuple[Fraction, float]:
    """About where a decreasing function on ``[0, high]`` is 0, and its slope there: Newton's or the secant method.

    Args:
        function: Its value, and its slope where that is known.
        start: The first point, and about its slope there.
        high: The right end.
        tolerance: A step that ends the search, relative to the distance from the nearer end.
        enough: A value that ends it.
    """
    low, (point, slope), top = Fraction(0), start, high
    before: tuple[Fraction, float] | None = None
    for turn in range(_SEARCH_STEPS):
        value, told = function(point)
        if math.isfinite(value):
            if told is not None:
                slope = told
            elif before is not None and value != before[1] and point != before[0]:
                slope = float((Fraction(value) - Fraction(before[1])) / (point - before[0]))
            before = (point, value)
        low, high = (point, high) if value > 0 else (low, point)
        if abs(value) <= enough:
            break
        following = (low + high) / 2
        if math.isfinite(value) and slope < 0 and math.isfinite(slope) and turn % 8 < 7:
            newton = point - Fraction(value) / Fraction(slope)
            following = newton if low < newton < high else following
            if newton <= low == 0:  # the answer is next to 0, or 0
                following = point / 2**20
        following = _shortened(following)
        near = Fraction(tolerance) * min(following, top - following)  # the scale on which the function changes
        if abs(following - point) <= max(near, following / 2**70):
            point = following
            break
        point = following
    return point, slope


def _shortened(value: Fraction) -> Fraction:
    """A number above 0 to about 200 bits."""
    shift = 200 + value.denominator.bit_length() - value.numerator.bit_length()
    return Fraction(math.floor(value * Fraction(2) ** shift)) / Fraction(2) ** shift


def _kernels(laplace: int, size: int) -> Iterator[list[Ball]]:
    """The first coefficients of ``(1 + v)^(n - q - 1) (v - 1)^(q - 1)`` in v, for q = 0, 1, ... in turn.

    They are integers of at most n bits, so balls of a few more bits keep them exactly.
    """
    if laplace:
        binomials = accumulate(range(1, size), lambda c, k: c * (laplace - k) // k, initial=1)
        kernel = [ball(-each) for each in accumulate(binomials)]
    else:
        kernel = [ball(-((k + 1) % 2)) for k in range(size)]
    while True:
        yield kernel
        lowered = [a - b for a, b in zip([ball(0), *kernel], kernel, strict=False)]  # times v - 1
        kernel = list(accumulate(lowered, lambda done, each: each - done))  # over 1 + v


def _taylor(power: int, place: int, far: float, step: int) -> float:
    """The logarithm of a bound of a coefficient of ``(1 + v)^power e^(v far)``, from a circle's radius."""
    radius = math.exp(step / 4)
    return max(power, 0) * math.log1p(radius) - place * math.log(radius) + radius * far


def _weight(loss: Loss) -> Ball:
    """The sum of the weights of a loss's terms, without signs."""
    if isinstance(loss, AtomicLoss):
        return sum((atom.likely * (-atom.loss / 2).exp() for atom in loss.atoms()), start=ball(0))
    rate = loss.largest_ball()
    return 2 * (-rate / 2).exp() if isinstance(loss, LaplaceLoss) else 1 / (rate / 2).sinh()


def _steps(loss: Loss, count: int) -> Iterator[_Term]:
    """The terms of ``count`` equal losses."""
    if isinstance(loss, AtomicLoss):
        yield from _shifts(loss.atoms(), count)
        return
    laplace, rate = isinstance(loss, LaplaceLoss), loss.largest_ball()
    unit = (-rate / 2).exp() if laplace else 1 / (2 * (rate / 2).sinh())
    whole, ways = unit**count, 1
    for lower in range(count + 1):
        sign = 1 if laplace or lower % 2 == 0 else -1
        yield _Term((count - 2 * lower) * rate, lower if laplace else 0, sign * ways * whole)
        ways = ways * (count - lower) // (lower + 1)


def _shifts(atoms: tuple[Atom, ...], count: int) -> Iterator[_Term]:
    """The terms of equal atomic losses: one for every number of times that each value may come."""
    for chosen in combinations_with_replacement(range(len(atoms)), count):
        found, left = _Term(ball(0), 0, ball(1)), count
        for index, atom in enumerate(atoms):
            times = chosen.count(index)
            share = math.comb(left, times) * (atom.likely * (-atom.loss / 2).exp()) ** times
            found, left = found * _Term(times * atom.loss, 0, share), left - times
        yield found


def _size(losses: Losses) -> int:
    """The number of terms."""
    total = 1
    for loss, count in losses:
        size = loss.size if isinstance(loss, AtomicLoss) else 2
        if size > _MOST_TERMS or count > _MOST_TERMS:  # at least one term more than there may be
            return _MOST_TERMS + 1
        total *= math.comb(count + size - 1, size - 1)
    return total


def _fits(loss: Loss) -> bool:
    with precision(_ROUGH_BITS):
        size = approximately(loss.largest) if loss.largest is not None else nearest_float(loss.largest_ball())
    return _LEAST_SIZE <= size <= _MOST_SIZE

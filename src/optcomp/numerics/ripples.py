"""How ``E[e^(s L)]`` turns and shrinks along a vertical line ``s = tilt + i t``, in floats with error bounds.

A ripple belongs to ``count`` equal laws. For an array of heights t it gives ``ln (M(tilt + i t)/M(tilt))`` as a modulus
and an angle, with one bound on the error of both. What is assumed of the platform's elementary functions: sin, cos,
exp, expm1, log, log1p, arctan2 and sqrt are accurate to four units in the last place, ``8 u`` relative. Heights may
carry a relative error of ``4 u``, parameters of ``4 u``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from optcomp.numerics.power_sums import PowerSums

__all__ = ["AtomRipple", "BellRipple", "ComplexRipple", "NormalRipple", "Ripple", "Swing", "TwoPointRipple"]

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]

U = 2.0**-53
_CELLS = 1 << 20  # of a table that is worked on at once
_PHASE = 8.0  # bound on the relative error of a phase, in u
_LEAST = 1e-300
_ROW = 1024
_MOST_FACTORS = 400
_FEW = 64  # up to so many losses are all looked at
_LOW_SHARE = 0.4  # of the losses, the smaller ones, bound whole intervals of heights
_MOST_SCREENED = 8_000_000


@dataclass(frozen=True)
class Swing:
    """Logarithms of ratios: modulus and angle, and a bound on the error of either."""

    modulus: Floats
    angle: Floats
    error: Floats

    def __add__(self, other: Swing) -> Swing:
        """The sum, with its own roundings."""
        modulus, angle = self.modulus + other.modulus, self.angle + other.angle
        error = self.error + other.error + 2 * U * (np.abs(modulus) + np.abs(angle))
        return Swing(modulus, angle, error)

    @staticmethod
    def of(values: Complexes, error: Floats, count: int) -> Swing:
        """From ratios with an absolute error each, raised to a power."""
        size = np.maximum(np.abs(values), _LEAST)
        modulus, angle = np.log(size), np.angle(values)
        off = np.where(error < 0.5 * size, 1.5 * error / size, np.inf)
        off = np.where(np.isfinite(modulus + angle), off, np.inf)
        return Swing(count * modulus, count * angle, count * (off + 20 * U * (np.abs(modulus) + np.abs(angle) + 1e-30)))


class Ripple(ABC):
    """Along one line."""

    @abstractmethod
    def swing(self, heights: Floats) -> Swing:
        """The ratios at some heights."""

    def screen(self, heights: Floats, half: Floats, enough: Floats) -> Floats:
        """An upper bound on the modulus over all heights within ``half`` of the given ones; 0 is always one.

        A bound below ``enough`` need not be improved.
        """
        del half, enough
        return np.zeros(len(heights))

    def beyond(self, height: float) -> float:
        """An upper bound on the modulus at that height and all above."""
        del height
        return 0.0

    @property
    def cost(self) -> float:
        """What one height costs, in sines."""
        return 2.0

    @property
    def period(self) -> tuple[float, float] | None:
        """The distance of heights where this ripple can be large, and how far from them it is small; or None."""
        return None


class NormalRipple(Ripple):
    """A normal loss: ``ln M = s (s + 1) variance/2``."""

    def __init__(self, variance: float, tilt: float) -> None:
        self._variance, self._tilt = variance, tilt

    def swing(self, heights: Floats) -> Swing:
        """In closed form."""
        modulus = -0.5 * self._variance * heights**2
        angle = (self._tilt + 0.5) * self._variance * heights
        return Swing(modulus, angle, 20 * U * (np.abs(modulus) + np.abs(angle)))

    def screen(self, heights: Floats, half: Floats, enough: Floats) -> Floats:
        """It only falls."""
        del enough
        return -0.4999 * self._variance * np.maximum(heights - half, 0.0) ** 2

    def beyond(self, height: float) -> float:
        """It only falls."""
        return -0.4999 * self._variance * height * height


class TwoPointRipple(Ripple):
    """Two-point losses ``+-epsilon`` of randomized response, many at once.

    The epsilons are sorted. ``M/M(tilt) = cos(e t) + i T sin(e t)`` with ``T = tanh((tilt + 1/2) e)``, of squared
    modulus ``1 - S sin^2(e t)`` with ``S = 1 - T^2``.
    """

    def __init__(self, epsilons: Floats, counts: Floats, tilt: float, sums: PowerSums | None = None) -> None:
        self._epsilons, self._counts, self._tilt, self._sums = epsilons, counts, tilt, sums
        half = (tilt + 0.5) * self._epsilons
        small = np.exp(-2 * half)
        self._rest = 4 * small / (1 + small) ** 2  # S, relative error below (40 + 16 far) u
        self._bend = -np.expm1(-2 * half) / (1 + small)  # T, the same
        self._far = 1 + half  # S is less accurate where it is tiny

    def swing(self, heights: Floats) -> Swing:
        """The sum over all losses."""
        if self._sums is None:
            return self._direct(heights)
        near = np.hypot(self._tilt + 0.5, heights) < self._sums.reach()
        change, error = self._sums.change(self._tilt, heights[near])
        whole = tuple(np.empty(len(heights)) for _ in range(3))
        far = self._direct(heights[~near])
        for part, first, second in zip(
            whole, (change.real, change.imag, error), (far.modulus, far.angle, far.error), strict=True
        ):
            part[near], part[~near] = first, second
        return Swing(*whole)

    def _direct(self, heights: Floats) -> Swing:
        rows = max(1, _CELLS // max(1, len(self._epsilons)))
        parts = [self._block(heights[start : start + rows]) for start in range(0, len(heights), rows)]
        return Swing(*(np.concatenate(part) for part in zip(*parts, strict=True))) if parts else _nothing()

    @property
    def runs_fast(self) -> bool:
        """Whether `run` is cheaper than bounds."""
        return float(self._counts.sum()) <= _MOST_FACTORS

    def run(self, unit: float, start: int, size: int) -> Swing:
        """The ratios at the heights ``unit n`` for ``size`` whole n from ``start``, as a product of rotations.

        Turns of ``n = start + 1024 a + b`` are products of a turn by the first two and one by the last; a factor is at
        least ``T`` in size, so errors of its parts count at most 1/T times.
        """
        rows = -(-size // _ROW)
        far = unit * (start + _ROW * np.arange(rows, dtype=np.float64))
        near = unit * np.arange(_ROW, dtype=np.float64)
        real, imaginary = np.ones((rows, _ROW)), np.zeros((rows, _ROW))
        cosine, sine, spare, other = (np.empty((rows, _ROW)) for _ in range(4))
        per_height, fixed = 0.0, 0.0
        for epsilon, count, bend in zip(self._epsilons, self._counts, self._bend, strict=True):
            first, second = np.cos(epsilon * far), np.sin(epsilon * far)
            third, fourth = np.cos(epsilon * near), np.sin(epsilon * near)
            np.multiply.outer(first, third, out=cosine)
            np.multiply.outer(second, fourth, out=spare)
            cosine -= spare
            np.multiply.outer(second, third, out=sine)
            np.multiply.outer(first, fourth, out=spare)
            sine += spare
            sine *= bend
            for _ in range(int(count)):
                np.multiply(real, cosine, out=other)
                np.multiply(imaginary, sine, out=spare)
                other -= spare
                np.multiply(real, sine, out=spare)
                imaginary *= cosine
                imaginary += spare
                real, other = other, real
            per_height += 2 * _PHASE * U * count * epsilon / bend
            fixed += 60 * U * count / bend
        real, imaginary = real.ravel()[:size], imaginary.ravel()[:size]
        with np.errstate(divide="ignore"):
            modulus = 0.5 * np.log(np.maximum(real**2 + imaginary**2, _LEAST))
        error: Floats = per_height * unit * np.arange(start, start + size, dtype=np.float64) + fixed
        error = np.where(error < 0.3, 1.5 * error, np.inf) + 20 * U * (np.abs(modulus) + 4.0)
        return Swing(modulus, np.arctan2(imaginary, real), error)

    def _block(self, heights: Floats) -> tuple[Floats, Floats, Floats]:
        phase = heights[:, None] * self._epsilons
        sine, cosine = np.sin(phase), np.cos(phase)
        lost = self._rest * sine**2
        left = np.maximum(1 - lost, self._bend**2)
        modulus = 0.5 * np.where(lost < 0.75, np.log1p(-np.minimum(lost, 0.75)), np.log(left))
        angle = np.arctan2(self._bend * sine, cosine)
        turn = np.abs(phase)
        off = (60 * U) * turn * (self._rest * np.abs(sine) + self._bend) / left
        off += (64 * U) * (self._far * lost / left + np.abs(modulus) + np.abs(angle))
        weights = self._counts
        size = (np.abs(modulus) + np.abs(angle)) @ weights
        added = (len(weights) + 4) * U * size
        return modulus @ weights, angle @ weights, off @ weights + added

    @property
    def largest(self) -> float:
        """The largest epsilon that `screen` looks at where it is asked for intervals."""
        return float(self._epsilons[int(_LOW_SHARE * (len(self._epsilons) - 1))])

    @property
    def size(self) -> int:
        """How many different losses there are."""
        return len(self._epsilons)

    def screen(self, heights: Floats, half: Floats, enough: Floats) -> Floats:
        """From at most 64 of the losses, then from more where that is not small."""
        last = self.size - 1
        reach = last if self.size <= _FEW or not half.any() else int(_LOW_SHARE * last)
        found = np.zeros(len(heights))
        doubtful = np.arange(len(heights))
        for most in (160 if half.any() else 64, 600, self.size):
            if most >= self.size:
                chosen = np.arange(self.size)
            else:
                chosen = np.linspace(0, reach, min(most, reach + 1)).astype(np.int64)
                chosen = chosen[np.concatenate([[True], np.diff(chosen) > 0])]
            if len(doubtful) * len(chosen) > _MOST_SCREENED and most == self.size > _FEW:
                break
            found[doubtful] = self._screened(heights[doubtful], half[doubtful], chosen)
            if most >= self.size:
                break
            doubtful = np.flatnonzero(found > enough)
            if not len(doubtful):
                break
        return found

    def _screened(self, heights: Floats, half: Floats, chosen: npt.NDArray[np.int64]) -> Floats:
        epsilons, counts, rest = self._epsilons[chosen], self._counts[chosen], self._rest[chosen]
        found = np.empty(len(heights))
        rows = max(1, _CELLS // len(chosen))
        for start in range(0, len(heights), rows):
            part, wide = heights[start : start + rows, None], half[start : start + rows, None]
            sine = np.abs(np.sin(part * epsilons)) - epsilons * (wide * 1.0001 + 1e-11 * np.abs(part)) - 1e-9
            lost = rest * (1 - 1e-9) * np.maximum(sine, 0.0) ** 2
            found[start : start + rows] = 0.5 * np.log1p(-lost) @ counts
        return found


class BellRipple(Ripple):
    """The discrete normal loss ``reach (reach - 2 x)/(2 variance)``, for a variance of at least 0.3.

    With ``p = t reach/variance`` reduced to ``P`` in ``[-pi, pi]``, ``ln M/M(tilt)`` is the sum of ``-variance P^2/2 +
    i (tilt reach P + p reach/2)`` and of the logarithm of a sum of a few exponentials close to 1.
    """

    def __init__(self, variance: float, reach: int, count: int, tilt: float) -> None:
        self._variance, self._reach, self._count, self._shift = variance, reach, count, tilt * reach
        self._orders = (1,) if variance >= 1 else (1, 2, 3)
        last = self._orders[-1]
        self._left_out = 4 * math.exp(-2 * math.pi**2 * variance * last * (last + 1))
        self._most = sum(2 * math.exp(-2 * math.pi**2 * m * m * variance) for m in self._orders) + self._left_out
        self._start = sum(
            2 * math.cos(2 * math.pi * m * self._shift) * math.exp(-2 * math.pi**2 * m * m * variance)
            for m in self._orders
        )

    def _reduced(self, heights: Floats) -> tuple[Floats, Floats]:
        phase = heights * (self._reach / self._variance)
        return phase, phase - 2 * math.pi * np.rint(phase / (2 * math.pi))

    def swing(self, heights: Floats) -> Swing:
        """In closed form."""
        v, shift = self._variance, self._shift
        phase, reduced = self._reduced(heights)
        extra = np.zeros(len(heights), dtype=np.complex128)
        for m in (sign * order for order in self._orders for sign in (1, -1)):
            extra += np.exp(-v * (2 * math.pi * m * reduced + 2 * math.pi**2 * m * m) + 2j * math.pi * m * shift)
        ratio = (1 + extra) / (1 + self._start)
        size = np.maximum(np.abs(ratio), _LEAST)
        off = (40 * U) * (1 + abs(shift)) * np.abs(extra) + 2 * self._left_out
        turned = (_PHASE + 4) * U * np.abs(phase)  # error of the reduced phase
        slope = v * np.abs(reduced) + abs(shift) + self._reach + v * np.abs(extra) * 2 * math.pi * 3 / size
        modulus = -0.5 * v * reduced**2 + np.log(size)
        angle = shift * reduced + 0.5 * self._reach * phase + np.angle(ratio)
        error = turned * slope + 30 * U * (v * reduced**2 + np.abs(angle) + np.abs(np.log(size)))
        error += np.where(off < 0.5 * size, 1.5 * off / size, np.inf)
        error += (20 * U) * np.abs(extra) * v * 2 * math.pi * (np.abs(reduced) + math.pi) / size
        return Swing(self._count * modulus, self._count * angle, self._count * error)

    def screen(self, heights: Floats, half: Floats, enough: Floats) -> Floats:
        """From the reduced phase alone."""
        del enough
        phase, reduced = self._reduced(heights)
        near = np.abs(reduced) - half * (self._reach / self._variance) * 1.0001 - 1e-11 * np.abs(phase) - 1e-9
        near = np.clip(near, 0.0, math.pi)
        # the bound below falls with the phase, but for a rise of at most this next to 0
        slack = 2 * self._variance * (math.pi * self._most) ** 2
        others = 1.001 * np.exp(-2 * math.pi * self._variance * (math.pi - near)) + self._most
        whole = np.log1p(others) - math.log1p(-self._most) + slack
        return self._count * (-0.5 * self._variance * near**2 * (1 - 1e-9) + whole)

    @property
    def period(self) -> tuple[float, float] | None:
        """Around whole turns of the phase."""
        near = math.sqrt(2 * (75 + self._count * 0.7) / (self._count * self._variance))
        scale = self._variance / self._reach
        return (2 * math.pi * scale, near * scale) if near < 2 else None


class AtomRipple(Ripple):
    """Finitely many values, or the nodes of a quadrature.

    Args:
        values: The losses.
        weights: Their probabilities, tilted and divided by M(tilt), at least 0, relative error below 8 u.
        count: How many.
        extra: A bound on the absolute error of the ratio at a height, beyond rounding.
        limit: A bound on the modulus of the ratio at a height and above.
    """

    def __init__(
        self,
        values: Floats,
        weights: Floats,
        count: int,
        extra: Callable[[Floats], Floats] | None = None,
        limit: Callable[[float], float] | None = None,
    ) -> None:
        self._values, self._weights, self._count, self._extra, self._limit = values, weights, count, extra, limit

    def swing(self, heights: Floats) -> Swing:
        """The weighted sum of rotations."""
        found = np.empty(len(heights), dtype=np.complex128)
        rows = max(1, _CELLS // len(self._values))
        for start in range(0, len(heights), rows):
            phase = heights[start : start + rows, None] * self._values
            found[start : start + rows] = np.cos(phase) @ self._weights + 1j * (np.sin(phase) @ self._weights)
        turning = float(np.abs(self._values) @ self._weights)
        error = U * (30 + len(self._values) + 2 * _PHASE * turning * np.abs(heights))
        if self._extra is not None:
            error = error + self._extra(heights)
        return Swing.of(found, error, self._count)

    def screen(self, heights: Floats, half: Floats, enough: Floats) -> Floats:
        """The ratio itself, where only the heights themselves are asked for."""
        del enough
        if half.any():
            return np.zeros(len(heights))
        swing = self.swing(heights)
        return np.minimum(swing.modulus + np.where(np.isfinite(swing.error), swing.error, np.inf), 0.0)

    @property
    def cost(self) -> float:
        """Two for each value."""
        return 2.0 * len(self._values)

    def beyond(self, height: float) -> float:
        """From the limit, if there is one."""
        if self._limit is None:
            return 0.0
        return min(0.0, self._count * math.log(max(self._limit(height), _LEAST)))


class ComplexRipple(Ripple):
    """A law whose ratio is an elementary function.

    Args:
        ratio: The ratio at some heights and a bound on its absolute error.
        count: How many.
        limit: A bound on the modulus of the ratio at a height and above.
    """

    def __init__(
        self,
        ratio: Callable[[Floats], tuple[Complexes, Floats]],
        count: int,
        limit: Callable[[float], float] | None = None,
    ) -> None:
        self._ratio, self._count, self._limit = ratio, count, limit

    def swing(self, heights: Floats) -> Swing:
        """The ratio's logarithm."""
        return Swing.of(*self._ratio(heights), self._count)

    def screen(self, heights: Floats, half: Floats, enough: Floats) -> Floats:
        """The ratio itself, where only the heights themselves are asked for."""
        del enough
        if half.any():
            return np.zeros(len(heights))
        swing = self.swing(heights)
        return np.minimum(swing.modulus + np.where(np.isfinite(swing.error), swing.error, np.inf), 0.0)

    def beyond(self, height: float) -> float:
        """From the limit, if there is one."""
        if self._limit is None:
            return 0.0
        return min(0.0, self._count * math.log(max(self._limit(height), _LEAST)))


def _nothing() -> Swing:
    return Swing(np.zeros(0), np.zeros(0), np.zeros(0))

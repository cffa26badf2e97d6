"""Where a contour sum should run: saddles of the integrand, and the window that keeps its aliases small.

Nothing here is certified; what is built on it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optcomp.losses import Loss, SampledAtoms, TwoPointColumn
from optcomp.losses.ripples import Followed
from optcomp.numerics.balls import Ball, ball, ends, nearest_float, precision, with_error
from optcomp.numerics.contour import GridPoint
from optcomp.quantities import Real, common_step

__all__ = ["BITS", "Grid", "Losses", "Saddles"]

Losses = tuple[tuple[Loss, int], ...]

BITS = 128
"""The precision of everything that is computed once."""

_FLOAT_LOSS, _BALL_LOSS = 30.0, 46.0  # e^-30 of delta may be lost by each of aliases and ends in floats
_PAIR_ERROR = 400 * 2.0**-53
_MOST_ON_GRID = 2000  # different losses; more of them are answered sooner without looking for a grid


@dataclass(frozen=True)
class Grid:
    """All sums of losses are ``offset + n step``."""

    step: Real
    half_offset: int  # in half steps

    def point(self, x: Ball) -> list[GridPoint]:
        """The least grid point at or above x; two when x is too close to one to tell."""
        step = ball(self.step)
        offset = step * self.half_offset / 2
        low, high = ends((x - offset) / step)
        found = []
        for place in range(math.ceil(low), math.ceil(high) + 1):
            point = offset + place * step
            found.append(GridPoint(point, (point - x).max(ball(0)).min(step), step))
        return found


class Saddles:
    """Of one composition."""

    def __init__(self, losses: Losses, *, in_balls: bool) -> None:
        self.losses = losses
        self.followed = Followed(losses)
        self.in_balls = in_balls
        self.loss = _BALL_LOSS if in_balls else _FLOAT_LOSS
        self._known: dict[float, float] = {}
        with precision(BITS):
            pairs = math.fsum(self.followed.epsilons * self.followed.counts)
            exact = len(self.followed.epsilons) <= _MOST_ON_GRID and not any(
                isinstance(loss, TwoPointColumn) for loss, _ in losses
            )
            self.top = sum(
                (count * loss.largest_ball() for loss, count in (losses if exact else self.followed.others)),
                start=ball(0),
            )
            if not exact:
                self.top += with_error(pairs, relative=_PAIR_ERROR, absolute=0.0)
            self.shrink = ball(1)
            for loss, count in losses:
                if isinstance(loss, SampledAtoms) and loss.failure:
                    self.shrink *= loss.growth(ball(-1)) ** count

    def growth(self, tilt: float) -> float:
        """K(tilt), about; infinite beyond floats."""
        if tilt not in self._known:
            with np.errstate(all="ignore"):
                try:
                    value = self.followed.rough_log_growth(tilt)
                except OverflowError:
                    value = math.inf
            self._known[tilt] = value if math.isfinite(value) else math.inf
        return self._known[tilt]

    @cached_property
    def grid(self) -> Grid | None:
        """The common grid, if there is one."""
        if len(self.losses) > _MOST_ON_GRID:
            return None
        grids = [loss.grid for loss, _ in self.losses]
        known = [grid for grid in grids if grid is not None]
        if len(known) < len(grids):
            return None
        found = common_step(grid.step for grid in known)
        if found is None:
            return None
        step, multiples = found
        halves = sum(
            grid.halves * multiple * count
            for grid, multiple, (_, count) in zip(known, multiples, self.losses, strict=True)
        )
        return Grid(step, halves % 2)

    def _parts(self, tilt: float) -> tuple[float, float, float]:
        """K and its first two derivatives, about."""
        off = 1e-3 * tilt
        low, middle, high = self.growth(tilt - off), self.growth(tilt), self.growth(tilt + off)
        return middle, (high - low) / (2 * off), max((high - 2 * middle + low) / off**2, 1e-300)

    def _log_delta(self, tilt: float) -> tuple[float, float]:
        """The point x whose saddle lies at a tilt, and about ln delta there."""
        k, slope, curve = self._parts(tilt)
        x = slope - 1 / tilt - 1 / (1 + tilt)
        bend = curve + 1 / tilt**2 + 1 / (1 + tilt) ** 2
        return x, k - tilt * x - math.log(tilt * (1 + tilt)) - 0.5 * math.log(2 * math.pi * bend)

    def saddle_for(self, log_delta: float) -> tuple[float, float]:
        """The tilt and the x for a delta, about: ln delta falls along the saddles."""
        low, high = -60.0, 60.0  # of ln tilt
        for _ in range(60):
            middle = (low + high) / 2
            x, found = self._safely(math.exp(middle))
            if found > log_delta:
                low = middle
            else:
                high = middle
            if high - low < 1e-3:
                break
        tilt = math.exp(low)
        x, found = self._safely(tilt)
        x = x + (found - log_delta) / tilt if math.isfinite(found) else 0.0
        bound, other = self._chernoff(log_delta, tilt)
        if x > bound:  # the saddle is a bad guide where rare losses are large
            tilt, x = 0.7 * other, bound
        if x <= 0:
            x = 0.0
            tilt = self.saddle_at(0.0)[0]
        return tilt, x

    def is_private(self, log_delta: float) -> bool:
        """Whether delta(0) is certainly below a target, by ``delta(0) <= c e^K(theta)`` for some theta."""
        for place in range(-60, 61):
            theta = 2.0 ** (place / 2)
            k = self.growth(theta)
            c = theta * math.log(theta) - (1 + theta) * math.log1p(theta)
            if k + c < log_delta - 1e-3:
                exact = self.followed.rough_log_growth(theta, careful=True)
                if exact + 1e-8 * (1 + abs(exact)) + c < log_delta - 1e-6:
                    return True
        return False

    def _chernoff(self, log_delta: float, near: float) -> tuple[float, float]:
        """An upper bound of x, about, and the tilt that gives it."""
        best, tilt = math.inf, near
        for place in range(-12, 13):
            theta = near * 1.25**place
            k = self.growth(theta)
            c = theta * math.log(theta) - (1 + theta) * math.log1p(theta)
            x = (k + c - log_delta) / theta
            if x < best:
                best, tilt = x, theta
        return best, tilt

    def _safely(self, tilt: float) -> tuple[float, float]:
        with np.errstate(all="ignore"):
            x, found = self._log_delta(tilt)
        return (x, found) if math.isfinite(found) and math.isfinite(x) else (math.inf, -math.inf)

    def saddle_at(self, x: float) -> tuple[float, float]:
        """The tilt and about ln delta at an x: x rises along the saddles."""
        low, high = -60.0, 60.0
        for _ in range(60):
            middle = (low + high) / 2
            if self._safely(math.exp(middle))[0] < x:
                low = middle
            else:
                high = middle
            if high - low < 1e-3:
                break
        tilt = math.exp(low)
        at, found = self._safely(tilt)
        log_delta = found - tilt * (x - at) if math.isfinite(found) else -700.0
        return tilt, min(log_delta, 0.0)

    def window(self, tilt: float, x: float, log_delta: float) -> tuple[float, float]:
        """The window W for a tilt, and the theta2 that bounds the right aliases best."""
        left = (self.loss - log_delta + x) / (tilt + 1)
        if x < 0:
            left = max(left, (self.loss - log_delta) / (tilt + 1))
        best, second = math.inf, 2 * tilt
        top = nearest_float(self.top) if self.top.is_finite() else math.inf
        for factor in (1.05, 1.1, 1.2, 1.35, 1.6, 2.0, 3.0, 5.0, 10.0, 30.0):
            other = tilt * factor
            k = self.growth(other)
            if k == math.inf:
                break
            c = other * math.log(other) - (1 + other) * math.log1p(other)
            wide = (k - other * x + c - log_delta + self.loss) / (other - tilt)
            if wide < best:
                best, second = wide, other
        return max(left, min(best, top - x), 1e-300), second

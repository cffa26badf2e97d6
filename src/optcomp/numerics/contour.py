"""``delta(x) = E[(1 - e^(x - L))_+]`` from the growth ``M(s) = E[e^(s L)]`` on a vertical line: a short sum of waves.

For any theta > 0 where M is finite, ``delta(x)`` is ``1/(2 pi i)`` times the integral of ``M(s) e^(-s x)/(s (s + 1))``
over ``Re s = theta``. The trapezoid rule at ``s = theta + 2 pi i n/W`` gives exactly

    S = sum over all integers m of e^(theta m W) delta(x + m W).

*Left aliases* (m < 0) are known: ``1 - e^y E <= delta(y) <= 1`` with ``E = E[e^-L]``. So with ``r = e^(-theta W)`` and
``r' = e^(-(theta + 1) W)`` their sum lies between ``r/(1 - r) - E e^x r'/(1 - r')`` and ``r/(1 - r)``. It is
subtracted.

*Right aliases* are at most ``c e^(K(theta2) - theta2 x) q/(1 - q)`` for any theta2 > theta, with ``c =
theta2^theta2/(1 + theta2)^(1 + theta2)`` and ``q = e^(-(theta2 - theta) W)``. They vanish where x + W is beyond the
largest loss.

When all losses lie on a grid of step h and W is N steps, M is periodic up to a turn, and the sum over all n is a sum
over one period with the kernel of the grid,

    h e^(-s (x0 - x)) ((1 - g) + e^(-s h) (g - e^-h)) / ((1 - e^(-s h)) (1 - e^(-(s + 1) h))),   g = e^(x - x0),

x0 the least grid point that is at least x. Nothing is left out then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from optcomp.numerics.balls import Ball, ComplexBall, ball, complex_ball, nearest_float, with_error
from optcomp.numerics.ripples import Swing

__all__ = [
    "Aliases",
    "BallSpectrum",
    "GridPoint",
    "Line",
    "Spectrum",
    "complex_node",
    "left_aliases",
    "right_aliases",
]

Floats = npt.NDArray[np.float64]

U = 2.0**-53


@dataclass(frozen=True)
class Line:
    """A vertical line and its nodes.

    Args:
        tilt: theta, a float with few bits.
        window: W, as a ball.
    """

    tilt: float
    window: Ball

    def heights(self, places: npt.NDArray[np.int64]) -> Floats:
        """``2 pi n/W``, to a relative error of 4 u."""
        return places.astype(np.float64) * (2 * math.pi / nearest_float(self.window))


@dataclass(frozen=True)
class GridPoint:
    """The least point of a grid at or above x, how far above, and the grid's step."""

    point: Ball
    gap: Ball
    step: Ball


@dataclass(frozen=True)
class Aliases:
    """Bounds on what a sum holds besides delta."""

    lower: Ball
    upper: Ball


def left_aliases(line: Line, x: Ball, shrink: Ball) -> Aliases:
    """The sum over m < 0. **Guarantee**: it lies between the two."""
    near = -(-ball(line.tilt) * line.window).expm1()
    far = -(-(ball(line.tilt) + 1) * line.window).expm1()
    whole = (-ball(line.tilt) * line.window).exp() / near
    return Aliases(whole - shrink * (x - (ball(line.tilt) + 1) * line.window).exp() / far, whole)


def right_aliases(line: Line, x: Ball, second: Sequence[tuple[float, Ball]]) -> Ball:
    """At least the sum over m > 0, from several theta2 with their K(theta2), or bounds of it."""
    best = ball(1) / 0
    for tilt, growth in second:
        share = (-(ball(tilt) - ball(line.tilt)) * line.window).exp()
        if share < 0.5:
            c = ball(tilt) * ball(tilt).log() - (1 + ball(tilt)) * (1 + ball(tilt)).log()
            found = (c + growth - ball(tilt) * x).exp() * share / (1 - share)
            best = found if not best.is_finite() else best.min(found)
    return best


@dataclass(frozen=True)
class Spectrum:
    """The nodes that matter, in floats.

    Args:
        line: Theirs.
        growth: K(theta).
        heights: Of the nodes n >= 0, the first is 0.
        swing: Their ratios ``ln M(s)/M(theta)``.
        lost: A bound on the sum of ``2 |M/M(theta)|/|s (s + 1)|``, or of the grid's kernel, over all other nodes n > 0.
    """

    line: Line
    growth: Ball
    heights: Floats
    swing: Swing
    lost: float

    def value(self, x: Ball, grid: GridPoint | None, extra: float = 0.0) -> Ball:
        """S at x, for M times ``e^(extra s (s + 1)/2)``. **Guarantee**: the ball contains it."""
        tilt, heights = self.line.tilt, self.heights
        place = x if grid is None else grid.point
        rough = nearest_float(place)
        modulus = self.swing.modulus - 0.5 * extra * heights**2
        turned = heights * rough
        lever = heights * ((tilt + 0.5) * extra)
        angle = self.swing.angle + lever - turned
        kernel, kernel_roundings = self._kernel(grid)
        size = np.exp(modulus) * np.abs(kernel)
        terms = size * np.cos(angle + np.angle(kernel))
        off = self.swing.error + U * (
            8 * np.abs(turned) + 12 * np.abs(lever) + 12 * np.abs(modulus) + 4 * np.abs(angle)
        )
        off = np.minimum(off + U * (kernel_roundings + 40), 1e3)
        weights = np.full(len(heights), 2.0)
        weights[0] = 1.0
        total = float(terms @ weights)
        error = float(size @ (weights * np.expm1(1.5 * off))) * 1.01
        error += self.lost + (len(heights) + 4) * U * float(size @ weights)
        if not math.isfinite(total + error):
            return ball(1) / 0
        scale = (self.growth + ball(extra) * ball(tilt) * (ball(tilt) + 1) / 2 - ball(tilt) * place).exp()
        return with_error(total, relative=0.0, absolute=error) * scale / self.line.window

    def _kernel(self, grid: GridPoint | None) -> tuple[npt.NDArray[np.complexfloating], npt.NDArray[np.floating]]:
        tilt, heights = self.line.tilt, self.heights
        if grid is None:
            s = (tilt + 1j * heights).astype(np.complex128)
            return 1 / (s * (s + 1)), np.full(len(heights), 20.0)
        step = grid.step
        h = nearest_float(step)
        first = nearest_float(-(-grid.gap).expm1())
        second = nearest_float((-grid.gap).exp() - (-step).exp())
        turn = heights * h
        cosine, sine = np.cos(turn), np.sin(turn)
        lost = 2 * np.sin(turn / 2) ** 2
        near, far = (math.exp(-rate * h) for rate in (tilt, tilt + 1))
        bottom = (-math.expm1(-tilt * h) + near * lost + 1j * near * sine) * (
            -math.expm1(-(tilt + 1) * h) + far * lost + 1j * far * sine
        )
        top = first + second * near * (cosine - 1j * sine)
        size = np.maximum(np.abs(top), 1e-300)
        roundings: Floats = np.minimum(300.0 + 60.0 * (first + second) / size + 20 * tilt * h, 1e12)
        kernel: npt.NDArray[np.complex128] = h * top / bottom
        return kernel, roundings


@dataclass(frozen=True)
class BallSpectrum:
    """The same nodes in balls.

    Args:
        line: Theirs.
        nodes: ``s`` and ``M(s)`` of each, n >= 0, the first real.
        lost: As for `Spectrum`, times M(theta).
    """

    line: Line
    nodes: tuple[tuple[ComplexBall, ComplexBall], ...]
    lost: Ball

    def value(self, x: Ball, grid: GridPoint | None, extra: float = 0.0) -> Ball:
        """S at x. **Guarantee**: the ball contains it."""
        total = ball(0)
        v = ball(extra) / 2
        for place, (s, growth) in enumerate(self.nodes):
            wave = growth * (v * s * (s + 1)).exp() if extra else growth
            if grid is None:
                term = wave * (-s * x).exp() / (s * (s + 1))
            else:
                h = grid.step
                first, second = -(-grid.gap).expm1(), (-grid.gap).exp() - (-h).exp()
                turn = (-s * h).exp()
                term = wave * (-s * grid.point).exp() * h * (first + turn * second)
                term = term / ((1 - turn) * (1 - (-(s + 1) * h).exp()))
            total += term.real if place == 0 else 2 * term.real
        position = x if grid is None else grid.point
        off = (
            self.lost * (v * ball(self.line.tilt) * (ball(self.line.tilt) + 1) - ball(self.line.tilt) * position).exp()
        )
        around = off.union(ball(0))
        return (total + around.union(-around)) / self.line.window


def complex_node(tilt: float, place: int, window: Ball) -> ComplexBall:
    """``theta + 2 pi i n/W``."""
    return complex_ball(ball(tilt), 8 * ball(1).atan() * place / window)

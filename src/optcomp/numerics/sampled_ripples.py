"""Ripples of ``ln w`` and ``-ln w``, ``w = 1 - q + q e^l``, for a normal and for a Laplace loss l.

*Normal.* ``M = E[w^a]`` over standard normal z, ``l = m z - m^2/2``; ``a = s + 1`` for ``ln w`` under the mixture,
``a = -s`` for ``-ln w`` without it. Since ``E[w - 1] = 0``, ``M - 1 = E[(e^y - 1 - y) + a (ln w - (w - 1))]`` with
``y = a ln w``, which keeps its relative accuracy where M is next to 1. The expectation is a trapezoid sum; its bounds
are those of `optcomp.numerics.sampled_normal`.

*Large heights.* Shifting z to ``z + i d`` gives, for every d with ``0 < m d <= pi/2`` and every ``t' >= t``,

    |M(tilt + i t')| <= e^(d^2/2) * sum over cells of z of mass * |w|^A e^(-t arg w),

with the modulus taken at that end of the cell where it is largest and the angle at the left end (mirrored for ``-ln
w``); both grow with z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from optcomp.numerics.ripples import AtomRipple, Ripple, Swing
from optcomp.numerics.sampled_normal import FAR_TURNS, best_step, shifted_step

__all__ = [
    "SampledNormalRipple",
    "sampled_laplace_log_growth",
    "sampled_laplace_ripple",
    "sampled_normal_log_growth",
]

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]

U = 2.0**-53
_SIZE = 41.0  # e^-41 is the wanted error of one expectation, before the number of laws is counted in
_CELLS = 1 << 18
_BOUND_CELLS = 1000
_DISTANT, _FAR = 1e3, 1e5
_MOST_PLACES = 200_000
_TOO_FAR = "a sampled loss reaches too far for a rule in floats"


@dataclass(frozen=True)
class _Rule:
    """A trapezoid rule over z for powers with a real part a and an imaginary part of at most ``height``."""

    weights: Floats | Complexes  # step times the normal density, as logarithms
    logs: Floats | Complexes  # ln w
    excess: Floats | Complexes  # w - 1
    excess_error: npt.NDArray[np.floating]
    second: Floats | Complexes  # ln w - (w - 1)
    second_size: npt.NDArray[np.floating]
    places: Floats
    error: float  # of M - 1, relative to M(tilt), with all dropped terms


def _rule(mu: float, share: float, a: float, height: float, size: float) -> _Rule:
    """On the real line, or on a shifted one where the powers turn fast."""
    far = height * mu > FAR_TURNS
    step, d = shifted_step(mu, a, size + math.log1p(height)) if far else best_step(mu, a, height, size)
    reach = math.sqrt(2 * (size + 3))
    first, last = -reach, reach + max(a, 1.0) * mu
    if a <= 0:
        near = math.sqrt(reach**2 - 2 * a * -math.log1p(-share))
        first = max(a * mu - reach, -near)
    if not (last - first) / step < _MOST_PLACES:
        raise OverflowError(_TOO_FAR)
    z = (step * np.arange(math.floor(first / step), math.ceil(last / step) + 1)).astype(np.float64)
    argument = mu * z - 0.5 * mu * mu
    grown = np.exp(argument)
    plain_excess = share * np.expm1(argument)
    weights = math.log(step / math.sqrt(2 * math.pi)) - 0.5 * z * z
    excess: Floats | Complexes
    logs: Floats | Complexes
    if far:
        turn = mu * d
        back = share * 2 * math.sin(turn / 2) ** 2
        excess = plain_excess * math.cos(turn) - back + 1j * share * grown * math.sin(turn)
        size_squared = 2 * excess.real + excess.real**2 + excess.imag**2
        logs = 0.5 * np.log1p(size_squared) + 1j * np.arctan2(excess.imag, 1 + excess.real)
        weights = weights + (0.5 * d * d - 1j * d * z)
    else:
        excess, logs = plain_excess, np.log1p(plain_excess)
    turns, sizes = (9.0, 18.0) if far else (6.0, 12.0)  # a complex product rounds more often
    turned = turns * share * (1 + grown) * far
    excess_error: Floats = U * (turns * share * grown * (np.abs(mu * z) + mu * mu) + sizes * np.abs(excess) + turned)
    small = np.abs(excess) < 0.05
    y = np.where(small, excess, 0.0)
    series = np.zeros_like(y)
    for order in range(14, 1, -1):
        series = series * y + (-1) ** (order + 1) / order
    second = np.where(small, series * y * y, logs - excess)
    second_size = np.where(small, np.abs(y) ** 2, np.abs(logs) + np.abs(excess))
    error = _rule_error(mu, share, a, height, (step, d), (float(z[0]), float(z[-1])))
    return _Rule(weights, logs, excess, excess_error, second, second_size, z, error)


def _rule_error(  # noqa: PLR0913, PLR0917  # everything that a rule depends on
    mu: float, share: float, a: float, height: float, line: tuple[float, float], places: tuple[float, float]
) -> float:
    """A bound on the error of ``M - 1`` over M(tilt): aliases, and what lies beyond both ends."""
    step, d = line
    far = height * mu > FAR_TURNS
    # Aliases of w^a, of 1 and of a (w - 1), each with its strip around the line. Beyond an end z the rule's sum of w^a
    # is at most e^(-z^2/2)/2 times w(z)^a, or (1 - q)^a: w grows by at most e^(m x) over x, and falls by no more.
    if far:
        growth = 2 * d * d + (a * math.log(math.cos(mu * d)) if a < 0 else 0.0)
        simple = 2 * d * d
        edge = 0.5 * d * d + (a * math.log(math.cos(mu * d / 2)) if a < 0 else 0.0)
    else:
        growth = d * d / 2 + height * mu * d + (a * math.log(math.cos(mu * d / 2)) if a < 0 else 0.0)
        simple, edge = d * d / 2, 0.0
    alias = 2 * math.exp(growth - 2 * math.pi * d / step) * 1.01
    plain = 2 * math.exp(simple - 2 * math.pi * d / step) * 1.01
    ends = 0.0
    for place, side in zip(places, (-1, 1), strict=True):
        excess = share * math.expm1(mu * place - 0.5 * mu * mu)
        raised = a * math.log1p(excess)
        if a < 0 and side < 0:
            raised = max(raised, a * math.log1p(-share)) if place > a * mu else raised
        rest = 1 + (abs(a) + height) * (share + abs(excess))
        ends += 0.5 * (math.exp(raised - 0.5 * place**2) + rest * math.exp(-0.5 * place**2))
    return alias + plain + 2 * (abs(a) + height) * share * plain + ends * math.exp(edge) * 1.01


def _expectations(rule: _Rule, a: float, heights: Floats, sign: float) -> tuple[Complexes, Floats]:
    """``M - 1`` at several heights, and bounds on the rounding errors."""
    found = np.empty(len(heights), dtype=np.complex128)
    error = np.empty(len(heights))
    rows = max(1, _CELLS // len(rule.logs))
    for start in range(0, len(heights), rows):
        power = a + 1j * heights[start : start + rows, None]
        y = power * rule.logs
        size = np.abs(y)
        near = size < 0.5
        short = np.where(near, y, 0.0)
        series = np.zeros_like(y)
        for order in range(17, 1, -1):
            series = series * short + 1.0 / math.factorial(order)
        weight = np.exp(rule.weights)
        weight_size = np.abs(weight)
        raised = np.exp(np.where(near, -800.0, y + rule.weights))
        raised_size = np.abs(raised)
        first = np.where(near, weight * series * short * short, raised - weight * (1 + y))
        first_size = np.where(near, weight_size * size**2, raised_size * (1 + size) + weight_size * (1 + size))
        second = weight * power * rule.second
        second_size = weight_size * np.abs(power) * rule.second_size
        close = near & (np.abs(rule.logs) < 0.5)
        steep = np.exp(y.real + rule.weights.real - rule.logs.real) + weight_size
        slope = np.where(close, weight_size * 2 * (size + np.abs(rule.logs)), steep) * np.abs(power)
        total = (first + second).sum(axis=1)
        found[start : start + rows] = total if sign > 0 else np.conj(total)
        off = (70 + 2.5 * rule.places**2) * U * (first_size + second_size) + 2 * slope * rule.excess_error
        error[start : start + rows] = off.sum(axis=1)
    return found, error


class SampledNormalRipple(Ripple):
    """A sampled normal loss.

    Args:
        mu: The sensitivity over the standard deviation.
        share: The sampling probability, in (0, 1).
        sign: 1 for ``ln w`` under the mixture, -1 for ``-ln w`` without it.
        count: How many.
        tilt: Of the line.
    """

    def __init__(self, *, mu: float, share: float, sign: int, count: int, tilt: float) -> None:
        self._mu, self._share, self._sign, self._count, self._tilt = mu, share, sign, count, tilt
        self._real = tilt + 1 if sign > 0 else -tilt
        self._size = _SIZE + math.log(max(count, 1))
        value, error = self._growth(np.zeros(1))
        self.excess, self.excess_error = float(value[0].real), float(error[0])  # M(tilt) - 1

    def _growth(self, heights: Floats) -> tuple[Complexes, Floats]:
        found = np.empty(len(heights), dtype=np.complex128)
        error = np.empty(len(heights))
        if not len(heights):
            return found, error
        order = np.abs(heights)
        edge = FAR_TURNS / (2 * self._mu)
        low = 0.0
        while True:  # one rule for low heights, one for moderate ones, and one on a shifted line for all others
            chosen = (order >= low) & (order < edge)
            if chosen.any():
                top = min(edge, float(order[chosen].max()))
                rule = _rule(self._mu, self._share, self._real, top, self._size)
                value, off = _expectations(rule, self._real, heights[chosen], float(self._sign))
                largest = float(np.exp(self._real * rule.logs.real + rule.weights.real).sum()) * 1.01
                found[chosen], error[chosen] = value, off + rule.error * largest
            if edge > float(order.max()):
                return found, error
            low, edge = edge, 2 * edge if low == 0 else math.inf

    @property
    def cost(self) -> float:
        """Four for each node of the rule for large heights."""
        step, _ = shifted_step(self._mu, self._real, self._size)
        return 4 * (2 * math.sqrt(2 * self._size) + (abs(self._real) + 1) * self._mu) / max(step, 1e-300)

    @property
    def log_growth(self) -> tuple[float, float]:
        """``ln M(tilt)`` of all laws together, and a bound on its error."""
        value = math.log1p(self.excess)
        off = 1.5 * self.excess_error / (1 + self.excess) + 10 * U * abs(value)
        return self._count * value, self._count * off

    def swing(self, heights: Floats) -> Swing:
        """From the trapezoid sum."""
        value, error = self._growth(heights)
        squared = 2 * value.real + value.real**2 + value.imag**2
        squared = np.maximum(squared, -1 + 1e-300)
        size2 = 1 + squared
        modulus = 0.5 * np.log1p(squared) - math.log1p(self.excess)
        angle = np.arctan2(value.imag, 1 + value.real)
        size = np.sqrt(size2)
        off = np.where(error < 0.3 * size, 1.6 * error / size, np.inf)
        off += 24 * U * (2 * np.abs(value.real) + np.abs(value) ** 2) / size2 + 20 * U * np.abs(angle)
        off += self.excess_error / (1 + self.excess) * 1.1 + 12 * U * abs(self.excess)
        # heights themselves are known to 4 u
        off += 8 * U * np.abs(heights) * np.abs(value) * 2 * self._mu / size
        return Swing(self._count * modulus, self._count * angle, self._count * off)

    def beyond(self, height: float) -> float:
        """From the shifted line."""
        if height <= 0 or not math.isfinite(self.excess):
            return 0.0
        curve = 2 * self.excess / max(self._tilt * (self._tilt + 1), 1e-300)
        scale = math.sqrt(max(curve, 1e-300))
        best = 0.0
        top = 0.499 * math.pi / self._mu
        for d in {min(top, factor * height * scale) for factor in (0.5, 0.75, 1.0)} | {top, top / 2}:
            best = min(best, self._bound(height, d))
        return self._count * best if best < 0 else 0.0

    def _bound(self, height: float, d: float) -> float:
        """``ln`` of the bound over M(tilt)."""
        from scipy.special import ndtr

        a, mu, q = self._real, self._mu, self._share
        reach = 12.0
        last = reach + max(a, 0.0) * mu
        first = -reach + min(a, 0.0) * mu
        z = np.linspace(first, last, _BOUND_CELLS)
        mass = np.diff(ndtr(z)) * (1 + 1e-9) + 1e-18
        negative = z[:-1] > 0
        mass = np.where(negative, np.diff(-ndtr(-z)) * (1 + 1e-9) + 1e-300, mass)
        grown = q * np.exp(mu * z - 0.5 * mu * mu)
        real, imaginary = 1 - q + grown * math.cos(mu * d), grown * math.sin(mu * d)
        log_size, turn = np.log(np.hypot(real, imaginary)), np.arctan2(imaginary, real)
        ends = log_size[1:] if a > 0 else log_size[:-1]
        low, top = (math.log1p(q * math.expm1(mu * end - 0.5 * mu * mu)) for end in (first, last))
        with np.errstate(under="ignore", over="ignore"):
            total = float((mass * np.exp(a * ends - height * turn[:-1] + 1e-8)).sum())
            # outside the cells, as for the rule's own ends
            right, left = (0.5 * _exp(a * log_w - 0.5 * end * end) for log_w, end in ((top, last), (low, first)))
            if a < 0:
                left = max(left, float(ndtr(first)) * _exp(a * math.log1p(-q))) if first > a * mu else left
                right, left = (each * _exp(a * math.log(math.cos(mu * d / 2))) for each in (right, left))
        total += (left + right) * 1.01
        if not 0 < total < math.inf or self.excess <= -1:
            return 0.0  # nothing is known
        return d * d / 2 + math.log(total) - math.log1p(self.excess) + 1e-8


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


def sampled_normal_log_growth(*, mu: float, share: float, sign: int, tilt: float, careful: bool) -> float:
    """``ln M(tilt)`` of one law, about; to 1e-12 where it is moderate and care is asked for."""
    a = tilt + 1 if sign > 0 else -tilt
    if mu > _DISTANT:  # one part of the mixture is all that counts
        return 0.5 * a * (a - 1) * mu * mu + a * math.log(share) if sign > 0 else a * math.log1p(-share)
    if abs(a) * mu > _FAR:
        return math.inf  # too far for this search
    rule = None
    if careful:
        rule = _rule(mu, share, a, 0.0, _SIZE)
        weights, logs, excess = rule.weights, rule.logs, rule.excess
    else:
        weights, logs, excess = _search_rule(mu, share, math.ceil(max(a, 1.0)), math.ceil(max(-a, 0.0)))
    powers = weights + a * logs
    largest = float(powers.max())
    if largest > 5.0:
        return largest + math.log(float(np.exp(powers - largest).sum()))
    if rule is not None:
        value, _ = _expectations(rule, a, np.zeros(1), 1.0)
        return math.log1p(max(float(value[0].real), 0.0))
    return math.log1p(max(float(np.exp(weights) @ (np.expm1(a * logs) - a * excess)), 0.0))


@lru_cache(maxsize=256)
def _search_rule(mu: float, share: float, above: int, below: int) -> tuple[Floats, Floats, Floats]:
    """A rule that is good enough for powers between ``-below`` and ``above``, where only a search needs them."""
    above, below = (2 ** math.ceil(math.log2(each)) if each else 0 for each in (above, below))
    first, last = -9.0 - min(below * mu, math.sqrt(2 * below * -math.log1p(-share))), 9.0 + above * mu
    step = min(0.35, 1.2 / mu, (last - first) / 64)
    z = np.arange(first, last, max(step, (last - first) / 200_000))
    argument = mu * z - 0.5 * mu * mu
    excess = share * np.expm1(np.minimum(argument, 700.0))
    logs = np.where(argument < 700.0, np.log1p(excess), argument + math.log(share))
    return math.log((z[1] - z[0]) / math.sqrt(2 * math.pi)) - 0.5 * z * z, logs, excess


def sampled_laplace_ripple(  # noqa: PLR0913  # the law, the line and how far along it
    *, ratio: float, share: float, sign: int, count: int, tilt: float, height: float
) -> tuple[AtomRipple, float]:
    """A sampled Laplace loss as two atoms and a quadrature, and ``ln M(tilt)`` of one, about.

    **Guarantee**: that of `AtomRipple`, the quadrature's own error in its ``extra``.
    """
    turning = min(1.0, share * math.exp(min(ratio + 1, 700.0)) / (1 - share))  # of w for one unit of the imaginary part
    panels = max(1, math.ceil(ratio / 0.5 * max(1.0, height * turning / 20)))
    if not panels < _MOST_PLACES / _NODES:
        raise OverflowError(_TOO_FAR)
    half = ratio / (2 * panels)
    _, density, logs = _laplace_rule(ratio, share, panels)
    low, high = float(logs[0]), float(logs[1])
    a = tilt + 1 if sign > 0 else -tilt
    tilted = density * np.exp(a * logs)
    growth = float(tilted.sum())
    largest = max(a * low, a * high)
    wide, tall = half * (_ELLIPSE + 1 / _ELLIPSE) / 2, half * (_ELLIPSE - 1 / _ELLIPSE) / 2
    if a > 0:
        top = a * math.log1p(share * math.expm1(2 * (ratio + wide - half) - ratio))
    else:
        top = a * (math.log1p(share * math.expm1(-2 * (wide - half) - ratio)) + math.log(math.cos(tall)))
    known = panels * half / 2 * math.exp(max(largest, top) + wide) / growth * 64 / 15 / (1 - _ELLIPSE**-2) * 1.1

    def extra(heights: Floats) -> Floats:
        return (
            known
            * np.exp(np.minimum(2 * turning * np.abs(heights) * tall - (2 * _NODES - 2) * math.log(_ELLIPSE), 700.0))
            + 1e-14
        )

    # by parts, with G = density * w^a over the derivative 2 q e^l/w of ln w
    borders = [
        0.5 * math.exp(-place) * math.exp((a + 1) * at) / (2 * share * math.exp(2 * place - ratio))
        for place, at in ((0.0, low), (ratio, high))
    ]
    varied = 2 * sum(borders)
    atoms = (tilted[0] + tilted[1]) / growth

    def limit(height: float) -> float:
        return float(atoms + varied / (growth * height)) * (1 + 1e-9) if height > 0 else 1.0

    made = AtomRipple(sign * logs, tilted / growth, count, extra, limit)
    return made, math.log(growth)


def sampled_laplace_log_growth(*, ratio: float, share: float, sign: int, tilt: float) -> float:
    """``ln M(tilt)`` of one law, about."""
    a = tilt + 1 if sign > 0 else -tilt
    if ratio > _DISTANT:
        high = ratio + math.log(share)
        return max(0.0, a * high - ratio) if sign > 0 else a * math.log1p(-share)
    z, density, logs = _laplace_rule(ratio, share, max(1, math.ceil(2 * ratio)))
    del z
    powers = a * logs
    largest = float(powers.max())
    if largest > 5.0:
        return largest + math.log(float((density * np.exp(powers - largest)).sum()))
    return math.log1p(max(float((density * np.expm1(powers)).sum()), 0.0))


def _laplace_rule(ratio: float, share: float, panels: int) -> tuple[Floats, Floats, Floats]:
    """Nodes of the noise, their probabilities without the record, and ln w; the two atoms first."""
    half = ratio / (2 * panels)
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    middles = (2 * np.arange(panels) + 1) * half
    z = (middles[:, None] + half * nodes).ravel()
    density = (0.5 * half * weights * np.exp(-z.reshape(panels, -1))).ravel()
    logs = np.log1p(share * np.expm1(2 * z - ratio))
    low, high = math.log1p(share * math.expm1(-ratio)), math.log1p(share * math.expm1(ratio))
    return z, np.concatenate([[0.5, 0.5 * math.exp(-ratio)], density]), np.concatenate([[low, high], logs])


_NODES = 24
_ELLIPSE = 4.0

"""Noise that is a whole number, one draw at a time, exact at every scale, with whole numbers only."""

from __future__ import annotations

import math
from fractions import Fraction

from optcomp.errors import UnsupportedError
from optcomp.noise.coins import exponential_coin, ratio_coin, uniform_below
from optcomp.noise.source import RandomSource
from optcomp.quantities import Logarithm, Real, scaled

__all__ = ["discrete_gaussian", "discrete_laplace", "geometric", "poisson", "skellam"]

_LARGEST_MEAN = 10_000


def geometric(rate: Real, source: RandomSource) -> int:
    """A whole number Y of at least 0 with ``P(Y = y) = (1 - r) r^y`` for ``r = e^-rate``; the rate is above 0.

    Let c be a whole number of at least 1. Draw U uniformly from ``0 .. c - 1`` until a coin of probability
    ``e^(-rate U)`` succeeds: then ``P(U = u)`` is proportional to ``r^u``. Let V count how often a coin of probability
    ``e^(-rate c)`` succeeds before it fails: ``P(V = v)`` is proportional to ``r^(c v)``. So ``U + c V`` is ``u + c v``
    with probability proportional to ``r^(u + c v)``, and every y is ``u + c v`` in exactly one way. The law does not
    depend on c; with c near ``1/rate`` both loops are short.

    Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", Algorithm 2.
    """
    block = _block(rate)
    while True:
        rest = uniform_below(block, source)
        if exponential_coin(scaled(rate, Fraction(rest)) if rest else Fraction(0), source):
            break
    step, blocks = scaled(rate, Fraction(block)), 0
    while exponential_coin(step, source):
        blocks += 1
    return rest + block * blocks


def _block(rate: Real) -> int:
    """A whole number of at least 1, a little above ``1/rate`` where that is large."""
    if isinstance(rate, Logarithm):
        doublings = (rate.base.numerator // rate.base.denominator).bit_length() - 1
        one_step = 1 - 1 / rate.base  # ln b >= 1 - 1/b, and ln 2 >= 69/100
        return math.ceil(1 / (rate.multiple * max(one_step, Fraction(69 * doublings, 100))))
    return math.ceil(1 / rate)


def _signed(rate: Real, source: RandomSource) -> int:
    """A geometric number with a random sign; a zero with a minus is drawn anew, or 0 would count twice."""
    while True:
        size, minus = geometric(rate, source), source.bits(1)
        if size:
            return -size if minus else size
        if not minus:
            return 0


def discrete_laplace(scale: Fraction, source: RandomSource) -> int:
    """A whole number with probability proportional to ``e^(-|x|/scale)``; 0 for the scale 0.

    **Guarantee**: exact, for every rational scale.
    """
    return _signed(1 / scale, source) if scale else 0


def discrete_gaussian(variance: Fraction, source: RandomSource) -> int:
    """A whole number with probability proportional to ``e^(-x^2/(2 v))`` for the variance v; 0 for the variance 0.

    A discrete Laplace number Y of scale t, a whole number above the standard deviation, is kept with probability
    ``e^-((|Y| - v/t)^2/(2 v))``. As ``(|y| - v/t)^2/(2 v) + |y|/t = y^2/(2 v) + v/(2 t^2)``, a number y is kept with
    probability proportional to ``e^(-y^2/(2 v))``.

    **Guarantee**: exact, for every rational variance.

    Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", Algorithm 3.
    """
    if not variance:
        return 0
    scale = math.isqrt(variance.numerator // variance.denominator) + 1
    rate, middle = Fraction(1, scale), variance / scale
    while True:
        drawn = _signed(rate, source)
        if exponential_coin((abs(drawn) - middle) ** 2 / (2 * variance), source):
            return drawn


def poisson(mean: Fraction, source: RandomSource) -> int:
    """A whole number with probability ``e^-m m^x/x!`` for the mean m.

    *A mean up to 1/2.* Let K count the heads of a fair coin before its first tail, and keep it when coins of
    probabilities ``2m/1, 2m/2, ..., 2m/K`` all succeed: k is kept with probability
    ``2^-(k+1) (2m)^k/k! = (m^k/k!)/2``.

    *A larger mean* is a sum of independent numbers with means up to 1/2, so the time grows with the mean.

    Raises:
        UnsupportedError: When the mean is above 10,000.
    """
    if mean > _LARGEST_MEAN:
        raise UnsupportedError(
            field="mean",
            value=mean,
            condition=f"must be at most {_LARGEST_MEAN} for a draw in reasonable time",
            remedy="Use a discrete Gaussian, which is drawn as fast at every variance.",
        )
    parts = math.ceil(2 * mean)
    return sum(_small_poisson(mean / parts, source) for _ in range(parts))


def _small_poisson(mean: Fraction, source: RandomSource) -> int:
    while True:
        heads = 0
        while source.bits(1):
            heads += 1
        if all(ratio_coin(2 * mean.numerator, mean.denominator * place, source) for place in range(1, heads + 1)):
            return heads


def skellam(variance: Fraction, source: RandomSource) -> int:
    """The difference of two independent Poisson numbers of mean ``variance/2`` each.

    Raises:
        UnsupportedError: When the variance is above 20,000.
    """
    return poisson(variance / 2, source) - poisson(variance / 2, source)

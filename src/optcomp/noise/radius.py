"""How far noise lies from 0, with a given confidence."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from optcomp.errors import UnsupportedError
from optcomp.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism, Skellam
from optcomp.noise.staircase import GridStaircase
from optcomp.numerics.balls import Ball, ball, precision
from optcomp.numerics.gaussian_sums import gaussian_sum, gaussian_sum_above

__all__ = ["noise_radius"]

_SUMMED_VARIANCE = 1_000_000
_BESSEL_VARIANCE = 20_000
_FIRST_BITS, _LAST_BITS = 128, 4096


def noise_radius(mechanism: Mechanism | GridStaircase, level: Fraction) -> int:
    """The least whole number r with ``P(|noise| > r) <= level``, or a little more.

    Args:
        mechanism: The noise.
        level: Above 0 and below 1.

    **Guarantee**: ``P(|noise| > r) <= level``, proven in balls.
    """
    tail = _tail(mechanism)
    return 0 if tail is None else _least(tail, level)


def _tail(mechanism: Mechanism | GridStaircase) -> Callable[[int], Ball] | None:
    """From r to a ball around ``P(|noise| > r)``, or around a bound on it; None for no noise."""
    if isinstance(mechanism, DiscreteLaplace):
        return _laplace(mechanism.scale) if mechanism.scale else None
    if isinstance(mechanism, DiscreteGaussian):
        return _gaussian(mechanism.variance) if mechanism.variance else None
    if isinstance(mechanism, Skellam):
        return _skellam(mechanism.variance) if mechanism.variance else None
    if isinstance(mechanism, GridStaircase):
        return _staircase(mechanism) if mechanism.steps else None
    raise UnsupportedError(
        field="mechanism",
        value=mechanism,
        condition="must add whole-number noise of its own",
        remedy="Give the DiscreteLaplace, DiscreteGaussian, Skellam or GridStaircase that was drawn.",
    )


def _laplace(scale: Fraction) -> Callable[[int], Ball]:
    def tail(radius: int) -> Ball:
        """``2 r^(radius + 1)/(1 + r)`` for ``r = e^(-1/scale)``."""
        return 2 * (-ball((radius + 1) / scale)).exp() / (1 + (-ball(1 / scale)).exp())

    return tail


def _gaussian(variance: Fraction) -> Callable[[int], Ball]:
    def summed(radius: int) -> Ball:
        spread = ball(variance)
        return 2 * gaussian_sum_above(spread, ball(radius), 0) / gaussian_sum(spread, ball(0))

    def bounded(radius: int) -> Ball:
        """At least the tail, and at most the tail from one place earlier on.

        The bells fall, so their sum above r is at most their integral from r on; and by Poisson's summation formula the
        sum of all is at least their whole integral.
        """
        return (ball(radius) / (2 * ball(variance)).sqrt()).erfc()

    return bounded if variance > _SUMMED_VARIANCE else summed


def _skellam(variance: Fraction) -> Callable[[int], Ball]:
    if variance > _BESSEL_VARIANCE:
        raise UnsupportedError(
            field="variance",
            value=variance,
            condition=f"must be at most {_BESSEL_VARIANCE}, beyond which no draws are made",
            remedy="Use a discrete Gaussian.",
        )

    def tail(radius: int) -> Ball:
        spread = ball(variance)
        inside = sum((spread.bessel_i(ball(place)) for place in range(1, radius + 1)), start=ball(0))
        return 1 - (-spread).exp() * (spread.bessel_i(ball(0)) + 2 * inside)

    return tail


def _staircase(noise: GridStaircase) -> Callable[[int], Ball]:
    def tail(radius: int) -> Ball:
        return 2 * noise.weight_from(radius + 1) / noise.total_ball()

    return tail


def _least(tail: Callable[[int], Ball], level: Fraction) -> int:
    """The least radius whose tail is surely at most the level: by doubling, then by halving."""
    if _is_at_most(tail, 0, level):
        return 0
    low, high = 0, 1
    while not _is_at_most(tail, high, level):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if _is_at_most(tail, middle, level):
            high = middle
        else:
            low = middle
    return high


def _is_at_most(tail: Callable[[int], Ball], radius: int, level: Fraction) -> bool:
    """Whether the tail is at most the level; no where that stays open, which is the safe side."""
    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        with precision(bits):
            excess = tail(radius) - ball(level)
            if excess <= 0:
                return True
            if excess > 0:
                return False
        bits *= 2
    return False

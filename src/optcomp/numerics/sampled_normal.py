"""``E[(1 - q + q e^(m z - m^2/2))^a]`` for standard normal z, in balls: the trapezoid rule with a proven bound.

The integrand is analytic in the strip ``|Im z| < pi/m``, where ``|w| <= w(Re z)`` and ``|w| >= w(Re z) cos(m d/2)`` at
height d, and ``|arg w| <= m d``. So a rule of step h is off by at most ``2 N/(e^(2 pi d/h) - 1)`` with

    N = e^(d^2/2 + |Im a| m d) C E[w^(Re a)],   C = 1 for Re a >= 0, else cos(m d/2)^(Re a),

and the expectation in N is bounded by the same rule, applied to absolute values. Beyond an end z outside the bell of
the integrand the rule's sum is at most ``e^(-z^2/2) w(z)^A / 2``, or with ``(1 - q)^A`` where A < 0.

For a large imaginary part t the line of integration is moved to ``z + i d``, on the side where ``|w^(i t)| = e^(-t arg
w)`` is at most 1 up to the height ``2 d``. The rule is then off by at most ``2 N/(e^(2 pi d/h) - 1)`` with ``N = e^(2
d^2) C E[w^(Re a)]``, C as above at the height 2 d: whatever t is.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from optcomp.numerics.balls import Ball, ComplexBall, Either, ball, complex_ball, nearest_float, present_precision
from optcomp.numerics.gaussian_sums import gaussian_sum

__all__ = ["FAR_TURNS", "best_step", "sampled_discrete_normal_growth", "sampled_normal_growth", "shifted_step"]

_HEIGHTS = 40
_MOST_NODES = 5000
_HIGHEST = 1.5
_REAL_LINE = Fraction(0)
FAR_TURNS = 16.0
"""From this ``|Im a| m`` on the shifted line needs fewer nodes."""


def best_step(mu: float, real: float, imaginary: float, size: float) -> tuple[float, float]:
    """The widest step, and the height of the strip, for an error of about ``e^-size`` of the value."""
    best, height = 0.0, 1.0
    top = 0.98 * math.pi / mu
    for place in range(1, _HEIGHTS + 1):
        d = min(top, 2 * math.sqrt(2 * size)) * place / _HEIGHTS
        loss = -real * -math.log(math.cos(mu * d / 2)) if real < 0 else 0.0
        step = 2 * math.pi * d / (size + 1 + d * d / 2 + abs(imaginary) * mu * d + loss)
        if step > best:
            best, height = step, d
    return best, height


def shifted_step(mu: float, real: float, size: float) -> tuple[float, float]:
    """The step, and the height of the line, of a rule on a shifted line for an error of about ``e^-size``."""
    best, height = 0.0, 1.0
    top = min(_HIGHEST, 0.48 * math.pi / mu)
    for place in range(1, _HEIGHTS + 1):
        d = top * place / _HEIGHTS
        loss = real * math.log(math.cos(mu * d)) if real < 0 else 0.0
        step = 2 * math.pi * d / (size + 1 + 2 * d * d + loss)
        if step > best:
            best, height = step, d
    return best, height


def sampled_normal_growth(mu_squared: Fraction, share: Fraction, power: Either) -> Either:
    """The expectation, real when the power is real; its real part is at least 1 or at most 0.

    **Guarantee**: the ball contains it.
    """
    if not isinstance(power, ComplexBall):
        return _near_growth(mu_squared, share, complex_ball(power, ball(0))).real
    if abs(nearest_float(power.imag)) * math.sqrt(mu_squared) < FAR_TURNS:
        return _near_growth(mu_squared, share, power)
    if power.imag < 0:
        return _far_growth(mu_squared, share, power.conjugate()).conjugate()
    return _far_growth(mu_squared, share, power)


def _far_growth(mu_squared: Fraction, share: Fraction, power: ComplexBall) -> ComplexBall:
    """On the line ``z + i d``, where ``|w^(i t)| = e^(-t arg w) <= 1``, so that the step need not shrink with t."""
    real, a, m = power.real, nearest_float(power.real), math.sqrt(mu_squared)
    mu, q, size = ball(mu_squared).sqrt(), ball(share), (present_precision() + 8) * math.log(2)
    rough, d = shifted_step(m, a, size)
    height, step = Fraction(d).limit_denominator(1 << 20), _readable(rough)
    first, last = _ends(a, float(share), m, math.sqrt(2 * size))
    begin, end = math.floor(first / float(step)), math.ceil(last / float(step))
    if end - begin > _MOST_NODES:
        return power * ball(1) / 0  # nothing is known, at no cost
    total = 0 * power
    for log_w, weight in _table(mu_squared, share, step, begin, end, present_precision(), height):
        total += (power * log_w + weight).exp()
    d_ball = ball(height)
    whole = _real_growth(mu_squared, share, a, present_precision()) if real == ball(a) else ball(1) / 0
    strip, edge = (2 * d_ball**2).exp(), (d_ball**2 / 2).exp()
    if not real >= 0:
        strip *= (real * (mu * d_ball).cos().log()).exp()
        edge *= (real * (mu * d_ball / 2).cos().log()).exp()
    alias = 2 * strip / (8 * ball(1).atan() * d_ball / ball(step)).expm1()
    beyond = edge * (_beyond(mu, q, real, ball(begin * step)) + _beyond(mu, q, real, ball(end * step)))
    error = (alias * whole + beyond).union(ball(0))
    around = error.union(-error)
    return total + complex_ball(around, around)


@lru_cache(maxsize=64)
def _real_growth(mu_squared: Fraction, share: Fraction, power: float, bits: int) -> Ball:
    del bits
    return _near_growth(mu_squared, share, complex_ball(ball(power), ball(0))).real


def _readable(rough: float) -> Fraction:
    return Fraction(math.floor(rough * 4096), 4096) if rough > 2**-8 else Fraction(rough).limit_denominator(1 << 40)


def _near_growth(mu_squared: Fraction, share: Fraction, power: ComplexBall) -> ComplexBall:
    """On the real line."""
    real, imaginary = power.real, abs(power.imag)
    mu, q = ball(mu_squared).sqrt(), ball(share)
    a, m = nearest_float(real), nearest_float(mu)
    size = (present_precision() + 8) * math.log(2)
    band = 2.0 ** math.ceil(math.log2(max(nearest_float(imaginary), 4 / m)))
    rough, d = best_step(m, a, 0.0 if power.imag.is_zero() else band, size)
    step = _readable(rough)
    first, last = _ends(a, float(share), m, math.sqrt(2 * size))
    begin, end = math.floor(first / float(step)), math.ceil(last / float(step))
    if end - begin > _MOST_NODES:
        return power * ball(1) / 0  # nothing is known, at no cost
    table = _table(mu_squared, share, step, begin, end, present_precision())
    total = 0 * power
    for log_w, weight in table:
        total += (power * log_w + weight).exp()
    if (real - ball(a)).is_zero():
        absolute = _absolute(mu_squared, share, step, begin, end, present_precision(), a)
    else:
        absolute = _sum(table, real)
    height = ball(d)
    strip = (height**2 / 2 + imaginary * mu * height).exp()
    if not real >= 0:
        strip *= (real * (mu * height / 2).cos().log()).exp()
    alias = 2 * strip / (8 * ball(1).atan() * height / ball(step)).expm1()
    beyond = _beyond(mu, q, real, ball(begin * step)) + _beyond(mu, q, real, ball(end * step))
    whole = (absolute + beyond) / (1 - alias) if alias < ball(0.5) else ball(1) / 0
    error = (alias * whole + beyond).union(ball(0))
    around = error.union(-error)
    return total + complex_ball(around, around)


@lru_cache(maxsize=16)
def _table(  # noqa: PLR0913, PLR0917  # everything that the numbers depend on
    mu_squared: Fraction,
    share: Fraction,
    step: Fraction,
    begin: int,
    end: int,
    bits: int,
    height: Fraction = _REAL_LINE,
) -> tuple[tuple[ComplexBall, ComplexBall], ...]:
    """``ln w`` and the logarithm of the weight at each node of the line at a height."""
    del bits
    mu, q = ball(mu_squared).sqrt(), ball(share)
    scale = (ball(step) / (8 * ball(1).atan()).sqrt()).log()
    found = []
    for place in range(begin, end + 1):
        z = complex_ball(ball(place * step), ball(height))
        found.append(((q * (mu * z - mu**2 / 2).expm1()).log1p(), scale - z**2 / 2))
    return tuple(found)


@lru_cache(maxsize=64)
def _absolute(  # noqa: PLR0913, PLR0917  # as above
    mu_squared: Fraction, share: Fraction, step: Fraction, begin: int, end: int, bits: int, real: float
) -> Ball:
    """The rule's sum for a real power."""
    table = _table(mu_squared, share, step, begin, end, bits)
    return _sum(table, ball(real))


def _sum(table: tuple[tuple[ComplexBall, ComplexBall], ...], power: Ball) -> Ball:
    found = ball(0)
    for log_w, weight in table:
        found += (power * log_w + weight).exp().real
    return found


def _ends(a: float, q: float, m: float, reach: float) -> tuple[float, float]:
    """From where to where the integrand matters."""
    if a <= 0:
        near = math.sqrt(reach**2 - 2 * a * -math.log1p(-q))
        return max(a * m - reach, -near), reach
    return -reach, max(a, 1.0) * m + reach


def _beyond(mu: Ball, share: Ball, power: Ball, place: Ball) -> Ball:
    """At least the rule's sum beyond an end: w grows by at most ``e^(m x)`` over x, and falls by no more."""
    log_w = (1 - share + share * (mu * place - mu**2 / 2).exp()).log()
    raised = power * log_w
    if power < 0 and not place <= power * mu:
        raised = raised.max(power * (1 - share).log())
    return (raised - place**2 / 2).exp() / 2


def sampled_discrete_normal_growth(variance: Ball, reach: int, share: Ball, power: Either) -> Either:
    """The same expectation for discrete normal noise on the integers, with ``l = reach (2 x - reach)/(2 variance)``.

    **Guarantee**: the ball contains it.
    """
    complex_power = power if isinstance(power, ComplexBall) else complex_ball(power, ball(0))
    real = complex_power.real
    v, a = nearest_float(variance), nearest_float(real)
    spread = math.sqrt(2 * (present_precision() + 8) * math.log(2) * v) + 2
    sides = sorted((0.0, a * reach))
    begin, end = math.floor(sides[0] - spread), math.ceil(sides[1] + spread)
    if a <= 0:
        begin = max(begin, -math.ceil(math.sqrt(spread**2 + 2 * v * a * math.log1p(-nearest_float(share)))))
        end = math.ceil(spread)
    total: Ball | ComplexBall = 0 * complex_power
    for x in range(begin, end + 1):
        log_w = (1 - share + share * (ball(reach * (2 * x - reach)) / (2 * variance)).exp()).log()
        total += (complex_power * log_w - ball(x) ** 2 / (2 * variance)).exp()
    beyond = ball(0)
    for side, last in ((-1, -begin), (1, end)):
        own = _bells_beyond(variance, ball(last + 1))
        edge = ball(side * (last + 1))
        log_w = (1 - share + share * (ball(reach) * (2 * edge - reach) / (2 * variance)).exp()).log()
        if real <= 0:
            beyond += (real * (1 - share).log()).exp() * own if side < 0 else (real * log_w).exp() * own
        elif side < 0:
            beyond += (real * log_w).exp() * own
        else:  # w grows by at most e^(reach/variance) from one place to the next
            falling = edge - real * reach
            start = (real * log_w - edge**2 / (2 * variance)).exp()
            beyond += start / (1 - (-falling / variance).exp()) if falling > 0 else ball(1) / 0
    beyond = beyond.union(ball(0))
    around = beyond.union(-beyond)
    found = (total + complex_ball(around, around)) / gaussian_sum(variance, ball(0))
    return found if isinstance(power, ComplexBall) else found.real


def _bells_beyond(variance: Ball, start: Ball) -> Ball:
    """At least the sum of ``e^(-y^2/(2 variance))`` over y = start, start + 1, ..."""
    if not start > 0:
        return ball(1) / 0
    return (-(start**2) / (2 * variance)).exp() / (1 - (-start / variance).exp())

"""The loss of Skellam noise, the difference of two independent Poisson variables of mean ``v/2`` each.

The noise is x with probability ``p(|x|) = e^-v I_|x|(v)``, where I is the modified Bessel function. As a convolution of
two log-concave laws it is log-concave on the integers: the ratios ``r(k) = p(k)/p(k - 1)`` fall with k. That is all
that is used here.

*The full shift dominates.* Let P be the noise around 0 and Q the noise around D. As P is log-concave,
``P(x)/P(x - D)`` falls with x, so the best test of P against Q is a threshold: with ``a = P(x <= t)``, its mass under Q
is ``P(x <= t - D)``, which falls as D grows. Mixing two thresholds gives every other a, so the trade-off curve of a
shift by D lies below that of any smaller shift, and by symmetry below those of shifts the other way.

*What is left out.* From ``r(k) = 1/(2 k/v + r(k + 1))`` and ``r(k + 2) <= r(k + 1)`` follows
``r(k)/r(k + 1) <= 1 + 2 r(k)/v``. So the terms of ``sum P^(1+s) Q^-s`` beyond M on either side fall at least by the
factor ``r(M+1) (1 + 2 r(M+1)/v)^(s D)``, without the power for s below 0: a geometric series.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from optcomp.errors import UnsupportedError
from optcomp.losses.base import Atom, Direction, Loss, WorstCase, worst_case
from optcomp.mechanisms import Skellam
from optcomp.numerics.balls import Ball, ComplexBall, Either, ball, complex_ball, nearest_float, precision
from optcomp.numerics.balls import present_precision as present

__all__ = ["SkellamLoss"]

_LARGEST = 1 << 18  # of a table
_MOST_ATOMS = 1 << 16
_MORE, _DEVIATIONS, _SPREAD = 40, 4, 150
_LARGEST_EXPONENT = 600.0


@dataclass(frozen=True)
class SkellamLoss(Loss):
    """``ln(I_x(v)/I_(x - D)(v))`` for the variance v, the sensitivity D and Skellam noise x.

    Args:
        variance: Of the noise, above 0.
        sensitivity: At least 1.
    """

    variance: Fraction
    sensitivity: int

    def largest_ball(self) -> Ball:
        """Infinite."""
        return ball(1) / 0

    def growth(self, s: Either) -> Either:
        """``sum P(x)^(1+s) Q(x)^-s`` for Re s >= -1, with a bound on what is left out; nothing is known of huge s."""
        real = s.real if isinstance(s, ComplexBall) else s
        power = max(nearest_float(real), 0.0) * self.sensitivity
        most = _last(float(self.variance), 0.0, _enough())
        most = min(8 * most + 16 * self.sensitivity + (1 << 13), _LARGEST)
        last = _last(float(self.variance), power, _enough())
        while last + self.sensitivity < most:
            table = _known(self.variance, last + self.sensitivity + 1)
            factor = table.ratio(last + 1)
            factor *= (1 + 2 * factor / ball(self.variance)) ** (real.max(ball(0)) * self.sensitivity)
            if factor < 1:
                return self._sum(table, last, s, factor / (1 - factor))
            last *= 2
        return s + ball(1) / 0

    def _sum(self, table: _Table, last: int, s: Either, rest: Ball) -> Either:
        reach, log = self.sensitivity, table.logarithms
        found = 0 * s
        for x in range(-last, last + reach + 1):
            found += (log[abs(x)] + s * (log[abs(x)] - log[abs(x - reach)])).exp()
        real = s.real if isinstance(s, ComplexBall) else s
        across = log[last] - log[last + reach]
        ends_ = (log[last] + real * across).exp() + (log[last + reach] - real * across).exp()
        around = (ends_ * rest).union(-ends_ * rest)
        if isinstance(s, ComplexBall):
            return found + complex_ball(around, around)
        return found + (ends_ * rest).union(ball(0))

    def main_atoms(self) -> tuple[Atom, ...]:
        """All values but some of a total probability below 1e-60, also under many tilts."""
        last, reach = _main(self.variance, self.sensitivity), self.sensitivity
        table = _known(self.variance, last + reach)
        log, p = table.logarithms, table.probabilities
        return tuple(Atom(log[abs(x)] - log[abs(x - reach)], p[abs(x)]) for x in range(-last, last + reach + 1))

    def above(self, level: Ball) -> tuple[Ball, Ball]:
        """The loss falls with x, so that is a tail of the noise; its border is found by bisection."""
        variance, reach = float(self.variance), self.sensitivity
        place = abs(nearest_float(level)) / reach
        far = variance * math.sinh(place) if place < _LARGEST_EXPONENT else math.inf
        if not far < _LARGEST:
            return self._far(level)
        start = math.ceil(1.1 * far) + 2 * reach + 10
        table = _known(self.variance, _last(variance, 0.0, _enough() + _depth(variance, start)) + reach)
        size = table.size - reach
        if level.lower() > self._value(table, -size) or level.upper() < self._value(table, size):
            return self._far(level)
        # the least x whose loss is not surely above the level, and the least whose loss is surely not above it
        first = _border(lambda x: not self._value(table, x) > level, -size, size)
        surely = _border(lambda x: bool(self._value(table, x) <= level), first, size)
        likely, unlikely = (table.tail(1 - first + shift).union(table.tail(1 - surely + shift)) for shift in (0, reach))
        return likely, unlikely

    def _value(self, table: _Table, x: int) -> Ball:
        if 2 * x == self.sensitivity:
            return ball(0)  # exactly, so that a level of 0 is decided
        return (table.probabilities[abs(x)] / table.probabilities[abs(x - self.sensitivity)]).log()

    def _far(self, level: Ball) -> tuple[Ball, Ball]:
        """Beyond the largest table: from a geometric series at its border."""
        v, border = ball(self.variance), _LARGEST
        value, after, across = (v.bessel_i(border + shift, scaled=True) for shift in (0, 1, self.sensitivity))
        little = (value / (1 - after / value)).union(ball(0))
        if level > (value / across).log():
            return little, little
        if level < (across / value).log():
            return 1 - little, 1 - little
        return (ball(0).union(ball(1)),) * 2


def _border(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least number between two where a condition holds that stays true once it is, or the second one."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


class _Table:
    """The probabilities ``p(0), ..., p(size)`` and their tails, as balls of one precision."""

    def __init__(self, variance: Fraction, size: int, bits: int) -> None:
        self.size, self._bits = size, bits
        work = bits + 64
        while True:
            with precision(work):
                v = ball(variance)
                after, value = v.bessel_i(size + 1, scaled=True), v.bessel_i(size, scaled=True)
            if min(after.rel_accuracy_bits(), value.rel_accuracy_bits()) >= bits + 20:
                break
            work *= 2
        with precision(bits + 64):
            v = ball(variance)
            self._last = after / value
            found = [value]
            for k in range(size, 0, -1):  # I_(k-1) = I_(k+1) + (2 k/v) I_k, where nothing cancels
                after, value = value, after + 2 * k / v * value
                found.append(value)
        self.probabilities: list[Ball] = found[::-1]

    def ratio(self, k: int) -> Ball:
        """``p(k)/p(k - 1)`` for k at least 1."""
        return self.probabilities[k] / self.probabilities[k - 1]

    @cached_property
    def logarithms(self) -> list[Ball]:
        """Of the probabilities."""
        with precision(self._bits + 64):
            return [each.log() for each in self.probabilities]

    @cached_property
    def _tails(self) -> list[Ball]:
        with precision(self._bits + 64):
            total = (self.probabilities[-1] * self._last / (1 - self._last)).union(ball(0))
            found = []
            for each in reversed(self.probabilities):
                total += each
                found.append(total)
        return found[::-1]

    def tail(self, k: int) -> Ball:
        """The probability of noise of at least k, at most the size in absolute value."""
        return self._tails[k] if k >= 0 else 1 - self._tails[1 - k]


def _known(variance: Fraction, size: int) -> _Table:
    """A table of at least that size at the present precision; sizes are rounded up so that few are made."""
    return _table(variance, min(1 << max(size - 1, 31).bit_length(), 2 * _LARGEST), present())


@lru_cache(maxsize=12)
def _table(variance: Fraction, size: int, bits: int) -> _Table:
    return _Table(variance, size, bits)


def _enough() -> float:
    """-ln of what matters at the present precision."""
    return present() * math.log(2) + 40


def _depth(variance: float, k: float) -> float:
    """``-ln(p(k)/p(0))``, about."""
    return k * math.asinh(k / variance) - k * k / (math.hypot(k, variance) + variance)


def _last(variance: float, power: float, enough: float) -> int:
    """A k with ``p(k) (p(k)/p(k + 1))^power`` below ``e^-enough``, about, and so for all beyond."""
    if not power < _LARGEST:
        return _LARGEST
    high = 8
    while high < _LARGEST and _depth(variance, high) - power * math.asinh(high / variance) < enough:
        high *= 2
    low = high // 2
    while high - low > 1 + low // 32:
        middle = (low + high) // 2
        if _depth(variance, middle) - power * math.asinh(middle / variance) < enough:
            low = middle
        else:
            high = middle
    return high


def _main(variance: Fraction, sensitivity: int) -> int:
    power = _MORE * sensitivity + _DEVIATIONS * math.sqrt(float(variance))
    return _last(float(variance), power, _SPREAD)


@worst_case.register
def _(mechanism: Skellam, direction: Direction) -> WorstCase:
    del direction  # the pair with P and Q exchanged is the mirror image of the pair
    if mechanism.sensitivity == 0:
        return WorstCase(Fraction(0), None)
    huge = mechanism.sensitivity >= _MOST_ATOMS or mechanism.variance >= 2**60
    if huge or 2 * _main(mechanism.variance, mechanism.sensitivity) + mechanism.sensitivity > _MOST_ATOMS:
        raise UnsupportedError(
            field="mechanism",
            value=f"variance {mechanism.variance}, sensitivity {mechanism.sensitivity}",
            condition=f"must leave at most {_MOST_ATOMS} values of Skellam noise that matter",
            remedy="Give a guarantee that you can prove for the mechanism, such as ZeroConcentrated.",
        )
    return WorstCase(Fraction(0), SkellamLoss(mechanism.variance, mechanism.sensitivity))

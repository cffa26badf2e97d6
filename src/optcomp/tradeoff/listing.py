"""The corners of a composition's trade-off curve, by listing every value of its loss."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cmp_to_key

from optcomp.losses import AtomicLoss, Composite, KaryLoss, TwoPoint
from optcomp.numerics.balls import Ball, ball, enclose_share, nearest_float, precision
from optcomp.numerics.exponential_sums import ExponentialSum
from optcomp.quantities import Enclosure, Real, common_step, exponential, scaled
from optcomp.theorems.kov15 import Corner, optimal_corners

__all__ = ["corners_of"]

_MOST_EQUAL = 4_000  # randomized responses, all alike: their corners have a closed form
_MOST_PRODUCTS = 1 << 18  # of probabilities
_BITS = 320

_Mass = Ball | Fraction
_Key = tuple[Fraction, Fraction]  # (r, t) for the loss r + ln(t), or for r steps where all losses share a step
_Law = dict[_Key, _Mass]


def corners_of(composite: Composite) -> tuple[Corner, ...] | None:
    """The corners from (0, 1) to (1, 0); None where the curve is no polygon, or is not listed here.

    Listed are losses on grids, up to 4,000 equal randomized responses, or 1,000 different values in all.

    **Guarantee**: both coordinates of each corner lie in their enclosures; exact where every probability is rational
    and short.
    """
    equal = _equal(composite)
    if equal is not None:
        epsilon, delta, count = equal
        return None if count > _MOST_EQUAL else optimal_corners(epsilon=epsilon, delta=delta, count=count)[::-1]
    alive = Fraction(1)
    for failure, count in composite.failures:
        alive *= (1 - failure) ** count
    if not _is_short(composite):
        return None
    with precision(_BITS):
        laws = _laws(composite)
        if laws is None:
            return None
        whole: _Law = {(Fraction(0), Fraction(1)): Fraction(1)}
        for law, (_, count) in zip(laws, composite.losses, strict=True):
            whole = _sum(whole, _power(law, count))
        return tuple(_corners(whole, alive, _unit(composite)))


def _equal(composite: Composite) -> tuple[Real, Fraction, int] | None:
    """Equal randomized responses, with equal failures or none: what Theorem 3.3 is about."""
    if composite.two_points is None or len(composite.two_points) > 1 or len(composite.failures) > 1:
        return None
    loss, count = composite.two_points[0]
    failure, times = composite.failures[0] if composite.failures else (Fraction(0), count)
    return (loss.epsilon, failure, count) if times == count else None


def _is_short(composite: Composite) -> bool:
    """Whether the list needs few products of probabilities."""
    size, products = 1, 0
    for loss, count in composite.losses:
        if not isinstance(loss, AtomicLoss) or loss.grid is None:
            return False
        length = (loss.size - 1) * count + 1
        products += size * length + length**2 // 2
        size *= length
    return products <= _MOST_PRODUCTS and sum(count for _, count in composite.failures) <= _MOST_PRODUCTS


def _unit(composite: Composite) -> Real | None:
    """The step that all losses are multiples of; None where there is none."""
    halves = [scaled(loss.grid.step, Fraction(1, 2)) for loss, _ in composite.losses if loss.grid is not None]
    found = common_step(halves) if halves else None
    return None if found is None else found[0]


def _laws(composite: Composite) -> list[_Law] | None:
    """The law of each loss, by keys that are equal only for equal losses; None where none are known."""
    shared = _unit(composite)
    laws: list[_Law] = []
    for loss, _ in composite.losses:
        if not isinstance(loss, AtomicLoss) or loss.grid is None:
            return None
        own = scaled(loss.grid.step, Fraction(1, 2))
        law: _Law = {}
        for half_steps, mass in _atoms(loss, own):
            key = _key(own, half_steps, shared)
            if key is None:
                return None
            law[key] = mass
        laws.append(law)
    return laws


def _key(own: Real, half_steps: int, shared: Real | None) -> _Key | None:
    if shared is not None:
        both = common_step([own, shared])
        return None if both is None else (Fraction(half_steps * both[1][0], both[1][1]), Fraction(1))
    if isinstance(own, Fraction):
        return half_steps * own, Fraction(1)
    power = exponential(scaled(own, Fraction(half_steps))) if half_steps else Fraction(1)
    return None if power is None else (Fraction(0), power)


def _atoms(loss: AtomicLoss, half_step: Real) -> Iterator[tuple[int, _Mass]]:
    """The values in half steps of the grid, with probabilities that are exact where they are rational."""
    odds = exponential(loss.epsilon) if isinstance(loss, TwoPoint) else None
    if odds is not None:
        yield from ((1, odds / (1 + odds)), (-1, 1 / (1 + odds)))
    elif isinstance(loss, KaryLoss):
        high, low = max(loss.first, loss.second), min(loss.first, loss.second)
        yield from ((2, high), (0, 1 - high - low), (-2, low))
    else:
        for atom in loss.atoms():
            yield round(nearest_float(atom.loss / ball(half_step))), atom.likely


def _sum(one: _Law, other: _Law) -> _Law:
    """The law of the sum of two independent losses."""
    found: _Law = {}
    for (r, t), mass in one.items():
        for (further, factor), share in other.items():
            key = (r + further, t * factor)
            product = _times(mass, share)
            found[key] = _plus(found[key], product) if key in found else product
    return found


def _power(law: _Law, count: int) -> _Law:
    found: _Law = {(Fraction(0), Fraction(1)): Fraction(1)}
    while count:
        if count & 1:
            found = _sum(found, law)
        count >>= 1
        if count:
            law = _sum(law, law)
    return found


def _times(one: _Mass, other: _Mass) -> _Mass:
    if isinstance(one, Fraction):
        return one * other if isinstance(other, Fraction) else ball(one) * other
    return one * (ball(other) if isinstance(other, Fraction) else other)


def _plus(one: _Mass, other: _Mass) -> _Mass:
    if isinstance(one, Fraction):
        return one + other if isinstance(other, Fraction) else ball(one) + other
    return one + (ball(other) if isinstance(other, Fraction) else other)


def _corners(law: _Law, alive: Fraction, unit: Real | None) -> Iterator[Corner]:
    """Reject the smallest losses first: each adds to the false alarms, and takes from the missed detections."""
    ordered = sorted(law, key=cmp_to_key(_compared))
    masses = [_times(law[key], alive) for key in ordered]
    others = [_times(mass, _decay(key, unit)) for key, mass in zip(ordered, masses, strict=True)]
    sums = list(zip(_both_sums(masses), _both_sums(others), strict=True))
    yield Corner(Enclosure.exactly(0), Enclosure.exactly(1))
    if alive < 1:
        yield Corner(Enclosure.exactly(0), Enclosure.exactly(alive))
    for (alarm, rest), (found, missed) in sums[:-1]:
        yield Corner(_enclosed(alarm, _plus(rest, 1 - alive)), _enclosed(missed, _plus(found, 1 - alive)))
    yield Corner(Enclosure.exactly(alive), Enclosure.exactly(0))
    if alive < 1:
        yield Corner(Enclosure.exactly(1), Enclosure.exactly(0))


def _both_sums(masses: list[_Mass]) -> Iterator[tuple[_Mass, _Mass]]:
    """After each mass, the sum so far and the sum of what comes: both of positive terms only."""
    coming = [_ZERO]
    for mass in reversed(masses):
        coming.append(_plus(coming[-1], mass))
    coming.reverse()
    so_far = _ZERO
    for place, mass in enumerate(masses, start=1):
        so_far = _plus(so_far, mass)
        yield so_far, coming[place]


_ZERO: _Mass = Fraction(0)


def _compared(one: _Key, other: _Key) -> int:
    """Which loss is larger, decided exactly."""
    (r, t), (s, u) = one, other
    if t == u or r == s:
        return (r > s) - (r < s) or (t > u) - (t < u)
    return (ExponentialSum({r: t}) - ExponentialSum({s: u})).sign


def _decay(key: _Key, unit: Real | None) -> _Mass:
    """``e^-loss``."""
    r, t = key
    if unit is None:
        return 1 / t if r == 0 else (-ball(r)).exp() / ball(t)
    power = exponential(scaled(unit, -r)) if r else Fraction(1)
    return (-ball(unit) * ball(r)).exp() if power is None else power


def _enclosed(value: _Mass, rest: _Mass) -> Enclosure:
    if isinstance(value, Fraction):
        return Enclosure.exactly(value)
    return enclose_share(value, ball(rest) if isinstance(rest, Fraction) else rest)

"""Many draws at once: random words against certified tables. Each draw has exactly the law of the slow samplers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache, partial
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from optcomp.noise.coins import uniform_below
from optcomp.noise.integers import discrete_gaussian, discrete_laplace
from optcomp.noise.source import RandomSource
from optcomp.noise.tables import Integers, Table
from optcomp.numerics.balls import Ball, ball
from optcomp.numerics.gaussian_sums import gaussian_sum, gaussian_sum_above

__all__ = ["coins", "gaussians", "laplaces", "one_by_one", "uniforms_below"]

Flags: TypeAlias = npt.NDArray[np.bool_]

_CHUNK = 1 << 15  # draws at a time: their words stay in the processor's cache
_RADIX = 256
_WIDEST_TOP = 128  # the scale of the digit that has no upper end
_TOP_LENGTHS = 32  # how many of its scales that digit's table spans
_LARGEST_SCALE = 1 << 48  # beyond it sums of digits might leave 64 bits too often
_LARGEST_VARIANCE = 1 << 22
_DEVIATIONS = 10
_LARGEST_FAST_BOUND = 1 << 62


def laplaces(scale: Fraction, count: int, source: RandomSource) -> Integers:
    """Independent discrete Laplace numbers.

    The absolute value before the sign is geometric with ratio ``r = e^(-1/scale)``. Its digits to the base 256 are
    independent, as ``r^(d_0 + 256 d_1 + ...)`` is a product: digit i has probability proportional to ``(r^(256^i))^d``
    for d from 0 to 255, and the last one has no upper end. Each has a table of its own. The sign is as in the slow
    sampler.
    """
    if not scale:
        return np.zeros(count, dtype=np.int64)
    if scale > _LARGEST_SCALE:
        return one_by_one(partial(discrete_laplace, scale, source), count)
    return _signed(_laplace_digits(scale), count, source)


def gaussians(variance: Fraction, count: int, source: RandomSource) -> Integers:
    """Independent discrete Gaussian numbers, by a table up to the variance 2^22 and one by one beyond it.

    The table is of whole numbers a from 0 on with probability proportional to ``e^(-a^2/(2 v))``. With a random sign,
    and zeros with a minus drawn anew, that is the law.
    """
    if not variance:
        return np.zeros(count, dtype=np.int64)
    if variance > _LARGEST_VARIANCE:
        return one_by_one(partial(discrete_gaussian, variance, source), count)
    return _signed((_gaussian_table(variance),), count, source)


def coins(probability: Callable[[], Ball], count: int, source: RandomSource) -> Flags:
    """Independent coins that are True with a probability given as a ball at the present precision."""
    table = Table(distribution=lambda _: probability(), first=lambda: iter([probability()]), last=1)
    return np.asarray(table.draw(count, source) == 0)


def uniforms_below(bound: int, count: int, source: RandomSource) -> Integers:
    """Independent whole numbers from 0 to ``bound - 1``, each equally likely."""
    if bound > _LARGEST_FAST_BOUND:
        return one_by_one(partial(uniform_below, bound, source), count)
    found = np.zeros(count, dtype=np.int64)
    shift = 64 - (bound - 1).bit_length()
    missing = np.arange(count if bound > 1 else 0)
    while len(missing):
        drawn = source.words(len(missing)) >> np.uint64(shift)
        good = drawn < np.uint64(bound)
        found[missing[good]] = drawn[good].astype(np.int64)
        missing = missing[~good]
    return found


def one_by_one(draw: Callable[[], int], count: int) -> Integers:
    """As many calls, as 64-bit numbers where all fit, else as Python's."""
    values = [draw() for _ in range(count)]
    fits = all(-(2**63) <= value < 2**63 for value in values)
    return cast("Integers", np.array(values, dtype=np.int64 if fits else np.object_))


def _signed(digits: tuple[Table, ...], count: int, source: RandomSource) -> Integers:
    """Draws of digits to the base 256 with a random sign; zeros with a minus are drawn anew."""
    pieces: list[Integers] = []
    missing = count
    while missing:
        size = min(missing, _CHUNK)
        found = _joined([table.draw(size, source) for table in digits])
        minus = np.unpackbits(source.words(-(-size // 64)).view(np.uint8), count=size).astype(np.bool_)
        np.negative(found, out=found, where=minus)
        kept = found[~(minus & (found == 0))]
        pieces.append(kept)
        missing -= len(kept)
    return _together(pieces)


def _together(pieces: list[Integers]) -> Integers:
    return cast("Integers", np.concatenate(pieces)) if pieces else np.zeros(0, dtype=np.int64)


def _joined(digits: list[Integers]) -> Integers:
    """The numbers with these digits, the lowest first."""
    top = digits[-1]
    places = len(digits) - 1
    if places and (top.dtype == np.object_ or int(top.max(initial=0)) >= 2**62 >> (8 * places)):
        top = top.astype(np.object_)
    for digit in reversed(digits[:-1]):
        top = top * _RADIX + digit
    return top


@lru_cache(maxsize=64)
def _laplace_digits(scale: Fraction) -> tuple[Table, ...]:
    tables, rate = [], 1 / scale
    while rate * _WIDEST_TOP < 1:
        tables.append(_digit_table(rate))
        rate *= _RADIX
    tables.append(_geometric_table(rate))
    return tuple(tables)


def _digit_table(rate: Fraction) -> Table:
    def distribution(place: int) -> Ball:
        return (-ball(rate * (place + 1))).expm1() / (-ball(rate * _RADIX)).expm1()

    return Table(distribution=distribution, first=lambda: (distribution(i) for i in range(_RADIX - 1)), last=_RADIX - 1)


def _geometric_table(rate: Fraction) -> Table:
    def distribution(place: int) -> Ball:
        return -((-ball(rate * (place + 1))).expm1())

    length = math.ceil(_TOP_LENGTHS / rate)
    return Table(distribution=distribution, first=lambda: (distribution(i) for i in range(length)), last=None)


@lru_cache(maxsize=16)
def _gaussian_table(variance: Fraction) -> Table:
    def half() -> Ball:
        """The sum of all weights from 0 on."""
        return (gaussian_sum(ball(variance), ball(0)) + 1) / 2

    def distribution(place: int) -> Ball:
        return 1 - gaussian_sum_above(ball(variance), ball(place), 0) / half()

    def first() -> Iterator[Ball]:
        """Running sums; the weight of a + 1 is that of a times ``e^(-(2 a + 1)/(2 v))``."""
        whole, total = half(), ball(0)
        weight, factor = ball(1), (-1 / (2 * ball(variance))).exp()
        falling = factor**2
        for _ in range(_DEVIATIONS * (math.isqrt(math.ceil(variance)) + 1)):
            total += weight
            yield total / whole
            weight, factor = weight * factor, factor * falling

    return Table(distribution=distribution, first=first, last=None)

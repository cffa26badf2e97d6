"""The best answer to every transcript, one broadcast at a time.

For each answer y the weights ``w(f(x), y)`` of all databases x form a vector. A broadcast replaces the two values of
its bit by one for each outcome. After all broadcasts, a transcript's entry is ``sum_x P(x, transcript) w(f(x), y)``.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from optcomp.multiparty.channels import Channel
from optcomp.multiparty.rounded import Floats, enclosed
from optcomp.multiparty.view import Listener
from optcomp.quantities import Enclosure

__all__ = ["LARGEST", "average_by_tensor", "scores"]

LARGEST = 1 << 24
"""The most numbers that are held at once."""

_EXACT = 1 << 15  # numbers that are held as integers of any length
_PER_STEP = 5  # roundings: a probability, that of the bit and their product, the product, the sum


def average_by_tensor(listener: Listener) -> Enclosure:
    """The average accuracy of the best rule, over its bits.

    **Guarantee**: ``lower <= accuracy <= upper``; exact where every probability is rational and there are few
    transcripts.
    """
    size = listener.transcripts * len(listener.function.answers)
    if size <= _EXACT and all(channel.exact is not None for channel in listener.channels):
        return Enclosure.exactly(_exactly(listener))
    best = scores(listener).max(axis=0)
    roundings = _PER_STEP * len(listener.channels) + 2
    return enclosed(best, roundings, over=1 << len(listener.channels), shift=listener.least)


def scores(listener: Listener) -> Floats:
    """For each answer and each transcript the expected weight above the least one, not yet divided by ``2^k``.

    Transcripts are numbered with the first party's outcome as the lowest digit.
    """
    weights = np.array([[float(each - listener.least) for each in row] for row in listener.accuracy.weights])
    values: Floats = np.ascontiguousarray(weights[np.array(listener.function.places)].T)
    for place, channel in enumerate(listener.channels):
        zero, one = (float(2 * chance) for chance in (1 - listener.prior(place), listener.prior(place)))
        rows = channel.floats
        values = _heard(values, (tuple(zero * each for each in rows[0]), tuple(one * each for each in rows[1])))
    return values.reshape(len(listener.function.answers), -1)


def _heard(values: npt.NDArray[Any], chances: tuple[tuple[Any, ...], tuple[Any, ...]]) -> npt.NDArray[Any]:
    """One broadcast: the lowest bit that was not heard about becomes the highest digit of the transcript so far."""
    answers, rest = values.shape[0], values.shape[1] if values.ndim > 1 else 1
    done = values.shape[2] if values.ndim > 2 else 1
    halves = values.reshape(answers, rest // 2, 2, done)
    parts = [halves[:, :, 0] * zero + halves[:, :, 1] * one for zero, one in zip(*chances, strict=True)]
    return np.stack(parts, axis=2).reshape(answers, rest // 2, len(parts) * done)


def _exactly(listener: Listener) -> Fraction:
    """The same in integers: every row of chances over a common denominator."""
    least = listener.least
    scale = math.lcm(*(each.denominator for row in listener.accuracy.weights for each in row))
    weights = [[int((each - least) * scale) for each in row] for row in listener.accuracy.weights]
    values = np.array([[weights[place][y] for place in listener.function.places] for y in range(len(weights))], object)
    for place, channel in enumerate(listener.channels):
        chances, shared = _whole(channel, listener.prior(place))
        values = _heard(values, chances)
        scale *= shared
    best = values.reshape(len(weights), -1).max(axis=0)
    return least + Fraction(int(best.sum()), scale << len(listener.channels))


def _whole(channel: Channel, prior: Fraction) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], int]:
    """Twice the probabilities of a bit with an outcome, as whole numbers over a common denominator."""
    rows = channel.exact or ((), ())
    weighted = [[2 * chance * each for each in row] for chance, row in zip((1 - prior, prior), rows, strict=True)]
    shared = math.lcm(*(each.denominator for row in weighted for each in row))
    zero, one = (tuple(int(each * shared) for each in row) for row in weighted)
    return (zero, one), shared

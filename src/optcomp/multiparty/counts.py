"""Functions of the sum of the bits: a transcript matters only by how often each outcome is heard from each class.

Parties with the same epsilon and delta are a class. With s ones in a class of c parties, the outcomes 3 and 0 come from
``Bin(s, delta)`` and ``Bin(c - s, delta)``; of the u ones and v zeros that do not give themselves away, ``Bin(u, p) +
Bin(v, 1 - p)`` speak for 1.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from optcomp.multiparty.channels import Channel
from optcomp.multiparty.rounded import Floats, enclosed
from optcomp.multiparty.view import Listener
from optcomp.quantities import Enclosure

__all__ = ["LARGEST", "average_by_counts", "likelihoods", "roundings_of", "size_of"]

LARGEST = 1 << 25
"""The most numbers that are held at once."""

_PER_STEP = 7  # roundings a party: three in each of two binomial laws, one in their convolution
_MORE = 40


def roundings_of(parties: int) -> int:
    """How many roundings each likelihood of that many parties has at most, with room for a few more products."""
    return _PER_STEP * parties + _MORE


def size_of(listener: Listener) -> int:
    """About how many numbers the listener's types need."""
    size, left = 1, listener.function.parties
    for channel, count in listener.classes:
        types = count + 1 if channel.delta in {0, 1} else math.comb(count + 3, 3)
        size *= types
        left -= count
        if types * (count + 1) > LARGEST:
            return LARGEST + 1
    return size * len(listener.function.answers)


def average_by_counts(listener: Listener) -> Enclosure:
    """The average accuracy of the best rule, over uniform bits, for a function of their sum.

    **Guarantee**: ``lower <= accuracy <= upper``.
    """
    weights = np.array([[float(each - listener.least) for each in row] for row in listener.accuracy.weights])
    values: Floats = np.ascontiguousarray(weights[np.array(listener.function.by_sum)].T)[:, None, :]
    for channel, count in listener.classes:
        values = _heard(values, channel, count)
    best = values[:, :, 0].max(axis=0)
    return enclosed(best, roundings_of(listener.function.parties), over=1, shift=listener.least)


def _heard(values: Floats, channel: Channel, count: int) -> Floats:
    """One class: the last axis, sums of bits, gets shorter, and the types of the class join the axis before it."""
    answers, before, sums = values.shape
    prior = np.array([float(Fraction(math.comb(count, ones), 1 << count)) for ones in range(count + 1)])
    joint = likelihoods(channel, count).T * prior
    left = sums - count
    windows = np.lib.stride_tricks.sliding_window_view(values, count + 1, axis=2)
    found = np.einsum("abls,ts->atbl", windows, joint, optimize=True)
    return np.ascontiguousarray(found.transpose(0, 2, 1, 3)).reshape(answers, before * joint.shape[0], left)


def likelihoods(channel: Channel, count: int) -> Floats:
    """The probability of each type of a class for each sum of its bits: a row for each sum, a column for each type.

    **Guarantee**: each entry is within `roundings_of` its count of parties of the truth, or within 1e-290.
    """
    if channel.delta == 1:
        return np.eye(count + 1)
    (own, other), _ = Channel(channel.epsilon, Fraction(0)).floats
    ones, zeros = _binomials(count, own, other), _binomials(count, other, own)

    def spoken(u: int, v: int) -> Floats:
        """The law of how many speak for 1, of u ones and v zeros."""
        return np.convolve(ones[u], zeros[v])

    if channel.delta == 0:
        return np.array([spoken(s, count - s) for s in range(count + 1)])
    laws = [[spoken(u, v) for v in range(count + 1 - u)] for u in range(count + 1)]
    return _with_given(laws, _binomials(count, float(channel.delta), float(1 - channel.delta)), count)


def _with_given(spoken: list[list[Floats]], given: list[Floats], count: int) -> Floats:
    """All types (given away as 0, given away as 1, speaking for 1), with those that give themselves away."""
    starts, size = {}, 0
    for none in range(count + 1):
        for sure in range(count + 1 - none):
            starts[none, sure] = size
            size += count - none - sure + 1
    found = np.zeros((count + 1, size))
    for s in range(count + 1):
        for sure in range(s + 1):
            for none in range(count - s + 1):
                law = spoken[s - sure][count - s - none]
                start = starts[none, sure]
                found[s, start : start + len(law)] = given[s][sure] * given[count - s][none] * law
    return found


def _binomials(count: int, chance: float, rest: float) -> list[Floats]:
    """The laws of the number of successes among 0, 1, ..., count trials; both chances come from outside, rounded."""
    rows = [np.ones(1)]
    for _ in range(count):
        row = rows[-1]
        following = np.zeros(len(row) + 1)
        following[:-1] = row * rest
        following[1:] += row * chance
        rows.append(following)
    return rows

"""The best accuracy that a listener can have."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.multiparty import counts, tensor, worst
from optcomp.multiparty.functions import indicator
from optcomp.multiparty.view import Listener
from optcomp.numerics.balls import Ball, ball, enclose, refine
from optcomp.quantities import Enclosure

__all__ = ["Measure", "Solved", "is_xor", "solve"]

Measure = Literal["average", "worst"]
"""Over uniform bits, or on the worst database."""

_CHECKED = ("average", "worst")
_DIGITS_OF_XOR = 110  # bits


@dataclass(frozen=True)
class Solved:
    """The best accuracy, and by which way it was found."""

    accuracy: Enclosure
    method: str


def solve(listener: Listener, measure: Measure) -> Solved:
    """The accuracy of the best rule.

    **Guarantee**: ``lower <= accuracy <= upper``.

    Raises:
        UnsupportedError: When there are too many transcripts, and neither a closed form nor counts help.
    """
    if measure not in _CHECKED:
        raise InvalidParameterError(
            field="measure", value=measure, condition=f"must be one of {', '.join(_CHECKED)}", remedy="Choose one."
        )
    if is_xor(listener) and (measure == "worst" or listener.is_uniform):
        return Solved(_xor(listener), "closed form")
    if measure == "worst":
        return Solved(_worst(listener), "linear programme")
    if listener.function.parties == 0 or _fits_tensor(listener):
        return Solved(tensor.average_by_tensor(listener), "one broadcast at a time")
    if listener.function.by_sum is not None and listener.is_uniform and counts.size_of(listener) <= counts.LARGEST:
        return Solved(counts.average_by_counts(listener), "counts of outcomes")
    raise _too_large(listener)


def is_xor(listener: Listener) -> bool:
    """Whether the XOR of all bits is wanted, or its opposite, and only right answers count."""
    function = listener.function
    if function.by_sum is None or len(function.answers) != 2 or listener.accuracy.name != "indicator":
        return False
    alternating = all(one != other for one, other in pairwise(function.by_sum))
    return alternating and listener.accuracy == indicator(function)


def _xor(listener: Listener) -> Enclosure:
    """``(1 + product of all biases)/2``, in the average and in the worst case."""
    exact = Fraction(1)
    for channel, count in listener.classes:
        if channel.exact is None or count > 64:
            return enclose(refine(lambda: _xor_ball(listener), start=128, accuracy=_DIGITS_OF_XOR, what="accuracy"))
        zero, one = channel.exact
        exact *= sum((abs(p - q) for p, q in zip(zero, one, strict=True)), start=Fraction(0)) ** count / 2**count
    return Enclosure.exactly((1 + exact) / 2)


def _xor_ball(listener: Listener) -> Ball:
    product = ball(1)
    for channel, count in listener.classes:
        product *= channel.bias() ** count
    return (1 + product) / 2


def _fits_tensor(listener: Listener) -> bool:
    function = listener.function
    if function.by_sum is not None and function.parties > 12 and listener.is_uniform:
        return False
    return listener.transcripts * len(function.answers) <= tensor.LARGEST


def _worst(listener: Listener) -> Enclosure:
    if _size_of_game(listener) > worst.LARGEST:
        raise _too_large(listener)
    return worst.worst_case(listener)


def _size_of_game(listener: Listener) -> int:
    function = listener.function
    if function.by_sum is not None and function.parties > len(listener.classes):
        rows = 1
        for _, count in listener.classes:
            rows *= count + 1
        return rows * counts.size_of(listener)
    return listener.transcripts * len(function.answers) << function.parties


def _too_large(listener: Listener) -> UnsupportedError:
    return UnsupportedError(
        field="parties",
        value=listener.function.parties,
        condition="has too many transcripts to go through for this function and these privacy levels",
        remedy="Use a function of the sum of the bits with few different privacy levels, or fewer parties.",
    )

"""Independent events: the probability F that one of many happens, ``F = 1 - prod (1 - f_i)^k_i``, at any counts.

``1 - F`` is kept as its logarithm, so that a million events of probability 1e-18 are not lost.
"""

from __future__ import annotations

from fractions import Fraction

from optcomp.errors import UndecidedError
from optcomp.numerics.balls import HIGHEST_PRECISION, Ball, ball, enclose, ends, precision, refine
from optcomp.numerics.powers import product_is_one
from optcomp.quantities import Enclosure

__all__ = ["Events", "any_happens", "compare_with", "log_survival", "share_beyond"]

Events = tuple[tuple[Fraction, int], ...]
"""Different probabilities in (0, 1], in rising order, each with its count."""

_START = 128
_ACCURACY = 110
_SHARE_ACCURACY = 320


def log_survival(events: Events) -> Ball:
    """``ln(1 - F)`` at the present precision."""
    return sum((count * ball(-failure).log1p() for failure, count in events), start=ball(Fraction(0)))


def any_happens(events: Events) -> Enclosure:
    """The probability F that some part fails.

    **Guarantee**: ``lower <= F <= upper``, relative width below 1e-30.
    """
    if not events:
        return Enclosure.exactly(0)
    if events[-1][0] == 1:
        return Enclosure.exactly(1)
    if len(events) == 1 and events[0][1] == 1:
        return Enclosure.exactly(events[0][0])
    found = refine(
        lambda: -log_survival(events).expm1(), start=_START, accuracy=_ACCURACY, what="the failure probability"
    )
    return enclose(found, least=Fraction(0), most=Fraction(1))


def compare_with(events: Events, delta: Fraction) -> int:
    """The exact sign of ``delta - F``, equality included.

    Balls decide at once unless the two nearly agree; then exact integer powers decide equality, and rising precision
    the rest.
    """
    if not events:
        return int(delta > 0)
    if events[-1][0] == 1:
        return 0 if delta == 1 else -1
    if delta == 1:
        return 1
    bits = _START
    while bits <= HIGHEST_PRECISION:
        with precision(bits):
            gap = log_survival(events) - ball(-delta).log1p()
            if gap > 0:
                return 1
            if gap < 0:
                return -1
        if bits == _START and product_is_one([(1 - failure, count) for failure, count in events] + [(1 - delta, -1)]):
            return 0
        bits *= 2
    raise UndecidedError(
        field="delta",
        value=delta,
        condition="lies too close to the probability that some mechanism fails",
        remedy="Ask for a slightly larger delta.",
    )


def share_beyond(events: Events, delta: Fraction) -> Enclosure:
    """What is left of delta for the finite losses, ``t = 1 - (1 - delta)/(1 - F)``, when delta exceeds F.

    **Guarantee**: ``lower <= t <= upper``, relative width below 1e-90: t can be the difference of nearly equal numbers,
    and what is computed from it can be steep.
    """
    if not events or delta == 1:
        return Enclosure.exactly(delta)
    found = refine(
        lambda: -(ball(-delta).log1p() - log_survival(events)).expm1(),
        start=2 * _SHARE_ACCURACY,
        accuracy=_SHARE_ACCURACY,
        what="the share of delta left after failures",
    )
    low, high = ends(found)
    return Enclosure(max(low, Fraction(0)), min(high, Fraction(1)))

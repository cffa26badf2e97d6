"""The failure-mass identity: ``delta(x) = 1 - (1 - F) (1 - delta_finite(x))`` with ``F = 1 - prod (1 - delta_i)``.

Source: Kairouz, Oh, Viswanath, Theorem 3.3; Murtagh, Vadhan, Theorem 1.5.
"""

from __future__ import annotations

from fractions import Fraction

from optcomp.errors import UndecidedError
from optcomp.losses.composite import Composite
from optcomp.numerics.balls import HIGHEST_PRECISION, Ball, ball, enclose, precision, refine
from optcomp.numerics.powers import product_is_one
from optcomp.quantities import Enclosure

__all__ = ["exceeds_failure", "failure_mass", "finite_target", "whole_delta"]

_START = 128
_ACCURACY = 110


def _log_survival(composite: Composite) -> Ball:
    """``ln(1 - F)`` at the present precision."""
    return sum((count * ball(-failure).log1p() for failure, count in composite.failures), start=ball(Fraction(0)))


def failure_mass(composite: Composite) -> Enclosure:
    """The probability F that some part fails.

    **Guarantee**: ``lower <= F <= upper``, relative width below 1e-30.
    """
    if not composite.failures:
        return Enclosure.exactly(0)
    if composite.failures[-1][0] == 1:
        return Enclosure.exactly(1)
    if len(composite.failures) == 1 and composite.failures[0][1] == 1:
        return Enclosure.exactly(composite.failures[0][0])
    found = refine(
        lambda: -_log_survival(composite).expm1(), start=_START, accuracy=_ACCURACY, what="the failure probability"
    )
    return enclose(found, least=Fraction(0), most=Fraction(1))


def exceeds_failure(composite: Composite, delta: Fraction) -> int:
    """The exact sign of ``delta - F``, equality included.

    Balls decide at once unless the two nearly agree; then exact integer powers decide equality, and rising precision
    the rest.
    """
    if not composite.failures:
        return int(delta > 0)
    if composite.failures[-1][0] == 1:
        return 0 if delta == 1 else -1
    if delta == 1:
        return 1
    bits = _START
    while bits <= HIGHEST_PRECISION:
        with precision(bits):
            gap = _log_survival(composite) - ball(-delta).log1p()
            if gap > 0:
                return 1
            if gap < 0:
                return -1
        if bits == _START and product_is_one(
            [(1 - failure, count) for failure, count in composite.failures] + [(1 - delta, -1)]
        ):
            return 0
        bits *= 2
    raise UndecidedError(
        field="delta",
        value=delta,
        condition="lies too close to the probability that some mechanism fails",
        remedy="Ask for a slightly larger delta.",
    )


def finite_target(composite: Composite, delta: Fraction) -> Enclosure:
    """What is left of delta for the finite losses, ``t = 1 - (1 - delta)/(1 - F)``, when delta exceeds F.

    **Guarantee**: ``lower <= t <= upper``, relative width below 1e-30.
    """
    if not composite.failures or delta == 1:
        return Enclosure.exactly(delta)
    found = refine(
        lambda: -(ball(-delta).log1p() - _log_survival(composite)).expm1(),
        start=_START,
        accuracy=_ACCURACY,
        what="the share of delta left after failures",
    )
    return enclose(found, least=Fraction(0), most=Fraction(1))


def whole_delta(failure: Enclosure, finite: Enclosure) -> Enclosure:
    """Delta of the whole from the failure mass and the finite part's delta."""
    lower, upper = (
        1 - (1 - Fraction(first)) * (1 - Fraction(second))
        for first, second in ((failure.lower, finite.lower), (failure.upper, finite.upper))
    )
    return Enclosure(lower, upper)

"""The failure-mass identity: ``delta(x) = 1 - (1 - F) (1 - delta_finite(x))`` with ``F = 1 - prod (1 - delta_i)``.

Source: Kairouz, Oh, Viswanath, Theorem 3.3; Murtagh, Vadhan, Theorem 1.5.
"""

from __future__ import annotations

from fractions import Fraction

from optcomp.losses.composite import Composite
from optcomp.numerics.survival import any_happens, compare_with, share_beyond
from optcomp.quantities import Enclosure

__all__ = ["exceeds_failure", "failure_mass", "finite_target", "whole_delta"]


def failure_mass(composite: Composite) -> Enclosure:
    """The probability F that some part fails.

    **Guarantee**: ``lower <= F <= upper``, relative width below 1e-30.
    """
    return any_happens(composite.failures)


def exceeds_failure(composite: Composite, delta: Fraction) -> int:
    """The exact sign of ``delta - F``, equality included."""
    return compare_with(composite.failures, delta)


def finite_target(composite: Composite, delta: Fraction) -> Enclosure:
    """What is left of delta for the finite losses, ``t = 1 - (1 - delta)/(1 - F)``, when delta exceeds F.

    **Guarantee**: ``lower <= t <= upper``, relative width below 1e-90.
    """
    return share_beyond(composite.failures, delta)


def whole_delta(failure: Enclosure, finite: Enclosure) -> Enclosure:
    """Delta of the whole from the failure mass and the finite part's delta."""
    lower, upper = (
        1 - (1 - Fraction(first)) * (1 - Fraction(second))
        for first, second in ((failure.lower, finite.lower), (failure.upper, finite.upper))
    )
    return Enclosure(lower, upper)

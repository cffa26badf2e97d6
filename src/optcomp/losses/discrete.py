"""The losses of mechanisms with finitely many answers."""

from __future__ import annotations

from fractions import Fraction

from optcomp.errors import UnsupportedError
from optcomp.losses.base import TwoPoint, WorstCase, worst_case
from optcomp.mechanisms import RandomizedResponse
from optcomp.quantities import Logarithm

__all__: list[str] = []

_BINARY = 2


@worst_case.register
def _(mechanism: RandomizedResponse) -> WorstCase:
    if mechanism.categories != _BINARY:
        raise UnsupportedError(
            field="categories",
            value=mechanism.categories,
            condition="must be 2: the loss of randomized response over more categories is not known here yet",
            remedy="Use PureDP with epsilon = ln(probability * (categories - 1) / (1 - probability)).",
        )
    likely = max(mechanism.probability, 1 - mechanism.probability)
    if likely == 1:
        return WorstCase(failure=Fraction(1), loss=None)
    epsilon = Logarithm.of(likely / (1 - likely))
    return WorstCase(failure=Fraction(0), loss=None if epsilon == 0 else TwoPoint(epsilon))

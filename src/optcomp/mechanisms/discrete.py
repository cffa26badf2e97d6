"""Mechanisms with finitely many answers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from optcomp.mechanisms.base import Mechanism
from optcomp.quantities import Number, count, probability

__all__ = ["RandomizedResponse"]


@dataclass(frozen=True, init=False)
class RandomizedResponse(Mechanism):
    """Report the true category with some probability, else one of the others, each equally likely.

    Args:
        probability: Of reporting the true category, between 0 and 1.
        categories: How many answers there are, at least 2.
    """

    kind: ClassVar[str] = "randomized_response"
    probability: Fraction
    categories: int

    def __init__(self, *, probability: Number, categories: int = 2) -> None:
        self._set(
            probability=_probability(probability, field="probability"),
            categories=count(categories, field="categories", least=2),
        )


_probability = probability  # the constructor's parameter has the same name

"""Mechanisms that run on a random sample of the data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from optcomp.errors import InvalidParameterError
from optcomp.mechanisms.additive import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Staircase
from optcomp.mechanisms.base import Mechanism, checked
from optcomp.mechanisms.discrete import RandomizedResponse
from optcomp.mechanisms.guarantees import ApproxDP, PureDP
from optcomp.quantities import Number, probability

__all__ = ["PoissonSampled"]

_SAMPLED = (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    PureDP,
    RandomizedResponse,
    Staircase,
)


@dataclass(frozen=True, init=False)
class PoissonSampled(Mechanism):
    """Run a mechanism on a sample in which every record is included on its own, by its own coin.

    Shuffled or fixed-size batches are other mechanisms: this is no account of them.

    Args:
        mechanism: What runs on the sample: noise added to a sum, randomized response, or a plain guarantee.
        sampling_probability: The chance of each record to be included, between 0 and 1.
    """

    kind: ClassVar[str] = "poisson_sampled"
    mechanism: Mechanism
    sampling_probability: Fraction

    def __init__(self, *, mechanism: Mechanism, sampling_probability: Number) -> None:
        inner = checked(mechanism, field="mechanism")
        if not isinstance(inner, _SAMPLED):
            raise InvalidParameterError(
                field="mechanism",
                value=inner,
                condition=f"must be one of {', '.join(sorted(each.kind for each in _SAMPLED))} to be sampled",
                remedy="Sample each mechanism on its own, and repeat or list the sampled ones.",
            )
        share = probability(sampling_probability, field="sampling_probability")
        self._set(mechanism=inner, sampling_probability=share)

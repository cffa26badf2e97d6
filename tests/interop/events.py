"""Classes with the names and attributes of dp_accounting's events, as far as the tests need them.

This module stands in for ``dp_accounting.dp_event``; `OLD` for a version that lacks the newest classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

__all__ = ["OLD"]


@dataclass(frozen=True)
class NoOpDpEvent:
    pass


@dataclass(frozen=True)
class NonPrivateDpEvent:
    pass


@dataclass(frozen=True)
class UnsupportedDpEvent:
    pass


@dataclass(frozen=True)
class GaussianDpEvent:
    noise_multiplier: Any


@dataclass(frozen=True)
class LaplaceDpEvent:
    noise_multiplier: Any


@dataclass(frozen=True)
class DiscreteLaplaceDpEvent:
    noise_parameter: Any
    sensitivity: Any


@dataclass(frozen=True)
class DiscreteGaussianDpEvent:
    sigma: Any
    sensitivity: Any = 1.0
    dimension: Any = None


@dataclass(frozen=True)
class RandomizedResponseDpEvent:
    noise_parameter: Any
    num_buckets: Any


@dataclass(frozen=True)
class ExponentialMechanismDpEvent:
    epsilon: Any


@dataclass(frozen=True)
class PermuteAndFlipDpEvent:
    epsilon: Any


@dataclass(frozen=True)
class EpsilonDeltaDpEvent:
    epsilon: Any
    delta: Any


@dataclass(frozen=True)
class ZCDpEvent:
    rho: Any
    xi: Any = 0.0


@dataclass(frozen=True)
class SelfComposedDpEvent:
    event: Any
    count: Any


@dataclass(frozen=True)
class ComposedDpEvent:
    events: Any


@dataclass(frozen=True)
class PoissonSampledDpEvent:
    sampling_probability: Any
    event: Any


@dataclass(frozen=True)
class SampledWithReplacementDpEvent:
    source_dataset_size: int
    sample_size: int
    event: Any


@dataclass(frozen=True)
class SampledWithoutReplacementDpEvent:
    source_dataset_size: int
    sample_size: int
    event: Any


@dataclass(frozen=True)
class SingleEpochTreeAggregationDpEvent:
    noise_multiplier: float
    step_counts: Any


@dataclass(frozen=True)
class RepeatAndSelectDpEvent:
    event: Any
    mean: float
    shape: float


@dataclass(frozen=True)
class MixtureOfGaussiansDpEvent:
    standard_deviation: float
    sensitivities: Any
    sampling_probs: Any


@dataclass(frozen=True)
class TruncatedSubsampledGaussianDpEvent:
    dataset_size: int
    sampling_probability: float
    truncated_batch_size: int
    noise_multiplier: float


OLD = SimpleNamespace(
    dp_event=SimpleNamespace(
        **{
            each.__name__: each
            for each in (NoOpDpEvent, GaussianDpEvent, LaplaceDpEvent, ComposedDpEvent, SelfComposedDpEvent)
        }
    )
)

"""From an event tree to a mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

from optcomp.composition import checked_adjacency
from optcomp.errors import InvalidParameterError
from optcomp.interop.event_fields import Place
from optcomp.mechanisms import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    Repeated,
    Sequence,
    ZeroConcentrated,
)

__all__ = ["from_dp_event", "reach"]


def from_dp_event(event: object, *, adjacency: str | None = None) -> Mechanism:
    """Read a tree of dp_accounting's events as a mechanism.

    An event is known by the name of its class and by its attributes, so any object that looks like one will do.
    Numbers are taken at their shortest decimal. Counts are kept as counts, however large.

    Args:
        event: The root of the tree.
        adjacency: The relation between neighbouring data sets for which the result will be composed. Events do not say
            it, and their noise multipliers refer to the norm of a single record: where one record is replaced
            (``replace_one``), the answer moves by twice that norm, and some events have no meaning. None reads them as
            if one record were added or removed, and refuses no event for its relation.

    Returns:
        A mechanism that promises what the event promises.

    **Guarantee**: the event, run under that relation, is at least as private as the mechanism.

    Raises:
        UnsupportedError: For an event that no mechanism here stands for; the field is its place in the tree, such as
            ``events[2].event``.
        InvalidParameterError: For an attribute that is missing or out of range, for an unknown adjacency, and for a
            tree that is nested too deeply.
    """
    return _read(Place(event=event, adjacency=checked_adjacency(adjacency)))


def reach(adjacency: str | None) -> int:
    """By how many record norms one neighbour changes a sum over the records."""
    return 2 if adjacency == "replace_one" else 1


def _read(place: Place) -> Mechanism:
    reader = _READERS.get(place.name)
    if reader is not None:
        return reader(place)
    reason, remedy = _REASONS.get(place.name, ("it is not known here", "Use one of the events listed in the manual."))
    raise place.unsupported(reason, remedy)


def _gaussian(place: Place) -> Mechanism:
    return Gaussian(standard_deviation=place.positive("noise_multiplier"), sensitivity=reach(place.adjacency))


def _laplace(place: Place) -> Mechanism:
    return Laplace(scale=place.positive("noise_multiplier"), sensitivity=reach(place.adjacency))


def _discrete_laplace(place: Place) -> Mechanism:
    norm = place.whole("sensitivity")
    return DiscreteLaplace(scale=1 / place.positive("noise_parameter"), sensitivity=norm * reach(place.adjacency))


def _discrete_gaussian(place: Place) -> Mechanism:
    """In one dimension the mechanism itself; in several, or in an unknown number, the zCDP promise that it keeps."""
    variance = place.positive("sigma") ** 2
    if place.value("dimension", 1) == 1:
        return DiscreteGaussian(variance=variance, sensitivity=place.whole("sensitivity", 1))
    return ZeroConcentrated(rho=place.nonnegative("sensitivity", 1) ** 2 / (2 * variance))


def _randomized_response(place: Place) -> Mechanism:
    if place.adjacency not in {None, "replace_one"}:
        raise place.unsupported(
            f"it says what a record of another value would report, and {place.adjacency} compares with no record",
            "Compose it with adjacency replace_one.",
        )
    noise, buckets = place.probability("noise_parameter"), place.count("num_buckets", least=2)
    return RandomizedResponse(probability=1 - noise + noise / buckets, categories=buckets)


def _epsilon_delta(place: Place) -> Mechanism:
    epsilon, delta = place.nonnegative("epsilon"), place.probability("delta")
    return ApproxDP(epsilon=epsilon, delta=delta) if delta > 0 else PureDP(epsilon=epsilon)


def _zero_concentrated(place: Place) -> Mechanism:
    if place.nonnegative("xi", 0) > 0:
        raise place.unsupported("xi is above 0, and only rho-zCDP is known here", "Bound it by an event with xi = 0.")
    return ZeroConcentrated(rho=place.nonnegative("rho"))


def _poisson_sampled(place: Place) -> Mechanism:
    share, inner = place.probability("sampling_probability"), place.inner("event")
    if place.adjacency == "replace_one":
        raise place.unsupported(
            "what a sample does where one record is replaced does not follow from the sampled event alone",
            "Compose it with adjacency add_or_remove_one.",
        )
    return _sampled(_read(inner), share, place)


def _sampled(mechanism: Mechanism, share: Fraction, place: Place) -> Mechanism:
    """The sample of what is one run; a sample of several runs is not several samples of one run each."""
    if isinstance(mechanism, Gaussian):
        return PoissonSampled(mechanism=mechanism, sampling_probability=share)
    runs = _runs(mechanism)
    if not runs:
        return Sequence(parts=())
    squares = _precision(mechanism)
    if squares is not None:
        return PoissonSampled(mechanism=Gaussian(variance=1 / squares), sampling_probability=share)
    if len(runs) > 1 or runs[0][1] > 1:
        raise place.unsupported(
            "one sample feeds several mechanisms, which is not the same as a fresh sample for each",
            "Only several Gaussians on one sample can be read; where every run draws its own sample, put "
            "PoissonSampledDpEvent inside.",
        )
    only = runs[0][0]
    if isinstance(only, PoissonSampled):  # two coins in a row are one coin
        return PoissonSampled(mechanism=only.mechanism, sampling_probability=share * only.sampling_probability)
    try:
        return PoissonSampled(mechanism=only, sampling_probability=share)
    except InvalidParameterError as error:
        raise place.unsupported(f"its {error.field} {error.condition}", error.remedy) from None


def _runs(mechanism: Mechanism) -> list[tuple[Mechanism, int]]:
    """What is run, and how often, without what is run no time."""
    if isinstance(mechanism, Sequence):
        return [run for part in mechanism.parts for run in _runs(part)]
    if isinstance(mechanism, Repeated):
        return [(run, times * mechanism.count) for run, times in _runs(mechanism.mechanism) if mechanism.count]
    return [(mechanism, 1)]


def _precision(mechanism: Mechanism) -> Fraction | None:
    """The sum of all (sensitivity / standard deviation)^2, where nothing but Gaussian noise is added.

    Gaussians on the same data are together one Gaussian with this sum: their joint density ratio is a function of one
    normal variable, whatever the later ones were chosen by.
    """
    total = Fraction(0)
    for run, times in _runs(mechanism):
        if not isinstance(run, Gaussian):
            return None
        total += times * run.sensitivity**2 / run.variance
    return total


_READERS: Mapping[str, Callable[[Place], Mechanism]] = MappingProxyType(
    {
        "NoOpDpEvent": lambda _: Sequence(parts=()),
        "GaussianDpEvent": _gaussian,
        "LaplaceDpEvent": _laplace,
        "DiscreteLaplaceDpEvent": _discrete_laplace,
        "DiscreteGaussianDpEvent": _discrete_gaussian,
        "RandomizedResponseDpEvent": _randomized_response,
        "ExponentialMechanismDpEvent": lambda place: Exponential(epsilon=place.nonnegative("epsilon")),
        "PermuteAndFlipDpEvent": lambda place: PureDP(epsilon=place.nonnegative("epsilon")),
        "EpsilonDeltaDpEvent": _epsilon_delta,
        "ZCDpEvent": _zero_concentrated,
        "PoissonSampledDpEvent": _poisson_sampled,
        "SelfComposedDpEvent": lambda place: _read(place.inner("event")).repeated(place.count("count")),
        "ComposedDpEvent": lambda place: Sequence(parts=[_read(each) for each in place.inner_events("events")]),
    }
)

_FIXED_SIZE = ("a batch of a fixed size is not drawn by independent coins", "Draw the batches by Poisson sampling.")
_TREE = ("noise that is shared by the nodes of a tree is not known here", "Give its (epsilon, delta) guarantee.")

_REASONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "NonPrivateDpEvent": (
            "it gives no privacy at all, so that every epsilon is infinite",
            "Leave it out, or compose ApproxDP(epsilon=0, delta=1) to say that all is lost.",
        ),
        "UnsupportedDpEvent": (
            "it stands for an operation of which nothing is known",
            "Replace it by an event that says what ran.",
        ),
        "SampledWithReplacementDpEvent": _FIXED_SIZE,
        "SampledWithoutReplacementDpEvent": _FIXED_SIZE,
        "TruncatedSubsampledGaussianDpEvent": (
            "a truncated sample is no longer drawn by independent coins",
            "Draw the batches by Poisson sampling without a largest size.",
        ),
        "SingleEpochTreeAggregationDpEvent": _TREE,
        "TreeAggregationDpEvent": _TREE,
        "LocalDpEvent": ("the local model is another one", "Use RandomizedResponseDpEvent or EpsilonDeltaDpEvent."),
        "RepeatAndSelectDpEvent": (
            "a random number of runs of which only the best is shown is not known here",
            "Give its (epsilon, delta) guarantee.",
        ),
        "MixtureOfGaussiansDpEvent": (
            "only the mixture that Poisson sampling makes is known here",
            "Where it is one, write PoissonSampledDpEvent of GaussianDpEvent.",
        ),
    }
)

"""From a budget to finished noise, from noise to what it costs, and how large its errors are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from optcomp.calibration.shares import PURE_FAMILIES, Share
from optcomp.composition import compose
from optcomp.errors import InvalidParameterError, OptcompError, UnsupportedError
from optcomp.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    PureDP,
    Repeated,
    Sequence,
)
from optcomp.quantities import float_up, floor_to_digits

__all__ = [
    "MEAN_OF_NORMAL",
    "NoiseError",
    "Unit",
    "average_error",
    "cost_of",
    "error_of",
    "locked_by_error",
    "noise_for",
    "root_up",
    "to_unit",
]

Unit = Literal["epsilon", "rho"]
"""In which costs add up: epsilons of pure mechanisms without a delta, else rho with ``rho = epsilon^2/2``."""

MEAN_OF_NORMAL = Fraction("0.797884560803")
"""About sqrt(2/pi): the mean absolute value of normal noise over its standard deviation."""

_DIGITS = 12
_ROOT_PLACES = 30
# The 97.5 % point of normal noise and ln 20, both rounded up.
_NORMAL_95 = Fraction("1.9599639845400543")
_LAPLACE_95 = Fraction("2.9957322735539910")
_LEVEL = Fraction(1, 20)
_HALVINGS = 60
_SUMMED_VARIANCE = 10_000
_MARGINS = (Fraction(1, 10**11), Fraction(1, 10**8), Fraction(1, 10**5), Fraction(1, 10**3))


@dataclass(frozen=True)
class NoiseError:
    """How far the noise of one run lies from 0.

    Args:
        standard_deviation: Of the noise, rounded up; for discrete noise that of the continuous law, which is larger.
        half_width: Half the width of a 95 % interval: the noise is beyond it with probability at most 1/20.
    """

    standard_deviation: float
    half_width: float


def to_unit(family: str | None, own: Fraction, unit: Unit) -> Fraction:
    """A share's own budget in the common unit."""
    return own**2 / 2 if unit == "rho" and family in PURE_FAMILIES else own


def noise_for(share: Share, budget: Fraction, unit: Unit, *, exact: bool = False) -> Mechanism:
    """The finished mechanism of one run.

    Args:
        share: Without a lock.
        budget: In the common unit, above 0.
        unit: The common unit.
        exact: Keep the epsilon or rho as it is, instead of a decimal of 12 digits with more noise.

    **Guarantee**: ``cost_of(...) <= budget``.
    """
    reach = share.sensitivity
    own = budget if unit == "epsilon" or share.family not in PURE_FAMILIES else _root_down(2 * budget)
    own = own if exact else floor_to_digits(own, _DIGITS)
    if share.family == "gaussian":
        return Gaussian(rho=own, sensitivity=reach)
    if share.family == "discrete_gaussian":
        return DiscreteGaussian(rho=own, sensitivity=int(reach))
    if share.family == "pure_dp":
        return PureDP(epsilon=own)
    if share.family == "laplace":
        return Laplace(epsilon=own, sensitivity=reach)
    return DiscreteLaplace(epsilon=own, sensitivity=int(reach))


def cost_of(mechanism: Mechanism, unit: Unit) -> Fraction | None:
    """What one run costs in the common unit, rounded up; None where it has no cost in it, as (epsilon, delta)-DP."""
    if isinstance(mechanism, Repeated):
        inner = cost_of(mechanism.mechanism, unit)
        return None if inner is None else inner * mechanism.count
    if isinstance(mechanism, Sequence):
        costs = [cost_of(part, unit) for part in mechanism.parts]
        known = [cost for cost in costs if cost is not None]
        return sum(known, Fraction(0)) if len(known) == len(costs) else None
    if isinstance(mechanism, Gaussian | DiscreteGaussian):
        if mechanism.sensitivity == 0:
            return Fraction(0)
        return None if unit == "epsilon" else Fraction(mechanism.sensitivity) ** 2 / (2 * mechanism.variance)
    epsilon = _pure_epsilon(mechanism)
    if epsilon is None:
        return None
    return epsilon if unit == "epsilon" else epsilon**2 / 2


def _pure_epsilon(mechanism: Mechanism) -> Fraction | None:
    if isinstance(mechanism, PureDP) and isinstance(mechanism.epsilon, Fraction):
        return mechanism.epsilon
    if isinstance(mechanism, Laplace | DiscreteLaplace):
        return mechanism.sensitivity / mechanism.scale if mechanism.sensitivity else Fraction(0)
    try:
        profile = compose(mechanism)
        largest = profile.largest_epsilon.upper
        return Fraction(largest) if largest != math.inf and profile.failure.upper == 0 else None
    except OptcompError:
        return None


def locked_by_error(share: Share) -> Mechanism | None:
    """The most noise, to 12 digits, whose error is at most the wanted one; None where no error is wanted.

    For discrete noise a half width is read as the whole number below it.

    Raises:
        UnsupportedError: When no noise of that family is so small.
    """
    if share.standard_deviation is not None:
        return _noise_of_variance(share, share.standard_deviation**2)
    if share.half_width is None:
        return None
    if share.family == "gaussian":
        return _noise_of_variance(share, (share.half_width / _NORMAL_95) ** 2)
    if share.family == "laplace":
        return _noise_of_variance(share, 2 * (share.half_width / _LAPLACE_95) ** 2)
    return _discrete_within(share, math.floor(share.half_width))


def _noise_of_variance(share: Share, variance: Fraction) -> Mechanism:
    if share.family in PURE_FAMILIES:
        scale = floor_to_digits(_root_down(variance / 2), _DIGITS)
        return _discrete_or_not(share, scale)
    return _discrete_or_not(share, floor_to_digits(variance, _DIGITS))


def _discrete_or_not(share: Share, amount: Fraction) -> Mechanism:
    if share.family == "gaussian":
        return Gaussian(variance=amount, sensitivity=share.sensitivity)
    if share.family == "laplace":
        return Laplace(scale=amount, sensitivity=share.sensitivity)
    if share.family == "discrete_gaussian":
        return DiscreteGaussian(variance=amount, sensitivity=int(share.sensitivity))
    if share.family == "discrete_laplace":
        return DiscreteLaplace(scale=amount, sensitivity=int(share.sensitivity))
    raise InvalidParameterError(
        field="family", value=share.family, condition="has no noise, so no error", remedy="Name the noise: laplace."
    )


def _discrete_within(share: Share, radius: int) -> Mechanism:
    """About the largest scale or variance with ``P(|noise| > radius) <= 1/20``: found in floats, proved in balls."""
    from optcomp.noise.radius import noise_radius

    tail = _laplace_tail if share.family == "discrete_laplace" else _gaussian_tail
    low, high = -5.0, 2 * math.log(radius + 2.0) + 5
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(math.exp(middle), radius) <= float(_LEVEL) else (low, middle)
    for margin in _MARGINS:
        found = _discrete_or_not(share, floor_to_digits(Fraction(math.exp(low)) * (1 - margin), _DIGITS))
        if noise_radius(found, _LEVEL) <= radius:
            return found
    raise UnsupportedError(
        field="half_width", value=radius, condition="is too small for any noise", remedy="Allow a larger one."
    )


def _laplace_tail(scale: float, radius: int) -> float:
    """About ``P(|noise| > radius)`` of discrete Laplace noise."""
    return 2 * math.exp(-(radius + 1) / scale) / (1 + math.exp(-1 / scale))


def _gaussian_tail(variance: float, radius: int) -> float:
    """About ``P(|noise| > radius)`` of discrete Gaussian noise."""
    if variance > _SUMMED_VARIANCE:
        return math.erfc((radius + 0.5) / math.sqrt(2 * variance))
    bells = [math.exp(-(place**2) / (2 * variance)) for place in range(math.ceil(40 * math.sqrt(variance)) + 2)]
    return 2 * math.fsum(bells[radius + 1 :]) / (2 * math.fsum(bells) - 1)


def error_of(mechanism: Mechanism) -> NoiseError | None:
    """The error of one run; None where a mechanism adds no noise that is known here."""
    if isinstance(mechanism, Repeated):
        return error_of(mechanism.mechanism)
    if isinstance(mechanism, Gaussian):
        deviation = root_up(mechanism.variance)
        return NoiseError(float_up(deviation), float_up(deviation * _NORMAL_95))
    if isinstance(mechanism, Laplace):
        return NoiseError(float_up(root_up(2 * mechanism.scale**2)), float_up(mechanism.scale * _LAPLACE_95))
    if isinstance(mechanism, DiscreteGaussian | DiscreteLaplace):
        from optcomp.noise.radius import noise_radius

        variance = mechanism.variance if isinstance(mechanism, DiscreteGaussian) else 2 * mechanism.scale**2
        return NoiseError(float_up(root_up(variance)), float(noise_radius(mechanism, _LEVEL)))
    return None


def average_error(mechanism: Mechanism, criterion: str) -> Fraction:
    """The error of one run, of the continuous law; 0 for a promise that has none."""
    if isinstance(mechanism, Repeated):
        return average_error(mechanism.mechanism, criterion)
    if isinstance(mechanism, PureDP):
        if not isinstance(mechanism.epsilon, Fraction) or mechanism.epsilon == 0:
            return Fraction(0)
        return average_error(Laplace(epsilon=mechanism.epsilon), criterion)
    if isinstance(mechanism, Laplace | DiscreteLaplace):
        return 2 * mechanism.scale**2 if criterion == "variance" else mechanism.scale
    variance = getattr(mechanism, "variance", None)
    if not isinstance(variance, Fraction):
        return Fraction(0)
    return variance if criterion == "variance" else root_up(variance) * MEAN_OF_NORMAL


def _root_down(value: Fraction) -> Fraction:
    """The root, at most ``10**-30`` too small, relatively."""
    return _scaled_root(value, up=False)


def root_up(value: Fraction) -> Fraction:
    """The root, at most ``10**-30`` too large, relatively."""
    return _scaled_root(value, up=True)


def _scaled_root(value: Fraction, *, up: bool) -> Fraction:
    if value == 0:
        return value
    shift = max(0, value.denominator.bit_length() - value.numerator.bit_length()) // 2
    unit = 10**_ROOT_PLACES << shift
    square = value * unit**2
    found = math.isqrt(math.floor(square))
    return Fraction(found + (up and found**2 != square), unit)

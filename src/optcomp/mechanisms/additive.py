"""Mechanisms that add noise to an exact answer.

Each carries the sensitivity of its own answer, in the relation between neighbouring data sets that the whole
composition is stated for. A sensitivity of 0 is an answer that no neighbour changes: it costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, Self

from optcomp.errors import InvalidParameterError
from optcomp.mechanisms.base import Mechanism
from optcomp.quantities import Number, Real, approximately, count, nonnegative_real, probability, rational

__all__ = ["DiscreteGaussian", "DiscreteLaplace", "Gaussian", "Laplace", "Skellam", "Staircase"]

_GAMMA_PLACES = 12


@dataclass(frozen=True, init=False)
class Laplace(Mechanism):
    """Add Laplace noise, with density proportional to ``e^(-|x|/scale)``.

    Args:
        scale: The noise's scale, above 0; or
        epsilon: In nats, the guarantee of this mechanism alone: the scale is ``sensitivity/epsilon``.
        sensitivity: By how much one neighbour changes the exact answer, at least 0.
    """

    kind: ClassVar[str] = "laplace"
    scale: Fraction
    sensitivity: Fraction

    def __init__(self, *, scale: Number | None = None, epsilon: Number | None = None, sensitivity: Number = 1) -> None:
        reach = _nonnegative(sensitivity, "sensitivity")
        self._set(scale=_scale(reach, scale, epsilon), sensitivity=reach)


@dataclass(frozen=True, init=False)
class DiscreteLaplace(Mechanism):
    """Add two-sided geometric noise, with probabilities proportional to ``e^(-|x|/scale)`` on the integers.

    Args:
        scale: The noise's scale, above 0; or
        epsilon: In nats, the guarantee of this mechanism alone: the scale is ``sensitivity/epsilon``.
        sensitivity: By how much one neighbour changes the exact answer, a whole number of at least 0.
    """

    kind: ClassVar[str] = "discrete_laplace"
    scale: Fraction
    sensitivity: int

    def __init__(self, *, scale: Number | None = None, epsilon: Number | None = None, sensitivity: int = 1) -> None:
        reach = _whole(sensitivity)
        self._set(scale=_scale(Fraction(reach), scale, epsilon), sensitivity=reach)


@dataclass(frozen=True, init=False)
class Gaussian(Mechanism):
    """Add Gaussian noise. Exactly one of the five ways to say how much is given.

    Args:
        standard_deviation: Of the noise, above 0; or
        variance: Its square; or
        noise_multiplier: The standard deviation over the sensitivity; or
        rho: The zero-concentrated guarantee ``sensitivity^2/(2 variance)`` of this mechanism alone; or
        mu: Its Gaussian-DP guarantee, the sensitivity over the standard deviation.
        sensitivity: By how much one neighbour changes the exact answer in Euclidean norm, at least 0.
    """

    kind: ClassVar[str] = "gaussian"
    variance: Fraction
    sensitivity: Fraction

    def __init__(  # noqa: PLR0913  # one name for each way in which people say how much noise there is
        self,
        *,
        standard_deviation: Number | None = None,
        variance: Number | None = None,
        noise_multiplier: Number | None = None,
        rho: Number | None = None,
        mu: Number | None = None,
        sensitivity: Number = 1,
    ) -> None:
        reach = _nonnegative(sensitivity, "sensitivity")
        given = {
            "standard_deviation": standard_deviation,
            "variance": variance,
            "noise_multiplier": noise_multiplier,
            "rho": rho,
            "mu": mu,
        }
        self._set(variance=_variance(reach, given), sensitivity=reach)

    @property
    def standard_deviation(self) -> Fraction | None:
        """The standard deviation of the noise where it is rational, else None."""
        return _root(self.variance)


@dataclass(frozen=True, init=False)
class DiscreteGaussian(Mechanism):
    """Add discrete Gaussian noise, with probabilities proportional to ``e^(-x^2/(2 variance))`` on the integers.

    Args:
        standard_deviation: The square root of ``variance``, above 0; or
        variance: The parameter of the law (the law's own variance is a little smaller); or
        rho: The zero-concentrated guarantee ``sensitivity^2/(2 variance)`` of this mechanism alone.
        sensitivity: By how much one neighbour changes the exact answer, a whole number of at least 0.
    """

    kind: ClassVar[str] = "discrete_gaussian"
    variance: Fraction
    sensitivity: int

    def __init__(
        self,
        *,
        standard_deviation: Number | None = None,
        variance: Number | None = None,
        rho: Number | None = None,
        sensitivity: int = 1,
    ) -> None:
        reach = _whole(sensitivity)
        given = {"standard_deviation": standard_deviation, "variance": variance, "rho": rho}
        self._set(variance=_variance(Fraction(reach), given), sensitivity=reach)


@dataclass(frozen=True, init=False)
class Skellam(Mechanism):
    """Add the difference of two independent Poisson variables of mean ``variance/2`` each to a whole number.

    Args:
        variance: Of the noise, above 0.
        sensitivity: By how much one neighbour changes the exact answer, a whole number of at least 0.
    """

    kind: ClassVar[str] = "skellam"
    variance: Fraction
    sensitivity: int

    def __init__(self, *, variance: Number, sensitivity: int = 1) -> None:
        reach = _whole(sensitivity)
        amount = _nonnegative(variance, "variance")
        self._set(variance=_noise(amount, Fraction(reach), "variance", variance), sensitivity=reach)


@dataclass(frozen=True, init=False)
class Staircase(Mechanism):
    """Add staircase noise: a density that falls by ``e^-epsilon`` at ``gamma + j`` sensitivities, j = 0, 1, ...

    Args:
        epsilon: In nats, above 0: the guarantee of this mechanism alone.
        gamma: Where the steps are, between 0 and 1. See `optimal` for the best one.
        sensitivity: By how much one neighbour changes the exact answer, at least 0.

    Source: Geng and Viswanath, "The optimal mechanism in differential privacy".
    """

    kind: ClassVar[str] = "staircase"
    epsilon: Real
    gamma: Fraction
    sensitivity: Fraction

    def __init__(self, *, epsilon: Number, gamma: Number, sensitivity: Number = 1) -> None:
        rate = nonnegative_real(epsilon, field="epsilon")
        reach = _nonnegative(sensitivity, "sensitivity")
        if rate == 0 and reach > 0:
            raise _refused("epsilon", epsilon, "must be above 0: no noise gives 0", "Give a positive epsilon.")
        self._set(epsilon=rate, gamma=_probability(gamma, field="gamma"), sensitivity=reach)

    @classmethod
    def optimal(
        cls, *, epsilon: Number, sensitivity: Number = 1, criterion: Literal["variance", "magnitude"] = "variance"
    ) -> Self:
        """The staircase with the least noise for its epsilon.

        Args:
            epsilon: In nats, above 0.
            sensitivity: As for the class.
            criterion: ``variance`` for the least variance, ``magnitude`` for the least mean absolute value.

        Returns:
            A staircase whose gamma is the best one rounded to 12 decimals; its guarantee holds for every gamma.
        """
        rate = approximately(nonnegative_real(epsilon, field="epsilon"))
        if criterion == "magnitude":
            best = 1 / (1 + math.exp(min(rate / 2, 700.0)))
        elif criterion == "variance":
            best = _least_variance_gamma(rate)
        else:
            raise _refused("criterion", criterion, "must be variance or magnitude", "Choose one.")
        gamma = Fraction(round(min(max(best, 0.0), 1.0) * 10**_GAMMA_PLACES), 10**_GAMMA_PLACES)
        return cls(epsilon=epsilon, gamma=gamma, sensitivity=sensitivity)


_probability = probability


def _least_variance_gamma(rate: float) -> float:
    decay = math.exp(-rate)
    if rate < 1e-3:
        return 0.5 - rate / 8  # the formula below cancels; any gamma keeps the guarantee
    cube = decay - 2 * decay**2 + 2 * decay**4 - decay**5
    return -decay / (1 - decay) + math.cbrt(max(cube, 0.0)) / (2 ** (1 / 3) * (1 - decay) ** 2)


def _scale(sensitivity: Fraction, scale: Number | None, epsilon: Number | None) -> Fraction:
    name, value = _one_of({"scale": scale, "epsilon": epsilon})
    number = _nonnegative(value, name)
    if name == "epsilon":
        if number == 0 and sensitivity > 0:
            raise _refused(name, value, "must be above 0: no noise gives 0", "Give a positive epsilon.")
        return sensitivity / number if number else Fraction(0)
    return _noise(number, sensitivity, name, value)


def _variance(sensitivity: Fraction, given: Mapping[str, Number | None]) -> Fraction:
    name, value = _one_of(given)
    number = _nonnegative(value, name)
    if name == "variance":
        return _noise(number, sensitivity, name, value)
    if name == "standard_deviation":
        return _noise(number**2, sensitivity, name, value)
    if name == "noise_multiplier":
        return _noise((number * sensitivity) ** 2, sensitivity, name, value)
    if number == 0 and sensitivity > 0:
        raise _refused(name, value, "must be above 0: no noise gives 0", f"Give a positive {name}.")
    if number == 0:
        return Fraction(0)
    return sensitivity**2 / (2 * number if name == "rho" else number**2)


def _one_of(given: Mapping[str, Number | None]) -> tuple[str, Number]:
    known = {name: value for name, value in given.items() if value is not None}
    if len(known) != 1:
        raise _refused(
            next(iter(known), next(iter(given))),
            ", ".join(known) or "nothing",
            f"must be the only one given of {', '.join(given)}",
            "Give exactly one of them.",
        )
    return next(iter(known.items()))


def _noise(amount: Fraction, sensitivity: Fraction, name: str, value: object) -> Fraction:
    if amount == 0 and sensitivity > 0:
        raise _refused(name, value, "must be above 0 unless the sensitivity is 0", "Give a positive number.")
    return amount


def _nonnegative(value: Number, field: str) -> Fraction:
    number = rational(value, field=field)
    if number < 0:
        raise _refused(field, value, "must be at least 0", "Give a number such as 1.")
    return number


def _whole(sensitivity: object) -> int:
    """A whole number, also when it comes as text or as a rational, as numbers of files do."""
    if isinstance(sensitivity, str | Fraction | float):
        number = rational(sensitivity, field="sensitivity")
        if number.denominator == 1:
            return count(int(number), field="sensitivity")
    return count(sensitivity, field="sensitivity")


def _root(value: Fraction) -> Fraction | None:
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    return Fraction(top, bottom) if top**2 == value.numerator and bottom**2 == value.denominator else None


def _refused(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)

"""The variance that a target requires: by conditions known earlier, by closed forms, and by exact calibration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.calibration.calibrate import Calibration, calibrate
from optcomp.calibration.targets import EpsilonDelta
from optcomp.errors import InvalidParameterError, UndecidedError, UnsupportedError
from optcomp.mechanisms import Gaussian, Laplace, Mechanism, PureDP, Staircase
from optcomp.numerics.balls import Ball, ball, enclose, precision
from optcomp.quantities import Enclosure, Number, count, positive_rational
from optcomp.theorems.noise_conditions import (
    earlier_gaussian_variance,
    earlier_geometric_variance,
    earlier_laplace_variance,
    earlier_staircase_variance,
    gaussian_variance,
    geometric_variance,
    laplace_variance,
    staircase_variance,
)
from optcomp.theorems.noise_laws import geometric_noise, laplace_noise, staircase_noise

__all__ = ["RequiredNoise", "required_noise"]

_BITS = 128


@dataclass(frozen=True)
class RequiredNoise:
    """One kind of noise for a number of equal answers.

    Args:
        noise: Its name.
        how: What is known of each answer when the exact number is found.
        earlier: The sufficient variance by the conditions known before; None where they are refused.
        closed_form: The sufficient variance by section 4 of Kairouz, Oh and Viswanath; None where it is refused.
        least: The least variance that meets the target: below its lower end the target is broken.
        note: Why something is missing.
    """

    noise: str
    how: str
    earlier: Enclosure | None
    closed_form: Enclosure | None
    least: Enclosure | None
    note: str = ""

    @property
    def saved(self) -> Enclosure | None:
        """How many times the least variance the closed form asks for."""
        if self.closed_form is None or self.least is None or isinstance(self.closed_form.upper, float):
            return None
        low, high = Fraction(self.closed_form.lower), self.closed_form.upper
        return Enclosure(low / Fraction(self.least.upper), high / Fraction(self.least.lower)).rounded(12)


@dataclass(frozen=True)
class _Kind:
    noise: str
    how: str
    earlier: Callable[..., Enclosure]
    closed_form: Callable[..., Enclosure]
    mechanism: Callable[[Fraction, Fraction], Mechanism]
    variance: Callable[[Fraction, Fraction], Enclosure]


def required_noise(*, epsilon: Number, delta: Number, count: int, sensitivity: Number = 1) -> tuple[RequiredNoise, ...]:
    """The variance of each noise that makes equal answers meet a target together.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together, above 0.
        count: How many answers, at least 1.
        sensitivity: Of each exact answer, above 0.

    **Guarantee**: noise of the variance ``upper``, in each column, meets the target; noise of a variance below
    ``least.lower`` does not.

    Raises:
        InvalidParameterError: When a number is wrong.

    Source: Kairouz, Oh, Viswanath, section 4, for the closed forms.
    """
    target = EpsilonDelta.of(epsilon, delta)
    reach = positive_rational(sensitivity, field="sensitivity")
    times = _times(count)
    return tuple(_row(kind, target, times, reach) for kind in _KINDS)


def _times(value: int) -> int:
    return count(value, field="count", least=1)


def _row(kind: _Kind, target: EpsilonDelta, times: int, reach: Fraction) -> RequiredNoise:
    known = {"epsilon": target.epsilon, "delta": target.delta, "count": times, "sensitivity": reach}
    notes: list[str] = []

    def asked(form: Callable[..., Enclosure]) -> Enclosure | None:
        try:
            return form(**known)
        except InvalidParameterError as error:
            notes.append(f"{error.field} {error.condition}")
            return None

    earlier, closed = asked(kind.earlier), asked(kind.closed_form)
    least: Enclosure | None = None
    try:
        found = calibrate(lambda value: kind.mechanism(value, reach).repeated(times), target=target)
        least = _between(found, lambda value: kind.variance(value, reach))
    except (UndecidedError, UnsupportedError) as error:
        notes.append(f"{error.field} {error.condition}")
    return RequiredNoise(kind.noise, kind.how, earlier, closed, least, "; ".join(dict.fromkeys(notes)))


def _between(found: Calibration, variance: Callable[[Fraction], Enclosure]) -> Enclosure:
    """The least variance lies between those of the two sides."""
    safe = variance(found.parameter)
    if found.other_side is None:
        return safe
    return Enclosure(variance(found.other_side).lower, safe.upper)


def _by_epsilon(law: Callable[[Ball, Fraction], Ball]) -> Callable[[Fraction, Fraction], Enclosure]:
    def variance(epsilon: Fraction, reach: Fraction) -> Enclosure:
        with precision(_BITS):
            return enclose(law(ball(epsilon), reach))

    return variance


def _square(value: Fraction, reach: Fraction) -> Enclosure:
    del reach
    return Enclosure.exactly(value**2)


def _twice_the_square(value: Fraction, reach: Fraction) -> Enclosure:
    del reach
    return Enclosure.exactly(2 * value**2)


def _pure(epsilon: Fraction, reach: Fraction) -> Mechanism:
    del reach
    return PureDP(epsilon=epsilon)


_KINDS = (
    _Kind(
        "Gaussian",
        "its own loss",
        earlier_gaussian_variance,
        gaussian_variance,
        lambda deviation, reach: Gaussian(standard_deviation=deviation, sensitivity=reach),
        _square,
    ),
    _Kind(
        "Laplace",
        "its epsilon only (Theorem 3.3)",
        earlier_laplace_variance,
        laplace_variance,
        _pure,
        _by_epsilon(laplace_noise),
    ),
    _Kind(
        "Laplace",
        "its own loss",
        earlier_laplace_variance,
        laplace_variance,
        lambda scale, reach: Laplace(scale=scale, sensitivity=reach),
        _twice_the_square,
    ),
    _Kind(
        "staircase",
        "its own loss",
        earlier_staircase_variance,
        staircase_variance,
        lambda epsilon, reach: Staircase.optimal(epsilon=epsilon, sensitivity=reach),
        _by_epsilon(staircase_noise),
    ),
    _Kind(
        "geometric",
        "its own loss, for a whole sensitivity",
        earlier_geometric_variance,
        geometric_variance,
        _pure,
        _by_epsilon(geometric_noise),
    ),
)

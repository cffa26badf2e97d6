"""The losses of mechanisms whose answers are categories or whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import UnsupportedError
from optcomp.losses.base import Atom, AtomicLoss, Direction, Grid, Loss, TwoPoint, WorstCase, worst_case
from optcomp.mechanisms import DiscreteGaussian, DiscreteLaplace, RandomizedResponse
from optcomp.numerics.balls import Ball, Either, ball
from optcomp.numerics.gaussian_sums import gaussian_sum, gaussian_sum_above
from optcomp.quantities import Logarithm, Real

__all__ = ["DiscreteGaussianLoss", "DiscreteLaplaceLoss", "KaryLoss"]

_BINARY = 2
_SPREAD, _MORE = 300, 40  # of the values of discrete Gaussian noise that matter
_MOST_ATOMS = 1 << 16


@dataclass(frozen=True)
class KaryLoss(AtomicLoss):
    """Three values: plus or minus epsilon when one of two categories is reported, 0 for any other report.

    Args:
        first: The probability of one's own category, other than ``second``.
        second: The probability of each other category, above 0; ``first + second < 1``.
    """

    first: Fraction
    second: Fraction

    @property
    def size(self) -> int:
        """Three."""
        return 3

    @property
    def largest(self) -> Real:
        """``|ln(first/second)|``."""
        return Logarithm.of(max(self.first / self.second, self.second / self.first))

    @property
    def grid(self) -> Grid:
        """Multiples of epsilon."""
        return Grid(self.largest, 0)

    def atoms(self) -> tuple[Atom, ...]:
        """All three values."""
        rate, high, low = ball(self.largest), max(self.first, self.second), min(self.first, self.second)
        return Atom(rate, ball(high)), Atom(ball(0), ball(1 - high - low)), Atom(-rate, ball(low))


@dataclass(frozen=True)
class DiscreteLaplaceLoss(AtomicLoss):
    """``sensitivity + 1`` values, two steps of ``1/scale`` apart.

    Args:
        rate: One over the scale, above 0.
        sensitivity: At least 2.
    """

    rate: Fraction
    sensitivity: int

    @property
    def size(self) -> int:
        """One more than the sensitivity."""
        return self.sensitivity + 1

    @property
    def largest(self) -> Real:
        """The sensitivity over the scale."""
        return self.rate * self.sensitivity

    @property
    def grid(self) -> Grid:
        """Steps of two rates."""
        return Grid(2 * self.rate, self.sensitivity % 2)

    def atoms(self) -> tuple[Atom, ...]:
        """All values: the noise is at most 0, exactly j, or at least the sensitivity."""
        rate, reach = ball(self.rate), self.sensitivity
        decay = (-rate).exp()
        unit = (1 - decay) / (1 + decay)
        inner = [Atom((reach - 2 * place) * rate, unit * (-place * rate).exp()) for place in range(1, reach)]
        return (
            Atom(reach * rate, 1 / (1 + decay)),
            *inner,
            Atom(-reach * rate, (-reach * rate).exp() / (1 + decay)),
        )


@dataclass(frozen=True)
class DiscreteGaussianLoss(Loss):
    """``sensitivity (sensitivity - 2 x)/(2 variance)`` for discrete Gaussian x.

    Args:
        variance: The noise's parameter, above 0.
        sensitivity: At least 1.
    """

    variance: Fraction
    sensitivity: int

    @property
    def grid(self) -> Grid:
        """Steps of ``sensitivity/variance``."""
        return Grid(self.sensitivity / self.variance, self.sensitivity % 2)

    def largest_ball(self) -> Ball:
        """Infinite."""
        return ball(1) / 0

    def growth(self, s: Either) -> Either:
        """``e^(s (s + 1) m/2)`` with ``m = sensitivity^2/variance``, times a ratio of sums of Gaussians."""
        variance, reach = ball(self.variance), self.sensitivity
        around = gaussian_sum(variance, s * reach) / gaussian_sum(variance, ball(0))
        return (s * (s + 1) * reach**2 / (2 * variance)).exp() * around

    def main_atoms(self) -> tuple[Atom, ...]:
        """All values but some of a total probability below 1e-60, also under tilts up to a few hundred."""
        variance, reach = ball(self.variance), self.sensitivity
        spread = math.ceil(math.sqrt(_SPREAD * float(self.variance))) + _MORE * reach
        total = gaussian_sum(variance, ball(0))
        return tuple(
            Atom(ball(reach * (reach - 2 * x)) / (2 * variance), (-(ball(x) ** 2) / (2 * variance)).exp() / total)
            for x in range(-spread, spread + 1)
        )

    def above(self, level: Ball) -> tuple[Ball, Ball]:
        """The noise is below ``sensitivity/2 - l variance/sensitivity``."""
        reach = self.sensitivity
        border = ball(Fraction(reach, 2)) - level * ball(self.variance) / reach
        total = gaussian_sum(ball(self.variance), ball(0))
        likely, unlikely = (gaussian_sum_above(ball(self.variance), -border, shift) / total for shift in (0, reach))
        return likely, unlikely


@worst_case.register
def _(mechanism: RandomizedResponse, direction: Direction) -> WorstCase:
    del direction
    own = mechanism.probability
    other = (1 - own) / (mechanism.categories - 1)
    if own == other:
        return WorstCase(Fraction(0), None)
    if 0 in {own, other}:
        return WorstCase(failure=max(own, other), loss=None)
    if mechanism.categories == _BINARY:
        return WorstCase(Fraction(0), TwoPoint(Logarithm.of(max(own / other, other / own))))
    return WorstCase(Fraction(0), KaryLoss(own, other))


@worst_case.register
def _(mechanism: DiscreteLaplace, direction: Direction) -> WorstCase:
    del direction
    if mechanism.sensitivity == 0:
        return WorstCase(Fraction(0), None)
    if mechanism.sensitivity == 1:
        return WorstCase(Fraction(0), TwoPoint(1 / mechanism.scale))
    if mechanism.sensitivity >= _MOST_ATOMS:
        raise UnsupportedError(
            field="sensitivity",
            value=mechanism.sensitivity,
            condition=f"must be below {_MOST_ATOMS} for discrete Laplace noise",
            remedy="Describe the mechanism as PureDP with epsilon = sensitivity/scale.",
        )
    return WorstCase(Fraction(0), DiscreteLaplaceLoss(1 / mechanism.scale, mechanism.sensitivity))


@worst_case.register
def _(mechanism: DiscreteGaussian, direction: Direction) -> WorstCase:
    del direction
    if mechanism.sensitivity == 0:
        return WorstCase(Fraction(0), None)
    return WorstCase(Fraction(0), DiscreteGaussianLoss(mechanism.variance, mechanism.sensitivity))

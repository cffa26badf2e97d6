"""The losses of noise on the real line: Gaussian, Laplace, staircase.

Noise whose density is logarithmically concave, and the staircase's, is told apart best by a shift of the full
sensitivity, so the pair is the noise around 0 and around the sensitivity.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from optcomp.losses.base import Atom, AtomicLoss, Direction, Grid, Loss, TwoPoint, WorstCase, worst_case
from optcomp.mechanisms import Gaussian, Laplace, Staircase
from optcomp.numerics.balls import Ball, Either, ball
from optcomp.numerics.normal import normal_above
from optcomp.quantities import Real

__all__ = ["GaussianLoss", "LaplaceLoss", "StaircaseLoss"]


@dataclass(frozen=True)
class GaussianLoss(Loss):
    """A normal loss with mean ``mu^2/2`` and variance ``mu^2``.

    Args:
        mu_squared: The squared sensitivity over the variance, above 0.
    """

    mu_squared: Fraction

    def largest_ball(self) -> Ball:
        """Infinite."""
        return ball(1) / 0

    def growth(self, s: Either) -> Either:
        """``e^(s (s + 1) mu^2/2)``."""
        return (s * (s + 1) * ball(self.mu_squared / 2)).exp()

    def above(self, level: Ball) -> tuple[Ball, Ball]:
        """``Phi(mu/2 - l/mu)`` and ``Phi(-mu/2 - l/mu)``."""
        mu = ball(self.mu_squared).sqrt()
        return normal_above(level / mu - mu / 2), normal_above(level / mu + mu / 2)


@dataclass(frozen=True)
class LaplaceLoss(Loss):
    """Half the mass at ``+ratio``, ``e^-ratio/2`` at ``-ratio``, and the density ``e^((l - ratio)/2)/4`` between.

    Args:
        ratio: The sensitivity over the scale, above 0.
    """

    ratio: Fraction

    @property
    def largest(self) -> Real:
        """The ratio."""
        return self.ratio

    def largest_ball(self) -> Ball:
        """The ratio."""
        return ball(self.ratio)

    def growth(self, s: Either) -> Either:
        """``e^(-r/2) (cosh(a r) + sinh(a r)/(2 a))`` with ``a = s + 1/2``."""
        rate = ball(self.ratio)
        a = s + ball(0.5)
        return (-rate / 2).exp() * ((a * rate).cosh() + (a * rate).sinh() / (2 * a))

    def above(self, level: Ball) -> tuple[Ball, Ball]:
        """In closed form: the noise is below ``(ratio - l)/2`` scales."""
        rate = ball(self.ratio)
        outside = ball(0).union(ball(1))
        if level >= rate:
            return ball(0), ball(0)
        if level < -rate:
            return ball(1), ball(1)
        if level > -rate and level < rate:
            place = (rate - level) / 2
            return 1 - (-place).exp() / 2, (place - rate).exp() / 2
        return outside, outside


@dataclass(frozen=True)
class StaircaseLoss(AtomicLoss):
    """Three values: 0 with probability ``middle``, else plus or minus epsilon as in randomized response.

    Args:
        epsilon: In nats, above 0.
        gamma: Where the steps of the density are; not 1/2, where there is no mass at 0.
    """

    epsilon: Real
    gamma: Fraction

    @property
    def size(self) -> int:
        """Three."""
        return 3

    @property
    def largest(self) -> Real:
        """Epsilon."""
        return self.epsilon

    @property
    def grid(self) -> Grid:
        """Multiples of epsilon."""
        return Grid(self.epsilon, 0)

    def atoms(self) -> tuple[Atom, ...]:
        """All three values."""
        rate, gamma = ball(self.epsilon), ball(self.gamma)
        decay = (-rate).exp()
        height = (1 - decay) / (2 * (gamma + decay * (1 - gamma)))
        middle = abs(1 - 2 * gamma) * height * (decay if self.gamma < Fraction(1, 2) else 1)
        sides = (1 - middle) / (1 + decay)
        return Atom(rate, sides), Atom(ball(0), middle), Atom(-rate, sides * decay)


@worst_case.register
def _(mechanism: Gaussian, direction: Direction) -> WorstCase:
    del direction
    if mechanism.sensitivity == 0:
        return WorstCase(Fraction(0), None)
    return WorstCase(Fraction(0), GaussianLoss(mechanism.sensitivity**2 / mechanism.variance))


@worst_case.register
def _(mechanism: Laplace, direction: Direction) -> WorstCase:
    del direction
    if mechanism.sensitivity == 0:
        return WorstCase(Fraction(0), None)
    return WorstCase(Fraction(0), LaplaceLoss(mechanism.sensitivity / mechanism.scale))


@worst_case.register
def _(mechanism: Staircase, direction: Direction) -> WorstCase:
    del direction
    if mechanism.sensitivity == 0:
        return WorstCase(Fraction(0), None)
    if mechanism.gamma == Fraction(1, 2):
        return WorstCase(Fraction(0), TwoPoint(mechanism.epsilon))
    return WorstCase(Fraction(0), StaircaseLoss(mechanism.epsilon, mechanism.gamma))

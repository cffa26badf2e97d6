"""The losses of mechanisms that run on a Poisson sample.

With the record, the answers follow the mixture ``(1 - q) M(0) + q M(1)``, without it M(0). For a pair (M(1), M(0)) of
loss l the likelihood ratio of the mixture is ``w = 1 - q + q e^l``. For ``remove``, P is the mixture, Q is M(0) and
the loss is ``ln w``; for ``add`` the roles are exchanged and the loss is ``-ln w``. The pair that dominates a mechanism
gives the pair that dominates the sampled one, direction by direction, because mixing is a post-processing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import UnsupportedError
from optcomp.losses.additive import GaussianLoss, LaplaceLoss
from optcomp.losses.base import Atom, AtomicLoss, Direction, Loss, WorstCase, worst_case
from optcomp.losses.discrete import DiscreteGaussianLoss
from optcomp.mechanisms import PoissonSampled
from optcomp.numerics.balls import Ball, Either, ball
from optcomp.numerics.sampled_laplace import sampled_laplace_growth
from optcomp.numerics.sampled_normal import sampled_discrete_normal_growth, sampled_normal_growth

__all__ = ["SampledAtoms", "SampledGaussianLoss", "SampledLaplaceLoss", "SampledLoss"]


class SampledLoss(Loss):
    """What all sampled losses share; ``base`` is the loss of the mechanism itself, which is symmetric."""

    base: Loss
    share: Fraction
    direction: Direction

    def largest_ball(self) -> Ball:
        """``ln(1 - q + q e^l)`` at the largest l, or minus that at the least."""
        top = self.base.largest_ball()
        if self.direction == "remove":
            return (1 - ball(self.share) + ball(self.share) * top.exp()).log() if top.is_finite() else top
        if not top.is_finite():
            return -(1 - ball(self.share)).log()
        return -(1 - ball(self.share) + ball(self.share) * (-top).exp()).log()

    def power(self, s: Either) -> Either:
        """The power of w whose expectation without the record is ``E[e^(s L)]``."""
        return s + 1 if self.direction == "remove" else -s

    def above(self, level: Ball) -> tuple[Ball, Ball]:
        """From the base: ``ln w > x`` where ``l > ln((e^x - 1 + q)/q)``."""
        share = ball(self.share)
        if self.direction == "remove":
            place = (level.expm1() + share) / share
            if place <= 0:
                return ball(1), ball(1)
            if not place > 0:
                return (ball(0).union(ball(1)),) * 2
            with_record, without = self.base.above(place.log())
            return (1 - share) * without + share * with_record, without
        place = ((-level).expm1() + share) / share
        if place <= 0:
            return ball(0), ball(0)
        if not place > 0:
            return (ball(0).union(ball(1)),) * 2
        # -ln w > x where l < ln(place); by symmetry of the base, l < y under M(0) is l > -y under M(1)
        without, with_record = self.base.above(-place.log())
        return without, (1 - share) * without + share * with_record


@dataclass(frozen=True)
class SampledGaussianLoss(SampledLoss):
    """A sampled normal loss.

    Args:
        base: The loss without sampling.
        share: The sampling probability q, in (0, 1).
        direction: Which data set P belongs to.
    """

    base: GaussianLoss
    share: Fraction
    direction: Direction

    def growth(self, s: Either) -> Either:
        """``E[w^(s + 1)]``, or ``E[w^-s]``, over the noise, by quadrature with a proven bound."""
        return sampled_normal_growth(self.base.mu_squared, self.share, self.power(s))


@dataclass(frozen=True)
class SampledLaplaceLoss(SampledLoss):
    """A sampled Laplace loss.

    Args:
        base: The loss without sampling.
        share: The sampling probability q, in (0, 1).
        direction: Which data set P belongs to.
    """

    base: LaplaceLoss
    share: Fraction
    direction: Direction

    def growth(self, s: Either) -> Either:
        """``E[w^(s + 1)]``, or ``E[w^-s]``: two atoms and a quadrature between them."""
        return sampled_laplace_growth(ball(self.base.ratio), ball(self.share), self.power(s))


@dataclass(frozen=True)
class SampledAtoms(AtomicLoss):
    """A sampled loss with finitely many values.

    Args:
        base: The loss without sampling.
        share: The sampling probability q, in (0, 1).
        direction: Which data set P belongs to.
        failure: The probability that the mechanism itself fails.
    """

    base: AtomicLoss | None
    share: Fraction
    direction: Direction
    failure: Fraction = Fraction(0)

    @property
    def size(self) -> int:
        """As many as the base has, and one for a failure."""
        return (1 if self.base is None else self.base.size) + (self.failure > 0)

    def atoms(self) -> tuple[Atom, ...]:
        """All values, the finite ones of a failure included; their probabilities add up to one minus the failure."""
        share, survival = ball(self.share), ball(1 - self.failure)
        base = (Atom(ball(0), ball(1)),) if self.base is None else self.base.atoms()
        mixed = _mixed(base, self.share, self.direction)
        found = [Atom(atom.loss, survival * atom.likely) for atom in mixed]
        if self.failure:  # the answer that only the data without the record can give
            rest = 1 - share
            lost = ball(self.failure)
            found.append(Atom(rest.log(), lost * rest) if self.direction == "remove" else Atom(-rest.log(), lost))
        if self.failure and self.direction == "remove":
            whole = 1 - share * ball(self.failure)
            found = [Atom(atom.loss, atom.likely / whole) for atom in found]
        return tuple(found)


@dataclass(frozen=True)
class SampledDiscreteGaussianLoss(SampledLoss):
    """A sampled discrete Gaussian loss.

    Args:
        base: The loss without sampling.
        share: The sampling probability q, in (0, 1).
        direction: Which data set P belongs to.
    """

    base: DiscreteGaussianLoss
    share: Fraction
    direction: Direction

    def growth(self, s: Either) -> Either:
        """``E[w^(s + 1)]``, or ``E[w^-s]``, over the noise."""
        power = self.power(s)
        return sampled_discrete_normal_growth(ball(self.base.variance), self.base.sensitivity, ball(self.share), power)

    def main_atoms(self) -> tuple[Atom, ...]:
        """All values but some of a total probability below 1e-60, also under tilts up to a few hundred."""
        return _mixed(self.base.main_atoms(), self.share, self.direction)


def _mixed(base: Iterable[Atom], share: Fraction, direction: Direction) -> tuple[Atom, ...]:
    """The values of a sampled loss from those of the loss without sampling."""
    ratios = [(1 - ball(share) + ball(share) * atom.loss.exp(), atom.unlikely) for atom in base]
    if direction == "remove":
        return tuple(Atom(ratio.log(), without * ratio) for ratio, without in ratios)
    return tuple(Atom(-ratio.log(), without) for ratio, without in ratios)


@worst_case.register
def _(mechanism: PoissonSampled, direction: Direction) -> WorstCase:
    share = mechanism.sampling_probability
    inner = worst_case(mechanism.mechanism, direction)
    if share == 1:
        return inner
    if share == 0 or (inner.loss is None and inner.failure == 0):
        return WorstCase(Fraction(0), None)
    failure = share * inner.failure if direction == "remove" else Fraction(0)
    return WorstCase(failure, _sampled(inner, share, direction))


def _sampled(inner: WorstCase, share: Fraction, direction: Direction) -> Loss:
    base = inner.loss
    if base is None or isinstance(base, AtomicLoss):
        return SampledAtoms(base, share, direction, inner.failure)
    if isinstance(base, GaussianLoss):
        return SampledGaussianLoss(base, share, direction)
    if isinstance(base, LaplaceLoss):
        return SampledLaplaceLoss(base, share, direction)
    if isinstance(base, DiscreteGaussianLoss):
        return SampledDiscreteGaussianLoss(base, share, direction)
    raise UnsupportedError(
        field="mechanism", value=base, condition="has no sampled loss that is known here", remedy="Leave out sampling."
    )

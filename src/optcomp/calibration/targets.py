"""What a calibrated composition has to meet."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition import Certificate, Profile, Verdict, verdict
from optcomp.engines.auto import Rigor
from optcomp.errors import InvalidParameterError, UndecidedError, UnsupportedError
from optcomp.quantities import Enclosure, Number, Real, nonnegative_real, positive_rational, probability
from optcomp.tradeoff import AttackRisk, PrivacyRegion, TradeoffCurve

__all__ = ["AttackTarget", "EpsilonDelta", "MuTarget", "RegionTarget", "Target"]

_FARTHEST = 1e4  # of the logarithm of a ratio
_MOST_DIGITS = 38  # of a certificate


class Target(ABC):
    """A guarantee that a profile meets or not."""

    @abstractmethod
    def verdict(self, profile: Profile, rigor: Rigor) -> Verdict:
        """Whether it does, proved."""

    @abstractmethod
    def excess(self, profile: Profile, side: int | None = None) -> float:
        """About the logarithm of what is spent over what may be spent; no bound is promised.

        Args:
            profile: What is asked.
            side: One direction of it, counted from 0, that is known to spend more than the others; a hint.
        """

    @abstractmethod
    def certificate(self, profile: Profile, rigor: Rigor) -> Certificate:
        """The proof that a profile meets it, as far as it is a statement of one epsilon and one delta."""


@dataclass(frozen=True)
class EpsilonDelta(Target):
    """An (epsilon, delta)."""

    epsilon: Real
    delta: Fraction

    @classmethod
    def of(cls, epsilon: Number, delta: Number) -> EpsilonDelta:
        """Read both numbers."""
        return cls(nonnegative_real(epsilon, field="epsilon"), probability(delta, field="delta"))

    def verdict(self, profile: Profile, rigor: Rigor) -> Verdict:
        """By the least delta at the epsilon."""
        return verdict(profile.delta(self.epsilon, rigor=rigor), self.delta)

    def excess(self, profile: Profile, side: int | None = None) -> float:
        """The logarithm of the least delta over the target; where that is 0, a sign only."""
        try:
            if side is None:
                found = profile.delta(self.epsilon)
            else:
                found = profile.sides[side].delta(self.epsilon, width=None, rigor="float").value
        except UndecidedError as error:
            if not isinstance(error.reached, Enclosure):
                raise
            found = error.reached
        if self.delta == 0:
            return -1.0 if found.upper == 0 else 1.0
        return _logarithm(_middle(found)) - _logarithm(self.delta)

    def certificate(self, profile: Profile, rigor: Rigor) -> Certificate:
        """The least delta at the epsilon, with as many digits as are needed to be at most the target."""
        for digits in range(12, _MOST_DIGITS, 4):
            found = profile.certificate(epsilon=self.epsilon, digits=digits, rigor=rigor)
            if found.answer.upper <= self.delta:
                return found
        return profile.certificate(epsilon=self.epsilon, digits=_MOST_DIGITS, rigor=rigor)


@dataclass(frozen=True)
class RegionTarget(Target):
    """Several (epsilon, delta) at once, as a `PrivacyRegion` with exact deltas."""

    region: PrivacyRegion

    def _parts(self) -> list[EpsilonDelta]:
        if not self.region.constraints or not self.region.is_exact:
            raise InvalidParameterError(
                field="target",
                value=f"{len(self.region.constraints)} constraints",
                condition="must be a region of at least one (epsilon, delta), with exact deltas",
                remedy="Use PrivacyRegion.of([(1, '1e-6')]).",
            )
        return [EpsilonDelta(each.epsilon, Fraction(each.delta.upper)) for each in self.region.constraints]

    def verdict(self, profile: Profile, rigor: Rigor) -> Verdict:
        """All of them must fit; one that is exceeded decides.

        Raises:
            UnsupportedError: For a profile of one direction only: a region speaks of both.
        """
        if not profile.is_symmetric:
            raise UnsupportedError(
                field="adjacency",
                value=profile.adjacency,
                condition="must cover both directions, as a region does",
                remedy="Compose under add_or_remove_one.",
            )
        return _all_of([part.verdict(profile, rigor) for part in self._parts()])

    def excess(self, profile: Profile, side: int | None = None) -> float:
        """Of the part that is exceeded most."""
        return max(part.excess(profile, side) for part in self._parts())

    def certificate(self, profile: Profile, rigor: Rigor) -> Certificate:
        """Of the part that is exceeded most, or is nearest to it."""
        return max(self._parts(), key=lambda part: part.excess(profile)).certificate(profile, rigor)


@dataclass(frozen=True)
class MuTarget(Target):
    """Gaussian differential privacy: no trade-off curve below that of normal noise with this mu."""

    mu: Fraction

    @classmethod
    def of(cls, mu: Number) -> MuTarget:
        """Read the number."""
        return cls(positive_rational(mu, field="mu"))

    def verdict(self, profile: Profile, rigor: Rigor) -> Verdict:
        """By the least mu whose curve lies below."""
        del rigor  # curves are balls throughout
        return verdict(self._found(profile), self.mu)

    def excess(self, profile: Profile, side: int | None = None) -> float:
        """The logarithm of the ratio of both."""
        del side
        return _logarithm(_middle(self._found(profile))) - _logarithm(self.mu)

    def certificate(self, profile: Profile, rigor: Rigor) -> Certificate:
        """The least delta at epsilon 0, which a normal curve with this mu bounds as well."""
        return profile.certificate(epsilon=0, rigor=rigor)

    @staticmethod
    def _found(profile: Profile) -> Enclosure:
        return TradeoffCurve.of(profile).nearest_gaussians().least_below


@dataclass(frozen=True)
class AttackTarget(Target):
    """A largest true positive rate of any attack, at a false positive rate."""

    false_positive_rate: Fraction
    true_positive_rate: Fraction

    @classmethod
    def of(cls, *, false_positive_rate: Number, true_positive_rate: Number) -> AttackTarget:
        """Read both numbers.

        Raises:
            InvalidParameterError: When the second is below the first, which guessing blindly reaches.
        """
        false_rate = probability(false_positive_rate, field="false_positive_rate")
        true_rate = probability(true_positive_rate, field="true_positive_rate")
        if true_rate < false_rate:
            raise InvalidParameterError(
                field="true_positive_rate",
                value=true_positive_rate,
                condition="must be at least the false positive rate: guessing blindly reaches that",
                remedy="Allow more.",
            )
        return cls(false_rate, true_rate)

    def verdict(self, profile: Profile, rigor: Rigor) -> Verdict:
        """By the trade-off curve."""
        del rigor
        return verdict(self._found(profile), self.true_positive_rate)

    def excess(self, profile: Profile, side: int | None = None) -> float:
        """The logarithm of the ratio of what is gained over guessing blindly."""
        del side
        gained = _middle(self._found(profile)) - self.false_positive_rate
        return _logarithm(gained) - _logarithm(self.true_positive_rate - self.false_positive_rate)

    def certificate(self, profile: Profile, rigor: Rigor) -> Certificate:
        """The least delta at epsilon 0: the largest advantage of any attack."""
        return profile.certificate(epsilon=0, rigor=rigor)

    def _found(self, profile: Profile) -> Enclosure:
        return AttackRisk(TradeoffCurve.of(profile)).true_positive_rate(self.false_positive_rate)


def _all_of(verdicts: list[Verdict]) -> Verdict:
    if Verdict.OVER in verdicts:
        return Verdict.OVER
    return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts else Verdict.FITS


def _middle(found: Enclosure) -> Fraction:
    if isinstance(found.upper, float):
        return Fraction(10) ** 400
    return (Fraction(found.lower) + found.upper) / 2


def _logarithm(value: Fraction) -> float:
    if value <= 0:
        return -_FARTHEST
    return max(min(math.log(value.numerator) - math.log(value.denominator), _FARTHEST), -_FARTHEST)

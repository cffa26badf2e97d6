"""A survey by randomized response: what the field needs to know."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition import compose
from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import RandomizedResponse
from optcomp.noise import Estimate, estimate_prevalence
from optcomp.numerics.balls import ball, ends, precision
from optcomp.quantities import Enclosure, Logarithm, Number, Real, count, exact_text, nonnegative_real, rational

__all__ = ["SurveyDesign"]

_BITS = 192
_MOST_SIDES = 100  # of a die or spinner


@dataclass(frozen=True, init=False)
class SurveyDesign:
    """Yes-or-no questions, each answered by chance with the truth or with its opposite.

    Args:
        epsilon: In nats, above 0: what one answer may give away. Where its chance of the truth is no simple fraction,
            the largest one below with at most 100 sides of a die is taken.
        questions: How many questions each person answers.
    """

    truth: Fraction
    questions: int

    def __init__(self, *, epsilon: Number, questions: int = 1) -> None:
        wanted = nonnegative_real(epsilon, field="epsilon")
        object.__setattr__(self, "truth", _largest_chance(wanted))
        object.__setattr__(self, "questions", count(questions, field="questions", least=1))
        if self.truth == Fraction(1, 2):
            raise InvalidParameterError(
                field="epsilon",
                value=epsilon,
                condition="must be large enough for a die with 100 sides: the answers would tell nothing",
                remedy="Give at least 0.05.",
            )

    @property
    def mechanism(self) -> RandomizedResponse:
        """One answer."""
        return RandomizedResponse(probability=self.truth)

    @property
    def epsilon(self) -> Real:
        """What one answer gives away, exactly: at most what was wanted."""
        return Logarithm.of(self.truth / (1 - self.truth))

    def instructions(self) -> str:
        """What to tell a respondent."""
        sides, honest = self.truth.denominator, self.truth.numerator
        return (
            f"For each question, spin a wheel with {sides} equal fields and show it to nobody. On the fields 1 to "
            f"{honest}, tell the truth. On the others, say the opposite."
        )

    def respondent(self, *, delta: Number) -> Enclosure:
        """The least epsilon of all answers of one person together.

        **Guarantee**: that of `optcomp.Profile.epsilon`.
        """
        return compose(self.mechanism.repeated(self.questions)).epsilon(delta)

    def sample_size(self, *, half_width: Number, confidence: Number = "0.95") -> int:
        """How many people are enough for a wanted error of one prevalence.

        Args:
            half_width: The largest wanted error of the share of people with the true answer yes, above 0.
            confidence: Above 0 and below 1.

        **Guarantee**: with that many people, sampled independently, the estimate is within ``half_width`` of the
        prevalence with at least this probability, whatever it is.

        Source: Hoeffding's inequality for the share of answers yes, divided by ``2 p - 1``.
        """
        reach = rational(half_width, field="half_width")
        sure = rational(confidence, field="confidence")
        if reach <= 0 or not 0 < sure < 1:
            raise InvalidParameterError(
                field="half_width" if reach <= 0 else "confidence",
                value=exact_text(reach if reach <= 0 else sure),
                condition="must be above 0" if reach <= 0 else "must be above 0 and below 1",
                remedy="Give a half-width such as 0.02, and a confidence such as 0.95.",
            )
        moved = reach * (2 * self.truth - 1)
        with precision(_BITS):
            _, most = ends(ball(2 / (1 - sure)).log() / (2 * ball(moved) ** 2))
        return math.ceil(most)

    def estimate(self, *, positives: int, respondents: int, confidence: Number = "0.95") -> Estimate:
        """The share of people with the true answer yes, from the number of answers yes.

        **Guarantee**: the estimate is unbiased; the interval contains the prevalence with at least this probability.
        """
        return estimate_prevalence(self.mechanism, positives, respondents, confidence=confidence)


def _largest_chance(epsilon: Real) -> Fraction:
    """The largest fraction with a small denominator whose odds are at most ``e^epsilon``, decided by balls."""
    best = Fraction(1, 2)
    for sides in range(2, _MOST_SIDES + 1):
        honest = sides - 1
        while honest * 2 > sides and not _is_within(Fraction(honest, sides), epsilon):
            honest -= 1
        best = max(best, Fraction(honest, sides)) if honest * 2 > sides else best
    return best


def _is_within(truth: Fraction, epsilon: Real) -> bool:
    spent = Logarithm.of(truth / (1 - truth))
    if spent == epsilon:
        return True
    with precision(_BITS):
        return bool(ball(spent) <= ball(epsilon))

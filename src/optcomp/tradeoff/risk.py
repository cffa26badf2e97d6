"""What an attacker can achieve against a trade-off curve: numbers, and sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from optcomp.quantities import Enclosure, Logarithm, Number, exact_text, probability
from optcomp.tradeoff.curve import TradeoffCurve

__all__ = ["AttackRisk"]

_PEOPLE = 100
_MOST_PEOPLE = 10**6


@dataclass(frozen=True)
class AttackRisk:
    """The success of the best possible attack on a trade-off curve.

    An attack decides for each person whether that person's data were used. Its false positive rate is the false alarm
    of the test, its true positive rate one minus the missed detection.

    Args:
        curve: The curve.

    >>> import optcomp as oc
    >>> risk = AttackRisk(oc.TradeoffCurve.of(oc.PureDP(epsilon="ln(3)")))
    >>> print(risk.advantage, risk.true_positive_rate("0.05"))
    0.5 0.15
    >>> risk.in_words(false_positive_rate="0.05").partition(". ")[2]
    'Then of 100 people whose data were used, it finds at most 15.'
    """

    curve: TradeoffCurve

    @property
    def advantage(self) -> Enclosure:
        """The largest difference of true and false positive rate: the total variation of the output laws.

        **Guarantee**: ``lower <= advantage <= upper``; no attack has more than ``upper``.
        """
        return self.curve.delta(0)

    def true_positive_rate(self, false_positive_rate: Number) -> Enclosure:
        """The best true positive rate at a false positive rate.

        **Guarantee**: no attack with at most this false positive rate has a true positive rate above ``upper``.
        """
        missed = self.curve.oriented.missed_detection(probability(false_positive_rate, field="false_positive_rate"))
        return Enclosure(1 - Fraction(missed.upper), 1 - Fraction(missed.lower))

    def bayes_error(self, prior: Number) -> Enclosure:
        """The least probability of a wrong guess, when a person's data were used with this prior probability.

        **Guarantee**: every attack errs with at least ``lower``.

        Args:
            prior: Between 0 and 1. At both ends the attacker knows the answer and the error is 0.
        """
        used = probability(prior, field="prior")
        if used in {0, 1}:
            return Enclosure(Fraction(0), Fraction(0), "lower")
        lost = self.curve.oriented.delta(Logarithm.of((1 - used) / used))
        return Enclosure(used * (1 - Fraction(lost.upper)), used * (1 - Fraction(lost.lower)), "lower")

    def in_words(self, *, false_positive_rate: Number) -> str:
        """The true positive rate as a sentence about people, rounded to the safe side.

        Args:
            false_positive_rate: Between 0 and 1.
        """
        rate = probability(false_positive_rate, field="false_positive_rate")
        people = _people_for(rate)
        accused = rate * people
        found = math.ceil(Fraction(self.true_positive_rate(rate).upper) * people)
        return (
            f"Of {people} people whose data were not used, the attack may accuse {exact_text(accused)}. "
            f"Then of {people} people whose data were used, it finds at most {found}."
        )


def _people_for(rate: Fraction) -> int:
    """How many people to speak of, so that the accused are whole people: a hundred, a power of ten, or any number."""
    people = _PEOPLE
    while (rate * people).denominator != 1 and people < _MOST_PEOPLE:
        people *= 10
    return people if (rate * people).denominator == 1 else rate.denominator

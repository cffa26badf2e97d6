"""What the theorem tests share: settings, one-sided comparisons, and formulas at 60 digits."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

import optcomp as oc
from optcomp.theorems import Term
from tests.oracles.brute_force import to_fraction

DIGITS = 60
SLACK = Fraction(1, 10**45)  # the rounding of the formulas here, relative
NARROW = 1e-30


def mpf(value: Fraction | float | str) -> Any:
    """A finite number at the present precision."""
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


def contains(answer: oc.Enclosure, truth: Any) -> bool:
    """Both sides, each one-sided: ``lower <= truth`` and ``truth <= upper``."""
    exact = truth if isinstance(truth, Fraction) else to_fraction(truth)
    rounding = Fraction(0) if isinstance(truth, Fraction) else abs(exact) * SLACK
    return bool(answer.lower <= exact + rounding and exact - rounding <= answer.upper)


@dataclass(frozen=True)
class Setting:
    """Equal mechanisms and a slack."""

    epsilon: Fraction
    delta: Fraction
    count: int
    slack: Fraction

    @property
    def term(self) -> Term:
        return Term(epsilon=self.epsilon, delta=self.delta, count=self.count)

    @property
    def mechanism(self) -> oc.Mechanism:
        return oc.ApproxDP(epsilon=self.epsilon, delta=self.delta).repeated(self.count)


def _decimal(draw: random.Random, low: float, high: float) -> Fraction:
    """A number with three digits, its logarithm uniform between two powers of ten."""
    return Fraction(f"{10 ** draw.uniform(low, high):.3g}")


def equal_settings(seed: int, many: int) -> list[Setting]:
    """Epsilons from 1e-5 to 50, counts up to 10^5, slacks from 1e-20 to 1."""
    draw = random.Random(seed)
    return [_setting(draw) for _ in range(many)]


def _setting(draw: random.Random) -> Setting:
    epsilon = _decimal(draw, -5, 1.7)
    return Setting(
        epsilon=epsilon,
        delta=draw.choice([Fraction(0), Fraction(0), _decimal(draw, -12, -0.05)]),
        count=round(10 ** draw.uniform(0, 5 if epsilon < 1 else 2)),
        slack=draw.choice([Fraction(1), Fraction(1, 2), *(min(Fraction(1), _decimal(draw, -20, 0)),) * 6]),
    )


def mixed_terms(draw: random.Random) -> tuple[Term, ...]:
    """Up to five different mechanisms, the epsilons multiples of 0.01."""
    top = draw.choice([20, 100, 800])
    return tuple(
        Term(
            epsilon=Fraction(draw.randint(0, top), 100),
            delta=draw.choice([Fraction(0), _decimal(draw, -9, -1)]),
            count=draw.choice([0, 1, 1, 2, 7, 40]),
        )
        for _ in range(draw.randint(1, 5))
    )


def composed(terms: tuple[Term, ...]) -> oc.Profile:
    """The optimal composition of the same mechanisms."""
    return oc.compose([oc.ApproxDP(epsilon=t.epsilon, delta=t.delta).repeated(t.count) for t in terms])


def total(terms: tuple[Term, ...], of: Any) -> Any:
    """The sum of a function of epsilon over all mechanisms."""
    return sum((term.count * of(_epsilon(term)) for term in terms), mpmath.mpf(0))


def _epsilon(term: Term) -> Any:
    if isinstance(term.epsilon, oc.Logarithm):
        return mpf(term.epsilon.multiple) * mpmath.log(mpf(term.epsilon.base))
    return mpf(term.epsilon)


def survival(terms: tuple[Term, ...], slack: Fraction) -> Fraction:
    """``1 - (1 - slack) prod (1 - delta_i)``, exactly."""
    alive = 1 - slack
    for term in terms:
        alive *= (1 - term.delta) ** term.count
    return 1 - alive

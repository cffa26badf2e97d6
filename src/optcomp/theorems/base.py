"""What the theorems take and give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import InvalidParameterError
from optcomp.numerics.balls import Ball, ball, enclose, refine
from optcomp.quantities import Enclosure, Logarithm, Number, Real, count, nonnegative_real, probability, rational

__all__ = [
    "Guarantee",
    "Term",
    "as_slack",
    "certain",
    "evaluate",
    "exact_sum",
    "positive_terms",
    "refuse",
    "survival",
    "total",
]


@dataclass(frozen=True, init=False)
class Term:
    """``count`` mechanisms, each (epsilon, delta)-DP.

    Args:
        epsilon: In nats, at least 0.
        delta: Between 0 and 1.
        count: At least 0.
    """

    epsilon: Real
    delta: Fraction
    count: int

    def __init__(self, *, epsilon: Number, delta: Number = 0, count: int = 1) -> None:
        object.__setattr__(self, "epsilon", nonnegative_real(epsilon, field="epsilon"))
        object.__setattr__(self, "delta", probability(delta, field="delta"))
        object.__setattr__(self, "count", _count(count, field="count"))


_count = count  # the constructor's parameter has the same name


@dataclass(frozen=True)
class Guarantee:
    """The (epsilon, delta) that a theorem proves for a composition."""

    epsilon: Enclosure
    delta: Enclosure


def as_slack(value: Number) -> Fraction:
    """The slack of a closed form: the part of delta that is traded for a smaller epsilon, in [0, 1]."""
    return probability(value, field="slack")


def positive_terms(terms: Iterable[Term]) -> tuple[Term, ...]:
    """The terms that occur at least once."""
    return tuple(term for term in terms if term.count)


def certain(value: Fraction | int) -> Enclosure:
    """An exact enclosure."""
    return Enclosure.exactly(value)


def evaluate(compute: Callable[[], Ball], *, what: str, most: Fraction | None = None) -> Enclosure:
    """A non-negative number from its formula in balls: relative width below 1e-30, or absolute below 2^-4096."""
    return enclose(refine(compute, start=128, accuracy=110, floor=4096, what=what), least=Fraction(0), most=most)


def total(terms: Iterable[Term], of: Callable[[Ball], Ball]) -> Ball:
    """The sum of a function of epsilon over all mechanisms, in balls."""
    return sum((term.count * of(ball(term.epsilon)) for term in terms), start=ball(Fraction(0)))


def exact_sum(terms: Iterable[Term]) -> Enclosure:
    """The sum of all epsilons: exact when they are rational."""
    known = tuple(terms)
    if any(isinstance(term.epsilon, Logarithm) for term in known):
        return evaluate(lambda: total(known, lambda epsilon: epsilon), what="the sum of epsilons")
    return certain(sum((rational(term.epsilon, field="epsilon") * term.count for term in known), start=Fraction(0)))


def survival(terms: Iterable[Term], *, slack: Fraction) -> Enclosure:
    """``1 - (1 - slack) prod (1 - delta_i)``: the delta of the theorems with a multiplicative slack."""
    failing = tuple(term for term in terms if term.delta)
    if slack == 1 or any(term.delta == 1 for term in failing):
        return certain(1)
    if not failing:
        return certain(slack)
    return evaluate(
        lambda: (
            -(sum((term.count * ball(-term.delta).log1p() for term in failing), start=ball(-slack).log1p())).expm1()
        ),
        what="delta",
        most=Fraction(1),
    )


def refuse(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    """The error for a theorem used outside its hypothesis."""
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)

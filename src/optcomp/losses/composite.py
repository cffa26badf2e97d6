"""A whole composition, lowered: equal parts counted, failures apart from finite losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from optcomp.losses.base import TwoPoint, worst_case
from optcomp.mechanisms import Mechanism, Repeated, Sequence
from optcomp.quantities import Logarithm, Real

__all__ = ["Composite", "guarantees", "lower"]


@dataclass(frozen=True)
class Composite:
    """The independent parts of a composition, in an order that does not depend on the caller's.

    The composed pair fails with probability ``1 - prod (1 - failure)**count``; otherwise its loss is the sum of the
    finite losses.

    Args:
        failures: Different failure probabilities in (0, 1], each with its count.
        losses: Different finite losses, each with its count.
    """

    failures: tuple[tuple[Fraction, int], ...]
    losses: tuple[tuple[TwoPoint, int], ...]

    @property
    def size(self) -> int:
        """How many finite losses there are, repetitions counted."""
        return sum(count for _, count in self.losses)


def lower(mechanism: Mechanism) -> Composite:
    """Lower a mechanism, or a structure of mechanisms, to the parts that engines compose."""
    failures: Counter[Fraction] = Counter()
    losses: Counter[TwoPoint] = Counter()
    for part, count in _parts(mechanism):
        pair = worst_case(part)
        if pair.failure:
            failures[pair.failure] += count
        if pair.loss is not None:
            losses[pair.loss] += count
    return Composite(
        failures=tuple(sorted(failures.items())),
        losses=tuple(sorted(losses.items(), key=lambda item: _order(item[0].epsilon))),
    )


def guarantees(mechanism: Mechanism) -> tuple[tuple[Real, Fraction, int], ...]:
    """The (epsilon, delta) of each part, equal ones counted: what the closed forms start from."""
    found: Counter[tuple[Real, Fraction]] = Counter()
    for part, count in _parts(mechanism):
        pair = worst_case(part)
        found[Fraction(0) if pair.loss is None else pair.loss.epsilon, pair.failure] += count
    ordered = sorted(found.items(), key=lambda item: (_order(item[0][0]), item[0][1]))
    return tuple((epsilon, delta, count) for (epsilon, delta), count in ordered)


def _order(epsilon: Real) -> tuple[Fraction, Fraction]:
    return (epsilon.base, epsilon.multiple) if isinstance(epsilon, Logarithm) else (Fraction(0), epsilon)


def _parts(mechanism: Mechanism) -> Iterator[tuple[Mechanism, int]]:
    """The leaves that are run at least once, each with how often; without recursion, so that any depth will do."""
    waiting = [(mechanism, 1)]
    while waiting:
        part, count = waiting.pop()
        if isinstance(part, Repeated):
            waiting.append((part.mechanism, count * part.count))
        elif isinstance(part, Sequence):
            waiting += [(each, count) for each in part.parts]
        elif count:
            yield part, count

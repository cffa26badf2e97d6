"""A whole composition, lowered: equal parts counted, failures apart from finite losses."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.losses.additive import GaussianLoss
from optcomp.losses.base import Direction, Loss, TwoPoint, worst_case
from optcomp.losses.sampled import SampledAtoms, SampledLoss
from optcomp.mechanisms import Mechanism, PoissonSampled, PureDP, Repeated, Sequence
from optcomp.quantities import Logarithm, Real

__all__ = ["Composite", "directions", "guarantees", "lower", "mirrored"]


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
    losses: tuple[tuple[Loss, int], ...]

    @cached_property
    def kinds(self) -> frozenset[type[Loss]]:
        """The classes of the losses."""
        return frozenset(type(loss) for loss, _ in self.losses)

    @cached_property
    def two_points(self) -> tuple[tuple[TwoPoint, int], ...] | None:
        """The losses themselves when all of them are those of randomized response."""
        return self.losses if self.kinds == {TwoPoint} else None  # type: ignore[return-value]  # as the kinds say

    @property
    def size(self) -> int:
        """How many finite losses there are, repetitions counted."""
        return sum(count for _, count in self.losses)


def directions(mechanism: Mechanism, adjacency: str | None) -> tuple[Direction, ...]:
    """The directions whose larger answer is the answer: both where the relation allows both and they differ.

    Raises:
        InvalidParameterError: When the mechanism is sampled and the relation is not given.
        UnsupportedError: When a sampled mechanism's loss is not known under the relation.
    """
    sampled = next((part for part, _ in _parts(mechanism) if isinstance(part, PoissonSampled)), None)
    if sampled is None:
        return ("remove",)
    if adjacency is None:
        raise InvalidParameterError(
            field="adjacency",
            value=None,
            condition="must be given: a sampled mechanism protects in different ways under different relations",
            remedy="Say add_or_remove_one, which covers a record being added and one being removed.",
        )
    if adjacency == "replace_one":
        raise UnsupportedError(
            field="adjacency",
            value=adjacency,
            condition="has no loss that is known to be sound for a Poisson sample",
            remedy="Use add_or_remove_one; replacing is one removal and one addition.",
        )
    return {"add_one": ("add",), "remove_one": ("remove",)}.get(adjacency, ("remove", "add"))  # type: ignore[return-value]


def mirrored(losses: tuple[tuple[Loss, int], ...]) -> tuple[tuple[Loss, int], ...] | None:
    """The losses of the pair (Q, P); None where a failure stands in the way. All but sampled losses are symmetric."""
    found: list[tuple[Loss, int]] = []
    for loss, count in losses:
        if isinstance(loss, SampledAtoms) and loss.failure:
            return None
        if isinstance(loss, SampledLoss | SampledAtoms):
            other: Direction = "add" if loss.direction == "remove" else "remove"
            found.append((replace(loss, direction=other), count))  # type: ignore[type-var]  # all of them are dataclasses
        else:
            found.append((loss, count))
    return tuple(found)


def lower(mechanism: Mechanism, direction: Direction = "remove") -> Composite:
    """Lower a mechanism, or a structure of mechanisms, to the parts that engines compose.

    Normal losses are added up to one.
    """
    failures: Counter[Fraction] = Counter()
    losses: Counter[Loss] = Counter()
    pure: dict[tuple[int, int], int] = {}  # of randomized response, by numerator and denominator
    normal = Fraction(0)
    for part, count in _parts(mechanism):
        if type(part) is PureDP and type(part.epsilon) is Fraction and part.epsilon:
            key = (part.epsilon.numerator, part.epsilon.denominator)
            pure[key] = pure.get(key, 0) + count
            continue
        pair = worst_case(part, direction)
        if pair.failure:
            failures[pair.failure] += count
        if isinstance(pair.loss, GaussianLoss):
            normal += count * pair.loss.mu_squared
        elif type(pair.loss) is TwoPoint and type(pair.loss.epsilon) is Fraction:
            key = (pair.loss.epsilon.numerator, pair.loss.epsilon.denominator)
            pure[key] = pure.get(key, 0) + count
        elif pair.loss is not None:
            losses[pair.loss] += count
    if normal:
        losses[GaussianLoss(normal)] = 1
    found: list[tuple[Loss, int]] = sorted(losses.items(), key=lambda item: item[0].order)
    rationals = sorted((_near(top, bottom), top, bottom, count) for (top, bottom), count in pure.items())
    found[:0] = [(TwoPoint(Fraction(top, bottom)), count) for _, top, bottom, count in rationals]
    return Composite(failures=tuple(sorted(failures.items())), losses=tuple(found))


def _near(top: int, bottom: int) -> float:
    try:
        return top / bottom
    except OverflowError:
        return math.inf


def guarantees(mechanism: Mechanism) -> tuple[tuple[Real, Fraction, int], ...] | None:
    """The (epsilon, delta) of each part, equal ones counted: what the closed forms start from.

    None when some part has no such guarantee of its own.
    """
    found: Counter[tuple[Real, Fraction]] = Counter()
    for part, count in _parts(mechanism):
        pair = worst_case(part, "remove")
        largest = Fraction(0) if pair.loss is None else pair.loss.largest
        if largest is None:
            return None
        found[largest, pair.failure] += count
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

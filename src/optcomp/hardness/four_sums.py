"""The third step: a count of differences out of four values of SUM-PARTITION.

All subsets have ``u v = P``, so ``u - v = T`` fixes u and the ratio ``rho = u/v``. Two thresholds below rho and two
above it, with no other ratio among them, give four sums. Each is ``U - r V``, where U and V are the sums of u and v
over the subsets above the threshold; the lower pair counts those at rho and the upper pair does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import InvalidParameterError, UndecidedError
from optcomp.hardness.problems import DifferencePartition
from optcomp.hardness.roots import Exact, compare, enclosure_of
from optcomp.hardness.weights import RationalWeights, RootWeights
from optcomp.quantities import Enclosure
from optcomp.sources import MV16, states

__all__ = ["FourCalls", "SumOracle", "Target", "count_from_sums", "target_of"]

SumOracle = Callable[[Fraction], Fraction | Enclosure]
"""The sum of ``u - r v`` over the subsets where it is positive, at a ratio r."""

_MOST_DIGITS = 38


@dataclass(frozen=True)
class Target:
    """Where the subsets that count lie, and what asking about them takes.

    Args:
        inside: The u that ``u - v = T`` fixes.
        outside: The v.
        thresholds: Four rationals, two below ``inside/outside`` and two above, with no other ratio among them.
        error: An oracle whose answers are off by less than this leaves one whole number.
    """

    inside: Exact
    outside: Exact
    thresholds: tuple[Fraction, Fraction, Fraction, Fraction]
    error: Fraction


@dataclass(frozen=True)
class FourCalls:
    """A count, and how it was found.

    Args:
        count: How many subsets have the wanted difference.
        target: None when no product of the weights' form has that difference, so that nothing need be asked.
        answers: What the oracle said at the four thresholds.
    """

    count: int
    target: Target | None = None
    answers: tuple[Enclosure, ...] = ()


def target_of(problem: DifferencePartition) -> Target | None:
    """The thresholds, without solving the problem: from the grid that all products lie on.

    **Guarantee**: None only when the count is 0; else every subset's ratio is rho or outside the four thresholds.

    Raises:
        UndecidedError: When the gap is too small for thresholds of 38 decimals.
    """
    if isinstance(problem.weights, RationalWeights):
        return _rational_target(problem.weights, problem.difference)
    return _root_target(problem.weights, problem.difference)


def _rational_target(weights: RationalWeights, difference: Exact) -> Target | None:
    """All products are multiples of ``weights.grid``, so others are at least that far from u."""
    if not isinstance(difference, Fraction):
        return None
    root = _square_root(difference**2 + 4 * weights.product)
    if root is None:
        return None
    u, grid, product = (difference + root) / 2, weights.grid, weights.product
    if (u / grid).denominator != 1:
        return None
    low, rho, high = max(Fraction(1), (u - grid) ** 2 / product), u**2 / product, (u + grid) ** 2 / product
    below, above = (rho - low) / 3, (high - rho) / 3
    return _target(u, product / u, difference, (low + below, low + 2 * below, rho + above, rho + 2 * above))


def _square_root(value: Fraction) -> Fraction | None:
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    return Fraction(top, bottom) if top**2 == value.numerator and bottom**2 == value.denominator else None


def _root_target(weights: RootWeights, difference: Exact) -> Target | None:
    """Ratios are ``base**(n/degree)`` for whole n of one parity; rho is one of the same form, of any parity."""
    total = weights.total

    def pair(twice: int) -> tuple[Exact, Exact]:
        return weights.root(Fraction(twice, 2)), weights.root(total - Fraction(twice, 2))

    low, high = total, 2 * total
    while low < high:  # u - v rises; the least place where it reaches the difference
        middle = (low + high) // 2
        u, v = pair(middle)
        if compare(u - v, difference) < 0:
            low = middle + 1
        else:
            high = middle
    u, v = pair(low)
    if compare(u - v, difference) != 0:
        return None
    place = low - total
    wanted = [weights.root(place + Fraction(part, 3)) for part in (-2, -1, 1, 2)]
    fence = [weights.root(place - 1), weights.root(place), weights.root(place + 1)]
    return _target(u, v, difference, _rounded(wanted, fence))


def _rounded(wanted: list[Exact], fence: list[Exact]) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Rationals near the wanted thresholds, in order and strictly between rho and its neighbours: checked exactly."""
    centres = [Fraction(enclosure_of(each).lower) for each in wanted]
    for digits in range(2, _MOST_DIGITS):
        unit = 10**digits
        a, b, c, d = (Fraction(round(centre * unit), unit) for centre in centres)
        spread = (b - a) * 4 >= centres[1] - centres[0] and (d - c) * 4 >= centres[3] - centres[2]
        ordered = (compare(fence[0], a), compare(b, fence[1]), compare(fence[1], c), compare(d, fence[2]))
        if spread and a > 1 and a < b and c < d and all(each < 0 for each in ordered):
            return a, b, c, d
    raise UndecidedError(
        field="thresholds",
        value=f"{_MOST_DIGITS} decimals",
        condition="do not separate neighbouring ratios",
        remedy="Give smaller exponents or a smaller degree.",
    )


def _target(u: Exact, v: Exact, difference: Exact, thresholds: tuple[Fraction, Fraction, Fraction, Fraction]) -> Target:
    a, b, c, d = thresholds
    gap = min(b - a, d - c)
    return Target(u, v, thresholds, Fraction(enclosure_of(difference).lower) / (4 * (1 + 2 * (d - 1) / gap)))


@states(MV16, "#P-completeness, step from difference to sums")
def count_from_sums(problem: DifferencePartition, oracle: SumOracle) -> FourCalls:
    """The count of a difference problem by four calls of an oracle for sums.

    Args:
        problem: The weights and T.
        oracle: Answers at a ratio r: a Fraction when it is exact, else an enclosure.

    **Guarantee**: when the oracle is right, ``count`` is. The sums of u - v and the sums of v are solved for in
    interval arithmetic, and both leave one and the same whole number.

    Raises:
        UndecidedError: When the oracle's answers are not within ``Target.error``.
        InvalidParameterError: When the oracle's answers contradict each other.
    """
    target = target_of(problem)
    if target is None:
        return FourCalls(0)
    answers = tuple(_as_enclosure(oracle(ratio)) for ratio in target.thresholds)
    for answer in answers:
        if answer.width >= 2 * target.error:
            raise UndecidedError(
                field="oracle",
                value=str(answer),
                condition="must answer more accurately than that",
                remedy="Ask it for less than Target.error.",
                reached=answers,
            )
    r1, r2, r3, r4 = target.thresholds
    parts = (1 / (r2 - r1), -1 / (r2 - r1), -1 / (r4 - r3), 1 / (r4 - r3))  # of the sum of v at rho
    gaps = (1 + (r1 - 1) * parts[0], (r1 - 1) * parts[1], -1 + (r3 - 1) * parts[2], (r3 - 1) * parts[3])  # of u - v
    by_difference = _whole_numbers(_combined(gaps, answers), problem.difference)
    by_outside = _whole_numbers(_combined(parts, answers), target.outside)
    found = [each for each in by_difference if each in by_outside]
    if len(by_difference) != 1 or not found:
        raise InvalidParameterError(
            field="oracle",
            value=[str(answer) for answer in answers],
            condition="must give answers that leave one whole number",
            remedy="Its answers cannot all be right.",
        )
    return FourCalls(found[0], target, answers)


def _as_enclosure(answer: Fraction | Enclosure) -> Enclosure:
    return answer if isinstance(answer, Enclosure) else Enclosure.exactly(answer)


def _combined(factors: tuple[Fraction, ...], answers: tuple[Enclosure, ...]) -> tuple[Fraction, Fraction]:
    """The ends of a linear combination of intervals."""
    low = high = Fraction(0)
    for factor, answer in zip(factors, answers, strict=True):
        ends = sorted((factor * Fraction(answer.lower), factor * Fraction(answer.upper)))
        low, high = low + ends[0], high + ends[1]
    return low, high


def _whole_numbers(sums: tuple[Fraction, Fraction], unit: Exact) -> range:
    """The whole numbers n of at least 0 with ``n * unit`` in the interval."""
    size = enclosure_of(unit)
    ends = [end / Fraction(each) for end in sums for each in (size.lower, size.upper)]
    return range(max(0, math.ceil(min(ends))), math.floor(max(ends)) + 1)

"""What was true, from what was released by a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition import Plan
from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import ApproxDP
from optcomp.noise import Estimate, estimate_count, estimate_shares
from optcomp.quantities import Enclosure, Number, rational
from optcomp.release.plans import NUMBER_NOISE, SlotLine, slot_line
from optcomp.release.values import Categories, Column, categories_of, checked_places, column_of

__all__ = ["Estimated", "estimate"]


@dataclass(frozen=True, kw_only=True)
class Estimated:
    """Estimates for one slot.

    Args:
        kind: ``value`` for numbers; ``share`` for the share of each category among the people who answered.
        names: The labels of the values or the names of the categories; the numbers from 0 on where there are none.
        estimates: One for each, unbiased, with its interval.
        simultaneous: Whether all intervals hold together with their confidence, or each by itself.
    """

    kind: str
    names: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    simultaneous: bool


def estimate(  # noqa: PLR0913  # as for a release, and how sure the answer is to be
    observed: object,
    plan: Plan,
    *,
    name: str,
    places: int = 0,
    categories: int | Sequence[str] | None = None,
    confidence: Number = "0.95",
    simultaneous: bool = False,
) -> Estimated:
    """Unbiased estimates of the exact values, with confidence intervals, from what a slot released.

    Args:
        observed: The noisy values, in a shape that `optcomp.release.release` takes and gives.
        plan: The plan.
        name: Of the release that they come from.
        places: As for the release.
        categories: As for the release.
        confidence: Above 0 and below 1.
        simultaneous: Whether all intervals are to hold together; then each is wider.

    Returns:
        For numbers, an estimate of each exact value. For responses, an estimate of each category's share.

    **Guarantee**: each interval contains the truth with probability at least the confidence; with ``simultaneous``, all
    together do. For numbers this is over the noise, whatever the exact values are; the risk is divided evenly among
    them. For shares see `optcomp.noise.estimate_shares`: people were drawn independently from a population.

    Raises:
        InvalidParameterError: When an observed value, the name or the confidence is wrong.
        UnsupportedError: When the mechanism is none that is drawn here.
    """
    line, column = slot_line(plan, name), column_of(observed)
    if not column.values:
        raise InvalidParameterError(
            field="observed", value="nothing", condition="must hold a value", remedy="Give what was released."
        )
    if isinstance(line.mechanism, NUMBER_NOISE) and categories is None:
        return _numbers(line, column, checked_places(places), confidence, simultaneous=simultaneous)
    known = categories_of(line.mechanism, categories)
    possible = Categories(4) if isinstance(line.mechanism, ApproxDP) else known
    heard = Counter(possible.number_of(value, column.where(place)) for place, value in enumerate(column.values))
    counts = [heard[number] for number in range(possible.count)]
    found = estimate_shares(line.mechanism, counts, confidence=confidence, simultaneous=simultaneous)
    names = tuple(str(known.name_of(number)) for number in range(known.count))
    return Estimated(kind="share", names=names, estimates=found, simultaneous=simultaneous)


def _numbers(line: SlotLine, column: Column, places: int, confidence: Number, *, simultaneous: bool) -> Estimated:
    """The noise has one law for all values, so one radius is found for all."""
    asked = rational(confidence, field="confidence")
    each = 1 - (1 - asked) / len(column.values) if simultaneous else asked
    around_zero = estimate_count(line.mechanism, 0, confidence=each if 0 < asked < 1 else asked)
    radius = Fraction(around_zero.interval.upper)
    unit = Fraction(1, 10**places)
    estimates = tuple(
        Estimate(Enclosure.exactly(value * unit), Enclosure((value - radius) * unit, (value + radius) * unit), asked)
        for value in column.units(places)
    )
    names = column.labels or tuple(map(str, range(len(estimates))))
    return Estimated(kind="value", names=names, estimates=estimates, simultaneous=simultaneous)

"""Filling a budget into places with floors and caps, exactly."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction

from optcomp.calibration.filling_curves import Curve, Place
from optcomp.calibration.structure import Choice, Leaf, Row, leaves_of
from optcomp.errors import UnsupportedError
from optcomp.quantities import floor_to_digits

__all__ = ["fill", "least_of", "most_of"]

_DIGITS = 15


Places = Callable[[Leaf], Place]


def fill(total: Fraction, row: Row, places: Places, power: Fraction | None) -> dict[str, Fraction]:
    """What one run of each release gets, by name.

    Args:
        total: Of the row.
        row: What is filled. A choice between disjoint rows gives the same amount to each of them.
        places: The place of each release.
        power: Where the rates are the best ones for errors ``c/budget**power``; None where they are given otherwise.

    **Guarantee**: along each path through the choices the amounts times their counts add up to at most ``total``, and
    to exactly ``total`` where no cap is in the way; equal releases get equal amounts, in any order.

    Raises:
        UnsupportedError: When the floors alone need more.

    Source: the conditions of Karush, Kuhn and Tucker for a sum of convex errors.
    """
    found: dict[str, Fraction] = {}
    wholes = [_place_of(node, places, power) for node in row]
    if power is not None and any(isinstance(node, Choice) and _is_bounded(node, places) for node in row):
        wholes = _with_choices_fixed(total, row, wholes, places, power)
    amounts = _amounts(total, wholes)
    for node, amount in zip(row, amounts, strict=True):
        if isinstance(node, Leaf):
            found[node.share.name] = amount
        else:
            for each in node.rows:
                found.update(fill(amount, each, places, power))
    return found


def least_of(row: Row, places: Places) -> Fraction:
    """What the floors need."""
    return sum((place.times * place.floor for place in (_place_of(node, places, None) for node in row)), Fraction(0))


def most_of(row: Row, places: Places) -> Fraction | None:
    """What the caps allow; None where there is no end."""
    return _total_cap([_place_of(node, places, None) for node in row])


def _total_cap(places: Sequence[Place]) -> Fraction | None:
    total = Fraction(0)
    for place in places:
        if place.cap is None:
            return None
        total += place.times * place.cap
    return total


def _amounts(total: Fraction, places: Sequence[Place]) -> list[Fraction]:
    def spent(level: Fraction) -> Fraction:
        return sum((place.times * place.at(level) for place in places), Fraction(0))

    if spent(Fraction(0)) > total:
        raise UnsupportedError(
            field="floor",
            value=float(total),
            condition="must leave room for all locks, wanted errors and floors together, which need "
            f"{float(spent(Fraction(0))):.6g}",
            remedy="Lower floors, allow larger errors, or raise the target.",
        )
    most = _total_cap(places)
    if most is not None and most <= total:
        return [place.cap or Fraction(0) for place in places]
    bends = sorted({bound / place.rate for place in places for bound in (place.floor, place.cap) if bound is not None})
    here = bends[max(bisect_right(bends, total, key=spent) - 1, 0)]
    moving = [
        place
        for place in places
        if place.floor <= here * place.rate and (place.cap is None or place.cap > here * place.rate)
    ]
    slope = sum(place.times * place.rate for place in moving)
    level = here + (total - spent(here)) / slope if slope else here
    return [place.at(level) for place in places]


def _place_of(node: Leaf | Choice, places: Places, power: Fraction | None) -> Place:
    """The place of a node; for a choice, that of its worst row, or the one of least error."""
    if isinstance(node, Leaf):
        return places(node)
    rows = [[_place_of(each, places, power) for each in row] for row in node.rows]
    rates = [sum((place.times * place.rate for place in row), Fraction(0)) for row in rows]
    caps = [_total_cap(row) for row in rows]
    known = [cap for cap in caps if cap is not None]
    return Place(
        rate=max(rates) if power is None else _joined(rates, power),
        times=1,
        floor=max(sum((place.times * place.floor for place in row), Fraction(0)) for row in rows),
        cap=max(known) if len(known) == len(caps) else None,
    )


def _joined(rates: Sequence[Fraction], power: Fraction) -> Fraction:
    """Errors of disjoint rows add up: ``(sum rate^(power+1))^(1/(power+1))``."""
    exponent = float(power) + 1
    largest = max(rates)
    ratio = math.fsum(sorted(float(rate / largest) ** exponent for rate in rates)) ** (1 / exponent)
    return largest * floor_to_digits(Fraction(ratio), _DIGITS)


def _is_bounded(choice: Choice, places: Places) -> bool:
    return any(places(leaf).is_bounded for row in choice.rows for leaf in leaves_of(row))


def _with_choices_fixed(
    total: Fraction, row: Row, wholes: Sequence[Place], places: Places, power: Fraction
) -> list[Place]:
    """The same places, with those of bounded choices fixed at what is best for them."""
    curve = Curve(row, lambda node: _place_of(node, places, power), lambda node: _is_bounded(node, places), power)
    level = curve.level(float(total))
    amounts = {id(each.node): each.taken(level) for each in curve.choices}
    found = []
    for node, place in zip(row, wholes, strict=True):
        if isinstance(node, Choice) and _is_bounded(node, places):
            amount = max(floor_to_digits(Fraction(amounts[id(node)]), _DIGITS), place.floor)
            found.append(Place(place.rate, 1, amount, amount))
        else:
            found.append(place)
    return found

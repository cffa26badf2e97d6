"""What rows with floors and caps take at a level, in floats. It places the choices; the amounts are filled exactly."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.calibration.structure import Choice, Leaf, Row

__all__ = ["Curve", "Place"]

_HALVINGS = 60
_WIDEST = 200.0  # of the logarithm of a level


@dataclass(frozen=True)
class Place:
    """Takes ``min(max(level rate, floor), cap)`` of a budget ``times`` times, at a level that all places share.

    Args:
        rate: Above 0.
        times: How often it is taken.
        floor: At least 0.
        cap: At least the floor; None for no cap.
    """

    rate: Fraction
    times: int
    floor: Fraction
    cap: Fraction | None

    def at(self, level: Fraction) -> Fraction:
        """What one takes."""
        found = max(level * self.rate, self.floor)
        return found if self.cap is None else min(found, self.cap)

    @property
    def is_bounded(self) -> bool:
        """Whether a floor or a cap may bind."""
        return self.floor > 0 or self.cap is not None


class Curve:
    """One row: what it takes rises with the level.

    Args:
        row: Of nodes.
        place_of: The place of a node.
        is_bounded: Whether floors or caps may bind inside of a choice.
        power: Of the errors ``c/budget**power``.
    """

    def __init__(
        self,
        row: Row,
        place_of: Callable[[Leaf | Choice], Place],
        is_bounded: Callable[[Choice], bool],
        power: Fraction,
    ) -> None:
        bounded = [node for node in row if isinstance(node, Choice) and is_bounded(node)]
        self.choices = [_Prices(node, place_of, is_bounded, power) for node in bounded]
        places = [place_of(node) for node in row if not any(node is each for each in bounded)]
        bends: dict[float, float] = {0.0: 0.0}  # by how much the slope changes there
        for place in places:
            rise = place.times * float(place.rate)
            start = float(place.floor / place.rate)
            bends[start] = bends.get(start, 0.0) + rise
            if place.cap is not None:
                end = float(place.cap / place.rate)
                bends[end] = bends.get(end, 0.0) - rise
        self.bends = sorted(bends)
        self.slopes: list[float] = []
        self.taken_there = [math.fsum(place.times * float(place.floor) for place in places)]
        for here, after in zip(self.bends, [*self.bends[1:], None], strict=True):
            self.slopes.append((self.slopes[-1] if self.slopes else 0.0) + bends[here])
            if after is not None:
                self.taken_there.append(self.taken_there[-1] + self.slopes[-1] * (after - here))
        ends = [place.cap for place in places]
        self.ends = all(end is not None for end in ends)

    def taken(self, level: float) -> float:
        """What the row takes at a level."""
        at = bisect_right(self.bends, level) - 1
        plain = self.taken_there[at] + self._slope(at) * (level - self.bends[at])
        return plain + sum(each.taken(level) for each in self.choices)

    def level(self, total: float) -> float:
        """The level at which it takes a total; very low or high where floors or caps decide."""
        if not self.choices:
            return self._plain_level(total)
        low, high = -_WIDEST, _WIDEST
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.taken(math.exp(middle)) < total else (low, middle)
        return math.exp((low + high) / 2)

    def _plain_level(self, total: float) -> float:
        at = bisect_right(self.taken_there, total) - 1
        if at < 0:
            return math.exp(-_WIDEST)
        slope = self._slope(at)
        if slope <= 0:
            return math.exp(_WIDEST)
        return max(self.bends[at] + (total - self.taken_there[at]) / slope, math.exp(-_WIDEST))

    def _slope(self, at: int) -> float:
        """After the last bend nothing moves where all have caps, whatever roundings left."""
        return 0.0 if self.ends and at == len(self.bends) - 1 else self.slopes[at]


class _Prices:
    """A choice: the prices ``level**-(power + 1)`` of its rows add up to the price outside."""

    def __init__(
        self,
        node: Choice,
        place_of: Callable[[Leaf | Choice], Place],
        is_bounded: Callable[[Choice], bool],
        power: Fraction,
    ) -> None:
        self.node = node
        self.rows = [Curve(row, place_of, is_bounded, power) for row in node.rows]
        self.whole = place_of(node)
        self.exponent = float(power) + 1

    def taken(self, level: float) -> float:
        floor, cap = float(self.whole.floor), self.whole.cap
        low, high = floor, 2 * (level * float(self.whole.rate) + floor)
        high = high if cap is None else min(high, float(cap))
        wanted = level**-self.exponent
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            price = sum(row.level(middle) ** -self.exponent for row in self.rows)
            low, high = (middle, high) if price > wanted else (low, middle)
        return low

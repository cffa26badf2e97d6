"""How large a whole may be: the largest size at which every scenario is proved to keep a target."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from optcomp.calibration.targets import EpsilonDelta
from optcomp.composition import Profile
from optcomp.errors import UndecidedError, UnsupportedError
from optcomp.quantities import Enclosure, exact_text, floor_to_digits

__all__ = ["Judge", "largest_size"]

_WIDTHS = (None, Fraction(1, 10**4), Fraction(1, 10**2))
_USELESS = 0.1  # relative width of an answer that says too little
_DIGITS = 14
_CLOSE = 2e-7  # of the logarithm of delta, beside the width of the answers
_AIM = 1e-8
_MOST_TRIES = 80
_FARTHEST = 1e4
_RESOLUTION = 1e-13
_OVERSHOT = 1.1  # of the secant's step, so that the next place is likely on the other side
_LONGEST_STEP = 2.0


class Judge:
    """What is proved of profiles at one target; it remembers which width the engines reach."""

    def __init__(self, target: EpsilonDelta) -> None:
        self.target = target
        self._first = 0

    def delta(self, profile: Profile) -> Enclosure:
        """The least delta at the target's epsilon, as narrow as the engines reach.

        Raises:
            UndecidedError: When they reach nothing useful.
        """
        last: UndecidedError | None = None
        for place in range(self._first, len(_WIDTHS)):
            try:
                found = profile.delta(self.target.epsilon, width=_WIDTHS[place])
            except UndecidedError as error:
                last = error
                if isinstance(error.reached, Enclosure) and self._says_enough(error.reached):
                    return error.reached
                continue
            self._first = place
            return found
        raise last or UndecidedError(field="delta", value=None, condition="is unknown", remedy="Ask for less.")

    def _says_enough(self, found: Enclosure) -> bool:
        limit = self.target.delta
        return found.upper <= limit or found.lower > limit or found.relative_width < _USELESS

    def worst(self, profiles: Sequence[Profile]) -> tuple[Profile, Enclosure]:
        """The scenario that comes nearest to the target, and a delta that holds for all of them."""
        found = [(each, self.delta(each)) for each in profiles]
        profile, _ = max(found, key=lambda pair: pair[1].upper)
        return profile, Enclosure(max(each.lower for _, each in found), max(each.upper for _, each in found))


def largest_size(
    made: Callable[[Fraction], Sequence[Profile]],
    judge: Judge,
    *,
    start: Fraction,
    least: Fraction,
    most: Fraction | None,
) -> Fraction:
    """The largest size, within about 1e-7, at which all profiles are proved to meet the target.

    Args:
        made: The profiles of all scenarios at a size above ``least``; a larger size spends more.
        judge: Of the target, whose delta is above 0.
        start: Where the limit is guessed.
        least: At which nothing is left to spend.
        most: Beyond which nothing changes, if there is such a size.

    **Guarantee**: at the returned size every profile meets the target.

    Raises:
        UnsupportedError: When no size meets it.
        UndecidedError: When that could not be decided.
    """
    search = _Search(made, judge, least)
    if most is not None and most <= least:
        return least
    if most is not None:
        if search.off(_place(most, least)) <= 0 and search.proved is not None:
            return most
        start = min(start, (least + most) / 2)
    return search.run(_place(start, least) if start > least else _place(2 * least, least))


def _place(size: Fraction, least: Fraction) -> float:
    rest = size - least
    return math.log(rest.numerator) - math.log(rest.denominator)


class _Search:
    """Secants on ln delta over the logarithm of what is left to spend, kept between two sides."""

    def __init__(self, made: Callable[[Fraction], Sequence[Profile]], judge: Judge, least: Fraction) -> None:
        self.made, self.judge, self.least = made, judge, least
        self.wanted = _logarithm(judge.target.delta)
        self.proved: Fraction | None = None
        self.gap = math.inf  # between the proved size's delta and the target
        self.width = 0.0

    def size(self, place: float) -> Fraction:
        return self.least + floor_to_digits(Fraction(math.exp(place)), _DIGITS)

    def off(self, place: float) -> float:
        """The logarithm of the largest delta over the target; it remembers the best size that was proved."""
        size = self.size(place)
        _, found = self.judge.worst(self.made(size))
        upper = _logarithm(Fraction(found.upper))
        if found.upper <= self.judge.target.delta and (self.proved is None or size > self.proved):
            self.proved, self.gap = size, self.wanted - upper
        self.width = min(float(found.relative_width), 1.0)
        return upper - self.wanted

    def run(self, start: float) -> Fraction:
        low, high = self._sides(start)
        before, last = sorted((low, high), key=lambda side: abs(side[1]), reverse=True)
        for _ in range(_MOST_TRIES):
            done = self.proved is not None and self.gap <= max(_CLOSE, self.width)
            if done or high[0] - low[0] < _RESOLUTION * max(1.0, abs(low[0])):
                break
            rise = last[1] - before[1]
            aim = last[0] - (last[1] + max(_AIM, self.width)) * (last[0] - before[0]) / rise if rise else high[0]
            place = aim if low[0] < aim < high[0] and rise > 0 else (low[0] + high[0]) / 2
            before, last = last, (place, self.off(place))
            low, high = (last, high) if last[1] <= 0 else (low, last)
        if self.proved is None:
            raise UndecidedError(
                field="target",
                value=exact_text(self.judge.target.delta),
                condition="was met by no size for which that could be proved",
                remedy="Move the target a little.",
            )
        return self.proved

    def _sides(self, start: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """A place that meets the target and a larger one that does not."""
        here, value, step = start, self.off(start), 0.002
        sign = 1.0 if value <= 0 else -1.0
        for _ in range(_MOST_TRIES):
            after = here + sign * step
            found = self.off(after)
            if (found <= 0) != (value <= 0):
                return ((here, value), (after, found)) if sign > 0 else ((after, found), (here, value))
            guess = _OVERSHOT * step * abs(found) / abs(found - value) if found != value else math.inf
            here, value, step = after, found, min(max(2 * step, guess), _LONGEST_STEP)
            if sign < 0 and here < start - 60:
                break
        raise UnsupportedError(
            field="target",
            value=f"epsilon {exact_text(self.judge.target.epsilon)}, delta {exact_text(self.judge.target.delta)}",
            condition="must leave something beside what is locked" if sign < 0 else "must be a limit",
            remedy="Raise the target, or lock less.",
        )


def _logarithm(value: Fraction) -> float:
    if value <= 0:
        return -_FARTHEST
    return max(math.log(value.numerator) - math.log(value.denominator), -_FARTHEST)

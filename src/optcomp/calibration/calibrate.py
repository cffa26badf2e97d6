"""The least noise whose certified composition meets a target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from optcomp.calibration.family import Family, FamilyLike, family_of
from optcomp.calibration.search import NothingFoundError, bracket, root
from optcomp.calibration.targets import EpsilonDelta, Target
from optcomp.composition import Certificate, Profile, Verdict
from optcomp.engines.auto import RIGORS, Rigor
from optcomp.errors import InvalidParameterError, OptcompError, UndecidedError, UnsupportedError
from optcomp.quantities import Number, ceil_to_digits, count, exact_text, floor_to_digits

__all__ = ["Calibration", "calibrate"]

_DIGITS = 13  # of a parameter that is no float
_MARGINS = (Fraction(2, 10**11), Fraction(1, 10**10), Fraction(2, 10**10), Fraction(45, 10**11))
_SPREADS = (1, -1, 4, -4, 8, -8, 16, -16, 24, -24)  # powers of 4 at which a family is probed
_QUARTER = math.log(4)
_CLEARLY = math.log(1.5)  # between the deltas of two directions
_TOLD_APART = 1e-7  # more than the roundings of two logarithms of deltas
_MOST_COUNT = 10**15
_GROWTH = 4096  # of counts: a few repetitions of a sampled mechanism take longer than many
_FARTHEST_FLOAT = 1 << 40  # floats away from where the search in floats ends


@dataclass(frozen=True)
class Calibration:
    """A number at which a composition meets its target, next to one at which it does not.

    Args:
        name: Of the number, where it is known.
        parameter: On the safe side: the composition meets the target.
        other_side: Already breaks the target; None where the number's own range ends at ``parameter``.
        target: What is met.
        profile: The composition at ``parameter``.
        rigor: As asked.
    """

    name: str | None
    parameter: Fraction
    other_side: Fraction | None
    target: Target
    profile: Profile
    rigor: Rigor

    @cached_property
    def certificate(self) -> Certificate:
        """The proof for ``parameter``: see `optcomp.recheck`."""
        return self.target.certificate(self.profile, self.rigor)


def calibrate(  # noqa: PLR0913  # the question has as many parts; each is optional but the family
    family: FamilyLike,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    target: Target | None = None,
    adjacency: str | None = None,
    digits: int | None = None,
    rigor: str = "float",
) -> Calibration:
    """Find the number at which a composition just meets a target.

    Args:
        family: A callable from the free number (a noise multiplier, a scale, an epsilon, a sampling probability, a
            count ...) to a mechanism, a list of them, a profile or a plan; or mechanisms in JSON with
            ``{"solve": name}`` in the free place. What is spent must rise or fall with the number throughout.
        epsilon: In nats, with delta: the target.
        delta: Between 0 and 1.
        target: Another target instead: `RegionTarget`, `MuTarget`, `AttackTarget`.
        adjacency: As in `optcomp.compose`.
        digits: The number is a multiple of ``10**-digits``, rounded to the safe side; by default it is as close to
            the limit as the rigor says.
        rigor: ``float``: the two sides are within 1e-9 of each other, relatively. ``ball``: they are neighbouring
            floats, and the proofs rest on no elementary function of the platform.

    Returns:
        The two sides, both certified, with a certificate for the safe one.

    **Guarantee**: the composition at ``parameter`` meets the target, and the one at ``other_side`` does not.

    Raises:
        InvalidParameterError: When the family, the target or a number is wrong.
        UnsupportedError: When no value meets the target, or every value does.
        UndecidedError: When the engines do not reach far enough to prove both sides.

    >>> import optcomp as oc
    >>> found = oc.calibrate(lambda s: oc.Gaussian(standard_deviation=s), epsilon=1, delta="1e-6", digits=3)
    >>> print(float(found.parameter), float(found.other_side))
    4.225 4.224
    """
    wanted = _target(epsilon, delta, target)
    checked = _rigor(rigor)
    places = None if digits is None else count(digits, field="digits")
    known = _Question(family_of(family, adjacency), wanted, checked)
    if known.family.whole:
        return known.whole()
    place = known.limit()
    if isinstance(place, Calibration):
        return place
    if places is not None:
        return known.on_grid(place, Fraction(1, 10**places))
    return known.to_the_float(place) if checked == "ball" else known.nearby(place)


def _target(epsilon: Number | None, delta: Number | None, target: Target | None) -> Target:
    if target is not None and epsilon is None and delta is None:
        return target
    if target is None and epsilon is not None and delta is not None:
        return EpsilonDelta.of(epsilon, delta)
    raise InvalidParameterError(
        field="target",
        value=target,
        condition="must be given, or both epsilon and delta instead",
        remedy="Write epsilon=1, delta='1e-6'.",
    )


def _rigor(value: str) -> Rigor:
    for known in RIGORS:
        if value == known:
            return known
    raise InvalidParameterError(
        field="rigor", value=value, condition=f"must be one of {', '.join(RIGORS)}", remedy="Choose one."
    )


class _Question:
    """One family with one target."""

    def __init__(self, family: Family, target: Target, rigor: Rigor) -> None:
        self.family = family
        self.target = target
        self.rigor = rigor
        self._excesses: dict[float, float] = {}
        self._leading: int | None = None
        self._led = 0
        self._follows = True

    def verdict(self, value: Fraction) -> Verdict:
        """What is proved at one value; undecided where the engines do not reach."""
        try:
            return self.target.verdict(self.family.at(value), self.rigor)
        except (UndecidedError, UnsupportedError):
            return Verdict.UNDECIDED

    def excess(self, place: float) -> float:
        """At a place, the logarithm of a value; each is asked once."""
        if place not in self._excesses:
            profile = self.family.at(_value(place))
            if self._leading is None:
                self._leading = self._leading_side(profile)
            self._excesses[place] = self.target.excess(profile, self._leading)
        return self._excesses[place]

    def _leading_side(self, profile: Profile) -> int | None:
        """The direction that spends clearly more, after it did so twice: the search follows that one only.

        Both sides are proved with all directions, so that a wrong guess costs time and no soundness.
        """
        if len(profile.sides) < 2:
            return None
        values = [self.target.excess(profile, side) for side in range(len(profile.sides))]
        leading = values.index(max(values))
        clearly = all(values[leading] - value > _CLEARLY for side, value in enumerate(values) if side != leading)
        self._led += clearly
        return leading if clearly and self._led > 1 and self._follows else None

    def found(self, value: Fraction, other: Fraction | None) -> Calibration:
        return Calibration(self.family.name, value, other, self.target, self.family.at(value), self.rigor)

    @cached_property
    def rises(self) -> bool:
        """Whether a larger value spends more: by its name, or by trying."""
        if self.family.spends_less is not None:
            return not self.family.spends_less
        (first, value), *others = self._probes() or [(0.0, self.excess(0.0))]
        for place, found in others:
            if abs(found - value) > _TOLD_APART:
                return (found > value) == (place > first)
        return value < 0  # the same everywhere: then the end of the range decides

    def _probes(self) -> list[tuple[float, float]]:
        """The excess at a few places where it is known, until it changes."""
        found: list[tuple[float, float]] = []
        for place in (0.0, *(each * _QUARTER for each in _SPREADS)):
            try:
                found.append((place, self.excess(place)))
            except OptcompError:
                continue
            if abs(found[-1][1] - found[0][1]) > _TOLD_APART:
                break
        return found

    def limit(self) -> float | Calibration:
        """About the place where the target is just met; or the end of the number's range where it is met even there."""
        rises = self.rises
        start = next((place for place, _ in self._probes()), 0.0)
        try:
            low, high = bracket(self.excess, start=start, rises=rises)
        except NothingFoundError as error:
            return self._at_the_end(str(error))
        return root(self.excess, low, high)

    def _at_the_end(self, reason: str) -> Calibration:
        """A probability of 1 that still meets the target, or a refusal."""
        one = Fraction(1)
        if reason.startswith("below") and self._ends_at_one() and self.verdict(one) is Verdict.FITS:
            return self.found(one, None)
        everywhere = "every value that was tried meets it" if reason.startswith("below") else "no value meets it"
        raise UnsupportedError(
            field="target",
            value=str(self.target),
            condition=f"must be met by some values and broken by others: {everywhere} ({reason})",
            remedy="Change the target or the family.",
        )

    def _ends_at_one(self) -> bool:
        try:
            self.family.at(Fraction(11, 10))
        except InvalidParameterError:
            return True
        return False

    def nearby(self, place: float) -> Calibration:
        """Both sides within 1e-9, from a place that is about right."""
        middle = _value(place)
        exact = self._simple(middle)
        if exact is not None:
            return exact
        try:
            return self.found(self._proved(middle, Verdict.FITS), self._proved(middle, Verdict.OVER))
        except UndecidedError:
            if self._leading is None:
                raise
        return self._with_all_directions()

    def _with_all_directions(self) -> Calibration:
        """Search again, where the direction that was followed is not the one that counts at the limit."""
        self._leading, self._follows = None, False
        self._excesses.clear()
        place = self.limit()
        return place if isinstance(place, Calibration) else self.nearby(place)

    def _simple(self, middle: Fraction) -> Calibration | None:
        """Without a delta the limit is a number such as 1/11: the simplest one nearby, where it meets the target."""
        if not isinstance(self.target, EpsilonDelta) or self.target.delta != 0:
            return None
        value = _simplest(middle * (1 - _MARGINS[-1]), middle * (1 + _MARGINS[-1]))
        beyond = self._moved(value, _MARGINS[0], Verdict.OVER)
        if self.verdict(value) is Verdict.FITS and self.verdict(beyond) is Verdict.OVER:
            return self.found(value, beyond)
        return None

    def _proved(self, middle: Fraction, wanted: Verdict) -> Fraction:
        for margin in _MARGINS:
            value = self._moved(middle, margin, wanted)
            if self.verdict(value) is wanted:
                return value
        raise UndecidedError(
            field="parameter",
            value=exact_text(floor_to_digits(middle, _DIGITS)),
            condition="is close to the limit, but its two sides could not be proved within 1e-9",
            remedy="Ask with digits=, or with rigor='ball'.",
        )

    def _moved(self, middle: Fraction, margin: Fraction, wanted: Verdict) -> Fraction:
        """A little to the side where the verdict is expected, rounded further to that side."""
        up = (wanted is Verdict.OVER) == self.rises
        return ceil_to_digits(middle * (1 + margin), _DIGITS) if up else floor_to_digits(middle * (1 - margin), _DIGITS)

    def on_grid(self, place: float, step: Fraction) -> Calibration:
        """Neighbouring multiples of a step."""
        toward_safe = -1 if self.rises else 1
        here = round(_value(place) / step)
        for tries in _around(here + (toward_safe > 0)):
            safe, other = tries * step, (tries - toward_safe) * step
            if safe <= 0:
                continue
            if self.verdict(safe) is Verdict.FITS and (other <= 0 or self.verdict(other) is Verdict.OVER):
                return self.found(safe, other if other > 0 else None)
        raise UndecidedError(
            field="digits",
            value=exact_text(step),
            condition="is too fine a grid: neighbouring values could not be told apart",
            remedy="Ask for fewer digits, or with rigor='ball'.",
        )

    def to_the_float(self, place: float) -> Calibration:
        """Neighbouring floats: the last one that meets the target, and the first one that does not."""
        toward_safe = -math.inf if self.rises else math.inf
        safe = self._float_with(Verdict.FITS, math.exp(place), toward_safe)
        other = self._float_with(Verdict.OVER, math.exp(place), -toward_safe)
        while math.nextafter(safe, -toward_safe) != other:
            middle = safe + (other - safe) / 2
            if middle in {safe, other}:
                break
            found = self.verdict(_decimal(middle))
            if found is Verdict.UNDECIDED:
                raise self._too_close(middle)
            safe, other = (middle, other) if found is Verdict.FITS else (safe, middle)
        return self.found(_decimal(safe), _decimal(other))

    def _float_with(self, wanted: Verdict, start: float, towards: float) -> float:
        """The first float on a walk with growing steps that has a verdict."""
        value, steps = start, 4
        while self.verdict(_decimal(value)) is not wanted:
            if steps > _FARTHEST_FLOAT:
                raise self._too_close(start)
            value, steps = value + math.copysign(steps * math.ulp(value), towards), 4 * steps
        return value

    @staticmethod
    def _too_close(value: float) -> UndecidedError:
        return UndecidedError(
            field="parameter",
            value=value,
            condition="is so close to the limit that its side could not be proved",
            remedy="Ask with digits=.",
        )

    def whole(self) -> Calibration:
        """The last whole number that meets the target."""
        rises = self._whole_rises()
        if not rises:
            raise UnsupportedError(
                field="family",
                value=self.family.name,
                condition="must spend more as its whole number grows",
                remedy="Give a count.",
            )
        if self.verdict(Fraction(0)) is Verdict.OVER:
            raise UnsupportedError(
                field="target", value=str(self.target), condition="is not met even by none", remedy="Allow more."
            )
        low, high = self._whole_bracket()
        while high - low > 1:
            middle = (low + high) // 2
            found = self.verdict(Fraction(middle))
            if found is Verdict.UNDECIDED:
                raise self._undecided(middle)
            low, high = (middle, high) if found is Verdict.FITS else (low, middle)
        return self.found(Fraction(low), Fraction(high))

    def _whole_bracket(self) -> tuple[int, int]:
        """A count that fits and a larger one that does not. Counts between that no engine decides are passed over."""
        low, high = 0, 1
        while high <= _MOST_COUNT:
            found = self.verdict(Fraction(high))
            if found is Verdict.OVER:
                return low, high
            low, high = (high if found is Verdict.FITS else low), _GROWTH * high
        if low == 0:
            raise self._undecided(high)
        raise UnsupportedError(
            field="count", value=high, condition="is allowed without end", remedy="Nothing limits it."
        )

    @staticmethod
    def _undecided(value: int) -> UndecidedError:
        return UndecidedError(
            field="count",
            value=value,
            condition="meets the target or not: that could not be proved",
            remedy="Ask with rigor='ball', or move the target a little.",
        )

    def _whole_rises(self) -> bool:
        return self.target.excess(self.family.at(Fraction(1))) >= self.target.excess(self.family.at(Fraction(0)))


def _value(place: float) -> Fraction:
    return _decimal(math.exp(place))


def _decimal(value: float) -> Fraction:
    """The shortest decimal of a float, as which it is read everywhere."""
    return Fraction(repr(value))


def _around(start: int) -> Iterator[int]:
    yield start
    for away in range(1, 6):
        yield from (start + away, start - away)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the least denominator between two positive numbers."""
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    below = math.floor(low)
    return below + 1 / _simplest(1 / (high - below), 1 / (low - below))

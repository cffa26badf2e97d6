"""What must hold between answers, whatever the problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import mpmath
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import optcomp as oc
from optcomp.engines.auto import TABLE
from tests.oracles.brute_force import to_fraction

SLACK = Fraction(1, 10**50)
PROMISED = {"nothing": 1e-12, "binomial": 1e-12, "lattice": 1e-9}
# Between deltas so close to 1 that nothing is left of the slope, an epsilon cannot be found to nine digits.
LARGEST_DELTA = Fraction(99, 100)


@dataclass(frozen=True)
class Part:
    epsilon: Fraction
    delta: Fraction
    count: int

    @property
    def mechanism(self) -> oc.Mechanism:
        return oc.ApproxDP(epsilon=self.epsilon, delta=self.delta).repeated(self.count)


EPSILONS = st.integers(min_value=1, max_value=30).map(lambda tenths: Fraction(tenths, 10))
DELTAS = st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 10**6), Fraction(1, 100), Fraction(1, 10**30)])
PARTS = st.builds(Part, EPSILONS, DELTAS, st.integers(min_value=0, max_value=3))
PROBLEMS = st.lists(PARTS, min_size=1, max_size=4)
EQUAL = st.builds(Part, EPSILONS, DELTAS, st.integers(min_value=1, max_value=40)).map(lambda part: [part])
POINTS = st.one_of(
    st.integers(min_value=-40, max_value=80).map(lambda tenths: Fraction(tenths, 10)),
    st.fractions(min_value=-4, max_value=8, max_denominator=997),
)
POSITIVE = st.fractions(min_value=Fraction(1, 20), max_value=8, max_denominator=997)
TARGETS = st.one_of(
    st.fractions(min_value=0, max_value=LARGEST_DELTA, max_denominator=1009),
    st.integers(min_value=1, max_value=60).map(lambda n: Fraction(1, 10**n)),
)


def profile(parts: list[Part], engine: str | None = None) -> oc.Profile:
    return oc.compose([part.mechanism for part in parts], engine=engine)


def takers(parts: list[Part]) -> list[oc.Profile]:
    """The problem under each exact engine that takes it; the others have tests of their own."""
    found = []
    for rule in (each for each in TABLE if each.exact):
        made = profile(parts, rule.name)
        try:
            _ = made.choice
        except oc.UnsupportedError:
            continue
        found.append(made)
    return found


def answered(made: oc.Profile, target: Fraction) -> oc.Enclosure | None:
    """The epsilon, or None where the slope at the answer is too flat or the answer too close to 0 to be found."""
    try:
        return made.epsilon(target)
    except oc.UndecidedError:
        return None


@given(parts=PROBLEMS, x=POINTS, step=POSITIVE)
def test_delta_falls_as_epsilon_grows(parts: list[Part], x: Fraction, step: Fraction) -> None:
    for made in takers(parts):
        assert made.delta(x + step).lower <= made.delta(x).upper


@given(parts=PROBLEMS, first=TARGETS, second=TARGETS)
def test_epsilon_falls_as_delta_grows(parts: list[Part], first: Fraction, second: Fraction) -> None:
    small, large = sorted((first, second))
    for made in takers(parts):
        left, right = answered(made, small), answered(made, large)
        assume(left is not None and right is not None)
        assert left is not None
        assert right is not None
        assert right.lower <= left.upper


@given(parts=PROBLEMS, x=POINTS, more=st.integers(min_value=1, max_value=3), data=st.data())
def test_delta_grows_with_every_parameter(parts: list[Part], x: Fraction, more: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(min_value=0, max_value=len(parts) - 1))
    part = parts[place]
    larger = [
        replace(part, count=part.count + more),
        replace(part, epsilon=part.epsilon + Fraction(more, 10)),
        replace(part, delta=part.delta + Fraction(more, 1000)),
    ]
    x = max(x, Fraction(0))  # left of 0 a larger epsilon need not give a larger delta
    smaller_delta = profile(parts).delta(x)
    for each in larger:
        changed = [*parts[:place], each, *parts[place + 1 :]]
        assert smaller_delta.lower <= profile(changed).delta(x).upper


@given(parts=PROBLEMS, target=TARGETS, more=st.integers(min_value=1, max_value=3))
def test_epsilon_grows_with_the_count(parts: list[Part], target: Fraction, more: int) -> None:
    longer = [replace(parts[0], count=parts[0].count + more), *parts[1:]]
    before, after = answered(profile(parts), target), answered(profile(longer), target)
    assume(before is not None and after is not None)
    assert before is not None
    assert after is not None
    assert before.lower <= after.upper


@settings(max_examples=40)
@given(parts=PROBLEMS, x=POINTS, target=TARGETS, data=st.data())
def test_order_and_grouping_do_not_matter(
    parts: list[Part], x: Fraction, target: Fraction, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(parts))
    singles = [replace(part, count=1).mechanism for part in shuffled for _ in range(part.count)]
    half = len(singles) // 2
    nested = oc.Sequence(parts=[oc.Sequence(parts=singles[:half]), oc.Sequence(parts=singles[half:]).repeated(1)])
    first = profile(parts)
    for other in (profile(shuffled), oc.compose(singles), oc.compose(nested)):
        assert other.delta(x) == first.delta(x)
        assert other.failure == first.failure
        assert other.largest_epsilon == first.largest_epsilon
        assert answered(other, target) == answered(first, target)


@given(parts=st.one_of(PROBLEMS, EQUAL), x=POINTS, target=TARGETS)
def test_engines_agree(parts: list[Part], x: Fraction, target: Fraction) -> None:
    made = takers(parts)
    deltas = [each.delta(x) for each in made]
    epsilons = [found for each in made if (found := answered(each, target)) is not None]
    for answers in (deltas, epsilons):
        for first in answers:
            for second in answers:
                assert first.intersects(second)


@given(parts=EQUAL, x=POINTS)
def test_equal_mechanisms_are_taken_by_two_engines(parts: list[Part], x: Fraction) -> None:
    made = takers(parts)
    assert {"binomial", "lattice"} <= {each.choice.name for each in made}
    deltas = [each.delta(x) for each in made]
    assert all(each.intersects(deltas[0]) for each in deltas)


@given(parts=st.one_of(PROBLEMS, EQUAL), x=POINTS, target=TARGETS)
def test_enclosures_are_as_narrow_as_promised(parts: list[Part], x: Fraction, target: Fraction) -> None:
    for made in takers(parts):
        widest = PROMISED.get(made.choice.name, 1e-9)
        assert made.delta(x).relative_width <= widest
        found = answered(made, target)
        if found is not None and found.upper > Fraction(1, 10**20):
            assert found.relative_width <= widest


@given(parts=PROBLEMS, x=POSITIVE)
def test_both_signs_of_epsilon_tell_the_same(parts: list[Part], x: Fraction) -> None:
    """``delta(-x) = 1 - e^-x (1 - delta(x))``."""
    with mpmath.workdps(80):
        decay = to_fraction(mpmath.exp(-mpmath.mpf(x.numerator) / x.denominator))
    for made in takers(parts):
        right, left = made.delta(x), made.delta(-x)
        mirrored = [1 - decay * (1 - Fraction(end)) for end in (right.lower, right.upper)]
        assert left.lower <= mirrored[1] + SLACK
        assert mirrored[0] - SLACK <= left.upper


@given(parts=PROBLEMS, x=POSITIVE)
def test_epsilon_of_delta_brackets_the_point(parts: list[Part], x: Fraction) -> None:
    for made in takers(parts):
        found = made.delta(x)
        lower, upper = Fraction(found.lower), Fraction(found.upper)
        assume(upper <= LARGEST_DELTA)
        if upper < 1:
            at_most = answered(made, upper)
            if at_most is not None:
                assert at_most.lower <= x
        largest = made.largest_epsilon
        if x < largest.lower:
            at_least = answered(made, lower)
            if at_least is not None:
                assert at_least.upper >= x


@given(parts=PROBLEMS, target=TARGETS)
def test_delta_of_epsilon_brackets_the_target(parts: list[Part], target: Fraction) -> None:
    for made in takers(parts):
        found = answered(made, target)
        if found is None or isinstance(found.upper, float) or isinstance(found.lower, float):
            continue
        assert made.delta(found.upper).lower <= target
        if found.lower > 0:
            assert made.delta(found.lower).upper >= target


@given(parts=PROBLEMS, share=st.integers(min_value=1, max_value=19))
def test_an_ordinary_question_is_answered(parts: list[Part], share: int) -> None:
    """A target between the failure mass and delta(0), by twentieths, while delta(0) is not close to 1."""
    for made in takers(parts):
        least, most = Fraction(made.failure.upper), Fraction(made.delta(0).lower)
        assume(least < most <= LARGEST_DELTA)
        found: Any = made.epsilon(least + (most - least) * share / 20)
        assert 0 < found.lower <= found.upper <= made.largest_epsilon.upper

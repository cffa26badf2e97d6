"""Plans, and the verdict with its borders."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optcomp.composition import Plan, Release, Verdict, compose, verdict
from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import ApproxDP, PureDP, Sequence
from optcomp.quantities import Enclosure

LOW, HIGH = Fraction(1, 3), Fraction(2, 3)
LEAST = Fraction(1, 10**400)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (HIGH + LEAST, Verdict.FITS),
        (HIGH, Verdict.FITS),
        (HIGH - LEAST, Verdict.UNDECIDED),
        (Fraction(1, 2), Verdict.UNDECIDED),
        (LOW + LEAST, Verdict.UNDECIDED),
        (LOW, Verdict.UNDECIDED),  # the truth may be the lower end itself, and then it fits
        (LOW - LEAST, Verdict.OVER),
        (Fraction(0), Verdict.OVER),
    ],
)
def test_the_borders_of_the_verdict(limit: Fraction, expected: Verdict) -> None:
    assert verdict(Enclosure(LOW, HIGH), limit) is expected


@pytest.mark.parametrize(
    ("limit", "expected"), [(LOW, Verdict.FITS), (LOW - LEAST, Verdict.OVER), (LOW + LEAST, Verdict.FITS)]
)
def test_an_exact_value_is_always_decided(limit: Fraction, expected: Verdict) -> None:
    assert verdict(Enclosure.exactly(LOW), limit) is expected


def test_infinite_ends() -> None:
    assert verdict(Enclosure.exactly(math.inf), Fraction(10**400)) is Verdict.OVER
    assert verdict(Enclosure(Fraction(1), math.inf), Fraction(2)) is Verdict.UNDECIDED
    assert verdict(Enclosure(Fraction(1), math.inf), Fraction(1, 2)) is Verdict.OVER


numbers = st.fractions(min_value=0, max_value=4, max_denominator=12)


@given(ends=st.tuples(numbers, numbers).map(sorted), limit=numbers, share=st.fractions(0, 1))
def test_a_verdict_is_true_of_every_number_inside(ends: list[Fraction], limit: Fraction, share: Fraction) -> None:
    low, high = ends
    truth = low + share * (high - low)
    said = verdict(Enclosure(low, high), limit)
    if said is Verdict.FITS:
        assert truth <= limit
    elif said is Verdict.OVER:
        assert truth > limit
    else:
        assert low <= limit < high


def test_a_plan_composes_all_its_releases() -> None:
    plan = Plan(
        adjacency="add_one",
        releases=(
            Release(name="a", mechanism=PureDP(epsilon="0.1").repeated(3)),
            Release(name="b", mechanism=ApproxDP(epsilon="0.2", delta="1e-9")),
            Release(name="a", mechanism=Sequence(parts=[PureDP(epsilon="0.3")])),
        ),
    )
    profile = plan.profile()
    assert profile.adjacency == "add_one"
    direct = compose([PureDP(epsilon="0.1").repeated(3), ApproxDP(epsilon="0.2", delta="1e-9"), PureDP(epsilon="0.3")])
    assert profile.epsilon("1e-6") == direct.epsilon("1e-6")
    assert profile.largest_epsilon == Enclosure.exactly(Fraction(8, 10))


def test_the_order_and_the_names_of_releases_do_not_matter() -> None:
    first, second = PureDP(epsilon="0.1").repeated(5), PureDP(epsilon="0.3").repeated(2)
    one = Plan(releases=(Release(name="x", mechanism=first), Release(name="y", mechanism=second)))
    other = Plan(releases=(Release(name="z", mechanism=second), Release(name="z", mechanism=first)))
    assert one.profile().epsilon("1e-6") == other.profile().epsilon("1e-6")


def test_an_unknown_adjacency_is_refused() -> None:
    plan = Plan(adjacency="neighbours", releases=(Release(name="x", mechanism=PureDP(epsilon=1)),))
    with pytest.raises(InvalidParameterError, match=r"adjacency must be one of .*replace_one"):
        plan.profile()


def test_the_three_verdicts_on_a_real_plan() -> None:
    plan = Plan(
        releases=(
            Release(name="a", mechanism=PureDP(epsilon="0.1").repeated(50)),
            Release(name="b", mechanism=PureDP(epsilon="0.2").repeated(20)),
        )
    )
    found = plan.profile().epsilon("1e-6")
    middle = (Fraction(found.lower) + Fraction(found.upper)) / 2
    assert verdict(found, Fraction(found.upper)) is Verdict.FITS
    assert verdict(found, middle) is Verdict.UNDECIDED
    assert verdict(found, Fraction(found.lower) - Fraction(1, 10**30)) is Verdict.OVER

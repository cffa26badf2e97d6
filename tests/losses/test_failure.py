"""The failure mass: exact where it is compared, sharp where it is shown."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import optcomp as oc
from optcomp.losses import Composite, exceeds_failure, failure_mass, finite_target, whole_delta


def failing(*parts: tuple[Fraction, int]) -> Composite:
    return Composite(failures=tuple(sorted(parts)), losses=())


def exact_mass(composite: Composite) -> Fraction:
    survival = Fraction(1)
    for failure, count in composite.failures:
        survival *= (1 - failure) ** count
    return 1 - survival


FAILURES = st.dictionaries(
    st.one_of(
        st.fractions(min_value=Fraction(1, 10**12), max_value=Fraction(999, 1000)),
        st.integers(1, 250).map(lambda n: Fraction(1, 10**n)),
    ),
    st.integers(min_value=1, max_value=12),
    min_size=1,
    max_size=4,
).map(lambda found: failing(*found.items()))


@given(composite=FAILURES)
def test_the_mass_is_contained(composite: Composite) -> None:
    found, exact = failure_mass(composite), exact_mass(composite)
    assert found.lower <= exact <= found.upper
    assert found.relative_width < 1e-30


@given(composite=FAILURES, places=st.integers(min_value=1, max_value=300))
def test_the_sign_is_exact(composite: Composite, places: int) -> None:
    exact = exact_mass(composite)
    step = Fraction(1, 10**places)
    assert exceeds_failure(composite, exact) == 0
    assert exceeds_failure(composite, exact * (1 - step)) == -1
    assert exceeds_failure(composite, exact + (1 - exact) * step) == 1


@given(composite=FAILURES, share=st.fractions(min_value=Fraction(1, 10**40), max_value=1))
def test_the_identity_holds_both_ways(composite: Composite, share: Fraction) -> None:
    """``delta = 1 - (1 - F)(1 - t)``, and t back from delta."""
    exact = exact_mass(composite)
    delta = 1 - (1 - exact) * (1 - share)
    back = finite_target(composite, delta)
    assert back.lower <= share <= back.upper
    assert back.relative_width < 1e-30
    whole = whole_delta(failure_mass(composite), oc.Enclosure.exactly(share))
    assert whole.lower <= delta <= whole.upper


@pytest.mark.parametrize(
    ("failure", "count"), [(Fraction(1, 7), 10**4), (Fraction(1, 2), 5000), (Fraction(1, 10**6), 3000)]
)
def test_equality_with_a_large_count(failure: Fraction, count: int) -> None:
    """The whole failure mass, written out exactly: the sum of epsilons suffices there, and nothing below."""
    mass = 1 - (1 - failure) ** count
    profile = oc.compose(oc.ApproxDP(epsilon="0.1", delta=failure).repeated(count))
    assert profile.epsilon(mass) == oc.Enclosure.exactly(Fraction(count, 10))
    below = 1 - (1 - failure) ** count * (1 + Fraction(1, 10**300))
    assert profile.epsilon(below).lower == float("inf")


def test_a_count_too_large_to_multiply_out() -> None:
    """A billion failures of 1e-12 can equal no short decimal: decided without a power of a billion."""
    composite = failing((Fraction(1, 10**12), 10**9))
    assert exceeds_failure(composite, Fraction("0.000999500166625")) == -1
    assert exceeds_failure(composite, Fraction("0.000999500166626")) == 1
    found = failure_mass(composite)
    assert found.relative_width < 1e-30
    assert Fraction("0.000999500166") < found.lower < Fraction("0.000999500167")


def test_different_failures_that_multiply_to_a_short_number() -> None:
    """(1 - 1/3)(1 - 1/4) = 1/2."""
    composite = failing((Fraction(1, 3), 1), (Fraction(1, 4), 1))
    assert exceeds_failure(composite, Fraction(1, 2)) == 0
    powers = failing((Fraction(1, 3), 10**6), (Fraction(1, 4), 10**6))
    assert exceeds_failure(powers, 1 - Fraction(1, 2**5)) == -1


@pytest.mark.parametrize("seed", range(20))
def test_many_small_failures_do_not_vanish(seed: int) -> None:
    """A million events of 1e-18 give 9.999999999995e-13, not 0."""
    draw = random.Random(seed)
    places, count = draw.randint(15, 40), draw.randint(10, 10**7)
    found = failure_mass(failing((Fraction(1, 10**places), count)))
    sum_of_all = Fraction(count, 10**places)
    assert found.upper <= sum_of_all * (1 + Fraction(1, 10**35))
    assert found.lower >= sum_of_all - sum_of_all**2 / 2 * (1 + Fraction(1, 10**20)) - sum_of_all / 10**35


def test_edges() -> None:
    none = failing()
    assert failure_mass(none) == oc.Enclosure.exactly(0)
    assert exceeds_failure(none, Fraction(0)) == 0
    assert exceeds_failure(none, Fraction(1, 10**900)) == 1
    one = failing((Fraction(1, 10), 1))
    assert failure_mass(one) == oc.Enclosure.exactly(Fraction(1, 10))
    assert exceeds_failure(one, Fraction(0)) == -1
    assert exceeds_failure(one, Fraction(1)) == 1
    certain = failing((Fraction(1, 10), 3), (Fraction(1), 1))
    assert failure_mass(certain) == oc.Enclosure.exactly(1)
    assert exceeds_failure(certain, Fraction(1)) == 0
    assert exceeds_failure(certain, 1 - Fraction(1, 10**400)) == -1
    assert finite_target(none, Fraction(1, 3)) == oc.Enclosure.exactly(Fraction(1, 3))
    assert finite_target(one, Fraction(1)) == oc.Enclosure.exactly(1)

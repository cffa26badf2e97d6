"""The polynomial-time approximation against the exact optimum, from both sides of Theorem 1.7."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import pytest

import optcomp as oc
from optcomp.theorems import Term
from optcomp.theorems.mv16 import Approximation, RaisedLattice, approximate_optimum
from tests.oracles.brute_force import to_fraction

Case = tuple[tuple[Term, ...], Fraction, Fraction]
WORKED = (Term(epsilon="0.1"), Term(epsilon="0.2"), Term(epsilon="0.35"))


def optimum(terms: tuple[Term, ...], delta: Fraction) -> oc.Enclosure:
    return oc.compose([oc.ApproxDP(epsilon=t.epsilon, delta=t.delta).repeated(t.count) for t in terms]).epsilon(delta)


def exponential_below(x: Fraction) -> Fraction:
    """Less than e^x, by a relative 1e-40."""
    with mpmath.workdps(60):
        value = to_fraction(mpmath.exp(mpmath.mpf(x.numerator) / x.denominator))
    return value * (1 - Fraction(1, 10**40))


def instance(index: int) -> Case:
    """Up to 8 mechanisms, their deltas, a total delta above the failure mass, and a tolerance."""
    draw = random.Random(f"approximation {index}")
    scale = draw.choice([1, 1, 1, 1, 10, 1000])
    terms, survival = [], Fraction(1)
    for _ in range(draw.randint(1, 8)):
        delta = draw.choice([Fraction(0), Fraction(0), Fraction(1, 10**7), Fraction(draw.randint(1, 20), 1000)])
        epsilon = Fraction(draw.randint(0, 1500), 1000 * scale) + Fraction(draw.randint(0, 1), 7**5)
        terms.append(Term(epsilon=epsilon, delta=delta))
        survival *= 1 - delta
    eta = Fraction(draw.randint(10, 500), 1000)
    left = Fraction(draw.randint(1, 999), 10 ** draw.choice([3, 4, 4, 5, 6, 12]))
    return tuple(terms), 1 - survival * (1 - left), eta


# ---------------------------------------------------------------------------------------------------- the theorem


@pytest.mark.parametrize("start", range(0, 200, 20))
def test_both_inequalities(start: int) -> None:
    """``OptComp(d) <= answer <= OptComp(e^(-eta/2) d) + eta``; the right side is weakened by 1e-40 of d."""
    for index in range(start, start + 20):
        terms, delta, eta = instance(index)
        found = approximate_optimum(terms, delta=delta, tolerance=eta)
        answer = found.epsilon.upper
        assert optimum(terms, delta).lower <= answer, index
        smaller = delta * exponential_below(-eta / 2)
        assert answer <= optimum(terms, smaller).upper + eta, index


def test_the_instances_are_not_all_trivial() -> None:
    """Most have an answer above 0 that is not the optimum itself, and below the sum of all epsilons."""
    real = 0
    for index in range(40):
        terms, delta, eta = instance(index)
        found = approximate_optimum(terms, delta=delta, tolerance=eta).epsilon.upper
        real += 0 < found < sum(Fraction(str(t.epsilon)) * t.count for t in terms)
    assert real >= 10


@pytest.mark.parametrize("eta", ["0.5", "0.1", "0.01"])
def test_counts_and_logarithms(eta: str) -> None:
    terms = (Term(epsilon="0.01", count=50), Term(epsilon="ln(1.02)", count=30), Term(epsilon="0.1", delta="1e-9"))
    found = approximate_optimum(terms, delta="1e-3", tolerance=eta).epsilon.upper
    assert optimum(terms, Fraction(1, 1000)).lower <= found
    smaller = Fraction(1, 1000) * exponential_below(-Fraction(eta) / 2)
    assert found <= optimum(terms, smaller).upper + Fraction(eta)


def test_the_enclosure_is_of_a_whole_number_of_steps() -> None:
    found = approximate_optimum(WORKED, delta="0.05", tolerance="0.2")
    raised = RaisedLattice(((Fraction("0.1"), 1), (Fraction("0.2"), 1), (Fraction("0.35"), 1)), Fraction("0.1998"))
    assert found.steps is not None
    with mpmath.workdps(50):
        value = to_fraction(found.steps * mpmath.log1p(mpmath.mpf(raised.ratio.numerator) / raised.ratio.denominator))
    slack = Fraction(1, 10**40)
    assert found.epsilon.lower - slack <= value <= found.epsilon.upper + slack
    assert found.epsilon.relative_width < 1e-30


# ---------------------------------------------------------------------------------------------------- its cost


@pytest.mark.parametrize("size", [1, 2, 5, 20, 80, 160])
@pytest.mark.parametrize("eta", ["0.5", "0.05"])
def test_the_table_grows_as_a_polynomial(size: int, eta: str) -> None:
    """``B <= k + E + E (k + E + 1)/eta``, with a hundredth more for what is set aside."""
    terms = tuple(Term(epsilon=Fraction(100 + 7 * i, 1000)) for i in range(size))
    total = sum((Fraction(100 + 7 * i, 1000) for i in range(size)), start=Fraction(0))
    found = approximate_optimum(terms, delta="0.01", tolerance=eta)
    bound = size + total + total * (size + total + 1) / Fraction(eta)
    assert total <= found.total_weight <= bound * Fraction(101, 100)


def test_a_hundred_different_epsilons_are_no_matter_of_subsets() -> None:
    terms = tuple(Term(epsilon=Fraction(10**14 + 7919 * i**3, 10**16)) for i in range(100))
    found = approximate_optimum(terms, delta="1e-2", tolerance="0.2").epsilon
    assert 0 < found.upper < sum(Fraction(str(term.epsilon)) for term in terms)


def test_the_worked_example() -> None:
    found = approximate_optimum(WORKED, delta="0.05", tolerance="0.2")
    assert found.total_weight == 17
    assert 0.4625 < float(found.epsilon) < 0.4635
    assert optimum(WORKED, Fraction(1, 20)).lower <= found.epsilon.upper


# ---------------------------------------------------------------------------------------------------- edge cases


FAILING = (Term(epsilon="0.5", delta="0.1"), Term(epsilon="0.25", delta="0.1"))


def test_delta_one_needs_no_epsilon() -> None:
    assert approximate_optimum(FAILING, delta=1, tolerance="0.1") == Approximation(oc.Enclosure.exactly(0))
    assert approximate_optimum([Term(epsilon=1, delta=1)], delta=1, tolerance="0.1").epsilon == oc.Enclosure.exactly(0)


@pytest.mark.parametrize("delta", ["0", "0.18999999999999999999"])
def test_below_the_failure_mass_no_epsilon_is_finite(delta: str) -> None:
    found = approximate_optimum(FAILING, delta=delta, tolerance="0.1")
    assert found == Approximation(oc.Enclosure.exactly(math.inf))


def test_at_the_failure_mass_the_sum() -> None:
    found = approximate_optimum(FAILING, delta="0.19", tolerance="0.1")
    assert found == Approximation(oc.Enclosure.exactly(Fraction(3, 4)))
    assert approximate_optimum(WORKED, delta=0, tolerance="0.1").epsilon == oc.Enclosure.exactly(Fraction(65, 100))


def test_a_sum_of_logarithms() -> None:
    found = approximate_optimum([Term(epsilon="ln(2)"), Term(epsilon=1)], delta=0, tolerance="0.1").epsilon
    printed = Fraction("1.693147180559945309417232121458")  # 1 + ln 2, cut
    assert printed < found.lower <= found.upper < printed + Fraction(1, 10**30)


def test_a_certain_failure_leaves_nothing_below_one() -> None:
    found = approximate_optimum([Term(epsilon=1, delta=1), *WORKED], delta="0.999999", tolerance="0.1")
    assert found.epsilon == oc.Enclosure.exactly(math.inf)


@pytest.mark.parametrize(
    "terms", [(), (Term(epsilon=0),), (Term(epsilon=5, count=0),), (Term(epsilon=0, delta="1e-9"),)]
)
def test_where_nothing_is_lost_no_epsilon_is_needed(terms: tuple[Term, ...]) -> None:
    assert approximate_optimum(terms, delta="0.01", tolerance="0.1").epsilon == oc.Enclosure.exactly(0)


def test_an_epsilon_of_zero_changes_nothing() -> None:
    with_zero = approximate_optimum([*WORKED, Term(epsilon=0, count=5)], delta="0.05", tolerance="0.2")
    assert with_zero == approximate_optimum(WORKED, delta="0.05", tolerance="0.2")


def test_a_delta_that_is_met_at_zero() -> None:
    assert approximate_optimum(WORKED, delta="0.9", tolerance="0.2").epsilon == oc.Enclosure.exactly(0)


@pytest.mark.parametrize("eta", ["0", "-0.1", "1", "1.5", "inf", "nan", "much"])
def test_a_tolerance_outside_0_to_1_is_refused(eta: str) -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        approximate_optimum(WORKED, delta="0.05", tolerance=eta)
    assert caught.value.field == "tolerance"


@pytest.mark.parametrize("delta", ["-0.1", "1.1", "nan"])
def test_a_delta_that_is_no_probability_is_refused(delta: str) -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        approximate_optimum(WORKED, delta=delta, tolerance="0.1")
    assert caught.value.field == "delta"


def test_a_table_that_does_not_fit_is_refused_before_it_is_made() -> None:
    with pytest.raises(oc.UnsupportedError) as caught:
        approximate_optimum([Term(epsilon=50, count=10**6)], delta="0.01", tolerance="1e-9")
    assert caught.value.field == "tolerance"

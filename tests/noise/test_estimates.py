"""Estimates: unbiased exactly, and intervals whose coverage is computed by summation."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.mechanisms import ApproxDP, DiscreteGaussian, DiscreteLaplace, Laplace, PureDP, RandomizedResponse, Skellam
from optcomp.noise import GridStaircase, estimate_count, estimate_prevalence, estimate_shares
from tests.noise.laws import Law, gaussian_law, laplace_law, skellam_law, staircase_law

NOISES = [
    (DiscreteLaplace(scale=3), laplace_law(Fraction(3)), 600),
    (DiscreteLaplace(scale="1/4"), laplace_law(Fraction(1, 4)), 100),
    (DiscreteGaussian(variance=20), gaussian_law(Fraction(20)), 120),
    (DiscreteGaussian(variance="1/5"), gaussian_law(Fraction(1, 5)), 30),
    (Skellam(variance=6), skellam_law(Fraction(6)), 60),
    (GridStaircase(epsilon=1, steps=5, fall=2), staircase_law(mpmath.mpf(1), 5, 2), 500),
]


@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
@pytest.mark.parametrize(("mechanism", "law", "reach"), NOISES)
def test_the_radius_is_the_least_with_the_coverage(mechanism: Any, law: Law, reach: int, confidence: str) -> None:
    found = estimate_count(mechanism, 100, confidence=confidence)
    assert found.value.lower == found.value.upper == 100
    radius = int(found.interval.upper) - 100
    assert found.interval.lower == 100 - radius
    beyond = 2 * mpmath.fsum(law(x) for x in range(radius + 1, reach))
    assert beyond <= 1 - mpmath.mpf(confidence)
    if radius:
        assert beyond + 2 * law(radius) > 1 - mpmath.mpf(confidence)


def test_the_radius_at_large_scales() -> None:
    found = estimate_count(DiscreteLaplace(scale=2**100), 0)
    assert abs(float(found.interval.upper) / (2**100 * math.log(20)) - 1) < 1e-9
    found = estimate_count(DiscreteGaussian(variance=2**200), 0)
    assert abs(float(found.interval.upper) / (2**100 * 1.959963984540054) - 1) < 1e-9
    narrow = estimate_count(DiscreteGaussian(variance=1_000_000), 0).interval
    wide = estimate_count(DiscreteGaussian(variance=1_000_001), 0).interval
    assert narrow.upper <= wide.upper <= narrow.upper + 1
    assert estimate_count(DiscreteLaplace(scale=0, sensitivity=0), -7).interval.lower == -7


def counts_of(total: int, categories: int) -> list[tuple[int, ...]]:
    return [c for c in itertools.product(range(total + 1), repeat=categories) if sum(c) == total]


def multinomial(counts: tuple[int, ...], chances: list[Fraction]) -> Fraction:
    ways = math.factorial(sum(counts))
    for each in counts:
        ways //= math.factorial(each)
    return ways * math.prod((p**c for p, c in zip(chances, counts, strict=True)), start=Fraction(1))


@pytest.mark.parametrize("chance", ["3/4", "1/10", "0.99"])
def test_shares_are_unbiased_exactly_and_covered(chance: str) -> None:
    mechanism, total = RandomizedResponse(probability=chance, categories=3), 6
    shares = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    own = mechanism.probability
    other = (1 - own) / 2
    chances = [other + (own - other) * share for share in shares]
    means, covered, together = [Fraction(0)] * 3, [Fraction(0)] * 3, Fraction(0)
    for counts in counts_of(total, 3):
        mass = multinomial(counts, chances)
        found = estimate_shares(mechanism, counts, confidence="0.8")
        for place, (estimate, share) in enumerate(zip(found, shares, strict=True)):
            assert estimate.value.is_exact
            means[place] += mass * Fraction(estimate.value.upper)
            covered[place] += mass * (share in estimate.interval)
        assert sum(Fraction(estimate.value.upper) for estimate in found) == 1
        joint = estimate_shares(mechanism, counts, confidence="0.8", simultaneous=True)
        together += mass * all(share in each.interval for each, share in zip(joint, shares, strict=True))
    assert means == shares
    assert min(covered) >= Fraction(4, 5)
    assert together >= Fraction(4, 5)


@pytest.mark.parametrize("prevalence", [Fraction(0), Fraction(1, 5), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize(
    "mechanism", [RandomizedResponse(probability="0.7"), PureDP(epsilon="ln(3)"), PureDP(epsilon=1)]
)
def test_prevalence_is_covered(mechanism: Any, prevalence: Fraction) -> None:
    reports = 30
    own = mpmath.mpf("0.7") if isinstance(mechanism, RandomizedResponse) else mpmath.mpf(3) / 4
    if mechanism == PureDP(epsilon=1):
        own = mpmath.e / (1 + mpmath.e)
    rate = (1 - own) + (2 * own - 1) * mpmath.mpf(prevalence.numerator) / prevalence.denominator
    covered = mean = mpmath.mpf(0)
    for positives in range(reports + 1):
        mass = mpmath.binomial(reports, positives) * rate**positives * (1 - rate) ** (reports - positives)
        found = estimate_prevalence(mechanism, positives, reports)
        covered += mass * (prevalence in found.interval)
        middle = (Fraction(found.value.lower) + Fraction(found.value.upper)) / 2
        mean += mass * mpmath.mpf(middle.numerator) / middle.denominator
        assert 0 <= found.interval.lower <= found.interval.upper <= 1
    assert covered >= mpmath.mpf("0.95")
    assert abs(mean - mpmath.mpf(prevalence.numerator) / prevalence.denominator) < mpmath.mpf(10) ** -25


def test_four_outcomes_are_put_together() -> None:
    mechanism = ApproxDP(epsilon="ln(3)", delta="1/5")
    none, all_ = estimate_shares(mechanism, (20, 60, 20, 0))
    assert 1 in none.value  # exactly what the bit 0 reports on average
    assert 0 in all_.value
    assert all_.interval.lower == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda: estimate_count(DiscreteLaplace(scale=1), 1.5),  # type: ignore[arg-type]
        lambda: estimate_count(DiscreteLaplace(scale=1), True),
        lambda: estimate_count(DiscreteLaplace(scale=1), 1, confidence=1),
        lambda: estimate_count(DiscreteLaplace(scale=1), 1, confidence="nan"),
        lambda: estimate_shares(RandomizedResponse(probability="0.7"), (1, -1)),
        lambda: estimate_shares(RandomizedResponse(probability="0.7"), (0, 0)),
        lambda: estimate_shares(RandomizedResponse(probability="0.7"), (1, 2, 3)),
        lambda: estimate_shares(RandomizedResponse(probability="0.5"), (1, 2)),
        lambda: estimate_shares(PureDP(epsilon=0), (1, 2)),
        lambda: estimate_shares(PureDP(epsilon=1), (1,)),
        lambda: estimate_shares(ApproxDP(epsilon=1, delta=0), (1, 2)),
        lambda: estimate_prevalence(PureDP(epsilon=1), 3, 2),
    ],
)
def test_wrong_parameters_are_refused(call: Any) -> None:
    with pytest.raises(InvalidParameterError):
        call()


def test_what_is_unsupported_says_so() -> None:
    with pytest.raises(UnsupportedError):
        estimate_count(Laplace(scale=1), 1)
    with pytest.raises(UnsupportedError):
        estimate_shares(DiscreteLaplace(scale=1), (1, 2))
    with pytest.raises(UnsupportedError):
        estimate_prevalence(ApproxDP(epsilon=1, delta=0), 1, 2)

"""Every step of the chain on random small instances, against plain counters."""

from __future__ import annotations

import random
from fractions import Fraction
from math import prod
from typing import Any

import mpmath
import pytest

import optcomp as oc
from optcomp.hardness import (
    DifferencePartition,
    IntegerPartition,
    OptimalComposition,
    Partition,
    RationalWeights,
    RootWeights,
    SumPartition,
    composition_oracle,
    count_from_sums,
    difference_from_partition,
    enclosure_of,
    epsilon_by_witnesses,
    exact_oracle,
    partition_from_integers,
    sum_from_epsilons,
    target_of,
    weights_of_epsilons,
    witnesses,
)
from optcomp.quantities import Logarithm
from tests.hardness import counters

INSTANCES = 300
POOLS: list[Any] = [
    [1, 2],
    [2, 3, 6],
    [1, 2, 3, 4, 6, 9],
    [Fraction(3, 2), 2, 3, Fraction(4, 3)],
    list(range(1, 13)),
]


def integers_of(seed: int, *, most: int = 12) -> tuple[int, ...]:
    draw = random.Random(f"integers {seed}")
    return tuple(draw.randint(1, draw.choice([2, 5, 12])) for _ in range(seed % (most + 1)))


def weights_at(seed: int, *, most: int = 8) -> tuple[Fraction, ...]:
    draw = random.Random(f"weights {seed}")
    pool: list[Any] = draw.choice(POOLS)
    return tuple(Fraction(draw.choice(pool)) for _ in range(seed % (most + 1)))


def test_integers_to_products() -> None:
    for seed in range(INSTANCES):
        problem = IntegerPartition(integers_of(seed))
        expected = counters.even_sums(problem.integers)
        assert problem.count() == expected
        draw = random.Random(seed)
        base, degree = draw.choice(["2", "4", "3/2", "6", "9/4"]), draw.choice([None, 1, 7, 12])
        assert partition_from_integers(problem, base=base, degree=degree).count() == expected
        assert expected % 2 == 0 or not problem.integers
        if sum(problem.integers) % 2:
            assert expected == 0


def test_products_to_differences_of_rationals() -> None:
    for seed in range(INSTANCES):
        problem = Partition(RationalWeights(weights_at(seed)))
        expected = counters.even_products(problem.weights.values)  # type: ignore[union-attr]  # rational ones
        assert problem.count() == expected
        assert difference_from_partition(problem).count() == expected


def test_products_to_differences_of_roots() -> None:
    for seed in range(INSTANCES):
        problem = IntegerPartition(integers_of(seed))
        partition = partition_from_integers(problem, degree=None if seed % 2 else 5)
        assert difference_from_partition(partition).count() == counters.even_sums(problem.integers)


def test_differences_to_sums_of_rationals() -> None:
    asked = 0
    for seed in range(INSTANCES):
        weights = weights_at(seed)
        draw = random.Random(seed)
        options = [u - v for u, v in counters.splits(weights) if u > v]
        wanted = draw.choice([*options, Fraction(draw.randint(1, 50))])
        problem = DifferencePartition(RationalWeights(weights), wanted)
        expected = counters.differences(weights, wanted)
        found = count_from_sums(problem, lambda ratio, weights=weights: counters.excess(weights, ratio))  # type: ignore[misc]
        assert problem.count() == found.count == expected
        if found.target is not None:
            asked += 1
            r1, r2, r3, r4 = found.target.thresholds
            rho = found.target.inside / found.target.outside  # type: ignore[operator]
            assert 1 < r1 < r2 < rho < r3 < r4
            assert all(u / v == rho or not r1 <= u / v <= r4 for u, v in counters.splits(weights))
    assert asked > INSTANCES // 2


def test_differences_to_sums_of_roots() -> None:
    for seed in range(INSTANCES):
        integers = integers_of(seed, most=9)
        problem = difference_from_partition(partition_from_integers(IntegerPartition(integers)))
        weights = problem.weights
        found = count_from_sums(problem, lambda ratio, weights=weights: SumPartition(weights, ratio).value())  # type: ignore[misc]
        assert found.count == counters.even_sums(integers)
        assert len(found.answers) == 4


def test_sums_to_compositions() -> None:
    for seed in range(INSTANCES):
        weights, draw = weights_at(seed, most=6), random.Random(seed)
        ratio = Fraction(draw.randint(11, 60), 10)
        problem = SumPartition(RationalWeights(weights), ratio)
        expected = counters.excess(weights, ratio)
        assert problem.value() == expected
        delta = problem.delta()
        assert delta == oc.Enclosure.exactly(expected / prod((1 + w for w in weights), start=Fraction(1)))
        exact = OptimalComposition(problem.weights, Fraction(delta.lower)).value()
        assert exact == Logarithm.of(min(ratio, max(Fraction(1), prod(weights, start=Fraction(1)))))
        found = sum_from_epsilons(problem, exact_oracle(problem.weights), width="1/100")
        assert expected in found.value
        assert found.value.width <= Fraction(1, 100)


def test_the_library_and_the_exact_solver_agree_about_compositions() -> None:
    for seed in range(60):
        weights, draw = RationalWeights(weights_at(seed, most=6)), random.Random(seed)
        delta = Fraction(draw.randint(0, 99), 97 * 2)
        try:
            answer = composition_oracle(weights)(delta)
        except oc.UndecidedError:
            continue
        assert OptimalComposition(weights, delta).enclosure().intersects(answer)


def test_compositions_with_deltas_of_their_own() -> None:
    for delta in ("1/10", "0.0199", "1/100", "0.3"):
        epsilons, deltas = ["ln(2)", "ln(3)"], ["1/100", "1/100"]
        found = OptimalComposition.of_epsilons(epsilons, delta=delta, deltas=deltas)
        parts = [oc.ApproxDP(epsilon=e, delta=d) for e, d in zip(epsilons, deltas, strict=True)]
        profile = oc.compose(parts)
        assert found.enclosure().intersects(profile.epsilon(delta=delta))
        assert found.delta_at_zero().intersects(profile.delta(epsilon=0))


def test_sums_of_roots_against_decimals() -> None:
    with mpmath.workdps(60):
        for seed in range(40):
            integers = integers_of(seed, most=7)
            weights = RootWeights(Fraction(3), 7, integers)
            plain = [mpmath.mpf(3) ** (mpmath.mpf(z) / 7) for z in integers]
            for ratio in (Fraction(1), Fraction(3, 2)):
                answer = SumPartition(weights, ratio).value()
                pairs = counters.splits(plain)
                expected = mpmath.fsum(
                    max(0, u - mpmath.mpf(ratio.numerator) / ratio.denominator * v) for u, v in pairs
                )
                ends = enclosure_of(answer) if isinstance(answer, Fraction) else answer
                low, high = (
                    mpmath.mpf(Fraction(e).numerator) / Fraction(e).denominator for e in (ends.lower, ends.upper)
                )
                assert low - mpmath.mpf("1e-50") <= expected <= high + mpmath.mpf("1e-50")


def test_witnesses() -> None:
    for seed in range(INSTANCES):
        weights, draw = weights_at(seed, most=7), random.Random(seed)
        ratio, bits = Fraction(draw.randint(10, 60), 10), draw.randint(0, 24)
        number = witnesses(weights, ratio=ratio, bits=bits)
        assert number == counters.witnesses(weights, ratio, bits)
        lost = counters.excess(weights, ratio) - Fraction(number, 2**bits)
        assert 0 <= lost <= Fraction(2 ** len(weights), 2**bits)


def test_epsilon_from_counting() -> None:
    for seed in range(60):
        weights, draw = RationalWeights(weights_at(seed, most=6)), random.Random(seed)
        delta = Fraction(draw.randint(0, 90), 100)
        found = epsilon_by_witnesses(weights, delta=delta, bits=10)
        assert OptimalComposition(weights, delta).enclosure().intersects(found.epsilon)
        assert found.epsilon.width <= Fraction(1, 2**10)


def test_epsilon_from_counting_with_roots() -> None:
    weights = weights_of_epsilons(["1/4*ln(2)", "1/4*ln(2)", "1/2*ln(2)", "ln(2)"])
    found = epsilon_by_witnesses(weights, delta="1/10", bits=20)
    assert OptimalComposition(weights, Fraction(1, 10)).enclosure().intersects(found.epsilon)
    assert composition_oracle(weights)(Fraction(1, 10)).intersects(found.epsilon)


@pytest.mark.parametrize("wanted", ["sqrt(2)", "2^(1/2)", "3*sqrt(2)/3", "2^(3/2)-sqrt(2)", "sqrt(8)/2"])
def test_one_difference_in_many_words(wanted: str) -> None:
    problem = DifferencePartition(RootWeights(Fraction(2), 4, (1, 1, 2, 4)), wanted)  # type: ignore[arg-type]  # text
    assert problem.count() == 2
    assert target_of(problem) is not None


@pytest.mark.parametrize("wanted", ["sqrt(3)", "5*sqrt(2)", "7/2", "3^(1/3)"])
def test_differences_that_no_product_has(wanted: str) -> None:
    problem = DifferencePartition(RootWeights(Fraction(2), 4, (1, 1, 2, 4)), wanted)  # type: ignore[arg-type]  # text
    assert problem.count() == 0
    assert count_from_sums(problem, lambda _: Fraction(0)).count == 0


def test_an_inaccurate_oracle_is_not_rounded() -> None:
    problem = difference_from_partition(partition_from_integers(IntegerPartition((1, 1, 2))))
    wide = oc.Enclosure(Fraction(0), Fraction(10))
    with pytest.raises(oc.UndecidedError):
        count_from_sums(problem, lambda _: wide)
    with pytest.raises(oc.InvalidParameterError):
        count_from_sums(problem, lambda ratio: 1 / ratio)
    with pytest.raises(oc.UndecidedError):
        sum_from_epsilons(SumPartition(problem.weights, Fraction(3, 2)), lambda _: wide, width="1e-3")

"""The running account of errors against exact rationals."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from optcomp.numerics import lattice
from optcomp.numerics.binomial import binomial
from optcomp.numerics.lattice import Measure, convolve, dilated_size, point
from optcomp.numerics.sums import blocked_sum
from tests.numerics.accounts import account_holds, binomial_law, exact_convolution, measured, random_law, smaller


def integers(draw: np.random.Generator, size: int) -> list[int]:
    return [int(each) for each in draw.integers(1, 2**30, size)]


def product_of_polynomials(first: list[int], second: list[int]) -> list[int]:
    """Exact convolution of non-negative integers through one product of two very long ones."""
    bits = max(first).bit_length() + max(second).bit_length() + min(len(first), len(second)).bit_length() + 1
    width = -(-bits // 8)
    packed = [
        int.from_bytes(b"".join(value.to_bytes(width, "little") for value in each), "little")
        for each in (first, second)
    ]
    size = len(first) + len(second) - 1
    product = (packed[0] * packed[1]).to_bytes(width * size, "little")
    return [int.from_bytes(product[width * place : width * (place + 1)], "little") for place in range(size)]


def dilated(values: list[int], stride: int) -> list[int]:
    spread = [0] * ((len(values) - 1) * stride + 1)
    spread[::stride] = values
    return spread


def exact_measure(values: list[int], total: int) -> Measure:
    return Measure(
        start=0, masses=np.array([value / total for value in values]), relative=2.0**-52, noise=0.0, dropped=0.0
    )


@pytest.mark.parametrize("seed", range(12))
def test_account_of_random_small_measures(seed: int) -> None:
    draw = np.random.default_rng(seed)
    first = random_law(draw, int(draw.integers(1, 25)), start=int(draw.integers(-9, 9)))
    second = random_law(draw, int(draw.integers(1, 25)), start=int(draw.integers(-9, 9)))
    stride = int(draw.integers(1, 6))
    assert account_holds(convolve(measured(first), measured(second), stride), exact_convolution(first, second, stride))


@pytest.mark.parametrize("seed", range(6))
def test_account_of_a_chain(seed: int) -> None:
    draw = np.random.default_rng(100 + seed)
    found, true = point(), {0: Fraction(1)}
    for _ in range(4):
        law, stride = random_law(draw, 6), int(draw.integers(1, 4))
        found, true = convolve(found, measured(law), stride), exact_convolution(true, law, stride)
    assert account_holds(found, true)
    assert found.relative < 1e-13
    assert found.noise < 1e-280
    assert found.dropped == 0


@pytest.mark.parametrize(
    ("first_size", "second_size", "stride"),
    [(500, 40, 3), (40, 500, 3), (400, 400, 3), (350, 420, 1), (2, 301, 7), (320, 310, 40)],
)
def test_account_of_every_direct_way(first_size: int, second_size: int, stride: int) -> None:
    draw = np.random.default_rng(first_size + second_size)
    first, second = integers(draw, first_size), integers(draw, second_size)
    totals = sum(first), sum(second)
    found = convolve(exact_measure(first, totals[0]), exact_measure(second, totals[1]), stride)
    exact = product_of_polynomials(first, dilated(second, stride))
    true = {place: Fraction(value, totals[0] * totals[1]) for place, value in enumerate(exact)}
    assert not found.signed
    assert account_holds(found, true)


@pytest.mark.parametrize(("size", "stride"), [(3000, 1), (6000, 2)])
def test_account_of_the_fourier_way(size: int, stride: int) -> None:
    draw = np.random.default_rng(size)
    first, second = integers(draw, size), integers(draw, size - 7)
    totals = sum(first), sum(second)
    found = convolve(exact_measure(first, totals[0]), exact_measure(second, totals[1]), stride)
    exact = product_of_polynomials(first, dilated(second, stride))
    true = {place: Fraction(value, totals[0] * totals[1]) for place, value in enumerate(exact)}
    assert found.signed
    assert 0 < found.noise < 1e-13
    assert account_holds(found, true)
    again = convolve(
        found, measured({0: Fraction(1, 3), 1: Fraction(2, 3)}), 1
    )  # noise goes through the direct way too
    both = exact_convolution(true, {0: Fraction(1, 3), 1: Fraction(2, 3)}, 1)
    assert again.signed
    assert account_holds(again, both)


def test_a_relative_error_is_carried_and_no_smaller_bound_would_do() -> None:
    """Every mass too small by the full claimed error, in both factors."""
    share = Fraction(1, 1000)
    masses = [Fraction(1, 4) / (1 + share), Fraction(3, 4) / (1 + share)]
    law = {0: Fraction(1, 4), 1: Fraction(3, 4)}
    claimed = Measure(
        start=0, masses=np.array([float(m) for m in masses]), relative=0.001 + 1e-15, noise=0.0, dropped=0.0
    )
    assert account_holds(claimed, law)
    found, true = convolve(claimed, claimed, 1), exact_convolution(law, law, 1)
    assert account_holds(found, true)
    assert not account_holds(smaller(found, "relative", 1.01), true)


def test_noise_is_carried_and_no_smaller_bound_would_do() -> None:
    noise = 2.0**-20
    claimed = Measure(start=0, masses=np.array([0.5 + noise, 0.5]), relative=0.0, noise=noise, dropped=0.0, signed=True)
    law = {0: Fraction(1, 2), 1: Fraction(1, 2)}
    assert account_holds(claimed, law)
    sharp = Measure(start=0, masses=np.ones(1), relative=0.0, noise=0.0, dropped=0.0)
    found = convolve(claimed, sharp, 1)
    assert account_holds(found, law)
    assert not account_holds(smaller(found, "noise", 1.01), law)
    twice, true = convolve(claimed, claimed, 1), exact_convolution(law, law, 1)
    assert account_holds(twice, true)
    assert not account_holds(smaller(twice, "noise", 10), true)


def test_dropped_mass_adds_up_and_no_smaller_bound_would_do() -> None:
    lost = 2.0**-30
    law = {0: Fraction(1) - Fraction(lost), 5: Fraction(lost)}
    claimed = Measure(start=0, masses=np.array([1 - lost]), relative=0.0, noise=0.0, dropped=lost)
    assert account_holds(claimed, law)
    found, true = convolve(claimed, claimed, 1), exact_convolution(law, law, 1)
    assert account_holds(found, true)
    assert not account_holds(smaller(found, "dropped", 1.01), true)


def test_cropped_ends_are_accounted() -> None:
    """A law with long ends far below 1e-34 loses them, and says so."""
    law = {place: Fraction(1, 2**400) for place in range(600)}
    law[300] = 1 - 599 * Fraction(1, 2**400)
    start = measured(law)
    found = convolve(start, point(), 1)
    assert len(found.masses) < 600
    assert 0 < found.dropped < 1e-30
    assert account_holds(found, law)
    assert not account_holds(replace(found, dropped=0.0), law)


@pytest.mark.parametrize(("count", "odds", "stride"), [(12, 0.5, 3), (30, 0.25, 2), (7, 2.0**-40, 5)])
def test_account_of_binomials(count: int, odds: float, stride: int) -> None:
    law = binomial_law(count, Fraction(odds))
    found = convolve(binomial(count, odds), binomial(2 * count, odds), stride)
    assert account_holds(found, exact_convolution(law, binomial_law(2 * count, Fraction(odds)), stride))


@pytest.mark.parametrize("size", [1, 2, 3, 10, 1000, 4097])
def test_blocked_sum_stays_within_its_bound(size: int) -> None:
    values = np.random.default_rng(size).normal(size=size) * 10.0 ** np.random.default_rng(size + 1).integers(
        -9, 9, size
    )
    found, roundings = blocked_sum(values)
    exact = sum((Fraction(each) for each in values.tolist()), start=Fraction(0))
    magnitude = sum((abs(Fraction(each)) for each in values.tolist()), start=Fraction(0))
    bound = Fraction(roundings) * Fraction(1, 2**53) * Fraction(1001, 1000)
    assert abs(Fraction(found) - exact) <= bound * magnitude


def test_dilated_size() -> None:
    assert dilated_size(1, 9) == 1
    assert dilated_size(4, 3) == len(dilated([1, 1, 1, 1], 3))


def test_the_fourier_way_is_taken_only_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def spy(first: lattice.Floats, second: lattice.Floats) -> tuple[lattice.Floats, float]:
        sizes.append(len(first))
        return np.convolve(first, second), 0.0

    monkeypatch.setattr(lattice, "convolve_by_fft", spy)
    for size in (10, 299, 500, 5000):
        law = Measure(start=0, masses=np.full(size, 1 / size), relative=0.0, noise=0.0, dropped=0.0)
        convolve(law, law, 1)
    assert sizes == [5000]

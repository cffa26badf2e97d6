"""Many draws at once: thresholds against mpmath, forced ties, extension beyond the table, and goodness of fit."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from optcomp.mechanisms import ApproxDP, DiscreteGaussian, DiscreteLaplace, PureDP, RandomizedResponse, Skellam
from optcomp.noise import GridStaircase, SeededSourceForTests, draw, draw_many, draw_sum, respond_many
from optcomp.noise.bulk import _gaussian_table, _joined, _laplace_digits, coins, uniforms_below
from optcomp.noise.tables import Table
from optcomp.numerics.balls import ball
from tests.noise.enumeration import BitString, Script
from tests.noise.laws import fits, gaussian_law, laplace_law, number, skellam_law, staircase_law

WORD = 2**64


def half_gaussian(variance: Fraction) -> list[mpmath.mpf]:
    spread = number(variance)
    weights = [mpmath.exp(-(mpmath.mpf(a) ** 2) / (2 * spread)) for a in range(2000)]
    total = mpmath.fsum(weights)
    return [weight / total for weight in weights]


@pytest.mark.parametrize("scale", ["1", "1/3", "10", "100", "1000", "1e9"])
def test_the_thresholds_of_laplace_digits_are_the_truth_rounded_down(scale: str) -> None:
    tables = _laplace_digits(Fraction(scale))
    for place, table in enumerate(tables):
        rate = mpmath.mpf(256) ** place / number(Fraction(scale))
        whole = 1 if place == len(tables) - 1 else 1 - mpmath.exp(-256 * rate)
        for i in range(0, len(table.high), 1 + len(table.high) // 200):
            truth = int(mpmath.floor(WORD * ((1 - mpmath.exp(-rate * (i + 1))) / whole)))
            assert int(table.low[i]) <= min(truth, WORD - 1) <= int(table.high[i])
        assert (table.high - table.low[:-1]).max() <= 1


@pytest.mark.parametrize("variance", ["1", "1/3", "50", "1000"])
def test_the_thresholds_of_a_gaussian_are_the_truth_rounded_down(variance: str) -> None:
    table = _gaussian_table(Fraction(variance))
    sums = list(itertools.accumulate(half_gaussian(Fraction(variance))))
    for i in range(len(table.high)):
        truth = int(mpmath.floor(WORD * sums[i]))
        assert int(table.low[i]) <= min(truth, WORD - 1) <= int(table.high[i])
    assert (table.high - table.low[:-1]).max() <= 1


@pytest.mark.parametrize("chance", [Fraction(1, 3), Fraction(2, 7), Fraction(5, 11)])
def test_a_tie_is_decided_by_the_bits_that_follow(chance: Fraction) -> None:
    """The word equals the threshold; then the next 64 bits decide, exactly where the truth says."""
    table = Table(distribution=lambda _: ball(chance), first=lambda: iter([ball(chance)]), last=1)
    tie = int(chance * WORD)
    assert table.low[0] == table.high[0] == tie
    border = int(chance * WORD**2) % WORD
    for following in {0, 1, border - 1, border + 1, WORD - 1, WORD // 2}:
        source = Script([tie], BitString(following, 64))
        assert table.draw(1, source)[0] == (0 if following < border else 1)
    for further in {0, WORD - 1}:  # a tie again: a third word decides
        source = Script([tie], BitString(border << 64 | further, 128))
        assert table.draw(1, source)[0] == (0 if further < int(chance * WORD**3) % WORD else 1)


def test_ties_of_a_gaussian_have_the_law_of_the_digits_that_follow() -> None:
    variance = Fraction(5)
    table = _gaussian_table(variance)
    sums = list(itertools.accumulate(half_gaussian(variance)))
    for i in range(10):
        tie = int(table.high[i])
        border = int(mpmath.floor(sums[i] * mpmath.mpf(WORD) ** 2)) - tie * WORD
        for following in (border - 1, border + 1):
            assert table.draw(1, Script([tie], BitString(following, 64)))[0] == (i if following < border else i + 1)


def test_words_next_to_a_threshold_need_no_more_bits() -> None:
    table = _laplace_digits(Fraction(10))[0]
    for i in range(20):
        words = [int(table.low[i]) - 1, int(table.high[i]) + 1]
        assert list(table.draw(2, Script(words, BitString(0, 0)))) == [i, i + 1]


def test_beyond_the_table_it_goes_on() -> None:
    """U is within 2^-128 of 1, and the draw is where the tail falls below that."""
    last_digits = WORD - 2
    table = _laplace_digits(Fraction(3))[0]
    found = int(table.draw(1, Script([WORD - 1], BitString(last_digits << 128 | 12345, 192)))[0])
    assert len(table.high) < found
    tail = mpmath.mpf(2) ** -128
    assert mpmath.exp(-mpmath.mpf(found + 1) / 3) < 2 * tail
    assert mpmath.exp(-mpmath.mpf(found) / 3) > tail
    table = _gaussian_table(Fraction(9))
    found = int(table.draw(1, Script([WORD - 1], BitString(last_digits << 128 | 12345, 192)))[0])
    law = half_gaussian(Fraction(9))
    assert mpmath.fsum(law[found + 1 :]) < 2 * tail
    assert mpmath.fsum(law[found:]) > tail


def test_a_value_too_large_for_64_bits_is_kept() -> None:
    top = np.array([2**40], dtype=np.int64)
    digits = [np.array([7], dtype=np.int64)] * 4
    assert _joined([*digits, top])[0] == 2**72 + 7 * (2**24 + 2**16 + 2**8 + 1)


LAPLACE = [("1/2", 4), ("1", 8), ("10", 60), ("100", 600), ("1000", 6000), ("1e7", 6 * 10**7)]


@pytest.mark.parametrize(("scale", "reach"), LAPLACE[:5])
def test_laplace_draws_fit(scale: str, reach: int) -> None:
    values = draw_many(DiscreteLaplace(scale=scale), 400_000, source=SeededSourceForTests(1))
    assert fits(values, laplace_law(Fraction(scale)), low=-reach, high=reach) > 1e-3


@pytest.mark.parametrize("scale", ["1e7", "1e14"])
def test_draws_of_a_large_scale_fit(scale: str) -> None:
    values = draw_many(DiscreteLaplace(scale=scale), 300_000, source=SeededSourceForTests(2)).astype(np.float64)
    shares = np.histogram(np.exp(-np.abs(values) / float(scale)), bins=20, range=(0, 1))[0]  # uniform
    assert ((shares - 15_000) ** 2 / 15_000).sum() < 43.8  # the quantile at 0.999 for 19 degrees
    assert abs(np.count_nonzero(values < 0) - 150_000) < 900
    low_digit = np.abs(values).astype(np.int64) % 256
    counts = np.bincount(low_digit, minlength=256)
    assert ((counts - 300_000 / 256) ** 2 / (300_000 / 256)).sum() < 330


@pytest.mark.parametrize(("variance", "reach"), [("1/4", 2), ("1", 4), ("30.5", 20), ("1000", 110)])
def test_gaussian_draws_fit(variance: str, reach: int) -> None:
    values = draw_many(DiscreteGaussian(variance=variance), 400_000, source=SeededSourceForTests(3))
    assert fits(values, gaussian_law(Fraction(variance)), low=-reach, high=reach) > 1e-3


@pytest.mark.parametrize(
    ("mechanism", "law", "reach"),
    [
        (DiscreteLaplace(scale=20), laplace_law(Fraction(20)), 100),
        (DiscreteGaussian(variance=200), gaussian_law(Fraction(200)), 50),
        (Skellam(variance=3), skellam_law(Fraction(3)), 7),
        (GridStaircase(epsilon=1, steps=10, fall=3), staircase_law(mpmath.mpf(1), 10, 3), 50),
    ],
)
def test_single_draws_fit(mechanism, law, reach: int) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    source = SeededSourceForTests(4)
    values = np.array([draw(mechanism, source=source) for _ in range(15_000)])
    assert fits(values, law, low=-reach, high=reach, cells=25) > 1e-3


def test_moments_of_a_scale_of_2_to_the_100() -> None:
    source = SeededSourceForTests(5)
    scaled = [draw(DiscreteLaplace(scale=2**100), source=source) / 2**100 for _ in range(6000)]
    assert abs(np.mean(scaled)) < 0.08
    assert abs(np.mean(np.abs(scaled)) - 1) < 0.05
    scaled = [draw(DiscreteGaussian(variance=2**200), source=source) / 2**100 for _ in range(6000)]
    assert abs(np.mean(scaled)) < 0.05
    assert abs(np.var(scaled) - 1) < 0.08
    many = draw_many(DiscreteLaplace(scale=2**100), 50, source=source)
    assert many.dtype == np.object_
    assert all(type(value) is int for value in many)
    assert draw_many(DiscreteGaussian(variance=2**40), 50, source=source).dtype == np.int64


def test_the_low_bits_of_huge_noise_are_uniform() -> None:
    source = SeededSourceForTests(6)
    odd = sum(draw(DiscreteLaplace(scale=2**100), source=source) & 1 for _ in range(5000))
    assert abs(odd - 2500) < 200


def test_sums_fit() -> None:
    source = SeededSourceForTests(7)
    parts = [DiscreteLaplace(scale=3), DiscreteGaussian(variance=10), DiscreteLaplace(scale=3)]
    values = [draw_sum(parts, source=source) for _ in range(5000)]
    r = np.exp(-1 / 3)
    assert abs(np.var(values) - (2 * 2 * r / (1 - r) ** 2 + 10)) < 4
    assert draw_sum([], source=source) == 0


def test_no_noise_and_no_draws() -> None:
    for nothing in (
        DiscreteLaplace(scale=0, sensitivity=0),
        DiscreteGaussian(variance=0, sensitivity=0),
        Skellam(variance=0, sensitivity=0),
        GridStaircase(epsilon=1, steps=0, fall=0),
    ):
        assert draw(nothing) == 0
        assert list(draw_many(nothing, 3)) == [0, 0, 0]
        assert draw_many(nothing, 0).shape == (0,)
    assert draw_many(DiscreteLaplace(scale=2), 0).shape == (0,)


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 256, 1000, 2**40 + 1, 2**70])
def test_uniform_numbers_are_uniform(bound: int) -> None:
    many = 40_000 if bound < 2**60 else 4000
    values = uniforms_below(bound, many, SeededSourceForTests(8))
    assert min(values) >= 0
    assert max(values) < bound
    cells = min(bound, 16)
    counts = np.bincount([int(value) * cells // bound for value in values], minlength=cells)
    expected = many * np.diff([-(-c * bound // cells) for c in range(cells + 1)]).astype(float) / bound
    assert ((counts - expected) ** 2 / expected).sum() < 40


@pytest.mark.parametrize("chance", [Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 1000)])
def test_coins_have_their_chance(chance: Fraction) -> None:
    found = coins(lambda: ball(chance), 100_000, SeededSourceForTests(9)).mean()
    assert abs(found - chance) <= 4 * float(chance * (1 - chance) / 100_000) ** 0.5


def test_many_responses_fit() -> None:
    truths = np.repeat(np.arange(4), 30_000)
    ternary = respond_many(RandomizedResponse(probability="0.7", categories=4), truths, source=SeededSourceForTests(1))
    private = respond_many(PureDP(epsilon=1), truths, categories=4, source=SeededSourceForTests(2))
    for answers, own in ((ternary, 0.7), (private, np.e / (np.e + 3))):
        for truth in range(4):
            shares = np.bincount(answers[truths == truth], minlength=4) / 30_000
            wanted = np.full(4, (1 - own) / 3)
            wanted[truth] = own
            assert np.abs(shares - wanted).max() < 0.012
    bits = np.repeat([0, 1], 50_000)
    four = respond_many(ApproxDP(epsilon=1, delta="0.1"), bits, source=SeededSourceForTests(3))
    t = np.e
    table = np.array([0.1, 0.9 * t / (1 + t), 0.9 / (1 + t), 0])
    assert np.abs(np.bincount(four[bits == 0], minlength=4) / 50_000 - table).max() < 0.01
    assert np.abs(np.bincount(four[bits == 1], minlength=4) / 50_000 - table[::-1]).max() < 0.01
    assert respond_many(PureDP(epsilon=1), []).shape == (0,)

"""The one door to ball arithmetic: what it contains, and what it leaves behind."""

from __future__ import annotations

import math
import threading
from fractions import Fraction

import flint
import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optcomp.errors import UndecidedError
from optcomp.numerics.balls import (
    HIGHEST_PRECISION,
    Ball,
    ball,
    enclose,
    ends,
    hull,
    nearest_float,
    precision,
    refine,
    sign,
    with_error,
)
from optcomp.quantities import Enclosure, Logarithm
from tests.oracles.brute_force import to_fraction

FRACTIONS = st.fractions(max_denominator=10**12)


def test_precision_comes_back() -> None:
    before = flint.ctx.prec
    with precision(200):
        assert flint.ctx.prec == 200
        with precision(77):
            assert flint.ctx.prec == 77
        assert flint.ctx.prec == 200
    assert flint.ctx.prec == before


def test_precision_and_lock_come_back_after_an_exception() -> None:
    before = flint.ctx.prec

    def fails() -> None:
        with precision(300):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert flint.ctx.prec == before
    entered = threading.Event()

    def enter() -> None:
        with precision(64):
            entered.set()

    other = threading.Thread(target=enter, daemon=True)
    other.start()
    other.join(timeout=10)
    assert entered.is_set()


def test_threads_do_not_meet_each_others_precision() -> None:
    wrong: list[int] = []
    start = threading.Barrier(4)

    def work(bits: int) -> None:
        start.wait(timeout=10)
        for _ in range(200):
            with precision(bits):
                (ball(Fraction(1, 3)) + 1).exp()
                if flint.ctx.prec != bits:
                    wrong.append(bits)

    threads = [threading.Thread(target=work, args=(bits,)) for bits in (60, 120, 500, 1000)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(timeout=60)
    assert wrong == []
    assert not any(each.is_alive() for each in threads)


@given(value=FRACTIONS, bits=st.integers(min_value=2, max_value=300))
def test_a_ball_contains_its_number(value: Fraction, bits: int) -> None:
    with precision(bits):
        low, high = ends(ball(value))
    assert low <= value <= high


@given(value=FRACTIONS, bits=st.integers(min_value=2, max_value=300))
def test_an_enclosure_contains_its_ball(value: Fraction, bits: int) -> None:
    with precision(bits):
        made = ball(value)
    found = enclose(made)
    low, high = ends(made)
    assert found.lower <= low <= value <= high <= found.upper


def test_an_enclosure_is_clipped_to_what_is_known() -> None:
    with precision(20):
        wide = ball(Fraction(1, 3)) - ball(Fraction(1, 3))
    found = enclose(wide, least=Fraction(0), most=Fraction(1))
    assert found.lower == 0
    assert 0 < found.upper < 1
    unknown = enclose(_unknown(), least=Fraction(0), most=Fraction(1))
    assert (unknown.lower, unknown.upper) == (0, 1)


def _unknown() -> Ball:
    with precision(53):
        return 1 / (ball(Fraction(1, 3)) - ball(Fraction(1, 3)))


def test_an_unknown_ball_has_infinite_ends() -> None:
    assert ends(_unknown()) == (-math.inf, math.inf)


@given(a=FRACTIONS, b=FRACTIONS)
def test_a_hull_contains_both_ends(a: Fraction, b: Fraction) -> None:
    interval = Enclosure(min(a, b), max(a, b))
    with precision(40):
        low, high = ends(hull(interval))
    assert low <= interval.lower <= interval.upper <= high


def test_the_hull_of_something_infinite_is_refused() -> None:
    with pytest.raises(UndecidedError):
        hull(Enclosure.exactly(math.inf))


@pytest.mark.parametrize("base", [Fraction(3, 2), Fraction(10**30 + 1, 10**30), Fraction(10**40 + 1)])
def test_a_logarithm_is_contained(base: Fraction) -> None:
    with mpmath.workdps(120):
        true = 7 * to_fraction(mpmath.log1p(mpmath.mpf((base - 1).numerator) / (base - 1).denominator)) / 3
    with precision(200):
        low, high = ends(ball(Logarithm(base, Fraction(7, 3))))
    slack = true / 10**80
    assert low <= true + slack
    assert true - slack <= high
    assert high - low <= true / 10**20


@pytest.mark.parametrize("value", [0.1, 1.0, -3.5, 1e-300, 1e300, 0.0])
def test_nearest_float_of_a_float(value: float) -> None:
    with precision(53):
        assert nearest_float(ball(value)) == value


@pytest.mark.parametrize(("value", "relative", "absolute"), [(3.0, 1e-10, 0.0), (-2.0, 0.0, 1e-3), (0.0, 1.0, 1e-9)])
def test_with_error_contains_every_true_value(value: float, relative: float, absolute: float) -> None:
    with precision(53):
        low, high = ends(with_error(value, relative=relative, absolute=absolute))
    reach = abs(Fraction(value)) * Fraction(relative) + Fraction(absolute)
    assert low <= Fraction(value) - reach
    assert Fraction(value) + reach <= high
    assert high - low <= 2 * reach * Fraction(1001, 1000)


def test_sign() -> None:
    with precision(53):
        third = ball(Fraction(1, 3))
        assert sign(third) == 1
        assert sign(-third) == -1
        assert sign(ball(Fraction(0))) == 0
        assert sign(third - third) is None


def test_refine_raises_the_precision_until_it_suffices() -> None:
    tried: list[int] = []

    def compute() -> Ball:
        tried.append(flint.ctx.prec)
        return (1 + ball(Fraction(1, 10**60))) - 1

    found = refine(compute, start=64, accuracy=40, what="a small number")
    assert tried == [64, 128, 256]
    low, high = ends(found)
    assert low <= Fraction(1, 10**60) <= high
    assert high - low <= Fraction(1, 2**39 * 10**60)


def test_refine_gives_up_at_the_highest_precision() -> None:
    tried: list[int] = []

    def compute() -> None:
        tried.append(flint.ctx.prec)

    with pytest.raises(UndecidedError, match="the unknown"):
        refine(compute, start=64, accuracy=40, what="the unknown")
    assert tried[-1] == HIGHEST_PRECISION


def test_refine_takes_a_number_that_may_be_zero_when_it_is_small_enough() -> None:
    def compute() -> Ball:
        return ball(Fraction(1, 3)) - ball(Fraction(1, 3))

    low, high = ends(refine(compute, start=64, accuracy=40, floor=100, what="zero"))
    assert low <= 0 <= high
    assert high - low <= Fraction(1, 2**99)

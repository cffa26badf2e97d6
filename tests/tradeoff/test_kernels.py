"""Data processing and its converse: kernels and witnesses verified here, and by linear programming."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from optcomp import FinitePair, Kernel, dominates
from tests.tradeoff.oracles import brute_delta, carries, kernel, pair, processed, through

UNIT = FinitePair(first=[1], second=[1])


def case(source: random.Random) -> tuple[FinitePair, FinitePair, bool]:
    """Two pairs, and whether the second one was made from the first."""
    first = pair(source, source.randint(1, 7))
    kind = source.randrange(4)
    if kind in {0, 1}:
        return first, processed(source, first, source.randint(1, 7)), True
    if kind == 2:
        return first, pair(source, source.randint(1, 7)), False
    made = processed(source, first, source.randint(2, 7))  # nearly equal: a little moved from one to another
    tiny = Fraction(1, 10**9)
    row = list(made.first)
    giver = max(range(len(row)), key=row.__getitem__)
    taker = source.choice([place for place in range(len(row)) if place != giver])
    row[giver] -= tiny
    row[taker] += tiny
    return first, FinitePair(first=row, second=made.second), False


def verify(first: FinitePair, second: FinitePair) -> bool:
    """Whether it dominates, the proof verified here."""
    found = dominates(first, second)
    assert (found.kernel is None) != (found.witness is None)
    assert found.holds == (found.kernel is not None)
    if found.kernel is not None:
        assert carries(found.kernel.rows, first, second)
        assert found.kernel.carries(first, second)
        return True
    witness = found.witness
    assert witness is not None
    assert witness.exp_epsilon >= 0
    assert witness.first_delta == brute_delta(first, witness.exp_epsilon)
    assert witness.second_delta == brute_delta(second, witness.exp_epsilon)
    assert witness.second_delta > witness.first_delta
    return False


def test_a_kernel_or_a_witness() -> None:
    source = random.Random(11)
    outcomes = {True: 0, False: 0}
    for _ in range(2000):
        first, second, made = case(source)
        holds = verify(first, second)
        outcomes[holds] += 1
        assert holds or not made
    assert min(outcomes.values()) > 300


@pytest.mark.nightly
def test_a_kernel_or_a_witness_for_long() -> None:
    source = random.Random()
    for _ in range(15_000):
        first, second, made = case(source)
        assert verify(first, second) or not made


def feasible(first: FinitePair, second: FinitePair) -> bool:
    """Whether a linear program finds a kernel."""
    rows, columns = first.size, second.size
    equations, right = [], []
    for row in range(rows):
        line = np.zeros((rows, columns))
        line[row] = 1
        equations.append(line.ravel())
        right.append(1.0)
    for law, target in ((first.first, second.first), (first.second, second.second)):
        for column in range(columns):
            line = np.zeros((rows, columns))
            line[:, column] = [float(mass) for mass in law]
            equations.append(line.ravel())
            right.append(float(target[column]))
    found = linprog(np.zeros(rows * columns), A_eq=np.array(equations), b_eq=np.array(right), method="highs")
    return bool(found.status == 0)


def test_a_linear_program_agrees() -> None:
    source = random.Random(12)
    compared = {True: 0, False: 0}
    for _ in range(200):
        first, second, made = case(source)
        found = dominates(first, second)
        if found.witness is not None and found.witness.second_delta - found.witness.first_delta < Fraction(1, 10**5):
            continue  # closer than the tolerance of the program
        if made and first.size == 1:
            continue
        assert feasible(first, second) == found.holds
        compared[found.holds] += 1
    assert min(compared.values()) > 25
    assert sum(compared.values()) >= 150


def test_reflexive_and_transitive() -> None:
    source = random.Random(13)
    for _ in range(150):
        first = pair(source, source.randint(1, 6))
        assert verify(first, first)
        assert verify(first, first.reduced)
        assert verify(first.reduced, first)
        second = processed(source, first, source.randint(1, 6))
        third = processed(source, second, source.randint(1, 6))
        one, other = dominates(first, second).kernel, dominates(second, third).kernel
        assert one is not None
        assert other is not None
        assert carries(one.then(other).rows, first, third)
        assert verify(first, third)
    chains = 0
    for _ in range(400):
        first, second, third = (pair(source, source.randint(1, 4)) for _ in range(3))
        if dominates(first, second).holds and dominates(second, third).holds:
            assert verify(first, third)
            chains += 1
    assert chains > 20


def test_the_extremes() -> None:
    source = random.Random(14)
    revealing = FinitePair(first=[1, 0], second=[0, 1])
    for _ in range(150):
        any_pair = pair(source, source.randint(1, 6))
        assert verify(revealing, any_pair)
        assert verify(any_pair, UNIT)
        assert verify(UNIT, any_pair) == (any_pair.first == any_pair.second)
        assert verify(any_pair, revealing) == (any_pair.failure == 1)


def test_a_failure_in_one_order_only() -> None:
    """Beyond the last knot, only the failures are left to compare."""
    leaky = FinitePair(first=["1/10", "9/10"], second=[0, 1])
    strong = FinitePair(first=["9/10", "1/10"], second=["1/10", "9/10"])
    assert not verify(strong, leaky)
    assert not verify(leaky, strong)
    assert not verify(leaky, leaky.swapped)
    assert not verify(leaky.swapped, leaky)


def test_exact_ties() -> None:
    """The second path touches the first one in its corners, or follows its edges."""
    base = FinitePair(first=["1/2", "1/3", "1/6"], second=["1/6", "1/3", "1/2"])
    assert verify(base, FinitePair(first=["1/2", "1/2"], second=["1/6", "5/6"]))
    assert verify(base, FinitePair(first=["5/6", "1/6"], second=["1/2", "1/2"]))
    halves = [Fraction(mass, 2) for mass in base.first for _ in range(2)]
    others = [Fraction(mass, 2) for mass in base.second for _ in range(2)]
    double = FinitePair(first=halves, second=others)
    assert verify(base, double)
    assert verify(double, base)


def test_wrong_kernels_do_not_carry() -> None:
    base = FinitePair(first=["3/4", "1/4"], second=["1/4", "3/4"])
    one, zero = Fraction(1), Fraction(0)
    assert Kernel(((one, zero), (zero, one))).carries(base, base)
    assert not Kernel(((zero, one), (one, zero))).carries(base, base)
    assert not Kernel(((one, zero),)).carries(base, base)
    assert not Kernel(((one,), (one,))).carries(base, base)
    assert not Kernel(((2 * one, -one), (zero, one))).carries(base, base)
    assert not Kernel(((one, one), (zero, one))).carries(base, base)


def test_kernels_one_after_the_other() -> None:
    source = random.Random(15)
    for _ in range(50):
        rows = kernel(source, 3, 4), kernel(source, 4, 2)
        whole = Kernel(rows[0]).then(Kernel(rows[1]))
        law = pair(source, 3).first
        assert whole.applied(law) == through(through(law, rows[0]), rows[1])

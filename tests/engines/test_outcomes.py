"""The sum over all outcomes: exact for few of them, whatever the sizes of the epsilons."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

import optcomp as oc
from optcomp.engines.outcomes import Outcomes
from optcomp.losses import lower
from tests.oracles.brute_force import BruteForce, plain, to_fraction
from tests.oracles.problems import points, problem, targets

SLACK = Fraction(1, 10**50)
WIDEST = 1e-15


def assert_holds(found: oc.Enclosure, truth: object) -> None:
    true = to_fraction(truth)
    assert found.lower <= true + abs(true) * SLACK
    assert true - abs(true) * SLACK <= found.upper


@pytest.mark.parametrize("index", range(0, 54, 4))
def test_random_problems(index: int) -> None:
    made = problem(index)
    if not lower(made.mechanism).losses:
        return
    oracle = made.oracle
    profile = oc.compose(made.mechanism, engine="outcomes")
    for x in points(made, oracle):
        found = profile.delta(x.rational if x.argument == 1 else f"ln({x.argument})")
        assert_holds(found, oracle.delta(x))
    for target in targets(made, oracle):
        truth = oracle.epsilon(target)
        try:
            found = profile.epsilon(target)
        except oc.UndecidedError:  # next to 0 no relative width is within reach, nor where delta is next to 1
            assert truth < 1e-30 or target > 1 - Fraction(1, 10**12), (index, target)
            continue
        if mpmath.isinf(truth):
            assert found == oc.Enclosure.exactly(math.inf)
        elif truth < 1e-50:  # below the oracle's own absolute error
            assert found.lower <= Fraction(1, 10**50)
        else:
            assert_holds(found, truth)


@pytest.mark.parametrize("x", ["0", "1e-201", "1", "-1", "1e199", "9e199"])
def test_1e200_beside_1e_minus_200(x: str) -> None:
    """The large one reveals everything, up to e^-1e200; so delta is next to 1 until epsilon gets there."""
    found = oc.compose([oc.PureDP(epsilon="1e200"), oc.PureDP(epsilon="1e-200")]).delta(x)
    assert 1 - Fraction(1, 10**15) < found.lower <= found.upper
    assert found.upper <= 1


def test_1e200_beside_1e_minus_200_near_the_top() -> None:
    """At the larger epsilon only the outcome with both signs right is beyond: ``(1 - e^-tiny)/(1 + e^-tiny)``."""
    profile = oc.compose([oc.PureDP(epsilon="1e200"), oc.PureDP(epsilon="1e-200")])
    assert profile.choice.name == "outcomes"
    found, half = profile.delta("1e200"), Fraction(1, 2 * 10**200)
    assert found.lower <= half * (1 + Fraction(1, 10**30))
    assert half * (1 - Fraction(1, 10**30)) <= found.upper
    assert found.relative_width < WIDEST
    for target in ("0.5", "1e-30"):
        answer = profile.epsilon(target)
        assert answer.lower <= 10**200 + Fraction(1, 10**200)
        assert answer.upper >= 10**200 - 1000
        assert answer.relative_width < WIDEST


@pytest.mark.parametrize("target", ["1e-3", "1e-18", "1e-300", "1e-4000"])
def test_tiny_targets(target: str) -> None:
    epsilons = [Fraction(1, 10**12), Fraction(7, 10), Fraction(10**4)]
    profile = oc.compose([oc.PureDP(epsilon=each) for each in epsilons], engine="outcomes")
    found = profile.epsilon(target)
    assert_holds(found, BruteForce([(plain(each), Fraction(0)) for each in epsilons]).epsilon(Fraction(target)))
    assert found.relative_width < WIDEST


def test_how_many_outcomes_are_taken() -> None:
    eleven, twelve = (
        oc.Sequence(parts=[oc.PureDP(epsilon=Fraction(100 + n, 100)) for n in range(size)]) for size in (11, 12)
    )
    assert Outcomes.of(lower(eleven).losses) is not None
    assert Outcomes.of(lower(twelve).losses) is None
    assert Outcomes.of(lower(oc.PureDP(epsilon=1).repeated(2047)).losses) is not None
    assert Outcomes.of(lower(oc.PureDP(epsilon=1).repeated(2048)).losses) is None

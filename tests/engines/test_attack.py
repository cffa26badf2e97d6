"""Thousands of random problems against plain enumeration: an engine may not know, but it must never be wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import pytest

import optcomp as oc
from optcomp.engines.auto import TABLE
from tests.oracles.brute_force import BruteForce, Exponent, plain, to_fraction
from tests.oracles.problems import Problem, number, points, problem, targets

SAMPLE = 150
ALL = 20_000
CHUNK = 50
STRIDE = 4  # the engines that are not exact are asked every fourth question: they are slower

SELDOM = 7  # and they meet every seventh problem only

SLACK = Fraction(1, 10**50)  # the oracle's own rounding, relative
NEXT_TO_NOTHING = Fraction(1, 10**30)  # an answer this small may be wide beside its own size
SMALLEST = Fraction(1, 10**60)  # and absolute, for an epsilon that is 0 or nearly so
EXACT = {rule.name: rule.exact for rule in TABLE}
WIDEST = {"nothing": 1e-17, "binomial": 1e-12, "outcomes": 1e-12}
WIDEST_OF_OTHERS = 1e-9

# A question is well conditioned when a relative change of 1e-12 in what is given changes the answer by less than 1e-11.
# Such a question must be answered; the others may end with UndecidedError.
WELL_CONDITIONED = 1e1
# An epsilon is given exactly, so a delta may lose many more digits before it is excused.
WELL_CONDITIONED_DELTA = 1e20

# Never an answer; listed here so that one crash does not hide the other questions of a chunk.
CRASHES = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def contains(answer: oc.Enclosure, truth: Any, absolute: Fraction = Fraction(0)) -> bool:
    """Both sides, each one-sided: ``lower <= truth`` and ``truth <= upper``."""
    if truth == mpmath.inf:
        return answer.lower == answer.upper == math.inf
    exact = to_fraction(truth)
    slack = exact * SLACK + absolute
    return bool(answer.lower <= exact + slack and exact - slack <= answer.upper)


def hard_delta(oracle: BruteForce, x: Exponent) -> bool:
    finite = oracle.finite_delta(x)
    return bool(finite > 0 and abs(x.value()) * oracle.finite_slope(x) > WELL_CONDITIONED_DELTA * finite)


def hard_epsilon(oracle: BruteForce, target: Fraction, truth: Any) -> bool:
    if truth == mpmath.inf or oracle.survival == 0:
        return False
    wanted = 1 - (1 - target) / oracle.survival
    if truth == 0:
        at_zero = to_fraction(oracle.finite_delta(Exponent()))
        return wanted - at_zero < wanted / 10**9
    slope = oracle.finite_slope(plain(to_fraction(truth)))
    return bool(wanted > WELL_CONDITIONED * to_fraction(truth) * to_fraction(slope))


def engines(given: Problem) -> Iterator[tuple[str, oc.Profile]]:
    """Every engine that takes the problem; one that is added to the table joins by itself."""
    for rule in TABLE:
        profile = oc.compose(given.mechanism, engine=rule.name)
        try:
            chosen = profile.choice
        except oc.UnsupportedError:
            continue
        assert chosen.name == rule.name
        yield rule.name, profile


@dataclass(frozen=True)
class Question:
    """What to ask, and the truth.

    Args:
        name: For the report.
        ask: Puts it to a profile.
        truth: The oracle's answer.
        is_hard: Whether the question may stay open.
        absolute: The oracle's absolute error.
    """

    name: str
    ask: Callable[[oc.Profile], oc.Enclosure]
    truth: Any
    is_hard: Callable[[], bool]
    absolute: Fraction

    def fault(self, engine: str, profile: oc.Profile) -> str | None:
        """What is wrong with an engine's answer, or None."""
        truth = mpmath.nstr(self.truth, 30)
        try:
            answer = self.ask(profile)
        except (oc.UndecidedError, oc.UnsupportedError):
            return (
                None
                if self.is_hard() or not EXACT[engine]
                else f"{engine}: {self.name} was not answered, truth {truth}"
            )
        except CRASHES as error:
            return f"{engine}: {self.name} ended with {error!r}, truth {truth}"
        if not contains(answer, self.truth, self.absolute):
            return f"{engine}: {self.name} = {answer} leaves out {truth}"
        if (
            EXACT[engine]
            and self.truth > NEXT_TO_NOTHING
            and answer.relative_width > WIDEST.get(engine, WIDEST_OF_OTHERS)
        ):
            return f"{engine}: {self.name} = {answer} is too wide, truth {truth}"
        return None


def question_of_delta(oracle: BruteForce, x: Exponent) -> Question:
    return Question(
        name=f"delta({number(x)})",
        ask=lambda profile: profile.delta(number(x)),
        truth=oracle.delta(x),
        is_hard=lambda: hard_delta(oracle, x),
        absolute=Fraction(0),
    )


def question_of_epsilon(oracle: BruteForce, target: Fraction) -> Question:
    truth = oracle.epsilon(target)
    return Question(
        name=f"epsilon({target})",
        ask=lambda profile: profile.epsilon(target),
        truth=truth,
        is_hard=lambda: hard_epsilon(oracle, target, truth),
        absolute=SMALLEST,
    )


def violations(given: Problem, *, inexact: bool = True) -> list[str]:
    oracle = given.oracle
    questions = [question_of_delta(oracle, x) for x in points(given, oracle)]
    questions += [question_of_epsilon(oracle, target) for target in targets(given, oracle)]
    faults = [
        each.fault(engine, profile)
        for engine, profile in engines(given)
        if inexact or EXACT[engine]
        for each in (questions if EXACT[engine] else questions[::STRIDE])
    ]
    return [fault for fault in faults if fault is not None]


@pytest.mark.parametrize("index", range(SAMPLE))
def test_no_engine_is_wrong(index: int) -> None:
    assert violations(problem(index), inexact=index % SELDOM == 0) == []


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(0, ALL, CHUNK))
def test_no_engine_is_wrong_anywhere(start: int) -> None:
    found = {index: violations(problem(index), inexact=index % SELDOM == 0) for index in range(start, start + CHUNK)}
    assert {index: each for index, each in found.items() if each} == {}


def test_the_sample_reaches_every_engine() -> None:
    reached = [name for index in range(SAMPLE) for name, _ in engines(problem(index))]
    others = {"conversion", "residues"}  # for promises, and for losses with a density
    expected = {rule.name: rule.name not in others for rule in TABLE}
    assert {rule.name: reached.count(rule.name) >= 10 for rule in TABLE} == expected


def test_the_judge_refuses_a_shifted_answer() -> None:
    oracle = BruteForce([(plain(Fraction(1, 10)), Fraction(0))] * 3)
    profile = oc.compose(oc.PureDP(epsilon="0.1").repeated(3))
    truth = oracle.delta(Exponent())
    answer = profile.delta(0)
    shift = Fraction(1, 10**15)
    assert contains(answer, truth)
    assert not contains(oc.Enclosure(answer.lower + shift, answer.upper + shift), truth)
    assert not contains(oc.Enclosure(answer.lower - shift, answer.upper - shift), truth)

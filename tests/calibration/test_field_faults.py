"""Faults that programs which search for noise have had, one test each."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

import optcomp as oc


def sampled(probability: str | Fraction, steps: int) -> object:
    def family(multiplier: Fraction) -> oc.Mechanism:
        step = oc.PoissonSampled(mechanism=oc.Gaussian(noise_multiplier=multiplier), sampling_probability=probability)
        return step.repeated(steps)

    return family


def is_near(found: oc.Calibration, printed: str) -> bool:
    """Whether the limit is the printed number, to half a unit of its last place."""
    assert found.other_side is not None
    half = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    return found.other_side - half <= Fraction(printed) <= found.parameter + half


def test_all_records_in_every_sample_need_no_more_noise_than_the_closed_form_says() -> None:
    """A tolerance on epsilon instead of the noise gave far too much noise."""
    found = oc.calibrate(sampled("1", 60), epsilon=1, delta="1e-5", adjacency="add_or_remove_one")  # type: ignore[arg-type]
    assert is_near(found, "28.897348385")


def test_one_sampled_step_has_one_answer() -> None:
    """Two routes to the same noise disagreed, and both gave too much."""
    found = oc.calibrate(sampled("0.01", 1), epsilon=1, delta="1e-6", adjacency="add_or_remove_one")  # type: ignore[arg-type]
    assert is_near(found, "0.77643640618")


@pytest.mark.parametrize(("steps", "printed"), [(202, "6.7924"), (674, "12.2233")])
def test_a_small_epsilon_needs_much_noise_but_not_four_orders_more(steps: int, printed: str) -> None:
    """The search fell off its end and returned a noise multiplier of 20853.95."""
    examples, batch = 67349, 1000
    found = oc.calibrate(
        sampled(Fraction(batch, examples), steps),  # type: ignore[arg-type]
        epsilon="0.1",
        delta=Fraction(1, 2 * examples),
        adjacency="add_or_remove_one",
    )
    assert found.other_side is not None
    assert found.parameter <= Fraction(printed) <= found.other_side * Fraction(10001, 10000)  # printed on the safe side


def test_an_epsilon_of_zero_has_an_answer() -> None:
    """The bracket never closed, and the search looped for ever."""
    found = oc.calibrate(lambda s: oc.Gaussian(standard_deviation=s), epsilon=0, delta="1e-6")
    assert is_near(found, "398942.28040133")
    assert (
        oc.compose(oc.Gaussian(standard_deviation=1))
        .delta(epsilon=0)
        .intersects(oc.Enclosure(Fraction("0.3829249225480261"), Fraction("0.3829249225480263")))
    )


def test_an_answer_without_sensitivity_changes_nobody_elses_noise() -> None:
    """A sensitivity of 0 gave an infinite scale, or set all noise to 0."""
    alone = oc.calibrate(lambda s: oc.Gaussian(standard_deviation=s), epsilon=1, delta="1e-6")
    beside = oc.calibrate(
        lambda s: [oc.Gaussian(standard_deviation=s), oc.Laplace(scale=0, sensitivity=0)], epsilon=1, delta="1e-6"
    )
    assert beside.parameter == alone.parameter
    assert oc.compose(oc.Gaussian(standard_deviation=0, sensitivity=0)).epsilon(delta=0) == oc.Enclosure.exactly(0)


@pytest.mark.parametrize("epsilon", ["1e-9", "0.001", "1", "2.5", "1000", "1e6"])
def test_targets_of_any_size_end_the_search(epsilon: str) -> None:
    """A search failed past 1.0, or never ended when neighbouring floats differed by more than its tolerance."""
    start = time.perf_counter()
    found = oc.calibrate(lambda e: oc.PureDP(epsilon=e).repeated(3), epsilon=epsilon, delta="1e-6")
    assert time.perf_counter() - start < 30
    assert oc.compose(oc.PureDP(epsilon=found.parameter).repeated(3)).epsilon(delta="1e-6").upper <= Fraction(epsilon)


def test_a_tiny_target_needs_no_giant_grid() -> None:
    """Tiny noise was tried on the way, and its loss took 75 GB and 45 minutes."""
    start = time.perf_counter()
    found = oc.calibrate(lambda s: oc.Gaussian(standard_deviation=s), epsilon="0.01", delta="1e-5")
    assert time.perf_counter() - start < 10
    assert is_near(found, "243.78543767568")


def test_a_total_that_is_spent_leaves_nothing_however_small() -> None:
    """A spend of 5e-324 was lost in the sum of floats."""
    spent = oc.PureDP(epsilon=1)
    assert oc.compose([spent, oc.PureDP(epsilon=5e-324)]).epsilon(delta=0).lower > 1
    assert oc.compose([spent, oc.PureDP(epsilon=0)]).epsilon(delta=0) == oc.Enclosure.exactly(1)
    assert oc.headroom(spent, epsilon=1, delta=0).epsilon is None

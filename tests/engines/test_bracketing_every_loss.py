"""The two-sided grid with every kind of loss, against the definitions of the mechanisms in long decimals.

The oracle knows no loss class: a mechanism is a pair of laws here, a finite list of probabilities ``(p, q)``,
and at most one mechanism with a density, known by its own profile.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import optcomp as oc
from optcomp.engines.bracketing_lattice import BracketingLattice
from optcomp.losses import (
    BoundedRangeLoss,
    Direction,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    SampledGaussianLoss,
    exceeds_failure,
    failure_mass,
    finite_target,
    lower,
    whole_delta,
)
from optcomp.numerics.balls import ball, ends, precision
from optcomp.numerics.connect_dots import Points, dots_of_tails, dots_of_values
from optcomp.numerics.lattice import add_atoms, point
from optcomp.numerics.long_sums import Piece
from optcomp.numerics.tilt import spread, tilt_at, tilt_for
from tests.oracles.brute_force import to_fraction

DIGITS = 50
SLACK = Fraction(1, 10**30)
SAMPLE, ALL, CHUNK = 14, 1514, 50
LOOSE = 1e9
FINE = (1e-1, 1e-2, 1e-3)

Pairs = list[tuple[Any, Any]]
Profile = Callable[[Any], Any]


def mp(value: Fraction | int) -> Any:
    exact = Fraction(value)
    return mpmath.mpf(exact.numerator) / exact.denominator


# ---------------------------------------------------------------------------------------------------- the oracle


@dataclass(frozen=True)
class Known:
    """A mechanism with its pair of laws.

    Args:
        mechanism: The library's.
        pairs: The probabilities of its answers, or None.
        profile: Its profile, where it has a density.
    """

    mechanism: oc.Mechanism
    pairs: Callable[[], Pairs] | None = None
    profile: Profile | None = None


def pure(epsilon: Fraction, delta: Fraction) -> Known:
    def pairs() -> Pairs:
        rest, share = 1 - mp(delta), 1 / (1 + mpmath.exp(-mp(epsilon)))
        high, low = rest * share, rest * (1 - share)
        return [(high, low), (low, high), (mp(delta), mp(0)), (mp(0), mp(delta))]

    mechanism = oc.ApproxDP(epsilon=epsilon, delta=delta) if delta else oc.PureDP(epsilon=epsilon)
    return Known(mechanism, pairs)


def response(probability: Fraction, categories: int) -> Known:
    def pairs() -> Pairs:
        own, other = mp(probability), (1 - mp(probability)) / (categories - 1)
        return [(own, other), (other, own), (1 - own - other, 1 - own - other)]

    return Known(oc.RandomizedResponse(probability=probability, categories=categories), pairs)


def discrete_laplace(scale: Fraction, sensitivity: int) -> Known:
    def pairs() -> Pairs:
        decay = mpmath.exp(-1 / mp(scale))
        unit = (1 - decay) / (1 + decay)
        inner = [(unit * decay**j, unit * decay ** (sensitivity - j)) for j in range(1, sensitivity)]
        ends_ = (1 / (1 + decay), decay**sensitivity / (1 + decay))
        return [ends_, ends_[::-1], *inner]

    return Known(oc.DiscreteLaplace(scale=scale, sensitivity=sensitivity), pairs)


def discrete_gaussian(variance: Fraction, sensitivity: int) -> Known:
    def pairs() -> Pairs:
        def bell(x: int) -> Any:
            return mpmath.exp(-mp(x * x) / (2 * mp(variance)))

        reach = int(12 * float(variance) ** 0.5) + 3  # what lies beyond is below 1e-31
        total = mpmath.fsum(bell(x) for x in range(-2 * reach, 2 * reach + 1))
        return [(bell(x) / total, bell(x - sensitivity) / total) for x in range(-reach, reach + sensitivity + 1)]

    return Known(oc.DiscreteGaussian(variance=variance, sensitivity=sensitivity), pairs)


def staircase(epsilon: Fraction, gamma: Fraction) -> Known:
    """For gamma below 1/2, from the density on each side of 0 and of the sensitivity, and between them."""

    def pairs() -> Pairs:
        decay, g = mpmath.exp(-mp(epsilon)), mp(gamma)
        height = (1 - decay) / (2 * (g + decay * (1 - g)))
        outer, step = mpmath.mpf(1) / 2, height * g
        middle = height * decay * (1 - 2 * g)
        high = outer + step
        return [(high, high * decay), (high * decay, high), (middle, middle)]

    return Known(oc.Staircase(epsilon=epsilon, sensitivity=1, gamma=gamma), pairs)


def gaussian(deviation: Fraction) -> Known:
    def profile(x: Any) -> Any:
        mu = 1 / mp(deviation)
        return mpmath.ncdf(mu / 2 - x / mu) - mpmath.exp(x) * mpmath.ncdf(-mu / 2 - x / mu)

    return Known(oc.Gaussian(standard_deviation=deviation, sensitivity=1), profile=profile)


def laplace(ratio: Fraction) -> Known:
    def profile(x: Any) -> Any:
        r = mp(ratio)
        if x >= r:
            return mp(0)
        return 1 - mpmath.exp(x) if x <= -r else -mpmath.expm1((x - r) / 2)

    return Known(oc.Laplace(scale=1, sensitivity=ratio), profile=profile)


def exponential(epsilon: Fraction) -> Known:
    def profile(x: Any) -> Any:
        r = mp(epsilon)
        if x >= r:
            return mp(0)
        return -mpmath.expm1(x) if x <= -r else mpmath.expm1((x - r) / 2) ** 2 / -mpmath.expm1(-r)

    return Known(oc.Exponential(epsilon=epsilon), profile=profile)


def sampled(base: Known, share: Fraction, direction: Direction) -> Known:
    mechanism = oc.PoissonSampled(mechanism=base.mechanism, sampling_probability=share)
    if base.pairs is not None:
        inner = base.pairs

        def pairs() -> Pairs:
            q = mp(share)
            mixed = [((1 - q) * other + q * own, other) for own, other in inner()]
            return mixed if direction == "remove" else [each[::-1] for each in mixed]

        return Known(mechanism, pairs)
    whole = base.profile
    assert whole is not None

    def profile(x: Any) -> Any:
        q, t = mp(share), mpmath.exp(x)
        if direction == "remove":
            return q * whole(mpmath.log((t - 1 + q) / q)) if t > 1 - q else 1 - t
        rest = 1 - (1 - q) * t
        return rest * whole(mpmath.log(q * t / rest)) if rest > 0 else mp(0)

    return Known(mechanism, profile=profile)


class Oracle:
    """The profile of a composition of pairs, and of at most one mechanism with a density."""

    def __init__(self, parts: list[Known]) -> None:
        self.pairs: Pairs = [(mp(1), mp(1))]
        self.profile: Profile | None = None
        with mpmath.workdps(DIGITS):
            for part in parts:
                if part.pairs is None:
                    assert self.profile is None
                    self.profile = part.profile
                else:
                    new = part.pairs()
                    self.pairs = [(p * a, q * b) for p, q in self.pairs for a, b in new if (p or q) and (a or b)]

    def delta(self, x: Fraction) -> Fraction:
        with mpmath.workdps(DIGITS):
            point_, t = mp(x), mpmath.exp(mp(x))
            if self.profile is None:
                return to_fraction(mpmath.fsum(p - t * q for p, q in self.pairs if p > t * q))
            return to_fraction(
                mpmath.fsum(p * self.profile(point_ + mpmath.log(q / p)) if q else p for p, q in self.pairs if p)
            )


# ---------------------------------------------------------------------------------------------------- random problems


def draw_fraction(draw: random.Random, low: float, high: float) -> Fraction:
    return Fraction(f"{draw.uniform(low, high):.{draw.choice([1, 2, 4, 9])}g}")


def draw_part(draw: random.Random, kind: str, direction: Direction) -> Known:
    if kind.startswith("sampled "):
        share = draw.choice([Fraction(1, 2), Fraction(1, 10), Fraction(9, 10), draw_fraction(draw, 0.02, 0.98)])
        return sampled(draw_part(draw, kind[8:], direction), share, direction)
    makers: dict[str, Callable[[], Known]] = {
        "pure": lambda: pure(draw_fraction(draw, 0.05, 3), Fraction(0)),
        "approx": lambda: pure(draw_fraction(draw, 0.05, 3), draw.choice([Fraction(1, 10**6), Fraction(1, 20)])),
        "response": lambda: response(draw_fraction(draw, 0.1, 0.9), draw.choice([3, 4, 10])),
        "discrete laplace": lambda: discrete_laplace(draw_fraction(draw, 0.4, 5), draw.choice([2, 3, 5])),
        "discrete gaussian": lambda: discrete_gaussian(draw_fraction(draw, 0.3, 6), draw.choice([1, 2])),
        "staircase": lambda: staircase(draw_fraction(draw, 0.1, 2), draw_fraction(draw, 0.05, 0.45)),
        "gaussian": lambda: gaussian(draw_fraction(draw, 0.4, 5)),
        "laplace": lambda: laplace(draw_fraction(draw, 0.1, 3)),
        "exponential": lambda: exponential(draw_fraction(draw, 0.1, 3)),
    }
    return makers[kind]()


FEW = ("pure", "approx", "response", "discrete laplace", "staircase")
DENSE = ("gaussian", "laplace", "exponential", "sampled gaussian", "sampled laplace")
MANY = ("discrete gaussian", "sampled discrete gaussian")
MOST_PAIRS = 3000


def problem(index: int) -> tuple[list[Known], Direction, random.Random]:
    """One mechanism with a density or many values, or none, and a few with few values, some of them repeated."""
    draw = random.Random(f"every loss {index}")
    direction: Direction = draw.choice(["remove", "add"])
    parts, size = [], 1
    if draw.random() < 0.75:
        parts.append(draw_part(draw, draw.choice(DENSE + MANY), direction))
        size = 60 if parts[0].pairs else 1
    for _ in range(draw.choice([0, 1, 2, 3, 5])):
        kind = draw.choice(FEW)
        part = draw_part(draw, draw.choice(["", "sampled "]) + kind, direction)
        for _ in range(draw.choice([1, 1, 1, 2, 4])):
            size *= 5
            if size <= MOST_PAIRS:
                parts.append(part)
    return parts or [draw_part(draw, draw.choice(DENSE), direction)], direction, draw


def engine_of(parts: list[Known], direction: Direction, **options: Any) -> tuple[BracketingLattice, Any]:
    composite = lower(oc.Sequence(parts=[part.mechanism for part in parts]), direction)
    return BracketingLattice(composite.losses, **options), composite


def faults(index: int, *, widths: tuple[float, ...] = (1e-1, 1e-2)) -> list[str]:
    """What is wrong with a fine and a coarse grid's answers to one random problem."""
    parts, direction, draw = problem(index)
    oracle = Oracle(parts)
    found = []
    for options in (
        {"width": draw.choice(widths)},
        {"width": LOOSE, "step": draw.choice([Fraction(1, 2), Fraction(1, 7), Fraction(1, 10), Fraction(1, 64)])},
    ):
        engine, composite = engine_of(parts, direction, **options)
        if composite.losses:
            name = f"{index} {direction} {composite.losses} {options}"
            wrong = [*wrong_deltas(engine, composite, oracle, draw), *wrong_epsilons(engine, composite, oracle)]
            found += [f"{name}: {each}" for each in wrong]
    return found


def wrong_deltas(engine: BracketingLattice, composite: Any, oracle: Oracle, draw: random.Random) -> Iterator[str]:
    for x in (Fraction(0), draw_fraction(draw, -1, 1), draw_fraction(draw, 0.1, 4), draw_fraction(draw, 2, 9)):
        truth = oracle.delta(x)
        try:
            answer = whole_delta(failure_mass(composite), engine.delta(x))
        except oc.UndecidedError:
            continue
        if not answer.lower - SLACK <= truth <= answer.upper + SLACK:
            yield f"delta({x}) = {answer} leaves out {float(truth)}"


def wrong_epsilons(engine: BracketingLattice, composite: Any, oracle: Oracle) -> Iterator[str]:
    for target in (Fraction(1, 3), Fraction(1, 10**3), Fraction(1, 10**7)):
        if exceeds_failure(composite, target) <= 0:
            continue
        try:
            answer = engine.epsilon(finite_target(composite, target))
        except oc.UndecidedError:
            continue
        if oracle.delta(Fraction(answer.upper)) > target + SLACK:
            yield f"epsilon({target}) = {answer} is too small"
        if answer.lower > 0 and oracle.delta(Fraction(answer.lower)) < target - SLACK:
            yield f"epsilon({target}) = {answer} is too large"


@pytest.mark.parametrize("index", range(SAMPLE))
def test_random_problems(index: int) -> None:
    """No upper bound is below the truth and no lower bound above it, on fine and on coarse grids."""
    assert faults(index) == []


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(SAMPLE, ALL, CHUNK))
def test_many_random_problems(start: int) -> None:
    assert [fault for index in range(start, start + CHUNK) for fault in faults(index, widths=FINE)] == []


def test_most_random_problems_are_answered() -> None:
    """The attack means something: nearly all of the questions at a moderate width do get an answer."""
    answered = asked = 0
    for index in range(12):
        parts, direction, _ = problem(index)
        engine, composite = engine_of(parts, direction, width=1e-2)
        if composite.losses:
            asked += 1
            try:
                answered += engine.delta(Fraction(1, 5)).upper >= 0
            except oc.UndecidedError:
                continue
    assert answered >= 0.9 * asked


# ---------------------------------------------------------------------------------------------------- both ends


def test_gaussians_against_the_closed_form() -> None:
    for deviation in (Fraction(1, 2), Fraction(3)):
        known = gaussian(deviation)
        oracle = Oracle([known])
        engine, _ = engine_of([known], "remove", width=1e-3)
        for x in ("-1", "0", "0.4", "3"):
            found = engine.delta(Fraction(x))
            assert found.relative_width <= 1e-3
            assert found.lower <= oracle.delta(Fraction(x)) <= found.upper


def test_a_tiny_delta_is_as_accurate_as_a_large_one() -> None:
    engine, _ = engine_of([gaussian(Fraction(2))], "remove", width=1e-3)
    truth = Oracle([gaussian(Fraction(2))])
    found = engine.epsilon(oc.Enclosure.exactly(Fraction(1, 10**200)))
    assert found.relative_width <= 1e-3
    with mpmath.workdps(260):
        profile = gaussian(Fraction(2)).profile
        assert profile is not None
        assert profile(mp(Fraction(found.lower))) >= mpmath.mpf(10) ** -200 >= profile(mp(Fraction(found.upper)))
    assert truth.delta(Fraction(1)) in engine.delta(Fraction(1))


@pytest.mark.parametrize("ratio", ["1", "0.3", "2.5"])
@pytest.mark.parametrize("step", [Fraction(1, 2), Fraction(1, 16), Fraction(1, 10)])
def test_atoms_of_a_density_at_points_of_the_grid(ratio: str, step: Fraction) -> None:
    """The ends of a Laplace loss carry mass of their own; at multiples of the step they must not be lost."""
    known = laplace(Fraction(ratio))
    engine, _ = engine_of([known], "remove", width=LOOSE, step=step)
    oracle = Oracle([known])
    for x in (Fraction(0), Fraction(1, 7), Fraction(ratio) - Fraction(1, 1000), -Fraction(ratio)):
        found = engine.delta(x)
        assert found.lower <= oracle.delta(x) <= found.upper
    assert engine.delta(Fraction(ratio)) == oc.Enclosure.exactly(0)


@pytest.mark.parametrize("direction", ["remove", "add"])
def test_half_the_step_is_a_quarter_of_the_width(direction: Direction) -> None:
    parts = [sampled(laplace(Fraction(1)), Fraction(1, 10), direction)] * 10
    coarse, fine = (
        engine_of(parts, direction, width=LOOSE, step=step)[0].delta(Fraction(1, 4))
        for step in (Fraction(1, 40), Fraction(1, 80))
    )
    assert 3 < coarse.width / fine.width < 5
    assert coarse.lower <= fine.lower <= fine.upper <= coarse.upper


def test_a_common_step_is_exact() -> None:
    """Discrete noise on one grid is not split: what is left is rounding and the cut tails."""
    parts = [discrete_gaussian(Fraction(2), 1), pure(Fraction(1, 4), Fraction(0)), discrete_laplace(Fraction(2), 3)]
    engine, _ = engine_of(parts, "remove", width=1e-9)
    oracle = Oracle(parts)
    for x in (Fraction(0), Fraction(3, 4), Fraction(3)):
        found = engine.delta(x)
        assert found.relative_width <= 1e-9
        assert found.lower - SLACK <= oracle.delta(x) <= found.upper + SLACK


def test_the_two_directions_differ() -> None:
    for direction in ("remove", "add"):
        known = sampled(gaussian(Fraction(1)), Fraction(1, 5), direction)
        engine, _ = engine_of([known], direction, width=1e-3)
        truth = Oracle([known]).delta(Fraction(1, 10))
        found = engine.delta(Fraction(1, 10))
        assert found.lower <= truth <= found.upper


@pytest.mark.parametrize("count", [37, 1000])
def test_many_sampled_gaussians(count: int) -> None:
    """Against ten times the step: nested, so the bounds are those of one number."""
    composite = lower(
        oc.PoissonSampled(
            mechanism=oc.Gaussian(standard_deviation=2, sensitivity=1), sampling_probability="0.02"
        ).repeated(count),
        "remove",
    )
    wide = BracketingLattice(composite.losses, width=3e-1).epsilon(oc.Enclosure.exactly(Fraction(1, 10**5)))
    narrow = BracketingLattice(composite.losses, width=3e-2).epsilon(oc.Enclosure.exactly(Fraction(1, 10**5)))
    assert wide.intersects(narrow)
    assert narrow.relative_width <= 3e-2


def test_a_target_that_is_met_at_zero() -> None:
    known = sampled(gaussian(Fraction(1)), Fraction(1, 1000), "add")
    engine, _ = engine_of([known], "add", width=1e-1)
    assert engine.epsilon(oc.Enclosure.exactly(Fraction(1, 1000))) == oc.Enclosure.exactly(0)


def test_a_width_out_of_reach_is_undecided() -> None:
    for parts in ([gaussian(Fraction(1))], [laplace(Fraction(1))] * 3, [response(Fraction(2, 3), 4)] * 2):
        engine, _ = engine_of(parts, "remove", width=1e-25)
        with pytest.raises(oc.UndecidedError) as caught:
            engine.delta(Fraction(1, 3))
        assert "width" in caught.value.condition


# ---------------------------------------------------------------------------------------------------- the parts


@pytest.mark.parametrize(
    "loss",
    [
        LaplaceLoss(Fraction(7, 5)),
        BoundedRangeLoss(Fraction(2)),
        SampledGaussianLoss(GaussianLoss(Fraction(1)), Fraction(1, 5), "add"),
    ],
)
def test_dots_keep_both_masses(loss: Loss) -> None:
    with precision(128):
        dots = dots_of_tails(
            loss.above, Points(Fraction(1, 64), Fraction(1, 200), Fraction(1, 2)), first=-900, last=900
        )
        assert dots is not None
        scale = float(dots.cumulant.exp().mid())
    places = (dots.top - np.arange(len(dots.law.masses))) / 64 + 1 / 200
    plain = dots.law.masses * np.exp(-places / 2) * scale
    assert plain.sum() == pytest.approx(1, rel=1e-9)
    assert (plain * np.exp(-places)).sum() == pytest.approx(1, rel=1e-9)
    assert (dots.law.masses >= 0).all()


def test_an_atom_at_a_point_asks_for_another_offset() -> None:
    loss = LaplaceLoss(Fraction(1))
    with precision(128):
        for offset, fits in ((Fraction(0), False), (Fraction(1, 8), True)):
            points = Points(Fraction(1, 4), offset, Fraction(1))
            assert (dots_of_tails(loss.above, points, first=-8, last=8) is not None) == fits


@pytest.mark.parametrize("on_points", [True, False])
def test_values_at_points_stay_there(on_points: bool) -> None:
    with precision(128):
        third = ball(1) / 3
        dots = dots_of_values(
            [(3 * third, third), (-6 * third, 2 * third)],
            Points(Fraction(1, 2), Fraction(0), Fraction(0)),
            on_points=on_points,
            beyond=ball(0),
        )
        low, high = ends(dots.cumulant)
    masses = {dots.top - place: mass for place, mass in enumerate(dots.law.masses) if mass > 1e-20}
    assert masses == {2: pytest.approx(1 / 3), -4: pytest.approx(2 / 3)}
    assert low <= 0 <= high
    assert float(dots.law.noise) < 1e-20


def test_a_long_power_is_cut_where_next_to_nothing_is() -> None:
    law = add_atoms(point(), [(0, 0.3), (1, 0.2), (7, 0.5)], roundings=1)
    deviation = 3.3 * 4000**0.5
    power = Piece.of(law, deviation).power(4000).law
    assert len(power.masses) < 32 * deviation
    assert power.dropped < 1e-25
    assert power.masses.sum() == pytest.approx(1, abs=1e-10)
    places = power.start + np.arange(len(power.masses))
    assert places @ power.masses == pytest.approx(4000 * 3.7, rel=1e-9)


def test_the_search_finds_the_valley() -> None:
    def normal(tilt: float) -> float:
        return tilt * (tilt + 1) * 2.0

    tilt, value = tilt_at(normal, 20.0)
    assert tilt == pytest.approx(4.4, rel=0.1)
    assert value == pytest.approx(normal(tilt) - 20 * tilt, rel=0.2)
    again, x = tilt_for(normal, value)
    assert again == pytest.approx(tilt, rel=0.1)
    assert x == pytest.approx(20, rel=0.02)
    assert spread(normal, tilt) == pytest.approx(2.0, rel=1e-6)

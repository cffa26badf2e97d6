"""What every kind of mechanism keeps, whatever it is: a new kind needs one example here."""

from __future__ import annotations

import inspect
import itertools
import json
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from pathlib import Path

import pytest

import optcomp as oc
from optcomp.engines.auto import considered
from optcomp.losses import Direction, PromisedLoss, lower
from optcomp.mechanisms.codec import KINDS
from optcomp.numerics.balls import ball, complex_ball, ends, precision

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mechanisms.md"
WIDTH = Fraction(1, 10**3)
RANGE = ("-3", "-1", "-0.1", "0", "0.1", "0.5", "1", "3")

EXAMPLES: dict[str, oc.Mechanism] = {
    each.kind: each
    for each in (
        oc.PureDP(epsilon="ln(3/2)"),
        oc.ApproxDP(epsilon="0.25", delta="1e-9"),
        oc.RandomizedResponse(probability="0.4", categories=4),
        oc.Laplace(scale="7/3"),
        oc.Gaussian(variance=20, sensitivity="1.5"),
        oc.DiscreteLaplace(scale=3, sensitivity=2),
        oc.DiscreteGaussian(variance="5/2"),
        oc.Skellam(variance=20, sensitivity=2),
        oc.Staircase(epsilon="0.5", gamma="0.3"),
        oc.Exponential(epsilon="0.4"),
        oc.ZeroConcentrated(rho="0.02"),
        oc.RenyiCurve(orders=["1.5", 2, 8, 32], divergences=["0.02", "0.03", "0.1", "0.5"]),
        oc.PoissonSampled(mechanism=oc.Laplace(scale=2), sampling_probability="0.1"),
        oc.PureDP.many(epsilons=[0.1, 0.25, 0.5]),
        oc.Sequence(parts=[oc.PureDP(epsilon="0.1"), oc.Gaussian(variance=30)]),
    )
}

every_kind = pytest.mark.parametrize("kind", KINDS)


def composed(mechanism: oc.Mechanism) -> oc.Profile:
    return oc.compose(mechanism, adjacency="add_or_remove_one")


def row(kind: str) -> str:
    """The line of the documents for a kind, from the code."""
    example = EXAMPLES[kind]
    keys = ", ".join(f"`{name}`" for name in inspect.signature(KINDS[kind]).parameters)
    losses = ", ".join(sorted({f"`{type(loss).__name__}`" for loss, _ in lower(example).losses}))
    if kind == "sequence":
        losses = "those of its parts"
    engines = ", ".join(f"`{rule.name}`" for rule, taken in considered(lower(example.repeated(30))) if taken)
    return f"| `{kind}` | `{KINDS[kind].__name__}` | {keys} | {losses} | {engines} |"


def test_every_kind_has_an_example() -> None:
    assert set(EXAMPLES) == set(KINDS)


@every_kind
def test_it_comes_back_through_text(kind: str) -> None:
    text = json.dumps(oc.mechanism_to_json(EXAMPLES[kind]), allow_nan=False)
    assert oc.mechanism_from_json(json.loads(text)) == EXAMPLES[kind]


@every_kind
def test_equal_ones_are_equal_and_hash_alike(kind: str) -> None:
    example = EXAMPLES[kind]
    again = oc.mechanism_from_json(oc.mechanism_to_json(example))
    assert again == example
    assert (again != example) is False
    assert all(example != other for name, other in EXAMPLES.items() if name != kind)
    assert hash(again) == hash(example)


@every_kind
def test_arguments_are_named_and_fields_are_frozen(kind: str) -> None:
    parameters = inspect.signature(KINDS[kind]).parameters.values()
    assert all(each.kind is each.KEYWORD_ONLY for each in parameters)
    for each in fields(EXAMPLES[kind]):
        with pytest.raises(FrozenInstanceError):
            setattr(EXAMPLES[kind], each.name, 1)


@every_kind
@pytest.mark.parametrize("direction", ["remove", "add"])
def test_both_laws_are_laws(kind: str, direction: Direction) -> None:
    for loss, _ in lower(EXAMPLES[kind], direction).losses:
        if isinstance(loss, PromisedLoss):
            continue  # a promise knows a bound on the growth only
        with precision(128):
            for s in (0, -1):
                mass = loss.growth(ball(s))
                assert mass.contains(1)
                assert mass.rad() < 1e-20
            wave = loss.growth(complex_ball(ball(1), ball(2)))
            assert bool(abs(wave) <= loss.growth(ball(1)) * (1 + ball(1e-20)))


@every_kind
def test_tails_fall_and_begin_with_everything(kind: str) -> None:
    for loss, _ in lower(EXAMPLES[kind]).losses:
        if isinstance(loss, PromisedLoss) or kind == "pure_dp_column":
            continue  # these are never asked for one loss's tails
        with precision(128):
            levels = [ball(Fraction(level)) for level in RANGE]
            for tails in zip(*(loss.above(level) for level in levels), strict=True):
                assert all(not later > earlier for earlier, later in itertools.pairwise(tails))
            for tail in loss.above(ball(-1000)):
                assert float(ends(1 - tail)[1]) < 1e-20
                assert tail.contains(1) or tail > 1 - ball(1e-20)


@every_kind
def test_delta_is_a_probability_that_falls(kind: str) -> None:
    profile = composed(EXAMPLES[kind])
    first, later = (profile.delta(epsilon, width=WIDTH) for epsilon in ("0", "0.125"))
    assert 0 <= first.lower <= first.upper <= 1
    assert later.lower <= first.upper


@every_kind
def test_epsilon_and_delta_fit_together(kind: str) -> None:
    profile, delta = composed(EXAMPLES[kind]), Fraction(1, 1000)
    epsilon = profile.epsilon(delta, width=WIDTH)
    back = profile.delta(epsilon.upper, width=WIDTH)
    assert back.lower <= delta
    if epsilon.lower > 0:
        before = profile.delta(epsilon.lower * Fraction(9, 10), width=WIDTH)
        assert before.upper >= delta


@every_kind
def test_more_copies_never_cost_less(kind: str) -> None:
    one, more = (composed(EXAMPLES[kind].repeated(n)).epsilon("1e-3", width=WIDTH) for n in (1, 3))
    assert one.lower <= more.upper


@every_kind
def test_the_documents_list_it(kind: str) -> None:
    assert row(kind) in PAGE.read_text(encoding="utf-8").splitlines()

"""Edge cases, refusals, the whole chain and the command."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from typer.testing import CliRunner

import optcomp as oc
from optcomp.cli.hardness import hardness_app
from optcomp.hardness import (
    DifferencePartition,
    IntegerPartition,
    OptimalComposition,
    Partition,
    RationalWeights,
    RootWeights,
    SumPartition,
    count_from_sums,
    difference_from_partition,
    epsilon_by_witnesses,
    partition_from_integers,
    walk,
    weights_of,
    weights_of_epsilons,
    witnesses,
)
from tests.hardness import counters

CHAINS = [
    (1, 1, 2), (1, 2, 3), (1, 2, 4), (2, 2), (1,), (2,), (), (1, 2), (1, 1), (1, 1, 1), (1, 1, 1, 1),
    (3, 1, 2, 2),
    (1, 2, 3, 4), (5, 5, 5, 5), (1, 1, 1, 1, 2), (1, 2, 3, 4, 5), (7, 3, 4, 1, 1), (1, 2, 4, 8), (6, 1),
    (2, 3, 5, 7, 3),
]  # fmt: skip


@pytest.mark.parametrize("integers", CHAINS)
def test_down_to_the_oracle_and_back(integers: tuple[int, ...]) -> None:
    found = walk(integers)
    expected = counters.even_sums(integers)
    assert found.integer_count == found.partition_count == found.difference_count == found.count == expected
    assert len(found.sums) == 4
    assert found.calls >= 4
    for each in found.sums:
        assert each.found.value.intersects(each.value)


def test_all_weights_one() -> None:
    for size in range(6):
        problem = Partition(RationalWeights((Fraction(1),) * size))
        difference = difference_from_partition(problem)
        found = count_from_sums(difference, lambda r, w=difference.weights: SumPartition(w, r).value())  # type: ignore[misc]
        assert problem.count() == difference.count() == found.count == 2**size
    assert Partition(RootWeights(Fraction(2), 3, (0, 0))).count() == 4
    assert OptimalComposition(RationalWeights((Fraction(1),)), Fraction(0)).value() == 0
    assert epsilon_by_witnesses([1, 1], delta=0, bits=8).epsilon == oc.Enclosure.exactly(0)


def test_failures_of_the_mechanisms() -> None:
    def of(delta: str, deltas: list[str]) -> Any:
        return OptimalComposition.of_epsilons(["ln(2)"], delta=delta, deltas=deltas).value()

    assert of("1/20", ["1/10"]) == oc.Enclosure.exactly(math.inf)
    assert of("1/10", ["1/10"]) == oc.quantities.Logarithm.of(Fraction(2))
    assert of("1", ["1"]) == 0
    assert of("1/2", ["1"]) == oc.Enclosure.exactly(math.inf)


REFUSED: list[tuple[str, Any]] = [
    ("integers", lambda: IntegerPartition((True, 1))),
    ("integers", lambda: IntegerPartition((0,))),
    ("integers", lambda: IntegerPartition((-1,))),
    ("integers", lambda: IntegerPartition((1,) * 25)),
    ("integers", lambda: IntegerPartition([1, 1])),  # type: ignore[arg-type]  # a list
    ("weights", lambda: weights_of(["1/2"])),
    ("weights", lambda: weights_of([float("nan")])),
    ("weights", lambda: weights_of([True])),
    ("weights", lambda: weights_of([2] * 25)),
    ("weights", lambda: weights_of("22")),
    ("base", lambda: RootWeights(Fraction(1), 1, (1,))),
    ("degree", lambda: RootWeights(Fraction(2), 0, (1,))),
    ("exponents", lambda: RootWeights(Fraction(2), 1, (-1,))),
    ("exponents", lambda: RootWeights(Fraction(2), 1, (10**9,))),
    ("difference", lambda: DifferencePartition(weights_of([2]), Fraction(0))),
    ("difference", lambda: DifferencePartition(weights_of([2]), "sqrt(2)+x")),  # type: ignore[arg-type]  # text
    ("ratio", lambda: SumPartition(weights_of([2]), Fraction(1, 2))),
    ("delta", lambda: OptimalComposition(weights_of([2]), Fraction(2))),
    ("deltas", lambda: OptimalComposition(weights_of([2]), Fraction(0), (Fraction(0), Fraction(0)))),
    ("epsilon", lambda: weights_of_epsilons(["1/2"])),
    ("bits", lambda: witnesses([2], ratio=1, bits=-1)),
    ("degree", lambda: partition_from_integers(IntegerPartition((1,)), degree=0)),
    ("integers", lambda: walk("1,1")),  # type: ignore[arg-type]  # text
    ("integers", lambda: walk((1,) * 9)),
]


@pytest.mark.parametrize(("field", "ask"), REFUSED)
def test_refusals_name_the_field(field: str, ask: Any) -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        ask()
    assert caught.value.field == field
    assert caught.value.condition
    assert caught.value.remedy


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(hardness_app, ["demo", *arguments], env={"COLUMNS": "120", "TERM": "dumb"})
    return done.exit_code, done.stdout, done.stderr


def test_the_command_tells_the_story() -> None:
    status, out, err = run()
    assert (status, err) == (0, "")
    assert "All counts agree: 2." in out
    assert "2^(z/4)" in out


def test_the_command_as_json() -> None:
    status, out, err = run("--integers", "2, 2", "--json")
    answer = json.loads(out)
    assert (status, err) == (0, "")
    assert answer["count"] == answer["integer_count"] == 2
    for each in answer["sums"]:
        assert Fraction(each["found_lower"]) <= Fraction(each["upper"])
        assert Fraction(each["lower"]) <= Fraction(each["found_upper"])


@pytest.mark.parametrize("text", ["1,x", "0", "1.5", "-1", ",", "1,1,1,1,1,1,1,1,1", "500", "nan"])
def test_the_command_refuses(text: str) -> None:
    status, out, err = run("--integers", text)
    assert (status, out) == (2, "")
    assert "integers" in err

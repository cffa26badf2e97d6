"""Values are exact, the noise on them is the mechanism's, and wrong input spends nothing."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optcomp.composition import Plan
from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.mechanisms import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    Sequence,
    Skellam,
    Staircase,
)
from optcomp.noise import SeededSourceForTests, draw_many, respond_many
from optcomp.release import estimate, read_table, release
from optcomp.release.values import fixed_text, unit_of
from tests.release.plans import plan_of

LAPLACE = DiscreteLaplace(scale=2)
NOTHING = DiscreteLaplace(scale=0, sensitivity=0)


def seeded(values: Any, plan: Plan, folder: Path, seed: int = 7, **options: Any) -> Any:
    return release(values, plan, name="it", record=folder / "r", source=SeededSourceForTests(seed), **options)


@pytest.mark.parametrize("mechanism", [LAPLACE, DiscreteGaussian(variance=9), Skellam(variance=4)], ids=repr)
def test_the_noise_is_the_mechanism_s(mechanism: Mechanism, tmp_path: Path) -> None:
    """The noise itself is checked in its own room; here, that it is added, once, to each value, from the source."""
    exact = [5, -3, 10**30, 0, 7]
    found = seeded(exact, plan_of(mechanism), tmp_path)
    noise = draw_many(mechanism, len(exact), source=SeededSourceForTests(7))
    assert found.values == tuple(value + int(each) for value, each in zip(exact, noise, strict=True))
    assert (found.mechanism, found.labels, found.labelled) == (mechanism, None, {})


def test_the_law_of_what_comes_out(tmp_path: Path) -> None:
    """Of 40,000 values, each noise's frequency is within 5 standard deviations of its exact probability."""
    many, exact = 40_000, 1000
    found = seeded([exact] * many, plan_of(LAPLACE), tmp_path)
    heard, ratio = Counter(found.values), math.exp(-0.5)
    for noise in range(-6, 7):
        chance = (1 - ratio) / (1 + ratio) * ratio ** abs(noise)
        assert abs(heard[exact + noise] - many * chance) <= 5 * math.sqrt(many * chance * (1 - chance))


@pytest.mark.parametrize(
    ("mechanism", "categories", "truths"),
    [
        (RandomizedResponse(probability="0.6", categories=3), None, [0, 1, 2, 1]),
        (PureDP(epsilon="1"), 4, [0, 1, 2, 3]),
        (PureDP(epsilon="1"), 2, [0, 1, 1]),
        (ApproxDP(epsilon="1", delta="0.1"), None, [0, 1, 1, 0]),
    ],
)
def test_responses_are_the_mechanism_s(
    mechanism: Mechanism, categories: int | None, truths: list[int], tmp_path: Path
) -> None:
    found = seeded(truths, plan_of(mechanism), tmp_path, categories=categories)
    expected = respond_many(mechanism, truths, categories=categories or 2, source=SeededSourceForTests(7))
    assert found.values == tuple(map(int, expected))
    assert found.entry.places is None


def test_answers_by_name_come_out_by_name(tmp_path: Path) -> None:
    names, truths = ("no", "yes"), [1, 0, 1, 1, 0]
    plan = plan_of(RandomizedResponse(probability="0.75"))
    found = seeded([names[each] for each in truths], plan, tmp_path, categories=names)
    heard = respond_many(RandomizedResponse(probability="0.75"), truths, source=SeededSourceForTests(7))
    assert found.values == tuple(names[int(each)] for each in heard)


def test_outcomes_of_a_bit_are_numbers_also_when_the_bits_have_names(tmp_path: Path) -> None:
    plan = plan_of(ApproxDP(epsilon="0", delta="1"))
    assert seeded(["no", "yes"], plan, tmp_path, categories=["no", "yes"]).values == (0, 3)


@pytest.mark.parametrize("shape", [list, tuple, np.array, iter])
def test_rows_of_every_kind_are_read(shape: Any, tmp_path: Path) -> None:
    assert seeded(shape([3, 4, 5]), plan_of(NOTHING), tmp_path).values == (3, 4, 5)


def test_one_number_and_a_mapping_are_read(tmp_path: Path) -> None:
    assert seeded(3, plan_of(NOTHING), tmp_path).values == (3,)
    (tmp_path / "other").mkdir()
    found = seeded({"a": 3, "b": np.int64(4)}, plan_of(NOTHING), tmp_path / "other", header=("x", "y"))
    assert (found.labels, found.labelled, found.text) == (("a", "b"), {"a": 3, "b": 4}, "x,y\na,3\nb,4\n")


def test_the_digest_is_the_one_of_the_text(tmp_path: Path) -> None:
    found = seeded({"ä, b": 3, "c": 4}, plan_of(LAPLACE), tmp_path)
    assert found.entry.digest == "sha256:" + hashlib.sha256(found.text.encode()).hexdigest()
    assert read_table(found.text.encode(), where="it").column.labels == ("ä, b", "c")


@pytest.mark.parametrize(
    ("value", "places", "units"),
    [
        (7, 0, 7),
        (-7, 0, -7),
        ("7", 0, 7),
        (" +007 ", 0, 7),
        (7.0, 0, 7),
        (np.int8(-7), 0, -7),
        (np.uint64(2**64 - 1), 0, 2**64 - 1),
        (Decimal(7), 0, 7),
        ("7.50", 2, 750),
        ("-0.05", 2, -5),
        (Decimal("-7.50"), 2, -750),
        ("0." + "1" * 30, 30, int("1" * 30)),
        (Decimal("12345678901234567890123456789012345.01"), 2, 1234567890123456789012345678901234501),
    ],
)
def test_values_are_exact(value: Any, places: int, units: int) -> None:
    assert unit_of(value, places, "it") == units


@pytest.mark.parametrize(
    ("value", "places"),
    [
        (7.5, 0),
        (7.5, 1),
        (2.0**53 + 2, 0),
        (math.nan, 0),
        (math.inf, 0),
        (True, 0),
        (None, 0),
        (Fraction(1, 2), 0),
        ("", 0),
        ("7.", 0),
        ("7.0", 0),
        ("1e3", 0),
        ("1_000", 0),
        ("٣", 0),
        ("0x10", 0),
        ("9" * 1001, 0),
        (10**1000, 0),
        (Decimal("7.0"), 0),
        (Decimal("1e3"), 0),
        (Decimal("NaN"), 0),
        (Decimal("Infinity"), 2),
        (7, 2),
        ("7", 2),
        ("7.5", 2),
        ("7.505", 2),
        (Decimal("7.5"), 2),
        ([7], 0),
    ],
)
def test_values_that_are_not_exactly_what_was_announced_are_refused(value: Any, places: int, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        seeded([1 if places == 0 else f"1.{'0' * places}", value], plan_of(LAPLACE), tmp_path, places=places)
    assert caught.value.field == "values[1]"
    assert list(tmp_path.iterdir()) == []


def test_an_error_shows_no_value() -> None:
    with pytest.raises(InvalidParameterError) as caught:
        unit_of("48151623.42", 0, "values[3]")
    assert "48151623" not in str(caught.value)
    assert "values[3] must be a whole number" in str(caught.value)


def test_fixed_point_noise_is_in_units_of_the_last_place(tmp_path: Path) -> None:
    exact = ["12.50", "-0.05", "0.00"]
    found = seeded(exact, plan_of(LAPLACE), tmp_path, places=2)
    noise = draw_many(LAPLACE, 3, source=SeededSourceForTests(7))
    for value, before, each in zip(found.values, exact, noise, strict=True):
        assert isinstance(value, Decimal)
        assert value.as_tuple().exponent == -2
        assert Fraction(value) == Fraction(before) + Fraction(int(each), 100)
    assert found.entry.places == 2
    assert found.text == "".join(f"{value}\n" for value in found.values)


@pytest.mark.parametrize(("units", "text"), [(0, "0.00"), (-5, "-0.05"), (5, "0.05"), (-1234, "-12.34")])
def test_units_are_written_with_all_decimals(units: int, text: str) -> None:
    assert fixed_text(units, 2) == text
    assert unit_of(text, 2, "it") == units


@pytest.mark.parametrize(
    ("values", "options", "field"),
    [
        ([], {}, "values"),
        ({}, {}, "values"),
        ({1: 2}, {}, "values"),
        ({1, 2}, {}, "values"),
        ({"a": 1, "\ud800": 2}, {}, "labels"),
        ([1], {"places": -1}, "places"),
        ([1], {"places": 101}, "places"),
        ([1], {"categories": 2}, "categories"),
        ([1], {"run": 1}, "run"),
        ([1], {"run": -1}, "run"),
        ([1], {"source": 3}, "source"),
    ],
)
def test_wrong_input_draws_nothing(values: Any, options: dict[str, Any], field: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        release(values, plan_of(LAPLACE), name="it", record=tmp_path / "r", **options)
    assert caught.value.field == field
    assert not list(tmp_path.glob("r/slots/*"))


@pytest.mark.parametrize(
    ("mechanism", "values", "options", "field"),
    [
        (RandomizedResponse(probability="0.7"), [0, 2], {}, "values[1]"),
        (RandomizedResponse(probability="0.7"), [0, -1], {}, "values[1]"),
        (RandomizedResponse(probability="0.7"), [0, True], {}, "values[1]"),
        (RandomizedResponse(probability="0.7"), [0, 1.0], {}, "values[1]"),
        (RandomizedResponse(probability="0.7"), ["0", "x"], {}, "values[1]"),
        (RandomizedResponse(probability="0.7"), ["yes", 1], {"categories": ["no", "yes"]}, "values[1]"),
        (RandomizedResponse(probability="0.7"), ["a", "b"], {"categories": ["a", "b", "c"]}, "categories"),
        (RandomizedResponse(probability="0.7"), ["a", "a"], {"categories": ["a", "a"]}, "categories"),
        (RandomizedResponse(probability="0.7"), ["a"], {"categories": ["a", ""]}, "categories"),
        (RandomizedResponse(probability="0.7"), [0], {"categories": "ab"}, "categories"),
        (RandomizedResponse(probability="0.7"), [0], {"places": 2}, "places"),
        (ApproxDP(epsilon=1, delta=0), [0], {"categories": 3}, "categories"),
        (PureDP(epsilon=1), [0, 1], {}, "categories"),
        (PureDP(epsilon=1), [0, 1], {"categories": 1}, "categories"),
    ],
)
def test_wrong_answers_draw_nothing(
    mechanism: Mechanism, values: Any, options: dict[str, Any], field: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        release(values, plan_of(mechanism), name="it", record=tmp_path / "r", **options)
    assert caught.value.field == field
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("mechanism", "remedy"),
    [
        (Laplace(scale=1), "discrete_laplace"),
        (Gaussian(variance=1), "discrete_gaussian"),
        (Staircase(epsilon=1, gamma="0.5"), "discrete_laplace"),
        (Exponential(epsilon=1), "pure_dp"),
        (PoissonSampled(mechanism=LAPLACE, sampling_probability="0.1"), "elsewhere"),
        (Sequence(parts=[LAPLACE, LAPLACE]), "name of its own"),
        (Sequence(parts=[LAPLACE]).repeated(3), "name of its own"),
        (PureDP.many(epsilons=[0.1]), "discrete_laplace"),
        (Skellam(variance=10**6), ""),
        (DiscreteLaplace(scale=10**1001), "less noise"),
        (DiscreteGaussian(variance=10**1001), "less noise"),
    ],
    ids=repr,
)
def test_what_cannot_be_drawn_creates_nothing(mechanism: Mechanism, remedy: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError) as caught:
        release([1], plan_of(mechanism), name="it", record=tmp_path / "r")
    assert remedy in caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def law(shift: int, ratio: Fraction, reach: int) -> dict[int, Fraction]:
    """Discrete Laplace probabilities around a shift, with all that lies beyond the reach at its ends."""
    inside = {x: (1 - ratio) / (1 + ratio) * ratio ** abs(x - shift) for x in range(1 - reach, reach)}
    low, high = (ratio ** (reach + shift) / (1 + ratio), ratio ** (reach - shift) / (1 + ratio))
    return {-reach: low, **inside, reach: high}


def sticks(pairs: list[tuple[Fraction, Fraction]], odds: list[Fraction]) -> list[Fraction]:
    return [sum((max(p - t * q, Fraction(0)) for p, q in pairs), Fraction(0)) for t in odds]


@pytest.mark.parametrize("ratio", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_one_shift_of_discrete_laplace_noise_dominates_two_that_add_up_to_it(ratio: Fraction) -> None:
    """The claim of `release` for several values, in exact rationals.

    Beyond the largest shift the likelihood ratio is constant, so cutting there changes no hockey-stick divergence; both
    divergences are linear between powers of the ratio, so comparing them there compares them everywhere.
    """
    for first, second in itertools.product(range(1, 5), repeat=2):
        total = first + second
        one = list(zip(law(0, ratio, total).values(), law(total, ratio, total).values(), strict=True))
        sides = [
            list(zip(law(0, ratio, total).values(), law(each, ratio, total).values(), strict=True))
            for each in (first, second)
        ]
        two = [(p * r, q * s) for (p, q), (r, s) in itertools.product(*sides)]
        assert sum(p for p, _ in two) == sum(q for _, q in one) == 1
        odds = [ratio**power for power in range(-total, total + 1)]
        for smaller, larger in zip(sticks(two, odds), sticks(one, odds), strict=True):
            assert smaller <= larger


def test_the_shares_of_a_plan_come_back(tmp_path: Path) -> None:
    """Intervals of 99.9999 % contain the truth, and estimates of many people are close to it."""
    truths = [0] * 6000 + [1] * 3000 + [2] * 1000
    for mechanism in (RandomizedResponse(probability="0.6", categories=3), PureDP(epsilon="1")):
        folder = tmp_path / mechanism.kind
        folder.mkdir()
        plan = plan_of(mechanism)
        found = seeded(truths, plan, folder, categories=3)
        told = estimate(found.values, plan, name="it", categories=3, confidence="0.999999", simultaneous=True)
        assert (told.kind, told.names) == ("share", ("0", "1", "2"))
        for share, each in zip(("0.6", "0.3", "0.1"), told.estimates, strict=True):
            assert Fraction(share) in each.interval
            assert float(each.interval.width) < 0.2
        assert abs(sum((Fraction(each.value.lower) for each in told.estimates), Fraction(-1))) < Fraction(1, 10**9)


def test_bits_come_back_from_four_outcomes(tmp_path: Path) -> None:
    plan = plan_of(ApproxDP(epsilon="1", delta="0.1"))
    found = seeded(["no"] * 3000 + ["yes"] * 1000, plan, tmp_path, categories=["no", "yes"])
    told = estimate(found.values, plan, name="it", categories=["no", "yes"], confidence="0.999999")
    assert told.names == ("no", "yes")
    assert Fraction(1, 4) in told.estimates[1].interval


def test_numbers_come_back_with_the_radius_of_their_noise(tmp_path: Path) -> None:
    """The least r with ``P(|noise| > r) <= 0.05`` for scale 2 is 5, and for 1 - 0.05/200 it is 15."""
    ratio = math.exp(-0.5)

    def least(risk: float) -> int:
        return next(r for r in itertools.count() if 2 * ratio ** (r + 1) / (1 + ratio) <= risk)

    exact = {f"street {each}": f"{each}.5" for each in range(200)}
    plan = plan_of(LAPLACE)
    found = seeded(exact, plan, tmp_path, places=1)
    for simultaneous, risk in ((False, 0.05), (True, 0.05 / 200)):
        told = estimate(found.labelled, plan, name="it", places=1, simultaneous=simultaneous)
        assert (told.kind, told.names, told.simultaneous) == ("value", tuple(exact), simultaneous)
        held = 0
        for noisy, truth, each in zip(found.values, exact.values(), told.estimates, strict=True):
            assert each.value.lower == each.value.upper == Fraction(noisy)
            assert each.interval.upper - each.value.upper == Fraction(least(risk), 10)
            assert each.value.lower - each.interval.lower == Fraction(least(risk), 10)
            held += Fraction(truth) in each.interval
        assert held >= (200 if simultaneous else 175)


@pytest.mark.parametrize(
    ("observed", "options", "field"),
    [
        ([], {}, "observed"),
        (["1.5"], {}, "values[0]"),
        ([1], {"confidence": "1"}, "confidence"),
        ([1], {"confidence": "0", "simultaneous": True}, "confidence"),
        ([1], {"confidence": "x"}, "confidence"),
        ([1], {"categories": 2}, "categories"),
        ([1], {"name": "other"}, "name"),
    ],
)
def test_wrong_observations_are_refused(observed: Any, options: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        estimate(observed, plan_of(LAPLACE), **{"name": "it", **options})
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("content", "header", "values", "labels", "names"),
    [
        (b"1\n2\n", False, ("1", "2"), None, None),
        (b"\xef\xbb\xbfn\r\n1\r\n2\r\n\r\n", True, ("1", "2"), None, ("n",)),
        (b'a,1\n"b, c", 2', False, ("1", " 2"), ("a", "b, c"), None),
        (b"k,v\na,1\n", True, ("1",), ("a",), ("k", "v")),
    ],
)
def test_tables_are_read(content: bytes, header: bool, values: Any, labels: Any, names: Any) -> None:
    found = read_table(content, where="it", header=header)
    assert (found.column.values, found.column.labels, found.header) == (values, labels, names)


@pytest.mark.parametrize(
    ("content", "header", "said"),
    [
        (b"", False, "at least one value"),
        (b"n\n", True, "at least one value"),
        (b"1\n\n2\n", False, "line 2"),
        (b"a,1\n2\n", False, "line 2"),
        (b"1\n2,3\n", False, "line 2"),
        (b"a,b,1\n", False, "line 1"),
        (b"k,v\n1\n", True, "line 2"),
        (b"a,1\nb,\n", False, "line 2"),
        (b"a,1\na,2\n", False, "line 2 has a label that stood before"),
        (b'"a\n', False, "cannot be read as CSV"),
        (b'"a"b\n', False, "cannot be read as CSV"),
        (b"\xff\n", False, "no UTF-8"),
    ],
)
def test_other_tables_are_refused(content: bytes, header: bool, said: str) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        read_table(content, where="it", header=header)

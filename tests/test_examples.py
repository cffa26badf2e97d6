"""The files in examples/ compose quickly, say what they are, and give numbers that another method confirms."""

from __future__ import annotations

import io
import math
import subprocess
import sys
import time
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr
from typer.testing import CliRunner

from optcomp.cli.main import app
from optcomp.composition import Plan, compare
from optcomp.documents import parse, read_plan
from optcomp.mechanisms import DiscreteGaussian, PureDP, Repeated
from optcomp.quantities import Enclosure

FOLDER = Path(__file__).resolve().parent.parent / "examples"
README = FOLDER.parent / "README.md"
NO_PLANS = ("budget_", "multiparty_")  # of other kinds of files
EXAMPLES = sorted(
    path
    for path in FOLDER.iterdir()
    if path.suffix in {".toml", ".json", ".yaml"} and not path.name.startswith(NO_PLANS)
)
DELTA = Fraction(1, 10**6)
BITS = 400  # of the fixed point in which masses are convolved
LONGEST_SECONDS = 5.0  # about ten times what the slowest takes on a quiet machine


def load(name: str) -> Enclosure:
    plan = read_plan(str(FOLDER / name), standard_input=io.BytesIO())
    assert plan.target_delta == DELTA
    return plan.profile().epsilon(DELTA)


def mp(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def binomial_masses(count: int, odds: Any) -> list[int]:
    """The law of how many of ``count`` losses are negative, each with these odds, in units of 2^-BITS."""
    term = 1 / (1 + odds) ** count
    masses = []
    for place in range(count + 1):
        masses.append(int(mpmath.floor(mpmath.ldexp(term, BITS))))
        term *= odds * (count - place) / (place + 1)
    return masses


def product(first: list[int], second: list[int]) -> list[int]:
    """The product of two polynomials through one product of two very long integers."""
    width = (2 * BITS + 64) // 8

    def packed(values: list[int]) -> int:
        return int.from_bytes(b"".join(value.to_bytes(width, "little") for value in values), "little")

    size = len(first) + len(second) - 1
    raw = (packed(first) * packed(second)).to_bytes(width * size, "little")
    return [int.from_bytes(raw[width * k : width * (k + 1)], "little") for k in range(size)]


def spread(values: list[int], multiple: int) -> list[int]:
    found = [0] * (multiple * (len(values) - 1) + 1)
    found[::multiple] = values
    return found


def delta_of_two_groups(step: Fraction, first: int, second: int, epsilon: Fraction) -> Any:
    """Delta of ``first`` losses of one step and ``second`` of two steps, term by term."""
    with mpmath.workprec(BITS + 100):
        h, x = mp(step), mp(epsilon)
        law = product(binomial_masses(first, mpmath.exp(-h)), spread(binomial_masses(second, mpmath.exp(-2 * h)), 2))
        whole = mpmath.mpf(0)
        for negative, mass in enumerate(law):
            loss = (first + 2 * second - 2 * negative) * h
            if loss <= x:
                break
            whole -= mpmath.ldexp(mpmath.mpf(mass), -2 * BITS) * mpmath.expm1(x - loss)
        return whole


@pytest.mark.parametrize(
    ("name", "first", "second"), [("mobility_year.toml", 4380, 2190), ("mobility_month.toml", 360, 180)]
)
def test_the_mobility_reports_lie_where_an_exact_convolution_puts_them(name: str, first: int, second: int) -> None:
    found = load(name)
    step = Fraction(11, 100)
    assert delta_of_two_groups(step, first, second, Fraction(found.upper)) <= mp(DELTA)
    assert delta_of_two_groups(step, first, second, Fraction(found.lower)) >= mp(DELTA)
    assert found.relative_width < 1e-12


def delta_of_equal(epsilon: Any, failing: Any, count: int, x: Any) -> Any:
    odds = mpmath.exp(-epsilon)
    finite = sum(
        mpmath.binomial(count, k) * odds**k / (1 + odds) ** count * -mpmath.expm1(x - (count - 2 * k) * epsilon)
        for k in range(count + 1)
        if (count - 2 * k) * epsilon > x
    )
    return 1 - (1 - failing) ** count * (1 - finite)


def test_the_labour_market_year_and_the_local_survey_by_the_binomial_sum() -> None:
    with mpmath.workdps(60):
        for name, epsilon, failing, count in [
            ("labour_market_year.toml", mpmath.mpf("1.2"), mpmath.mpf("1e-10"), 48),
            ("local_survey.json", mpmath.log(3), mpmath.mpf(0), 12),
        ]:
            found = load(name)
            assert delta_of_equal(epsilon, failing, count, mp(Fraction(found.upper))) <= mp(DELTA)
            assert delta_of_equal(epsilon, failing, count, mp(Fraction(found.lower))) >= mp(DELTA)
            assert found.relative_width < 1e-16


def test_the_search_trends_by_a_plain_sum_in_floats() -> None:
    """Positive floats only, so the sum is good to far more digits than it is compared at."""
    found = load("search_trends_month.toml")
    step, size = 1e-4, 30
    law = np.ones(1)
    for multiple in (1680, 3700, 11000, 23, 47, 140):
        odds = math.exp(-multiple * step)
        single = [math.comb(size, k) * odds**k / (1 + odds) ** size for k in range(size + 1)]
        wider = np.zeros(len(law) + multiple * size)
        for place, mass in enumerate(single):
            wider[multiple * place : multiple * place + len(law)] += mass * law
        law = wider
    losses = (len(law) - 1 - 2 * np.arange(len(law))) * step
    for end in (float(found.lower), float(found.upper)):
        above = losses > end
        delta = float(np.sum(law[above] * -np.expm1(end - losses[above])))
        assert abs(delta / 1e-6 - 1) < 1e-8


def delta_by_fft(laws: Iterable[tuple[Any, Any, int]], epsilon: float, *, step: float, size: int) -> float:
    """Delta by plain convolution on a grid: losses moved to the nearest point, all in floats.

    The moves have no drift, so the error is of second order in the step; no bound on it is claimed here.
    """
    product = np.ones(size // 2 + 1, dtype=complex)
    for losses, masses, count in laws:
        law = np.zeros(size)
        np.add.at(law, np.rint(losses / step).astype(int) % size, masses)
        product *= np.fft.rfft(law) ** count
    law = np.fft.irfft(product, size)
    losses = np.arange(size) * step
    losses[size // 2 :] -= size * step
    above = losses > epsilon
    return float(np.sum(law[above] * -np.expm1(epsilon - losses[above])))


def discrete_gaussian_law(variance: float) -> tuple[Any, Any]:
    reach = math.ceil(12 * math.sqrt(variance)) + 5
    noise = np.arange(-reach, reach + 1)
    masses = np.exp(-(noise**2) / (2 * variance))
    return (1 - 2 * noise) / (2 * variance), masses / masses.sum()


def sampled_gaussian_law(noise: float, share: float, step: float) -> tuple[Any, Any]:
    """The loss of one step when a record is removed, on a grid: differences of its distribution function."""
    cells = np.arange(math.floor(math.log1p(-share) / step), math.ceil(4 / step))
    ratio = (np.expm1((cells - 0.5) * step) + share) / share
    places = np.where(ratio > 0, noise**2 * np.log(np.where(ratio > 0, ratio, 1)) + 0.5, -np.inf)
    beyond = share * ndtr((1 - places) / noise) + (1 - share) * ndtr(-places / noise)
    return cells * step, beyond - np.append(beyond[1:], 0)


def plan_of(name: str) -> tuple[Plan, Fraction]:
    plan = read_plan(str(FOLDER / name), standard_input=io.BytesIO())
    assert plan.target_delta is not None
    return plan, plan.target_delta


@pytest.mark.parametrize(
    ("name", "queries", "rho", "published"),
    [
        ("census_pl94.toml", 65, Fraction(64, 25), 17.14),
        ("census_dhc.toml", 80, Fraction("3.65"), 21.97),
    ],
)
def test_the_census_lies_where_a_plain_convolution_puts_it(
    name: str, queries: int, rho: Fraction, published: float
) -> None:
    plan, delta = plan_of(name)
    found = plan.profile().epsilon(delta)
    groups: list[tuple[DiscreteGaussian, int]] = []
    for release in plan.releases:
        part = release.mechanism
        inner, count = (part.mechanism, part.count) if isinstance(part, Repeated) else (part, 1)
        assert isinstance(inner, DiscreteGaussian)
        assert inner.sensitivity == 1
        groups.append((inner, count))
    assert sum(count for _, count in groups) == queries
    assert sum(count / (2 * inner.variance) for inner, count in groups) == rho
    assert delta == Fraction(1, 10**10)
    laws = [(*discrete_gaussian_law(float(inner.variance)), count) for inner, count in groups]
    assert abs(delta_by_fft(laws, float(found), step=2e-4, size=2**20) / 1e-10 - 1) < 1e-3
    assert found.relative_width < 1e-6
    assert found.upper < published


def test_the_census_dhc_is_the_number_known_from_elsewhere() -> None:
    plan, delta = plan_of("census_dhc.toml")
    assert abs(float(plan.profile().epsilon(delta)) / 20.324689750789727 - 1) < 1e-6


@pytest.mark.parametrize(
    ("name", "noise", "share", "steps", "known", "step"),
    [
        ("dpsgd_tutorial.toml", 1.1, 250 / 60000, 480, 0.41102, 2e-5),
        ("dpsgd_long.yaml", 1.0, 0.001, 10_000, 0.5551396679, 1e-5),
    ],
)
def test_training_runs_lie_where_a_plain_convolution_puts_them(
    name: str, *, noise: float, share: float, steps: int, known: float, step: float
) -> None:
    plan, delta = plan_of(name)
    assert plan.adjacency == "add_or_remove_one"
    found = plan.profile().epsilon(delta)
    assert abs(float(found) / known - 1) < 1e-5
    law = (*sampled_gaussian_law(noise, share, step), steps)
    assert abs(delta_by_fft([law], float(found), step=step, size=2**20) / float(delta) - 1) < 1e-2


def test_many_queries_is_a_plan_that_a_script_prints() -> None:
    printed = subprocess.run([sys.executable, str(FOLDER / "many_queries.py")], capture_output=True, check=True).stdout
    plan = read_plan("-", standard_input=io.BytesIO(printed))
    known = 17.4975895598932
    found = plan.profile().epsilon(plan.target_delta or 0)
    assert found.lower <= known * (1 + 1e-6)
    assert found.upper >= known * (1 - 1e-6)
    assert found.relative_width < 1e-6
    assert plan.adjacency == "add_or_remove_one"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_says_what_it_is_and_composes_quickly(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    content = parse(text.encode(), path=str(path))
    assert content["title"]
    assert content["privacy_unit"]
    assert content["adjacency"]
    assert content["target"]
    if path.suffix != ".json":  # JSON has no comments: there the title is the description
        first, _, rest = text.partition("\n")
        assert first.startswith("# ")
        assert first.endswith(".")
        assert not rest.startswith("#")
    start = time.perf_counter()
    for command in ("compose", "compare"):
        done = CliRunner().invoke(app, [command, str(path)], env={"COLUMNS": "200"})
        assert (done.exit_code, done.stderr) == (0, "")
        assert str(content["title"]) in done.stdout
    assert time.perf_counter() - start < LONGEST_SECONDS


def rows_of(text: str) -> list[list[str]]:
    """The cells of the rows of a Markdown table that begin with a number."""
    found = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    return [cells for cells in found if cells[0].isdigit()]


def test_the_table_of_theorems_in_the_readme_is_right_and_rounded_up() -> None:
    section = README.read_text(encoding="utf-8").partition("## How much it helps")[2].partition("##")[0]
    rows = rows_of(section)
    assert [int(row[0]) for row in rows] == [10, 30, 100, 1000]
    for count, *shown in rows:
        comparison = compare(PureDP(epsilon="0.1").repeated(int(count)), delta=DELTA)
        for text, name in zip(shown, ["basic", "advanced", "closed_form", "optimal"], strict=True):
            epsilon = comparison.row(name).epsilon
            assert epsilon is not None
            assert Fraction(epsilon.upper) <= Fraction(text) < Fraction(epsilon.lower) + Fraction(1, 10_000)


def test_the_year_of_the_readme_is_what_the_program_prints() -> None:
    section = README.read_text(encoding="utf-8").partition("## How much it helps")[2].partition("##")[0]
    block = section.partition("```text\n")[2].partition("```")[0]
    done = CliRunner().invoke(
        app, ["compare", str(FOLDER / "mobility_year.toml"), "--delta", "1e-6"], env={"COLUMNS": "200"}
    )
    printed = {line.split()[0]: line.split() for line in done.stdout.splitlines()}
    assert len(block.splitlines()) == 7
    for line in block.splitlines():
        name, *words = line.split()
        if name == "optimal":  # the last digits of floats may differ from one processor to another
            assert [word[:14] for word in words] == [word[:14] for word in printed[name][1:3]]
        else:
            assert words == printed[name][1 : len(words) + 1]


def test_there_are_examples_of_both_formats() -> None:
    assert {path.suffix for path in EXAMPLES} == {".toml", ".json", ".yaml"}
    others = {path.name for path in FOLDER.iterdir()} - {path.name for path in EXAMPLES}
    assert {name for name in others if not name.startswith(NO_PLANS)} == {"many_queries.py"}


def test_the_example_of_make_run_exists() -> None:
    makefile = (FOLDER.parent / "Makefile").read_text(encoding="utf-8")
    assert "EXAMPLE := examples/mobility_year.toml" in makefile
    assert FOLDER / "mobility_year.toml" in EXAMPLES

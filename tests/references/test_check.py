"""The check checked: what is wrong, unknown or broken must not pass."""

from __future__ import annotations

import copy
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optcomp import Enclosure, InvalidParameterError
from tests.references import questions
from tests.references.check import UnreadableError, cases_in, main, read, run
from tests.references.printed import Answer, Approximate, MalformedError, OneOf, Verdict, judge, read_number
from tests.references.questions import Case
from tests.references.reading import evaluate, read_mechanisms

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = sorted(Path(__file__).resolve().parent.glob("*.json"))
REGION = "region-k5-e0.3-d0.01"

HALF = {"kind": "approx_dp", "epsilon": "0.5", "delta": "0"}
# delta(0) = tanh(1/4), and epsilon at that delta is 0
GOOD = {"id": "good", "mechanisms": [HALF], "query": {"epsilon": "0"}, "value": "0.2449186624037091292778"}


def verdict(**changes: Any) -> Verdict:
    return run("cases", "case", {**GOOD, **changes}).verdict


def judged(expected: Any, answer: Any, **options: Any) -> set[Verdict]:
    return {finding.verdict for finding in judge(expected, answer, **options)}


def reference(file: str, name: str) -> dict[str, Any]:
    path = Path(__file__).with_name(f"{file}.json")
    found = next(case for _, known, case in cases_in(read(str(path))) if known == name)
    assert isinstance(found, dict)
    return copy.deepcopy(found)


# ------------------------------------------------------------------------------------------------- wrong values


@pytest.mark.parametrize(
    "value",
    [
        "0.2449186624037091292788",  # wrong in the last digit but one
        "0.2449186624037091292767",
        "0.244918662403709",  # too few digits for 1e-18
        "0.2449",
        "0.245",
        "-0.2449186624037091292778",
        "0",
        "inf",
        "1/4",
    ],
)
def test_a_wrong_value_is_outside(value: str) -> None:
    assert verdict() is Verdict.INSIDE
    assert verdict(value=value) is Verdict.OUTSIDE


def numbers_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers_in(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from numbers_in(inner, (*path, place))
    else:
        yield path


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("closed_forms", "basic-mixed"),
        ("closed_forms", "drv-k10-e1-d1e-6-s1e-5"),
        ("closed_forms", "kov34-simple-k30-e0.1-d0.001-s0.001"),
        ("closed_forms", "kov34-k100-e0.1-d1e-7-s0.00005"),
        ("closed_forms", "kov35-b"),
        ("closed_forms", "zcdp-eps-k100-e0.1-t1e-6"),
        ("closed_forms", "zcdp-delta-k1000-e0.01-x1"),
        ("closed_forms", "filter-b"),
        ("vertices", REGION),
        ("figures", "kov-fig3-t0.031"),
    ],
)
def test_every_number_of_a_value_is_compared(file: str, name: str) -> None:
    case = reference(file, name)
    paths = list(numbers_in(case["value"]))
    assert paths
    for path in paths:
        changed = copy.deepcopy(case)
        *way, last = path
        place = changed["value"]
        for key in way:
            place = place[key]
        place[last] = _nudged(place[last])
        found = run("cases", name, changed)
        assert found.verdict is Verdict.OUTSIDE, path


def _nudged(value: Any) -> Any:
    """The number made larger by 1e-10 of itself, in its own kind of text."""
    if isinstance(value, int):
        return value + 1
    number = Fraction(value)
    return f"{float(number) * (1 + 1e-10) + (1e-10 if number == 0 else 0):.16e}"


@pytest.mark.parametrize(
    ("text", "digits", "low", "high"),
    [
        ("0.5", None, "0.5", "0.5"),
        ("12345678901234.5", None, "12345678901234.4999876", "12345678901234.5000124"),  # 1e-18 of it
        ("1.2345678901234567890", None, "1.23456789012345678895", "1.23456789012345678905"),
        ("20.32468975078973", 15, "20.32468975078968", "20.32468975078978"),
        ("123.4", 2, "118.4", "128.4"),
    ],
)
def test_tolerances(text: str, digits: int | None, low: str, high: str) -> None:
    printed = read_number(text, digits=digits)
    value = Fraction(text)
    assert printed.value == value
    assert value - printed.tolerance >= Fraction(low)
    assert value + printed.tolerance <= Fraction(high)
    assert printed.tolerance > 0 or printed.second_tolerance == value / 10**19


@pytest.mark.parametrize(
    ("shift", "inside"),
    [
        (Fraction(0), True),
        (Fraction(4, 10**20), True),
        (Fraction(6, 10**20), False),
        (Fraction(-4, 10**20), True),
        (Fraction(-6, 10**20), False),
    ],
)
def test_half_a_unit_of_the_last_digit(shift: Fraction, *, inside: bool) -> None:
    text = "0.1234567890123456789"  # 19 digits, so half a unit is 5e-20
    found = judged(text, Enclosure.exactly(Fraction(text) + shift))
    assert found == {Verdict.INSIDE if inside else Verdict.OUTSIDE}


def test_a_short_number_is_exact_first_and_then_says_that_it_was_rounded() -> None:
    assert [f.rounded for f in judge("0.5", Enclosure.exactly(Fraction(1, 2)))] == [False]
    near = Fraction(1, 2) + Fraction(4, 10**20)
    assert [(f.verdict, f.rounded) for f in judge("0.5", Enclosure.exactly(near))] == [(Verdict.INSIDE, True)]
    assert judged("0.5", Enclosure.exactly(Fraction(1, 2) + Fraction(6, 10**20))) == {Verdict.OUTSIDE}
    assert judged("3", Enclosure.exactly(Fraction(3) + Fraction(1, 10**17))) == {Verdict.OUTSIDE}
    assert judged(3, Enclosure.exactly(Fraction(3) + Fraction(1, 10**25))) == {Verdict.OUTSIDE}


def test_an_infinite_value_asks_for_an_infinite_answer() -> None:
    assert judged("inf", Enclosure.exactly(math.inf)) == {Verdict.INSIDE}
    assert judged("inf", Enclosure.exactly(10**9)) == {Verdict.OUTSIDE}
    assert judged("7", Enclosure.exactly(math.inf)) == {Verdict.OUTSIDE}
    assert judged("7", Enclosure(Fraction(0), math.inf)) == {Verdict.UNANSWERED}
    assert judged("inf", Enclosure(Fraction(0), math.inf)) == {Verdict.UNANSWERED}


def test_few_digits_and_choices() -> None:
    order = Enclosure(Fraction("5.90700944973"), Fraction("5.907009449731"))
    assert judged("5.90700944973", Approximate(order, 12)) == {Verdict.INSIDE}
    assert judged("5.90700944972", Approximate(order, 12)) == {Verdict.OUTSIDE}
    assert judged(2, OneOf(frozenset({2, 3}))) == {Verdict.INSIDE}
    assert judged(1, OneOf(frozenset({2, 3}))) == {Verdict.OUTSIDE}


# ------------------------------------------------------------------------------------- unknown, broken, refused


@pytest.mark.parametrize(
    "changes",
    [
        {"query": {"theorem": "Theorem 99", "slack": "0.1"}},
        {"query": {"theorem": "basic", "slack": "0.1"}},
        {"query": {"theorem": "KOV 3.4"}},
        {"query": {"region": "somebody's"}},
        {"query": {"epsilon": "0", "delta": "0"}},
        {"query": {"delta": "0.1", "curves": False}},
        {"query": {"rho": "1"}},
        {"query": {}},
        {"query": None},
        {"query": ["epsilon"]},
        {"mechanisms": None},
        {"mechanisms": HALF},
        {"mechanisms": [None]},
        {"mechanisms": [{"kind": "teleport", "epsilon": "1"}]},
        {"mechanisms": [{**HALF, "colour": "blue"}]},
        {"mechanisms": [{"kind": "sequence", "parts": [{"kind": "teleport"}]}]},
        {"mechanisms": [{"kind": ["approx_dp"]}]},
        {"mechanisms": [{"kind": "approx_dp", "epsilon": "-1", "delta": "0"}]},
        {"mechanisms": [{"kind": "pure_dp", "epsilon_formula": "i", "index": "i in 3"}]},
        {"mechanisms": [{"kind": "pure_dp", "epsilon_formula": "i", "index": "i = 0..4", "count": 4}]},
        {"mechanisms": [{"kind": "pure_dp", "epsilon_formula": "j", "index": "i = 0..4"}]},
        {"mechanisms": [{"kind": "pure_dp", "epsilon_formula": "1/i", "index": "i = 0..4"}]},
        {"mechanisms": [{"kind": "pure_dp", "epsilon_formula": "9**9**9", "index": "i = 0..4"}]},
        {"mechanisms": [{"kind": "pure_dp", "epsilon_formula": "i", "epsilon": "1", "index": "i = 0..4"}]},
        {"mechanisms": [{"kind": "pure_dp", "epsilon_formula": 3, "index": "i = 0..4"}]},
        {"mechanisms": [{"kind": "pure_dp", "epsilon_formula": "__import__('os')", "index": "i = 0..4"}]},
        {"adjacency": "telepathy"},
        {"adjacency": ["add_one"]},
        {"value": None},
        {"value": {}},
        {"value": []},
        {"value": {"epsilon": "0.5"}},
        {"value": True},
        {"value": "about a quarter"},
        {"value": ""},
        {"value": "1/0"},
        {"value": "9" * 5000},
        {"value": "1e999999"},
        {"digits": 0},
        {"digits": "twelve"},
        {"value": None, "error": "unheard_of"},
        {"value": None, "error": "invalid_parameter", "mechanisms": [{"kind": "teleport"}]},
        {"value": None, "error": "invalid_parameter", "mechanisms": [{**HALF, "colour": "blue"}]},
        {"value": None, "error": "invalid_parameter", "query": {"rho": "-1"}},
    ],
)
def test_what_is_unknown_or_broken_is_not_answered(changes: dict[str, Any]) -> None:
    found = run("cases", "case", {**GOOD, **changes})
    assert found.verdict is Verdict.UNANSWERED
    assert found.reason


def test_a_number_that_the_library_does_not_give_is_not_answered() -> None:
    case = reference("closed_forms", "basic-mixed")
    case["value"]["gamma"] = "1"
    assert run("cases", "case", case).verdict is Verdict.UNANSWERED


def test_a_wrong_number_beside_an_unknown_one_is_outside() -> None:
    case = reference("closed_forms", "basic-mixed")
    case["value"] = {"gamma": "1", "epsilon": "1.9"}
    assert run("cases", "case", case).verdict is Verdict.OUTSIDE


@pytest.mark.parametrize("key", ["pairs", "tradeoff_corners"])
def test_a_list_of_another_length_is_outside(key: str) -> None:
    case = reference("vertices", REGION)
    case["value"][key].pop()
    assert run("cases", REGION, case).verdict is Verdict.OUTSIDE


def test_a_refusal_is_right_only_where_one_is_expected() -> None:
    bad = {"kind": "approx_dp", "epsilon": "-1", "delta": "0"}
    assert verdict(value=None, error="invalid_parameter", mechanisms=[bad]) is Verdict.INSIDE
    assert verdict(mechanisms=[bad]) is Verdict.UNANSWERED
    assert verdict(value=None, error="invalid_parameter") is Verdict.OUTSIDE


def test_a_refusal_without_a_field_is_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(case: Case) -> Answer:
        raise InvalidParameterError(field="", value=case, condition="", remedy="")

    monkeypatch.setitem(questions.QUESTIONS, "epsilon", refuse)
    assert verdict(value=None, error="invalid_parameter") is Verdict.OUTSIDE


@pytest.mark.parametrize("error", [ValueError("x"), RecursionError(), MemoryError(), KeyError("x"), ArithmeticError()])
def test_no_failure_of_the_library_stops_the_check(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(_: Case) -> Answer:
        raise error

    monkeypatch.setitem(questions.QUESTIONS, "epsilon", fail)
    assert verdict() is Verdict.UNANSWERED
    assert verdict(value=None, error="invalid_parameter") is Verdict.UNANSWERED


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["approx_dp", "0.5", "inf"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "kind", "epsilon", "delta", "count", "theorem", "slack", "mechanisms", "parts"])
            | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(group=st.sampled_from(["cases", "other"]), case=JSON, key=st.sampled_from(sorted(GOOD)), whole=st.booleans())
def test_nonsense_never_raises(group: str, case: Any, key: str, *, whole: bool) -> None:
    found = run(group, "nonsense", case if whole else {**GOOD, key: case})
    assert found.verdict is not Verdict.INSIDE or (not whole and group == "cases")


# ------------------------------------------------------------------------------------------------------ formulas


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.001*(1+(i*7919)%50)", Fraction(1 + 7 * 7919 % 50, 1000)),
        ("0.0001*(1+(i*i+7*i)%89)", Fraction(1 + 98 % 89, 10000)),
        ("-i/3 + 2**-3", Fraction(-7, 3) + Fraction(1, 8)),
        ("1e-300*i//1", Fraction(0)),
        ("(i + 0.5) % 2", Fraction(3, 2)),
        ("0.1234567890123456789012345", Fraction("0.1234567890123456789012345")),  # no rounding to a float
    ],
)
def test_formulas_are_exact(text: str, value: Fraction) -> None:
    assert evaluate(text, {"i": Fraction(7)}) == value


@pytest.mark.parametrize(
    "text", ["", "i +", "j", "i.real", "abs(i)", "i if i else 1", "[i]", "'i'", "True", "1j", "i @ i"]
)
def test_other_than_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        evaluate(text, {"i": Fraction(7)})


def test_a_formula_makes_one_mechanism_for_each_index() -> None:
    formula = {"kind": "approx_dp", "epsilon_formula": "0.25*(i%3)", "index": "i = 0..9", "delta": "0", "count": 10}
    made = {(each.mechanism.epsilon, each.count) for each in read_mechanisms([formula])}  # type: ignore[attr-defined]  # Repeated
    assert made == {(Fraction(0), 4), (Fraction(1, 4), 3), (Fraction(1, 2), 3)}


# ------------------------------------------------------------------------------------------------------- program


def written(path: Path, content: object) -> str:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


def test_status_0_and_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "good.json", {"what": "one case", "cases": [GOOD]})
    assert main([path]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{path}: 1/1 inside, widest ")
    assert "(good), slowest " in line


def test_status_1_and_the_reasons(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {**GOOD, "id": "wrong", "value": "0.3"}
    unknown = {**GOOD, "id": "unknown", "query": {"moon": "full"}}
    path = written(tmp_path / "mixed.json", {"cases": [GOOD, wrong, unknown, 7]})
    assert main([path]) == 1
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{path}: 1/4 inside")
    assert [line.split(":")[:2] for line in rest] == [
        ["  wrong", " outside"],
        ["  unknown", " not answered"],
        ["  cases[3]", " not answered"],
    ]


def test_every_entry_of_every_other_list_is_a_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "other.json", {"about": "x", "profiles": [{"id": "p"}, 3], "pairs": [{}], "more": []})
    assert main([path]) == 1
    assert capsys.readouterr().out.splitlines()[0].startswith(f"{path}: 0/3 inside")


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "7", "{}", '{"cases": {}}', '{"cases": []}', "[" * 100_000, '{"a": "b"}']
)
def test_status_2_for_what_holds_no_cases(tmp_path: Path, content: str) -> None:
    path = written(tmp_path / "nonsense.json", content)
    with pytest.raises(UnreadableError):
        cases_in(read(path))
    good = written(tmp_path / "good.json", {"cases": [GOOD]})
    assert main([path, good]) == 2


def test_status_2_for_missing_and_binary_files(tmp_path: Path) -> None:
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe\x00")
    assert main([str(tmp_path / "missing.json")]) == 2
    assert main([str(tmp_path)]) == 2
    assert main([str(binary)]) == 2


def test_json_output_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = written(tmp_path / "good.json", {"cases": [GOOD, {**GOOD, "id": "wrong", "value": "0.3"}]})
    assert main(["--json", good, str(tmp_path / "missing.json")]) == 2
    found = json.loads(capsys.readouterr().out)
    (file,) = found["files"]
    assert (file["file"], file["inside"], file["total"]) == (good, 1, 2)
    assert file["widest"]["case"] == "good"
    assert file["slowest"]["seconds"] >= 0
    assert [(each["case"], each["verdict"]) for each in file["not_inside"]] == [("wrong", "outside")]
    assert [each["file"] for each in found["unreadable"]] == [str(tmp_path / "missing.json")]


def test_the_command_runs(tmp_path: Path) -> None:
    good = written(tmp_path / "good.json", {"cases": [GOOD]})
    command = [sys.executable, "-m", "tests.references.check"]
    done = subprocess.run([*command, good], cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1/1 inside" in done.stdout
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 2


def test_decimals_in_a_file_stay_exact(tmp_path: Path) -> None:
    content = read(written(tmp_path / "x.json", '{"cases": [0.1000000000000000000000001]}'))
    assert content == {"cases": [Decimal("0.1000000000000000000000001")]}


def test_every_reference_file_is_in_the_tests() -> None:
    from tests.references.test_references import FILES as TESTED

    assert [path.stem for path in FILES] == TESTED

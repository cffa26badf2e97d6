"""Certificates: what is written, what is read back, and what becomes of one that was altered.

A digest finds accidents, not forgers: whoever alters a certificate can make a new digest. So every alteration is tried
both ways, and with a new digest a second engine must refuse to confirm it. One field is beyond its reach: under another
adjacency the same numbers are a true statement about another relation, so that field rests on the word of its author.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import jsonschema
import pytest

import optcomp as oc
from optcomp.composition.certificate import VERSION
from optcomp.documents import SCHEMAS
from optcomp.quantities import exact_text

Fields = dict[str, Any]
PARTS = [oc.PureDP(epsilon="0.1").repeated(30), oc.ApproxDP(epsilon="0.2", delta="1e-9").repeated(10)]
KEYS = ["version", "mechanisms", "adjacency", "question", "lower", "upper", "theorem", "engine", "precision", "error"]
KEYS += ["digest"]


def made(**more: Any) -> oc.Certificate:
    return oc.compose(PARTS, adjacency="replace_one", **more).certificate(delta="1e-6")


BASE: Fields = oc.certificate_to_json(made())


def signed(obj: Fields) -> Fields:
    """The same fields with a digest that fits them."""
    body = {key: value for key, value in obj.items() if key != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return {**body, "digest": f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"}


def altered(change: Callable[[Fields], None], *, new_digest: bool) -> Fields:
    obj = copy.deepcopy(BASE)
    change(obj)
    assert obj != BASE
    return signed(obj) if new_digest else obj


def refusal(obj: object) -> oc.InvalidParameterError:
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.certificate_from_json(obj)
    return caught.value


def outcome(obj: object) -> str:
    """What a reader is told in the end."""
    try:
        return oc.recheck(oc.certificate_from_json(obj)).verdict.value
    except oc.InvalidParameterError:
        return "refused"


def put(path: str, value: Any) -> Callable[[Fields], None]:
    def change(obj: Fields) -> None:
        *way, last = (int(each) if each.isdigit() else each for each in path.split("."))
        inside: Any = obj
        for each in way:
            inside = inside[each]
        inside[last] = copy.deepcopy(value)

    return change


def moved(end: str, by: str, **more: str) -> Callable[[Fields], None]:
    """One end moved by a relative amount; the stated width moves along, so that only the numbers are wrong."""

    def change(obj: Fields) -> None:
        obj[end] = exact_text(Fraction(obj[end]) * (1 + Fraction(by)))
        for other, amount in more.items():
            obj[other] = exact_text(Fraction(obj[other]) * (1 + Fraction(amount)))
        width = oc.Enclosure(Fraction(obj["lower"]), Fraction(obj["upper"])).relative_width
        obj["error"]["answer"] = repr(width)

    return change


# ---------------------------------------------------------------------------------------------------- the form


CERTIFICATES: dict[str, Callable[[], oc.Certificate]] = {
    "epsilon": made,
    "delta": lambda: oc.compose(PARTS).certificate(epsilon="ln(3)"),
    "negative epsilon": lambda: oc.compose(PARTS).certificate(epsilon="-0.5"),
    "one": lambda: oc.compose(oc.PureDP(epsilon="ln(3/2)")).certificate(delta="1/7"),
    "nothing": lambda: oc.compose([]).certificate(delta="0"),
    "infinite": lambda: oc.compose(oc.ApproxDP(epsilon=1, delta="0.1")).certificate(delta="0.05"),
    "sum": lambda: oc.compose(oc.ApproxDP(epsilon=1, delta="0.1")).certificate(delta="0.1"),
    "nested": lambda: oc.compose(oc.Sequence(parts=PARTS).repeated(2)).certificate(delta="1e-6"),
    "answers": lambda: oc.compose(oc.RandomizedResponse(probability="0.75").repeated(12)).certificate(delta="1e-6"),
    "grid": lambda: oc.compose(PARTS, engine="bracketing_lattice").certificate(delta="1e-6", width="1e-4"),
}


@pytest.mark.parametrize("name", CERTIFICATES)
def test_round_trip_and_schema(name: str) -> None:
    first = CERTIFICATES[name]()
    obj = oc.certificate_to_json(first)
    assert list(obj) == KEYS
    jsonschema.Draft202012Validator(SCHEMAS["certificate"]()).validate(obj)
    through_text = json.loads(json.dumps(obj))
    second = oc.certificate_from_json(through_text)
    assert oc.certificate_to_json(second) == obj
    assert (second.answer, second.asked, second.point) == (first.answer, first.asked, first.point)
    assert second.digest == first.digest == obj["digest"] == signed(obj)["digest"]


def test_a_sequence_comes_back_as_an_equal_certificate() -> None:
    assert oc.certificate_from_json(json.loads(json.dumps(BASE))) == made()


def test_the_text_of_a_certificate() -> None:
    obj = oc.certificate_to_json(oc.compose(oc.PureDP(epsilon="0.1").repeated(30)).certificate(delta="1e-6"))
    assert obj["version"] == 1
    assert obj["mechanisms"] == [{"kind": "pure_dp", "epsilon": "0.1", "count": 30}]
    assert obj["adjacency"] is None
    assert obj["question"] == {"delta": "1e-6"}
    assert (obj["lower"], obj["upper"]) == ("2.345887693", "2.34588769301")
    assert str(obj["theorem"]).startswith("Kairouz, Oh, Viswanath")
    assert (obj["engine"], obj["precision"]) == ("binomial", oc.compose(oc.PureDP(epsilon=1)).choice.rule.precision)
    width = oc.Enclosure(Fraction("2.345887693"), Fraction("2.34588769301")).relative_width
    assert obj["error"] == {"failure": "0.0", "target": "0.0", "answer": repr(width)}


def test_the_certified_interval_is_the_answer_widened_to_twelve_digits() -> None:
    answer, certified = oc.compose(PARTS).epsilon("1e-6"), made().answer
    assert certified.lower <= answer.lower <= answer.upper <= certified.upper
    assert certified == answer.rounded(12)
    assert oc.compose(PARTS).certificate(delta="1e-6", digits=3).answer == answer.rounded(3)


def test_a_certificate_is_frozen() -> None:
    certificate = made()
    for name in ("mechanism", "adjacency", "asked", "point", "answer", "theorem", "engine", "precision", "error"):
        with pytest.raises(FrozenInstanceError):
            setattr(certificate, name, None)
    with pytest.raises((FrozenInstanceError, AttributeError)):
        certificate.digest = "sha256:"  # type: ignore[misc]  # that it is refused is the point
    with pytest.raises(FrozenInstanceError):
        certificate.error.answer = 0.0  # type: ignore[misc]  # as above


def test_exactly_one_question() -> None:
    for more in ({}, {"delta": "1e-6", "epsilon": 1}):
        with pytest.raises(oc.InvalidParameterError):
            oc.compose(PARTS).certificate(**more)  # type: ignore[arg-type]  # mypy takes digits into account


# ---------------------------------------------------------------------------------------------------- alterations


ALTERATIONS: dict[str, Callable[[Fields], None]] = {
    "version": put("version", 2),
    "mechanism epsilon": put("mechanisms.0.epsilon", "0.11"),
    "mechanism delta": put("mechanisms.1.delta", "2e-8"),
    "mechanism kind": put("mechanisms.1", {"kind": "pure_dp", "epsilon": "0.2", "count": 9}),
    "mechanism count": put("mechanisms.0.count", 31),
    "fewer mechanisms": lambda obj: obj["mechanisms"].pop(),
    "more mechanisms": lambda obj: obj["mechanisms"].append({"kind": "pure_dp", "epsilon": "0.5"}),
    "no mechanisms": put("mechanisms", []),
    "question delta": put("question", {"delta": "1e-7"}),
    "question other way": put("question", {"epsilon": "1e-6"}),
    "question spelled": put("question", {"delta": "0.000001"}),
    "lower alone": put("lower", "3.5"),
    "lower above upper": put("lower", "99"),
    "upper alone": put("upper", "inf"),
    "upper below lower": put("upper", "0.5"),
    "lower raised": moved("lower", "1e-6", upper="1e-5"),
    "upper lowered": moved("upper", "-1e-6", lower="-1e-5"),
    "lower raised a little": moved("lower", "1e-11", upper="1e-9"),
    "upper lowered a little": moved("upper", "-1e-11", lower="-1e-9"),
    "stated as exact": lambda obj: obj.update(upper=obj["lower"], error={**obj["error"], "answer": "0.0"}),
    "stated as wide": lambda obj: obj.update(lower="0"),
    "theorem": put("theorem", "The Theory and Practice of Alchemy, Theorem 1"),
    "engine": put("engine", "subsets"),
    "engine unknown": put("engine", "abacus"),
    "engine that does not take it": put("engine", "binomial"),
    "precision": put("precision", "single precision"),
    "error failure": put("error.failure", "0.5"),
    "error target": put("error.target", "1e-3"),
    "error answer": put("error.answer", "1e-30"),
    "error answer larger": put("error.answer", "0.5"),
    "error missing": put("error", {"failure": "0.0", "target": "0.0"}),
    "unknown key": put("note", "checked by hand"),
}


@pytest.mark.parametrize("name", ALTERATIONS)
def test_an_altered_certificate_does_not_fit_its_digest(name: str) -> None:
    assert refusal(altered(ALTERATIONS[name], new_digest=False)).field in {"digest", "version", "note"}


@pytest.mark.parametrize("name", ALTERATIONS)
def test_with_a_new_digest_it_is_still_not_confirmed(name: str) -> None:
    said = outcome(altered(ALTERATIONS[name], new_digest=True))
    if "a little" in name:
        assert said in {"refused", "contradicted", "undecided", "consistent"}  # within the second engine's width
    else:
        assert said in {"refused", "contradicted", "undecided"}


def test_every_field_is_altered_somewhere() -> None:
    changed = set()
    for change in ALTERATIONS.values():
        obj = altered(change, new_digest=False)
        changed |= {key for key in obj if obj.get(key) != BASE.get(key)}
    assert changed >= set(KEYS) - {"digest", "adjacency"}


@pytest.mark.parametrize("adjacency", ["add_one", None])
def test_another_adjacency_is_found_by_the_digest_only(adjacency: str | None) -> None:
    """The numbers hold under every relation, so what a second engine proves is another true statement."""
    assert refusal(altered(put("adjacency", adjacency), new_digest=False)).field == "digest"
    assert outcome(altered(put("adjacency", adjacency), new_digest=True)) == outcome(BASE) == "confirmed"


@pytest.mark.parametrize(
    "digest", ["", "sha256:", "sha256:" + "0" * 64, None, 7, [], "SHA256" + str(BASE["digest"])[6:]]
)
def test_a_wrong_digest_is_refused(digest: Any) -> None:
    assert refusal({**BASE, "digest": digest}).field == "digest"


# ---------------------------------------------------------------------------------------------------- nonsense


@pytest.mark.parametrize("obj", [None, 7, "certificate", [], [BASE], True])
def test_what_is_no_object_is_refused(obj: object) -> None:
    assert refusal(obj).field == "certificate"


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_named(key: str) -> None:
    error = refusal({name: value for name, value in BASE.items() if name != key})
    assert (error.field, error.condition) == (key, "is missing")


@pytest.mark.parametrize("version", [0, 2, "1", True, None, [1], 1.5])
def test_another_version_is_refused(version: Any) -> None:
    assert refusal(signed({**BASE, "version": version})).field == "version"


def test_the_version() -> None:
    assert BASE["version"] == VERSION == 1


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        ("mechanisms", {}, "mechanisms"),
        ("mechanisms", None, "mechanisms"),
        ("mechanisms", [7], "mechanism"),
        ("mechanisms", [{"kind": "magic"}], "kind"),
        ("mechanisms", [{"kind": "pure_dp", "epsilon": "-1"}], "epsilon"),
        ("adjacency", 7, "adjacency"),
        ("question", "1e-6", "question"),
        ("question", {}, "question"),
        ("question", {"delta": "1e-6", "epsilon": "1"}, "question"),
        ("question", {"delta": 1e-6}, "question.delta"),
        ("question", {"delta": "2"}, "question.delta"),
        ("question", {"epsilon": "inf"}, "question.epsilon"),
        ("lower", 2.0, "lower"),
        ("lower", None, "lower"),
        ("lower", "about 2", "lower"),
        ("lower", "nan", "lower"),
        ("upper", "-inf", "upper"),
        ("upper", ["3"], "upper"),
        ("theorem", None, "theorem"),
        ("engine", 7, "engine"),
        ("precision", {}, "precision"),
        ("error", None, "error"),
        ("error", {"failure": "0.0", "target": "0.0", "answer": 0.0}, "error.answer"),
        ("error", {"failure": "0.0", "target": "0.0", "answer": "much"}, "error.answer"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_and_its_field_named(key: str, value: Any, field: str) -> None:
    assert refusal(signed({**BASE, key: value})).field == field


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("question", {"delta": "0.000001"}),
        ("question", {"delta": "1E-6"}),
        ("lower", str(BASE["lower"]) + "0"),
        ("upper", "+" + str(BASE["upper"])),
        ("mechanisms", [{"kind": "pure_dp", "epsilon": "0.10", "count": 30}]),
        ("mechanisms", [{"kind": "pure_dp", "epsilon": 0.1, "count": 30}]),
    ],
)
def test_one_number_is_written_in_one_way(key: str, value: Any) -> None:
    assert refusal(signed({**BASE, key: value})).field == "certificate"


def test_what_json_cannot_hold_does_not_get_past_the_digest() -> None:
    """Readers that keep decimals exact give numbers of another type: such a body has no digest, not an empty one."""
    for more in ({}, {"upper": "9"}):
        assert refusal({**BASE, **more, "version": Decimal("1.0"), "digest": ""}).field in {"digest", "version"}


@pytest.mark.parametrize("error", ["1e400", "-1e400", "-1", "inf", "nan", "1e999999999"])
def test_an_impossible_error_is_refused(error: str) -> None:
    for name in ("failure", "target", "answer"):
        assert outcome(signed({**BASE, "error": {**BASE["error"], name: error}})) in {"refused", "contradicted"}


def test_an_adjacency_without_a_name_is_refused() -> None:
    assert refusal(signed({**BASE, "adjacency": "whatever"})).field == "adjacency"


def test_a_deeply_nested_value_is_refused() -> None:
    deep: Any = "0.1"
    for _ in range(100_000):
        deep = [deep]
    assert isinstance(refusal({**BASE, "adjacency": deep}), oc.InvalidParameterError)


# ---------------------------------------------------------------------------------------------------- rechecks


@pytest.mark.parametrize("engine", ["binomial", "outcomes", "lattice", "subsets"])
@pytest.mark.parametrize("question", [{"delta": "1e-6"}, {"epsilon": "1"}, {"epsilon": "ln(2)"}, {"epsilon": "-1/3"}])
def test_the_answer_of_an_exact_engine_is_confirmed_by_another(engine: str, question: dict[str, str]) -> None:
    profile = oc.compose(oc.PureDP(epsilon="0.1").repeated(30), engine=engine)
    certificate = profile.certificate(**question)  # type: ignore[arg-type]  # mypy takes digits into account
    found = oc.recheck(certificate)
    assert found.verdict is oc.RecheckVerdict.CONFIRMED, found
    assert found.engine not in {None, engine}
    assert found.answer is not None
    assert certificate.answer.lower <= found.answer.lower <= found.answer.upper <= certificate.answer.upper


def test_the_answer_of_a_grid_is_confirmed_by_an_exact_engine() -> None:
    certificate = oc.compose(PARTS, engine="bracketing_lattice").certificate(delta="1e-6", width="1e-4")
    found = oc.recheck(certificate)
    assert (found.verdict, found.engine) == (oc.RecheckVerdict.CONFIRMED, "outcomes")


def test_a_sum_of_waves_confirms_where_no_exact_engine_is_left() -> None:
    parts = [oc.PureDP(epsilon=Fraction(10**14 + 7919 * i**3, 10**15)) for i in range(14)]
    profile = oc.compose(parts, engine="subsets")
    found = oc.recheck(profile.certificate(delta="1e-3", digits=4))
    assert found.verdict is oc.RecheckVerdict.CONFIRMED, found
    assert found.engine == "contour"


def test_a_narrower_certificate_than_any_second_engine_reaches_is_consistent() -> None:
    certificate = oc.compose(oc.PureDP(epsilon="0.1").repeated(3000)).certificate(delta="1e-6", digits=30)
    found = oc.recheck(certificate)
    assert found.verdict is oc.RecheckVerdict.CONSISTENT
    assert found.answer is not None
    assert found.answer.intersects(certificate.answer)
    assert found.answer.relative_width > certificate.answer.relative_width
    assert found.engine == "contour_balls"  # the narrowest of those that were asked


@pytest.mark.parametrize("by", ["1e-3", "1e-6", "-1e-3", "-1e-6"])
def test_a_wrong_interval_is_contradicted(by: str) -> None:
    found = oc.recheck(oc.certificate_from_json(altered(moved("lower", by, upper=by), new_digest=True)))
    assert found.verdict is oc.RecheckVerdict.CONTRADICTED
    assert found.engine is not None
    assert found.answer is not None
    assert found.engine in found.reason


def test_where_no_second_engine_reaches_it_is_undecided() -> None:
    profile = oc.compose([oc.PureDP(epsilon="1e200"), oc.PureDP(epsilon="1e-200")])
    found = oc.recheck(profile.certificate(epsilon="1"))
    assert found.verdict is oc.RecheckVerdict.UNDECIDED
    assert (found.engine, found.answer) == (None, None)
    assert found.reason


def test_a_certificate_never_vouches_for_itself() -> None:
    """The only engine that takes this is the one that made it: a wrong number must not be confirmed."""
    certificate = oc.compose([oc.PureDP(epsilon="1e200"), oc.PureDP(epsilon="1e-200")]).certificate(epsilon="1")
    wrong = replace(certificate, answer=oc.Enclosure.exactly(Fraction(1, 2)))
    assert oc.recheck(wrong).verdict is not oc.RecheckVerdict.CONFIRMED


@pytest.mark.parametrize("name", ["infinite", "sum", "nothing"])
def test_cases_decided_by_the_failure_probabilities_are_never_contradicted(name: str) -> None:
    assert oc.recheck(CERTIFICATES[name]()).verdict is not oc.RecheckVerdict.CONTRADICTED


def test_a_faulty_description_is_named() -> None:
    for key, value in (("theorem", "Theorem 0"), ("precision", "exact")):
        found = oc.recheck(replace(made(), **{key: value}))  # type: ignore[arg-type]  # one field of each type
        assert found.verdict is oc.RecheckVerdict.CONTRADICTED
        assert value in found.reason
        assert found.engine is None


def test_an_engine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(oc.InvalidParameterError) as caught:
        oc.recheck(replace(made(), engine="abacus"))
    assert (caught.value.field, caught.value.value) == ("engine", "abacus")

"""How each kind of question is put to the library: one table, one entry a kind.

A kind is written as the keys of the query in order, with the short name of a theorem or region behind its key. A case
that stands in another list than ``cases`` has the name of that list as its kind.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from optcomp import Enclosure, Profile, Sequence, compare, compose
from optcomp.losses import guarantees
from optcomp.theorems import Guarantee, Term
from optcomp.theorems.basic import basic_composition
from optcomp.theorems.drv10 import advanced_composition
from optcomp.theorems.filters import fully_adaptive_bound
from optcomp.theorems.kov15 import (
    closed_form,
    closed_form_candidates,
    optimal_corners,
    optimal_region,
    short_form,
)
from optcomp.theorems.renyi import pure_dp_rho, zcdp_delta, zcdp_epsilon
from tests.references.hardness_questions import HARDNESS
from tests.references.kernel_questions import KERNELS
from tests.references.multiparty_questions import MULTIPARTY, accuracy_of
from tests.references.printed import Answer, Approximate, MalformedError, OneOf
from tests.references.reading import read_mechanisms

__all__ = ["CASES", "LISTS", "QUESTIONS", "Case", "in_balls", "kind_of"]

Case = Mapping[str, Any]
"""One entry of a list of a reference file."""

CASES = "cases"
_NAMED = ("theorem", "region")
_ORDER_DIGITS = 12


def kind_of(group: str, case: Case) -> str:
    """The kind of a case that stands in the list ``group``."""
    if group != CASES:
        return group
    if {"measure", "function", "view"} <= set(case):
        return MULTIPARTY
    query = case.get("query")
    if not isinstance(query, Mapping) or not query:
        raise MalformedError("has no query")
    return ", ".join(f"{key} {_short(query[key])}" if key in _NAMED else key for key in sorted(query))


def _short(name: object) -> str:
    """The name of a theorem without the words of explanation behind it."""
    return str(name).partition(":")[0].partition(" (")[0].strip()


def _profile(case: Case) -> Profile:
    return compose(read_mechanisms(case.get("mechanisms")), adjacency=case.get("adjacency"))


def _terms(case: Case) -> tuple[Term, ...]:
    whole = Sequence(parts=read_mechanisms(case.get("mechanisms")))
    known = guarantees(whole)
    if known is None:
        raise MalformedError("this theorem is for mechanisms that are known by epsilon and delta")
    return tuple(Term(epsilon=epsilon, delta=delta, count=count) for epsilon, delta, count in known)


def _single(case: Case) -> dict[str, Any]:
    """The parameters of mechanisms that are all equal."""
    terms = _terms(case)
    if len(terms) != 1:
        raise MalformedError("this theorem is for equal mechanisms")
    return {"epsilon": terms[0].epsilon, "delta": terms[0].delta, "count": terms[0].count}


def _delta(case: Case) -> Answer:
    return _profile(case).delta(epsilon=case["query"]["epsilon"])


def _epsilon(case: Case) -> Answer:
    return _profile(case).epsilon(delta=case["query"]["delta"])


def in_balls(case: Case) -> Enclosure:
    """The answer without floats, for a case that asks for an epsilon or a delta."""
    profile, query = _profile(case), case["query"]
    if "epsilon" in query:
        return profile.delta(epsilon=query["epsilon"], rigor="ball")
    return profile.epsilon(delta=query["delta"], rigor="ball")


def _curves(case: Case) -> Answer:
    """The theorems at one total delta, infinite where one says nothing, and how far each is above the optimum."""
    if case["query"]["curves"] is not True:
        raise MalformedError("curves must be true")
    found = compare(read_mechanisms(case.get("mechanisms")), delta=case["query"]["delta"])
    optimum = found.row("optimal")
    if optimum.epsilon is None:
        raise MalformedError(optimum.note)
    answer: dict[str, Answer] = {
        "k": Enclosure.exactly(sum(term.count for term in _terms(case))),
        "optimal": optimum.epsilon,
    }
    for name, row in (("basic", "basic"), ("advanced_drv", "advanced"), ("kov_closed_form", "closed_form")):
        epsilon = found.row(row).epsilon or Enclosure.exactly(math.inf)
        answer[name] = epsilon
        answer[f"ratio_{name}"] = _quotient(epsilon, optimum.epsilon)
    return answer


def _quotient(top: Enclosure, bottom: Enclosure) -> Enclosure:
    """The quotient of two non-negative intervals; it says nothing where the lower one may be 0 or infinite."""
    if bottom.lower == 0 or math.isinf(bottom.upper):
        return Enclosure(Fraction(0), math.inf)
    return Enclosure(_divided(top.lower, bottom.upper), _divided(top.upper, bottom.lower))


def _divided(top: Fraction | float, bottom: Fraction | float) -> Fraction | float:
    return math.inf if isinstance(top, float) else top / Fraction(bottom)


def _region(case: Case) -> Answer:
    equal = _single(case)
    vertices, corners = optimal_region(**equal), optimal_corners(**equal)
    return {
        "pairs": [{"i": Enclosure.exactly(v.index), "epsilon": v.epsilon, "delta": v.delta} for v in vertices],
        "tradeoff_corners": [{"alpha": c.false_alarm, "beta": c.missed_detection} for c in corners],
    }


def _pair(found: Guarantee) -> dict[str, Answer]:
    return {"epsilon": found.epsilon, "delta": found.delta}


def _basic(case: Case) -> Answer:
    return _pair(basic_composition(_terms(case)))


def _advanced(case: Case) -> Answer:
    return _pair(advanced_composition(_terms(case), slack=case["query"]["slack"]))


def _filter(case: Case) -> Answer:
    return _pair(fully_adaptive_bound(_terms(case), slack=case["query"]["slack"]))


def _short_form(case: Case) -> Answer:
    return _pair(short_form(**_single(case), slack=case["query"]["slack"]))


def _closed_form(case: Case) -> Answer:
    terms, slack = _terms(case), case["query"]["slack"]
    candidates = closed_form_candidates(terms, slack=slack)
    return {**_pair(closed_form(terms, slack=slack)), "terms": candidates, "which": OneOf(_least(candidates))}


def _least(candidates: Iterable[Enclosure]) -> frozenset[int]:
    """The places, counted from 1, of those that can be the least."""
    known = tuple(candidates)
    limit = min(each.upper for each in known)
    return frozenset(place for place, each in enumerate(known, start=1) if each.lower <= limit)


def _pure_rho(case: Case) -> Enclosure:
    terms = _terms(case)
    if any(term.delta and term.count for term in terms):
        raise MalformedError("the conversion is printed for mechanisms with delta 0")
    return pure_dp_rho(terms)


def _zcdp_epsilon(case: Case) -> Answer:
    rho = _pure_rho(case)
    found = zcdp_epsilon(rho=rho, delta=case["query"]["delta"])
    return {"epsilon": found.value, "rho": rho, **_order(found.order)}


def _zcdp_delta(case: Case) -> Answer:
    rho = _pure_rho(case)
    found = zcdp_delta(rho=rho, epsilon=case["query"]["epsilon"])
    return {"delta": found.value, "rho": rho, **_order(found.order)}


def _order(order: Enclosure | None) -> dict[str, Answer]:
    return {} if order is None else {"alpha": Approximate(order, _ORDER_DIGITS)}


QUESTIONS: dict[str, Callable[[Case], Answer]] = {
    "epsilon": _delta,
    "delta": _epsilon,
    "curves, delta": _curves,
    "region KOV Theorem 3.3": _region,
    "theorem basic": _basic,
    "slack, theorem advanced": _advanced,
    "slack, theorem KOV 3.4": _closed_form,
    "slack, theorem KOV 3.4 simplified": _short_form,
    "slack, theorem KOV 3.5": _closed_form,
    "slack, theorem filter": _filter,
    "delta, theorem zCDP": _zcdp_epsilon,
    "epsilon, theorem zCDP": _zcdp_delta,
    MULTIPARTY: accuracy_of,
}
"""Each kind of question, with the function that puts it to the library."""

LISTS: dict[str, Callable[[Case], tuple[object, Answer]]] = {**KERNELS, **HARDNESS}
"""Each list with a name of its own, with the function that gives what is printed and what the library says."""

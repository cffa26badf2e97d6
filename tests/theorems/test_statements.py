"""Every theorem is marked with its paper, and every mark leads back to a function."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import reduce

import pytest

import optcomp.theorems
from optcomp.sources import BS16, CKS20, DRV10, KOV15, WRRW23, Statement, statement_of, statements

ROOM = optcomp.theorems.__name__


def public_functions() -> dict[str, Callable[..., object]]:
    found: dict[str, Callable[..., object]] = {}
    for module in pkgutil.iter_modules(optcomp.theorems.__path__):
        if module.name == "base":  # what the theorems take and give, no theorem
            continue
        loaded = importlib.import_module(f"{ROOM}.{module.name}")
        found |= {
            f"{loaded.__name__}.{name}": getattr(loaded, name)
            for name in loaded.__all__
            if inspect.isfunction(getattr(loaded, name))
        }
    return found


FUNCTIONS = public_functions()


def test_there_are_theorems() -> None:
    assert {f"{ROOM}.kov15.optimal_region", f"{ROOM}.renyi.zcdp_delta"} <= FUNCTIONS.keys()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_public_function_states_a_theorem(name: str) -> None:
    found = statement_of(FUNCTIONS[name])
    assert found in statements()
    assert found.function == name


CANDIDATES = f"{ROOM}.kov15.closed_form_candidates"  # numbers that promise nothing each for itself


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - {CANDIDATES}))
def test_each_public_function_says_what_it_guarantees(name: str) -> None:
    assert "**Guarantee**" in (inspect.getdoc(FUNCTIONS[name]) or "")


def resolved(statement: Statement) -> object:
    """The object that a statement's dotted name stands for."""
    parts = statement.function.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        return reduce(getattr, parts[cut:], module)
    raise AssertionError(statement.function)


def test_each_statement_leads_to_a_function_and_has_a_citation() -> None:
    assert statements()
    for statement in statements():
        assert inspect.isfunction(resolved(statement))
        paper = statement.paper
        assert min(len(statement.theorem), len(paper.authors), len(paper.title), len(paper.key)) > 2
        assert str(statement) == f"{paper.authors} {paper.year}, {statement.theorem}"


def test_statements_are_in_order_and_marked_once() -> None:
    names = [statement.function for statement in statements()]
    assert names == sorted(set(names))


@pytest.mark.parametrize(
    ("name", "paper", "words"),
    [
        ("basic.basic_composition", KOV15, "Theorem 3.1"),
        ("drv10.advanced_composition", DRV10, "Theorem"),
        ("kov15.optimal_region", KOV15, "Theorem 3.3"),
        ("kov15.closed_form", KOV15, "Theorem 3.4"),
        ("kov15.closed_form", KOV15, "Theorem 3.5"),
        ("kov15.short_form", KOV15, "0.9"),
        ("renyi.pure_dp_rho", BS16, "Proposition 1.4"),
        ("renyi.zcdp_epsilon", CKS20, "Corollary 13"),
        ("renyi.zcdp_delta", CKS20, "Corollary 13"),
        ("filters.fully_adaptive_bound", WRRW23, "filter"),
    ],
)
def test_the_right_paper(name: str, paper: object, words: str) -> None:
    found = statement_of(FUNCTIONS[f"{ROOM}.{name}"])
    assert found.paper == paper
    assert words in found.theorem


def test_an_unmarked_function_states_nothing() -> None:
    with pytest.raises(KeyError):
        statement_of(public_functions)

"""How the cases about many parties are put to the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from optcomp import Enclosure
from optcomp.multiparty import MEASURES, BitFunction, Interest, Party, Protocol
from tests.references.printed import MalformedError

__all__ = ["accuracy_of", "is_multiparty"]

Case = Mapping[str, Any]

_OBSERVER = "observer"
_OF_SUM: Mapping[str, Callable[[int], BitFunction]] = {
    "xor": BitFunction.xor,
    "and": BitFunction.conjunction,
    "or": BitFunction.disjunction,
    "majority": BitFunction.majority,
    "sum": BitFunction.total,
}


def is_multiparty(case: Case) -> bool:
    """Whether a case without a query is one about many parties."""
    return "query" not in case and {"measure", "function", "view"} <= set(case)


def accuracy_of(case: Case) -> Enclosure:
    """The best accuracy of the observer, or of the party that the case names."""
    function, view = _function(case), case.get("view")
    weight = MEASURES.get(str(case.get("weight")))
    if weight is None:
        raise MalformedError("the weight is not known")
    epsilons, deltas = case["epsilon"], case["delta"]
    if len(epsilons) != function.parties or len(deltas) != function.parties:
        raise MalformedError("epsilon and delta must have one entry for each party")
    party = None if view == _OBSERVER else _index(view, least=0, field="view")
    parties = [
        Party(epsilon=epsilon, delta=delta, function=function if place == party else None, accuracy=weight)
        for place, (epsilon, delta) in enumerate(zip(epsilons, deltas, strict=True))
    ]
    protocol = Protocol(parties=parties, observer=Interest(function, weight))
    return protocol.accuracy(party=party, measure=case["measure"])


def _function(case: Case) -> BitFunction:
    size, asked = _index(case.get("k"), least=1, field="k"), case["function"]
    name, argument = asked["name"], asked.get("argument")
    if name == "threshold":
        return BitFunction.threshold(size, least=_index(argument, least=0, field="function.argument"))
    if name == "table":
        return _table(argument, size)
    if name in _OF_SUM and argument is None:
        return _OF_SUM[name](size)
    raise MalformedError(f"the function {asked!r:.80} is not known here")


def _table(values: object, size: int) -> BitFunction:
    """Every whole number up to the largest value is an answer, whether it is a value or not."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != 1 << size:
        raise MalformedError("a table needs a value for each database")
    known = tuple(_index(value, least=0, field="function.argument") for value in values)
    answers = tuple(range(max(known) + 1))
    return BitFunction("table", size, answers, by_database=known)


def _index(value: object, *, least: int, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise MalformedError(f"{field} must be a whole number, at least {least}")
    return value

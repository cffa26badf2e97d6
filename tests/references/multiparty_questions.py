"""How the cases of ``multiparty.json`` are put to the library: the best accuracy of an observer or of a party."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from optcomp import Enclosure
from optcomp.multiparty import MEASURES, BitFunction, Interest, Party, Protocol
from tests.references.printed import MalformedError

__all__ = ["MULTIPARTY", "accuracy_of"]

Case = Mapping[str, Any]


def _table(case: Case) -> BitFunction:
    values = tuple(case["function"]["argument"])
    return BitFunction("table", case["k"], tuple(range(max(values) + 1)), by_database=values)


_FUNCTIONS: dict[str, Callable[[Case], BitFunction]] = {
    "xor": lambda case: BitFunction.xor(case["k"]),
    "and": lambda case: BitFunction.conjunction(case["k"]),
    "or": lambda case: BitFunction.disjunction(case["k"]),
    "majority": lambda case: BitFunction.majority(case["k"]),
    "threshold": lambda case: BitFunction.threshold(case["k"], least=case["function"]["argument"]),
    "sum": lambda case: BitFunction.total(case["k"]),
    "table": _table,
}


def accuracy_of(case: Case) -> Enclosure:
    """The accuracy that a case asks for."""
    name, weight = case["function"]["name"], case["weight"]
    if name not in _FUNCTIONS or weight not in MEASURES or case["measure"] not in {"average", "worst"}:
        raise MalformedError(f"a function {name!r:.40}, a weight {weight!r:.40} or a measure that is not known here")
    function = _FUNCTIONS[name](case)
    interest = Interest(function, MEASURES[weight])
    parties = [
        Party(epsilon=epsilon, delta=delta, function=function, accuracy=MEASURES[weight])
        for epsilon, delta in zip(case["epsilon"], case["delta"], strict=True)
    ]
    protocol = Protocol(parties=parties, observer=interest)
    listener = None if case["view"] == "observer" else case["view"]
    return protocol.accuracy(party=listener, measure=case["measure"])


MULTIPARTY = "accuracy of many parties"
"""The kind of such a case: it stands among the other cases, and has a function and a view instead of a query."""

"""From the mechanisms of a case to the library's own, formulas included."""

from __future__ import annotations

import ast
import inspect
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from optcomp import Mechanism, mechanism_from_json
from optcomp.mechanisms.codec import KINDS
from tests.references.printed import MalformedError

__all__ = ["evaluate", "read_mechanisms"]

_FORMULA = "_formula"
_INDEX = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*(\d{1,9})\s*\.\.\s*(\d{1,9})\s*", re.ASCII)
_MOST_INDICES = 1_000_000
_LARGEST_POWER = 1000
_MOST_BITS = 100_000

Number = Fraction
_OPERATIONS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: operator.mod,
}


def read_mechanisms(raw: object) -> list[Mechanism]:
    """Every mechanism of a case.

    Raises:
        MalformedError: When the list, a kind, a key or a formula is not known here.
        InvalidParameterError: When the library refuses a mechanism of a kind that it knows.
    """
    if not isinstance(raw, list):
        raise MalformedError("has no list of mechanisms")
    return [mechanism for each in raw for mechanism in _read(each)]


def _read(raw: object) -> Iterator[Mechanism]:
    if isinstance(raw, Mapping) and any(str(key).endswith(_FORMULA) for key in raw):
        yield from _expanded(raw)
    else:
        _check(raw)
        yield mechanism_from_json(raw)


def _check(raw: object) -> None:
    """That the library knows the kind and the keys, so that a refusal is about their values."""
    kind = raw.get("kind") if isinstance(raw, Mapping) else None
    if not isinstance(raw, Mapping) or not isinstance(kind, str) or kind not in KINDS:
        raise MalformedError(f"the kind {kind!r:.80} is not known here")
    keys = {"kind", "count", *inspect.signature(KINDS[kind]).parameters}
    for key, value in raw.items():
        if key not in keys:
            raise MalformedError(f"the key {key!r:.80} of {kind} is not known here")
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, Mapping):
                _check(inner)


def _expanded(raw: Mapping[str, object]) -> Iterator[Mechanism]:
    """One mechanism per index, equal ones together."""
    name, indices = _indices(raw.get("index"))
    if raw.get("count", len(indices)) != len(indices):
        raise MalformedError("the count is not the number of indices")
    formulas = {key.removesuffix(_FORMULA): _parsed(raw[key]) for key in raw if key.endswith(_FORMULA)}
    fixed = {key: raw[key] for key in raw if not key.endswith(_FORMULA) and key not in {"index", "count"}}
    if formulas.keys() & fixed.keys():
        raise MalformedError("a parameter is given twice")
    _check({**fixed, **dict.fromkeys(formulas)})
    found = Counter(tuple(_value(tree, text, {name: Fraction(i)}) for text, tree in formulas.values()) for i in indices)
    for values, count in found.items():
        texts = {key: f"{v.numerator}/{v.denominator}" for key, v in zip(formulas, values, strict=True)}
        yield mechanism_from_json({**fixed, **texts, "count": count})


def _indices(raw: object) -> tuple[str, range]:
    found = _INDEX.fullmatch(raw) if isinstance(raw, str) else None
    if not found:
        raise MalformedError("the index is not of the form 'i = 0..999'")
    indices = range(int(found[2]), int(found[3]) + 1)
    if not 0 < len(indices) <= _MOST_INDICES:
        raise MalformedError(f"the index must take between 1 and {_MOST_INDICES} values")
    return found[1], indices


def evaluate(text: str, names: Mapping[str, Fraction]) -> Fraction:
    """The exact value of an arithmetic formula: numbers, names, brackets and ``+ - * / // % **``."""
    source, tree = _parsed(text)
    return _value(tree, source, names)


def _parsed(text: object) -> tuple[str, ast.expr]:
    if not isinstance(text, str):
        raise MalformedError("a formula must be text")
    try:
        return text, ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise MalformedError(f"{text!r:.80} is no formula") from None


def _value(tree: ast.expr, source: str, names: Mapping[str, Fraction]) -> Fraction:
    try:
        value = _node(tree, source, names)
    except (ZeroDivisionError, OverflowError, ValueError, RecursionError):
        raise MalformedError(f"{source!r:.80} has no value") from None
    return value


def _node(node: ast.expr, source: str, names: Mapping[str, Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=value) if isinstance(value, int | float) and not isinstance(value, bool):
            # the text, since the parsed float is rounded
            return Fraction((ast.get_source_segment(source, node) or "").replace("_", ""))
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_node(inner, source, names)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _node(inner, source, names)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _small(_power(_node(left, source, names), _node(right, source, names)))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return _small(_OPERATIONS[type(op)](_node(left, source, names), _node(right, source, names)))
    raise MalformedError(f"{source!r:.80} holds something other than arithmetic")


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > _LARGEST_POWER:
        raise ValueError(exponent)
    return _small(base) ** int(exponent)


def _small(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise OverflowError(value)
    return value

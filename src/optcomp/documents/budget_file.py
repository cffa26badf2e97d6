"""Budgets from files: a target, and what it is split among."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, BinaryIO

from optcomp.calibration.allocation import CRITERIA, METHODS
from optcomp.calibration.shares import FAMILIES, Group, Parallel, Part, Share
from optcomp.composition import ADJACENCIES, checked_adjacency
from optcomp.documents.reading import parse, read_bytes
from optcomp.errors import DocumentError, InvalidParameterError
from optcomp.mechanisms import mechanism_from_json
from optcomp.quantities import Real, nonnegative_real, probability, rational
from optcomp.quantities import count as whole_number

__all__ = ["BudgetFile", "budget_from_mapping", "budget_schema", "read_budget"]

_BUDGET_KEYS = ("title", "adjacency", "privacy_unit", "target", "method", "error", "reserve", "window", "share")
_TARGET_KEYS = ("epsilon", "delta")
_NUMBERS = ("weight", "sensitivity", "floor", "cap", "standard_deviation", "half_width")
_SHARE_KEYS = ("name", "family", "count", "lock", *_NUMBERS)
_DEEPEST = 20


@dataclass(frozen=True, kw_only=True)
class BudgetFile:
    """What a budget file says.

    Args:
        title: What the plan is.
        adjacency: The relation between neighbouring data sets.
        privacy_unit: Whose data one neighbouring step changes.
        target_epsilon: The epsilon that the whole must meet.
        target_delta: The delta that the whole must meet.
        method: How to split; None leaves it open.
        error: What to make small; None leaves it open.
        reserve: The part of the whole that is kept back.
        window: How many periods that follow each other must meet the target; None for all of them.
        shares: What the budget is split among.
    """

    title: str | None = None
    adjacency: str | None = None
    privacy_unit: str | None = None
    target_epsilon: Real | None = None
    target_delta: Fraction | None = None
    method: str | None = None
    error: str | None = None
    reserve: Fraction = Fraction(0)
    window: int | None = None
    shares: tuple[Part, ...]


def read_budget(path: str, *, standard_input: BinaryIO, format: str | None = None) -> BudgetFile:  # noqa: A002  # the option's name
    """Read a budget file.

    Args:
        path: The file, or ``-`` for standard input.
        standard_input: Where ``-`` reads from.
        format: ``toml``, ``json`` or ``yaml``; by default it is told by the ending or the first character.

    Raises:
        DocumentError: For anything that is not a budget; it names the file, the line or key, the value and the remedy.
    """
    content = read_bytes(path, standard_input=standard_input)
    where = "standard input" if path == "-" else path
    return budget_from_mapping(parse(content, path=path, format=format), where=where)


def budget_from_mapping(obj: Mapping[str, object], *, where: str) -> BudgetFile:
    """Read a budget from plain mappings.

    Args:
        obj: With the keys of `BudgetFile`, ``target`` with ``epsilon`` and ``delta``, and ``share``, a list.
        where: What to call it in errors.

    Raises:
        DocumentError: See `read_budget`.
    """
    try:
        return _budget(obj)
    except InvalidParameterError as error:
        raise DocumentError(
            where=where, field=error.field, value=error.value, condition=error.condition, remedy=error.remedy
        ) from None


def _budget(obj: Mapping[str, object]) -> BudgetFile:
    _check_keys(obj, _BUDGET_KEYS, "")
    target = obj.get("target", {})
    if not isinstance(target, Mapping):
        raise _refused("target", target, "must be an object with keys", "Write it as a table.")
    _check_keys(target, _TARGET_KEYS, "target.")
    epsilon, delta, window = target.get("epsilon"), target.get("delta"), obj.get("window")
    return BudgetFile(
        title=_text(obj, "title", ""),
        adjacency=checked_adjacency(_text(obj, "adjacency", "")),
        privacy_unit=_text(obj, "privacy_unit", ""),
        target_epsilon=None if epsilon is None else nonnegative_real(epsilon, field="target.epsilon"),
        target_delta=None if delta is None else probability(delta, field="target.delta"),
        method=_text(obj, "method", ""),
        error=_text(obj, "error", ""),
        reserve=rational(obj.get("reserve", 0), field="reserve"),  # type: ignore[arg-type]  # the door refuses other types
        window=None if window is None else whole_number(window, field="window", least=1),
        shares=_parts(obj.get("share"), "share", 0),
    )


def _parts(obj: object, path: str, depth: int) -> tuple[Part, ...]:
    if depth > _DEEPEST:
        raise _refused(path, f"depth {depth}", f"must not be nested deeper than {_DEEPEST}", "Flatten it.")
    if not isinstance(obj, list) or not obj:
        raise _refused(path, obj, "must be a list of at least one share", "Add [[share]] with a name and a family.")
    return tuple(_part(each, f"{path}[{place}]", depth) for place, each in enumerate(obj))


def _part(obj: object, path: str, depth: int) -> Part:
    if not isinstance(obj, Mapping):
        raise _refused(path, obj, "must be an object with keys", "Write it as a table.")
    inner = next((name for name in ("parts", "disjoint_parts") if name in obj), None)
    _check_keys(obj, _SHARE_KEYS if inner is None else ("name", "weight", inner), f"{path}.")
    given: dict[str, Any] = {
        name: value for name, value in obj.items() if name in {"name", "family", "count", *_NUMBERS}
    }
    given.setdefault("name", path)
    try:
        if inner is not None:
            made = Group if inner == "parts" else Parallel
            return made(parts=_parts(obj[inner], f"{path}.{inner}", depth + 1), **given)
        if "lock" in obj:
            given["lock"] = _lock(obj["lock"])
        return Share(**given)
    except InvalidParameterError as error:
        field = error.field if error.field.startswith(path) else f"{path}.{error.field}"
        raise _refused(field, error.value, error.condition, error.remedy) from None


def _lock(obj: object) -> object:
    try:
        return mechanism_from_json(obj)
    except InvalidParameterError as error:
        raise _refused(f"lock.{error.field}", error.value, error.condition, error.remedy) from None


def _text(obj: Mapping[str, object], name: str, path: str) -> str | None:
    value = obj.get(name)
    if value is not None and not isinstance(value, str):
        raise _refused(f"{path}{name}", value, "must be text", "Put it in quotes.")
    return value


def _check_keys(obj: Mapping[str, object], allowed: tuple[str, ...], path: str) -> None:
    for name in obj:
        if name not in allowed:
            raise _refused(
                f"{path}{name}", name, "is not a key of a budget file here", f"The keys are {', '.join(allowed)}."
            )


def _refused(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)


def budget_schema() -> dict[str, object]:
    """The JSON Schema of a budget file, whatever its format; a ``lock`` is a mechanism of the schema ``plan``."""
    number = {
        "description": "An exact number: text such as '0.11' or '1/3', or a number.",
        "type": ["string", "number"],
    }
    part = {"$ref": "#/$defs/part"}
    parts = {"type": "array", "items": part, "minItems": 1}
    share = {
        "name": {"type": "string"},
        "family": {"enum": list(FAMILIES)},
        "count": {"description": "How often it is run.", "type": "integer", "minimum": 1},
        "lock": {"description": "A finished mechanism.", "type": "object", "required": ["kind"]},
        **dict.fromkeys(_NUMBERS, number),
    }
    named = {"name": {"type": "string"}, "weight": number}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "optcomp budget",
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "adjacency": {"enum": list(ADJACENCIES)},
            "privacy_unit": {"type": "string"},
            "target": {
                "type": "object",
                "properties": {"epsilon": number, "delta": number},
                "additionalProperties": False,
            },
            "method": {"enum": list(METHODS)},
            "error": {"enum": list(CRITERIA)},
            "reserve": {**number, "description": "The part of the whole that is kept back, at least 0 and below 1."},
            "window": {"type": "integer", "minimum": 1},
            "share": parts,
        },
        "required": ["share"],
        "additionalProperties": False,
        "$defs": {
            "part": {
                "oneOf": [
                    {
                        "type": "object",
                        "properties": share,
                        "anyOf": [{"required": ["family"]}, {"required": ["lock"]}],
                        "additionalProperties": False,
                    },
                    _grouped("parts", parts, named),
                    _grouped("disjoint_parts", parts, named),
                ]
            }
        },
    }


def _grouped(name: str, parts: object, named: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {**named, name: parts},
        "required": [name],
        "additionalProperties": False,
    }

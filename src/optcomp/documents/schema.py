"""JSON Schemas of the files that are read and written."""

from __future__ import annotations

import inspect

from optcomp.composition import ADJACENCIES
from optcomp.composition.certificate import VERSION
from optcomp.documents.budget_file import budget_schema
from optcomp.documents.protocol_file import protocol_schema
from optcomp.mechanisms.codec import KINDS

__all__ = ["SCHEMAS", "certificate_schema", "pair_schema", "plan_schema"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NUMBER = {
    "description": "An exact number: text such as '0.11', '1e-10', '104/4099', 'ln(3/2)' for an epsilon, or a number.",
    "type": ["string", "number"],
}
_EXACT = {"description": "An exact number as text.", "type": "string"}
_COUNT = {"description": "How often it is run.", "type": "integer", "minimum": 0}
_INNER = {"$ref": "#/$defs/mechanism"}
_PARAMETERS: dict[str, object] = {
    "categories": {"description": "How many answers there are.", "type": "integer", "minimum": 2},
    "divergences": {"type": "array", "items": _NUMBER, "minItems": 1},
    "epsilons": {"type": "array", "items": _NUMBER},
    "mechanism": _INNER,
    "orders": {"type": "array", "items": _NUMBER, "minItems": 1},
    "parts": {"type": "array", "items": _INNER},
}
_WHOLE_SENSITIVITY = {
    "description": "By how much one neighbour changes the answer: a whole number, also as text.",
    "type": ["integer", "string"],
    "minimum": 0,
}
_ON_INTEGERS = ("discrete_gaussian", "discrete_laplace", "skellam")


def _mechanism() -> dict[str, object]:
    return {"oneOf": [_kind(name) for name in KINDS]}


def _kind(name: str) -> dict[str, object]:
    """One kind; of the parameters that may be left out without a value in their place, exactly one is given."""
    parameters = inspect.signature(KINDS[name]).parameters
    one_of = [each for each, is_ in parameters.items() if is_.default is None]
    found: dict[str, object] = {
        "type": "object",
        "properties": {
            "kind": {"const": name},
            **{each: _parameter(name, each) for each in parameters},
            "count": _COUNT,
        },
        "required": ["kind", *(each for each, is_ in parameters.items() if is_.default is is_.empty)],
        "additionalProperties": False,
    }
    return {**found, "oneOf": [{"required": [each]} for each in one_of]} if one_of else found


def _parameter(kind: str, name: str) -> object:
    if name == "sensitivity" and kind in _ON_INTEGERS:
        return _WHOLE_SENSITIVITY
    return _PARAMETERS.get(name, _NUMBER)


def plan_schema() -> dict[str, object]:
    """The schema of a plan file, whatever its format."""
    release = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "mechanism": {"$ref": "#/$defs/mechanism"}, "count": _COUNT},
        "required": ["mechanism"],
        "additionalProperties": False,
    }
    return {
        "$schema": _DIALECT,
        "title": "optcomp plan",
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "adjacency": {"enum": list(ADJACENCIES)},
            "privacy_unit": {"type": "string"},
            "target": {
                "type": "object",
                "properties": {"epsilon": _NUMBER, "delta": _NUMBER},
                "additionalProperties": False,
            },
            "release": {"type": "array", "items": release, "minItems": 1},
        },
        "required": ["release"],
        "additionalProperties": False,
        "$defs": {"mechanism": _mechanism()},
    }


def pair_schema() -> dict[str, object]:
    """The schema of a finite mechanism."""
    row = {"type": "array", "items": _NUMBER, "minItems": 1}
    return {
        "$schema": _DIALECT,
        "title": "optcomp pair",
        "type": "object",
        "properties": {"title": {"type": "string"}, "first": row, "second": row},
        "required": ["first", "second"],
        "additionalProperties": False,
    }


def certificate_schema() -> dict[str, object]:
    """The schema of a certificate."""
    question = {"oneOf": [_object({"delta": _EXACT}), _object({"epsilon": _EXACT})]}
    properties: dict[str, object] = {
        "version": {"const": VERSION},
        "mechanisms": {"type": "array", "items": {"$ref": "#/$defs/mechanism"}},
        "adjacency": {"enum": [*ADJACENCIES, None]},
        "question": question,
        "lower": _EXACT,
        "upper": _EXACT,
        "theorem": {"type": "string"},
        "engine": {"type": "string"},
        "precision": {"type": "string"},
        "error": _object({"failure": _EXACT, "target": _EXACT, "answer": _EXACT}),
        "digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
    }
    return {
        "$schema": _DIALECT,
        "title": "optcomp certificate",
        **_object(properties),
        "$defs": {"mechanism": _mechanism()},
    }


def _object(properties: dict[str, object]) -> dict[str, object]:
    """An object with exactly these keys."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


SCHEMAS = {
    "plan": plan_schema,
    "certificate": certificate_schema,
    "pair": pair_schema,
    "budget": budget_schema,
    "protocol": protocol_schema,
}
"""The schemas by the name of what they describe."""

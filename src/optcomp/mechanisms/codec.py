"""Mechanisms to and from JSON objects, with every number as exact text.

The form is ``{"kind": "approx_dp", "epsilon": "0.1", "delta": "0.001", "count": 30}``: the kind, the constructor's
own parameters, and, where the mechanism is repeated, a count. ``{"kind": "sequence", "parts": [...]}`` nests.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction

import numpy as np

from optcomp.errors import InvalidParameterError
from optcomp.mechanisms.additive import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Skellam, Staircase
from optcomp.mechanisms.base import Mechanism, Repeated
from optcomp.mechanisms.discrete import RandomizedResponse
from optcomp.mechanisms.guarantees import ApproxDP, PureDP, PureDPColumn
from optcomp.mechanisms.promises import RenyiCurve, ZeroConcentrated
from optcomp.mechanisms.sampling import PoissonSampled
from optcomp.mechanisms.selection import Exponential
from optcomp.mechanisms.structure import Sequence
from optcomp.quantities import Logarithm, exact_text

__all__ = ["KINDS", "mechanism_from_json", "mechanism_to_json"]

KINDS: dict[str, type[Mechanism]] = {
    each.kind: each
    for each in (
        PureDP,
        ApproxDP,
        RandomizedResponse,
        Laplace,
        Gaussian,
        DiscreteLaplace,
        DiscreteGaussian,
        Skellam,
        Staircase,
        Exponential,
        ZeroConcentrated,
        RenyiCurve,
        PoissonSampled,
        PureDPColumn,
        Sequence,
    )
}
"""The kinds that can be written, each with its class."""

_DEEPEST = 50


def mechanism_to_json(mechanism: Mechanism) -> dict[str, object]:
    """The JSON object of a mechanism; `mechanism_from_json` reads it back to an equal mechanism.

    Raises:
        InvalidParameterError: When it is nested too deeply to be read back.
    """
    return _mechanism_to_json(mechanism, depth=0)


def _mechanism_to_json(mechanism: Mechanism, *, depth: int) -> dict[str, object]:
    _check_depth("mechanism", depth)
    if isinstance(mechanism, Repeated):
        return {**_mechanism_to_json(mechanism.mechanism, depth=depth), "count": mechanism.count}
    written = {each.name: _to_json(getattr(mechanism, each.name), depth=depth) for each in fields(mechanism)}
    return {"kind": mechanism.kind, **written}


def _to_json(value: object, *, depth: int) -> object:
    if isinstance(value, Mechanism):
        return _mechanism_to_json(value, depth=depth + 1)
    if isinstance(value, np.ndarray):
        return [repr(float(each)) for each in value]
    if isinstance(value, tuple):
        return [_to_json(each, depth=depth) for each in value]
    return exact_text(value) if isinstance(value, Fraction | Logarithm) else value


def _check_depth(path: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise InvalidParameterError(
            field=path,
            value=f"depth {depth}",
            condition=f"must not be nested deeper than {_DEEPEST}",
            remedy="Flatten it.",
        )


def mechanism_from_json(obj: object) -> Mechanism:
    """Read a mechanism from a JSON object (a mapping as `json.loads` returns it).

    Raises:
        InvalidParameterError: For an unknown kind, an unknown or missing key, or a value that the mechanism refuses;
            the field is the path to it, such as ``parts[2].epsilon``.
    """
    return _from_json(obj, path="", depth=0)


def _from_json(obj: object, *, path: str, depth: int) -> Mechanism:
    here = path or "mechanism"
    _check_depth(here, depth)
    if not isinstance(obj, Mapping):
        raise InvalidParameterError(
            field=here, value=obj, condition="must be an object with a kind", remedy="Write {'kind': 'pure_dp', ...}."
        )
    kind = obj.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidParameterError(
            field=_join(path, "kind"), value=kind, condition=f"must be one of {', '.join(KINDS)}", remedy="Choose one."
        )
    maker = KINDS[kind]
    given = {name: value for name, value in obj.items() if name not in {"kind", "count"}}
    _check_keys(maker, given, path)
    arguments = {name: _argument(value, path=_join(path, name), depth=depth) for name, value in given.items()}
    try:
        made = maker(**arguments)
        return made.repeated(obj["count"]) if "count" in obj else made
    except InvalidParameterError as error:
        raise InvalidParameterError(
            field=_join(path, error.field), value=error.value, condition=error.condition, remedy=error.remedy
        ) from None


def _check_keys(maker: type[Mechanism], given: Mapping[object, object], path: str) -> None:
    parameters = inspect.signature(maker).parameters
    for name in given:
        if name not in parameters:
            allowed = ", ".join(["kind", *parameters, "count"])
            raise InvalidParameterError(
                field=_join(path, str(name)),
                value=name,
                condition="is not a key of this kind",
                remedy=f"It has {allowed}.",
            )
    for name, parameter in parameters.items():
        if parameter.default is parameter.empty and name not in given:
            raise InvalidParameterError(
                field=_join(path, name), value=None, condition="is missing", remedy=f"Add the key {name}."
            )


def _argument(value: object, *, path: str, depth: int) -> object:
    if isinstance(value, Mapping):
        return _from_json(value, path=path, depth=depth + 1)
    if isinstance(value, list):
        return [
            _from_json(each, path=f"{path}[{place}]", depth=depth + 1) if isinstance(each, Mapping) else each
            for place, each in enumerate(value)
        ]
    return value


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name

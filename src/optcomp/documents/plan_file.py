"""Plans from files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from optcomp.composition import Plan, Release, checked_adjacency
from optcomp.documents.reading import parse, read_bytes
from optcomp.errors import DocumentError, InvalidParameterError
from optcomp.mechanisms import mechanism_from_json
from optcomp.quantities import nonnegative_real, probability

__all__ = ["plan_from_mapping", "read_plan"]

_PLAN_KEYS = ("title", "adjacency", "privacy_unit", "target", "release")
_TARGET_KEYS = ("epsilon", "delta")
_RELEASE_KEYS = ("name", "mechanism", "count")


def read_plan(path: str, *, standard_input: BinaryIO, format: str | None = None) -> Plan:  # noqa: A002  # the option's name
    """Read a plan file.

    Args:
        path: The file, or ``-`` for standard input.
        standard_input: Where ``-`` reads from.
        format: ``toml``, ``json`` or ``yaml``; by default it is told by the ending or the first character.

    Raises:
        DocumentError: For anything that is not a plan; it names the file, the line or key, the value and the remedy.
    """
    content = read_bytes(path, standard_input=standard_input)
    where = "standard input" if path == "-" else path
    return plan_from_mapping(parse(content, path=path, format=format), where=where)


def plan_from_mapping(obj: Mapping[str, object], *, where: str) -> Plan:
    """Read a plan from plain mappings.

    Args:
        obj: With the keys ``title``, ``adjacency``, ``privacy_unit``, ``target`` (``epsilon``, ``delta``) and
            ``release``, a list of ``name``, ``mechanism`` and ``count``. Only ``release`` is required.
        where: What to call it in errors.

    Raises:
        DocumentError: See `read_plan`.
    """
    try:
        return _plan(obj)
    except DocumentError:
        raise
    except InvalidParameterError as error:
        raise DocumentError(
            where=where, field=error.field, value=error.value, condition=error.condition, remedy=error.remedy
        ) from None


def _plan(obj: Mapping[str, object]) -> Plan:
    _check_keys(obj, _PLAN_KEYS, "")
    target = _mapping(obj.get("target", {}), "target")
    _check_keys(target, _TARGET_KEYS, "target.")
    releases = obj.get("release")
    if not isinstance(releases, list) or not releases:
        raise _refused(
            "release", releases, "must be a list of at least one release", "Add [[release]] with a mechanism."
        )
    adjacency = checked_adjacency(_text(obj, "adjacency", ""))
    epsilon, delta = target.get("epsilon"), target.get("delta")
    return Plan(
        title=_text(obj, "title", ""),
        adjacency=adjacency,
        privacy_unit=_text(obj, "privacy_unit", ""),
        target_epsilon=None if epsilon is None else nonnegative_real(epsilon, field="target.epsilon"),  # type: ignore[arg-type]  # the door refuses other types
        target_delta=None if delta is None else probability(delta, field="target.delta"),  # type: ignore[arg-type]  # as above
        releases=tuple(_release(each, f"release[{place}]") for place, each in enumerate(releases)),
    )


def _release(obj: object, path: str) -> Release:
    release = _mapping(obj, path)
    _check_keys(release, _RELEASE_KEYS, f"{path}.")
    if "mechanism" not in release:
        raise _refused(
            f"{path}.mechanism", None, "is missing", "Add mechanism = { kind = 'pure_dp', epsilon = '0.1' }."
        )
    inner = release["mechanism"]
    if "count" in release and isinstance(inner, Mapping) and "count" in inner:
        raise _refused(
            f"{path}.count", release["count"], "stands on the release and in its mechanism", "Keep one of the two."
        )
    try:
        mechanism = mechanism_from_json(inner)
    except InvalidParameterError as error:
        below = f".{error.field}" if isinstance(inner, Mapping) else ""
        raise _refused(f"{path}.mechanism{below}", error.value, error.condition, error.remedy) from None
    if "count" in release:
        try:
            mechanism = mechanism.repeated(release["count"])  # type: ignore[arg-type]  # the mechanism refuses other types
        except InvalidParameterError as error:
            raise _refused(f"{path}.count", error.value, error.condition, error.remedy) from None
    return Release(name=_text(release, "name", f"{path}.") or path, mechanism=mechanism)


def _text(obj: Mapping[str, object], name: str, path: str) -> str | None:
    value = obj.get(name)
    if value is not None and not isinstance(value, str):
        raise _refused(f"{path}{name}", value, "must be text", "Put it in quotes.")
    return value


def _mapping(obj: object, path: str) -> Mapping[str, object]:
    if not isinstance(obj, Mapping):
        raise _refused(path, obj, "must be an object with keys", "Write it as a table.")
    return obj


def _check_keys(obj: Mapping[str, object], allowed: tuple[str, ...], path: str) -> None:
    for name in obj:
        if name not in allowed:
            raise _refused(
                f"{path}{name}", name, "is not a key of a plan file", f"The keys here are {', '.join(allowed)}."
            )


def _refused(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)

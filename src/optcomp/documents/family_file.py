"""Families from files: mechanisms or a plan with one free number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import BinaryIO

from optcomp.calibration import FamilyLike
from optcomp.calibration.family import free_name, with_free
from optcomp.composition import Plan
from optcomp.documents.plan_file import plan_from_mapping
from optcomp.documents.reading import parse_any, read_bytes
from optcomp.errors import DocumentError, InvalidParameterError
from optcomp.quantities import Real

__all__ = ["FamilyFile", "read_family"]


@dataclass(frozen=True, kw_only=True)
class FamilyFile:
    """What a family file says.

    Args:
        family: For `optcomp.calibrate`.
        name: Of the free number.
        title: The plan's title.
        adjacency: The plan's adjacency.
        target_epsilon: The plan's own target.
        target_delta: The plan's own target.
    """

    family: FamilyLike
    name: str
    title: str | None = None
    adjacency: str | None = None
    target_epsilon: Real | None = None
    target_delta: Fraction | None = None


def read_family(path: str, *, standard_input: BinaryIO, format: str | None = None) -> FamilyFile:  # noqa: A002  # the option's name
    """Read a mechanism, a list of mechanisms, or a plan, with ``{"solve": name}`` in place of one number.

    Args:
        path: The file, or ``-`` for standard input.
        standard_input: Where ``-`` reads from.
        format: ``toml``, ``json`` or ``yaml``; by default it is told by the ending or the first character.

    Raises:
        DocumentError: For anything else; it names the file, the line or key, the value and the remedy.
    """
    content = read_bytes(path, standard_input=standard_input)
    where = "standard input" if path == "-" else path
    known = format or ("json" if content.lstrip()[:1] == b"[" else None)
    obj = parse_any(content, path=path, format=known)
    try:
        return _family(obj, where)
    except DocumentError:
        raise
    except InvalidParameterError as error:
        raise DocumentError(
            where=where, field=error.field, value=error.value, condition=error.condition, remedy=error.remedy
        ) from None


def _family(obj: object, where: str) -> FamilyFile:
    if not isinstance(obj, dict | list):
        raise InvalidParameterError(
            field="file",
            value=obj,
            condition="must be a mechanism, a list of mechanisms, or a plan",
            remedy='Write {"kind": "gaussian", "standard_deviation": {"solve": "standard_deviation"}}.',
        )
    name = free_name(obj)
    if isinstance(obj, dict) and "release" in obj:
        plan = _maker(obj, where)
        probe = plan(Fraction(1))
        return FamilyFile(
            family=plan,
            name=name,
            title=probe.title,
            adjacency=probe.adjacency,
            target_epsilon=probe.target_epsilon,
            target_delta=probe.target_delta,
        )
    return FamilyFile(family=obj, name=name)


def _maker(obj: dict[str, object], where: str) -> Callable[[Fraction | int], Plan]:
    def plan(value: Fraction | int) -> Plan:
        filled = with_free(obj, Fraction(value))
        return plan_from_mapping(filled if isinstance(filled, dict) else {}, where=where)

    return plan

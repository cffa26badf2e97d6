"""Plans as TOML text that reads back to the same plan."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction

from optcomp.composition import Plan, Release
from optcomp.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Mechanism, Repeated
from optcomp.mechanisms.codec import mechanism_to_json
from optcomp.quantities import exact_text

__all__ = ["plan_to_toml", "written_mechanism"]


def plan_to_toml(plan: Plan, *, comments: Iterable[str] = (), apart: Iterable[Release] = ()) -> str:
    """A plan file.

    Args:
        plan: What is written; every number is exact text.
        comments: Lines that begin the file.
        apart: Releases that the plan's record does not meet; they are written as comments below it.

    **Guarantee**: `optcomp.documents.plan_from_mapping` reads it back to an equal plan.
    """
    lines = [f"# {_one_line(each)}" for each in comments]
    for name, value in (("title", plan.title), ("adjacency", plan.adjacency), ("privacy_unit", plan.privacy_unit)):
        if value is not None:
            lines.append(f"{name} = {_text(value)}")
    if plan.target_epsilon is not None or plan.target_delta is not None:
        lines += ["", "[target]"]
        if plan.target_epsilon is not None:
            lines.append(f"epsilon = {_text(exact_text(plan.target_epsilon))}")
        if plan.target_delta is not None:
            lines.append(f"delta = {_text(exact_text(plan.target_delta))}")
    for release in plan.releases:
        lines += ["", *_release(release)]
    for release in apart:
        lines += ["", *(f"# {line}" for line in _release(release))]
    return "\n".join(lines) + "\n"


def _release(release: Release) -> list[str]:
    whole = release.mechanism
    mechanism = whole.mechanism if isinstance(whole, Repeated) else whole
    found = ["[[release]]", f"name = {_text(release.name)}", f"mechanism = {_value(written_mechanism(mechanism))}"]
    return [*found, f"count = {whole.count}"] if isinstance(whole, Repeated) else found


def written_mechanism(mechanism: Mechanism) -> dict[str, object]:
    """The mechanism in JSON, by its epsilon or rho where only that is a decimal."""
    obj = mechanism_to_json(mechanism)
    if isinstance(mechanism, Gaussian | DiscreteGaussian) and mechanism.variance:
        return _by(obj, "variance", "rho", mechanism.variance, Fraction(mechanism.sensitivity) ** 2 / 2)
    if isinstance(mechanism, Laplace | DiscreteLaplace) and mechanism.scale:
        return _by(obj, "scale", "epsilon", mechanism.scale, Fraction(mechanism.sensitivity))
    return obj


def _by(obj: dict[str, object], name: str, other: str, value: Fraction, top: Fraction) -> dict[str, object]:
    if top == 0 or "/" not in exact_text(value) or "/" in exact_text(top / value):
        return obj
    return {other if key == name else key: exact_text(top / value) if key == name else old for key, old in obj.items()}


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_value(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(each) for each in value) + "]"
    return _text(value) if isinstance(value, str) else str(value)


def _text(value: str) -> str:
    """Text in quotes; the escapes of JSON are those of TOML."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _one_line(value: str) -> str:
    return "".join(each if each.isprintable() else " " for each in value)

"""How is a target split over releases?"""

from __future__ import annotations

import io
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

from optcomp.calibration.allocate import allocate
from optcomp.calibration.allocation import METHODS, Allocation
from optcomp.composition import Release, certificate_to_json
from optcomp.documents.budget_file import BudgetFile, read_budget
from optcomp.documents.plan_writer import plan_to_toml, written_mechanism
from optcomp.errors import InvalidParameterError
from optcomp.quantities import Enclosure, exact_text

__all__ = ["AllocateAnswer", "AllocateRequest", "AllocatedLine", "allocate_budget"]


@dataclass(frozen=True, kw_only=True)
class AllocateRequest:
    """A budget file, and what to do with it.

    Args:
        path: The budget file, or ``-`` for standard input.
        format: ``toml``, ``json`` or ``yaml``, where neither the ending nor the first character tells.
        epsilon: Of the target; by default the file's own.
        delta: Of the target; by default the file's own.
        method: ``optimal``, ``proportional`` or ``equal``; by default the file's own, else ``optimal``.
        error: ``variance`` or ``magnitude``; by default the file's own, else ``variance``.
        adjacency: The relation between neighbouring data sets, where the file names none or the same one.
        compare: Whether the three methods are put side by side.
        out: Where the finished plan goes; None writes nothing.
        force: Whether a file that is there already is replaced.
        standard_input: Where ``-`` reads from.
    """

    path: str
    format: str | None = None
    epsilon: str | None = None
    delta: str | None = None
    method: str | None = None
    error: str | None = None
    adjacency: str | None = None
    compare: bool = False
    out: str | None = None
    force: bool = False
    standard_input: BinaryIO = field(default_factory=io.BytesIO)


@dataclass(frozen=True, kw_only=True)
class AllocatedLine:
    """One release, finished.

    Args:
        name: As asked.
        mechanism: One run, in JSON.
        count: How often it is run.
        share: Of the total, all runs together.
        standard_deviation: Of one run's noise, rounded up; None where there is none.
        half_width: Half of a 95 % interval, rounded up.
        locked: Whether it was given, or decided by a wanted error.
    """

    name: str
    mechanism: dict[str, object]
    count: int
    share: Fraction
    standard_deviation: float | None
    half_width: float | None
    locked: bool


@dataclass(frozen=True, kw_only=True)
class AllocateAnswer:
    """A finished plan.

    Args:
        title: The budget's title.
        adjacency: The relation between neighbouring data sets.
        method: How the budget was split.
        error: What was made small.
        unit: In which shares are counted.
        total: The whole in that unit.
        epsilon: The target's, as exact text.
        delta: The target's, as exact text.
        least_epsilon: Of the plan at the target's delta.
        lines: All releases.
        reserve: The part of the total that is kept back.
        leftover: The part of the total that is not used.
        total_error: Weighted.
        compared: The weighted error of each method, where that was asked.
        certificate: For the plan.
        plan: The plan file's text.
        written: Where it was written.
    """

    title: str | None
    adjacency: str | None
    method: str
    error: str
    unit: str
    total: Fraction
    epsilon: str
    delta: str
    least_epsilon: Enclosure
    lines: tuple[AllocatedLine, ...]
    reserve: Fraction
    leftover: Fraction
    total_error: float
    compared: dict[str, float] | None
    certificate: dict[str, object]
    plan: str
    written: str | None


def allocate_budget(request: AllocateRequest) -> AllocateAnswer:
    """Split the target of a budget file, and perhaps write the finished plan.

    Raises:
        InvalidParameterError: When the file or a number is wrong, there is no target, or the plan's file is there
            already. Nothing is written then.
        UnsupportedError: When locks, wanted errors and floors leave nothing.
        UndecidedError: When it could not be proved that the target is met.
    """
    if request.out is not None and not request.force and Path(request.out).exists():
        raise _is_there(request.out)
    known = read_budget(request.path, standard_input=request.standard_input, format=request.format)
    found = _allocated(request, known)
    names = {release.name for release in found.plan.releases}
    text = plan_to_toml(
        found.plan,
        comments=_comments(found),
        apart=[
            Release(
                name=line.name, mechanism=line.mechanism if line.count == 1 else line.mechanism.repeated(line.count)
            )
            for line in found.lines
            if line.name not in names
        ],
    )
    answer = AllocateAnswer(
        title=known.title,
        adjacency=found.plan.adjacency,
        method=found.method,
        error=found.criterion,
        unit=found.unit,
        total=found.total,
        epsilon=exact_text(found.target.epsilon),
        delta=exact_text(found.target.delta),
        least_epsilon=found.epsilon,
        lines=_lines(found),
        reserve=found.reserve,
        leftover=found.leftover,
        total_error=found.total_error,
        compared={name: each.total_error for name, each in found.alternatives.items()} if request.compare else None,
        certificate=certificate_to_json(found.certificate),
        plan=text,
        written=request.out,
    )
    if request.out is not None:
        _write(request.out, text, force=request.force)
    return answer


def _allocated(request: AllocateRequest, known: BudgetFile) -> Allocation:
    if request.adjacency is not None and known.adjacency not in {None, request.adjacency}:
        raise InvalidParameterError(
            field="adjacency",
            value=request.adjacency,
            condition=f"must be the budget's own, {known.adjacency}",
            remedy="Leave it out, or change the budget.",
        )
    epsilon = known.target_epsilon if request.epsilon is None else request.epsilon
    delta = known.target_delta if request.delta is None else request.delta
    if epsilon is None or delta is None:
        raise InvalidParameterError(
            field="target",
            value=None,
            condition="must have an epsilon and a delta, here or in the budget",
            remedy="Add --epsilon 1 --delta 1e-6; pure plans take --delta 0.",
        )
    return allocate(
        known.shares,
        epsilon=epsilon,
        delta=delta,
        adjacency=request.adjacency or known.adjacency,
        reserve=known.reserve,
        method=request.method or known.method or METHODS[0],
        error=request.error or known.error or "variance",
        window=known.window,
        title=known.title,
        privacy_unit=known.privacy_unit,
    )


def _lines(found: Allocation) -> tuple[AllocatedLine, ...]:
    lines = []
    for line in found.lines:
        error = found.errors[line.name]
        lines.append(
            AllocatedLine(
                name=line.name,
                mechanism=written_mechanism(line.mechanism),
                count=line.count,
                share=found.shares[line.name],
                standard_deviation=None if error is None else error.standard_deviation,
                half_width=None if error is None else error.half_width,
                locked=line.locked,
            )
        )
    return tuple(lines)


def _comments(found: Allocation) -> list[str]:
    comments = [f"Written by optcomp allocate, method {found.method}. The whole is proved to meet the target."]
    if len(found.plan.releases) < len(found.lines) + (found.reserve > 0):
        comments.append("The releases below are what the record meets that meets most; the others stand in comments.")
    return comments


def _is_there(path: str) -> InvalidParameterError:
    return InvalidParameterError(
        field="out", value=path, condition="is there already", remedy="Choose another file, or add --force."
    )


def _write(path: str, text: str, *, force: bool) -> None:
    """The whole file or nothing."""
    place = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            fresh = Path(name)
            fresh.chmod(0o644)
            if force:
                fresh.replace(place)
            else:
                os.link(fresh, place)  # unlike a rename, it fails where a file is
        finally:
            with suppress(FileNotFoundError):
                Path(name).unlink()
    except FileExistsError:
        raise _is_there(path) from None
    except OSError as error:
        raise InvalidParameterError(
            field="out",
            value=path,
            condition=f"cannot be written ({error.strerror})",
            remedy="Check the folder.",
        ) from None

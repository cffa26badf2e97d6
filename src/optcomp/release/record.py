"""The record of a plan: a folder with one file for every slot that was begun.

::

    RECORD/record.json        the plan, its digest, and the digest of its certificate
    RECORD/certificate.json   the proof of the plan's target, where it has one
    RECORD/slots/2-0.json     the slot of release 2 (counted from 0 in the plan), run 0

The folder appears with ``record.json`` and ``certificate.json`` in it, in one step. A slot's file is created
exclusively before any random bit is drawn, with the state ``begun``; after the draw it is replaced, in one step, by one
with the state ``released``. A slot that has a file is spent, whatever the file holds.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from optcomp.composition import Certificate, Plan, certificate_to_json
from optcomp.documents import parse, read_bytes, read_certificate
from optcomp.documents.reading import LARGEST_FILE
from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import mechanism_to_json
from optcomp.quantities import count
from optcomp.release.durable import create_exclusively, create_folder_exclusively
from optcomp.release.durable import replace as put
from optcomp.release.plans import SlotLine, digest_of, plan_digest, plan_to_json, proof_of, refuse_unproved

__all__ = ["Entry", "Record", "SlotState", "text_digest"]

_VERSION = 1
_RECORD, _CERTIFICATE, _SLOTS = "record.json", "certificate.json", "slots"
_SLOT_FILE = re.compile(r"(\d{1,9})-(\d{1,18})\.json", re.ASCII)
_ENTRY_KEYS = ("plan", "certificate", "source", "library", "begun", "released", "digest")


class SlotState(Enum):
    """How far a slot got. Both count as spent."""

    BEGUN = "begun"
    RELEASED = "released"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What a record says about one slot. It holds no value, exact or noisy.

    Args:
        name: The release's name.
        run: Which run of it, from 0 on.
        state: Whether the draw was finished.
        plan: The plan's digest.
        certificate: The digest of the proof of the plan's target, where it has one.
        mechanism: What the slot runs, as a JSON object.
        places: The decimals of the values; the mechanism counts in units of the last one. None for categories.
        source: What was drawn from: ``operating system``, or words that say what else.
        library: The version of optcomp.
        begun: When the slot was claimed, in UTC.
        released: When the draw was finished, in UTC.
        count: How many values were released.
        digest: The SHA-256 of the released text, see `optcomp.release.Released.text`.
    """

    name: str
    run: int
    state: SlotState
    plan: str | None = None
    certificate: str | None = None
    mechanism: dict[str, object] | None = None
    places: int | None = None
    source: str | None = None
    library: str | None = None
    begun: str | None = None
    released: str | None = None
    count: int | None = None
    digest: str | None = None

    def to_json(self) -> dict[str, object]:
        """The JSON object of the slot's file."""
        return {"version": _VERSION, **vars(self), "state": self.state.value}


@dataclass(frozen=True, kw_only=True)
class Record:
    """The record of a plan. Make one with `open`.

    Args:
        folder: Where it is.
        plan: The plan's digest.
        certificate: The digest of the proof of the plan's target, where it has one.
        names: The names of the plan's releases in order.
    """

    folder: Path
    plan: str
    certificate: str | None
    names: tuple[str, ...]

    @classmethod
    def open(cls, folder: str | Path, plan: Plan) -> Record:
        """The record of a plan; a new one where there is none.

        Args:
            folder: Where it is, or is to be; the folder that it stands in must exist.
            plan: The plan.

        **Guarantee**: the plan meets its target, and the record is of this plan: the same releases in the same order
        with the same names, mechanisms and counts, the same adjacency, privacy unit and target.

        Raises:
            InvalidParameterError: When the record is of another plan, was altered, or cannot be read or written; or
                when a new one is needed and the plan is over its target. Nothing is created then.
            UndecidedError: When a new one is needed and the plan's target is not proved. Nothing is created then.
        """
        path = _checked_folder(folder)
        with _explained(path, "read"):
            is_there = (path / _RECORD).exists()
        if not is_there:
            _refuse_other_things(path)
            _create(path, plan)
        return _load(path, plan)

    def path_of(self, line: SlotLine, run: int) -> Path:
        """The file of a slot."""
        return self.folder / _SLOTS / f"{line.place}-{run}.json"

    def entries(self) -> tuple[Entry, ...]:
        """All slots that are spent, in the order of the plan.

        A file that cannot be read, as after a crash while it was created, counts as ``begun``.
        """
        with _explained(self.folder, "read"):
            found = sorted(_numbers(self.folder / _SLOTS))
        return tuple(self._entry(place, run) for place, run in found if place < len(self.names))

    def claim(self, line: SlotLine, *, run: int | None, source: str, places: int | None) -> Entry:
        """Spend a slot, before anything is drawn.

        Args:
            line: The plan's line.
            run: Which run; None takes the first one that is free.
            source: What will be drawn from, in words.
            places: See `Entry`.

        **Guarantee**: no slot is claimed twice, by whatever process, as long as nobody alters the folder and its file
        system creates files exclusively. The claim outlives a crash.

        Raises:
            InvalidParameterError: When the slot is spent, or there is no such run; when the record cannot be written.
        """
        given = None if run is None else count(run, field="run")
        if given is not None and given >= line.count:
            raise InvalidParameterError(
                field="run",
                value=run,
                condition=f"must be below {line.count}, the plan's count of {line.name!r}",
                remedy="A plan's slots cannot be added to.",
            )
        entry = Entry(
            name=line.name,
            run=0,
            state=SlotState.BEGUN,
            plan=self.plan,
            certificate=self.certificate,
            mechanism=mechanism_to_json(line.mechanism),
            places=places,
            source=source,
            library=_library(),
            begun=_now(),
        )
        with _explained(self.folder, "written"):
            taken = {each for place, each in _numbers(self.folder / _SLOTS) if place == line.place}
            for each in range(line.count) if given is None else (given,):
                if each in taken:
                    continue
                claimed = replace(entry, run=each)
                if create_exclusively(self.path_of(line, each), _text(claimed.to_json())):
                    return claimed
        raise self._spent(line, given)

    def complete(self, line: SlotLine, entry: Entry, *, values: int, digest: str) -> Entry:
        """Note that a claimed slot was released.

        Raises:
            InvalidParameterError: When the record cannot be written. The slot is spent all the same.
        """
        done = replace(entry, state=SlotState.RELEASED, released=_now(), count=values, digest=digest)
        with _explained(self.folder, "completed"):
            put(self.path_of(line, entry.run), _text(done.to_json()))
        return done

    def _entry(self, place: int, run: int) -> Entry:
        path = self.folder / _SLOTS / f"{place}-{run}.json"
        unknown = Entry(name=self.names[place], run=run, state=SlotState.BEGUN)
        try:
            found = parse(read_bytes(str(path), standard_input=io.BytesIO()), path=str(path), format="json")
            state = SlotState(found.get("state"))
        except ValueError:  # a DocumentError is one, too
            return unknown
        texts = {key: value for key in _ENTRY_KEYS if isinstance(value := found.get(key), str)}
        wholes = {key: value for key in ("places", "count") if isinstance(value := found.get(key), int)}
        mechanism = found.get("mechanism")
        held = mechanism if isinstance(mechanism, dict) else None
        return replace(unknown, state=state, mechanism=held, **texts, **wholes)  # type: ignore[arg-type]  # by the keys

    def _spent(self, line: SlotLine, run: int | None) -> InvalidParameterError:
        what = repr(line.name) if run is None else f"{line.name!r}, run {run}"
        said = f"has no run left: all {line.count} are spent"
        if run is not None or line.count == 1:
            said = f"is spent: it was {self._entry(line.place, run or 0).state.value}"
        return InvalidParameterError(
            field="slot",
            value=what,
            condition=said,
            remedy="Use another slot of the plan. A slot that was begun and not finished stays spent, since its noise "
            "may have been seen.",
        )


def _checked_folder(folder: object) -> Path:
    if not isinstance(folder, str | os.PathLike) or not str(folder):
        raise InvalidParameterError(
            field="record", value=folder, condition="must be a folder's path", remedy="Name a folder, new or of before."
        )
    return Path(folder).absolute()


def _refuse_other_things(path: Path) -> None:
    with _explained(path, "read"):
        is_other = path.is_symlink() or path.exists()
        if is_other and not (path.is_dir() and not any(path.iterdir())):
            raise InvalidParameterError(
                field="record",
                value=str(path),
                condition="is there, and is no record",
                remedy="Name a folder that does not exist yet.",
            )


def _create(path: Path, plan: Plan) -> None:
    """Create the record, unless another process was faster."""
    proof = proof_of(plan)
    body = {
        "version": _VERSION,
        "plan": plan_to_json(plan),
        "plan_digest": plan_digest(plan),
        "certificate_digest": None if proof is None else proof.digest,
        "library": _library(),
        "created": _now(),
    }
    files = {_RECORD: _text(body)}
    if proof is not None:
        files[_CERTIFICATE] = _text(certificate_to_json(proof))
    if max(map(len, files.values())) > LARGEST_FILE:
        raise InvalidParameterError(
            field="plan",
            value=f"{max(map(len, files.values()))} bytes as JSON",
            condition="must fit into 16 MB",
            remedy="Use counts for repeated mechanisms.",
        )
    with _explained(path, "created"):
        create_folder_exclusively(path, files, folders=(_SLOTS,))


def _load(path: Path, plan: Plan) -> Record:
    place = str(path / _RECORD)
    found = parse(read_bytes(place, standard_input=io.BytesIO()), path=place, format="json")
    held = found.get("plan")
    if found.get("version") != _VERSION or not isinstance(held, Mapping):
        raise _altered(path, found.get("version"), "must be a record of version 1")
    digest = digest_of(held)
    if digest != found.get("plan_digest"):
        raise _altered(path, found.get("plan_digest"), "does not fit its own plan: it was altered")
    if digest != plan_digest(plan):
        raise InvalidParameterError(
            field="record",
            value=str(path),
            condition="is the record of another plan",
            remedy="Release with the plan as it was: changed or added slots are not covered by its guarantee. A new "
            "plan on the same data needs an account of both.",
        )
    certificate = _proof(path, found.get("certificate_digest"), plan)
    return Record(
        folder=path,
        plan=digest,
        certificate=None if certificate is None else certificate.digest,
        names=tuple(line.name for line in plan.releases),
    )


def _proof(path: Path, digest: object, plan: Plan) -> Certificate | None:
    if plan.target_epsilon is None and plan.target_delta is None:
        return None
    certificate = read_certificate(str(path / _CERTIFICATE), standard_input=io.BytesIO())
    if certificate.digest != digest:
        raise _altered(path, digest, "names another certificate than it holds: it was altered")
    refuse_unproved(certificate, plan)
    return certificate


def _altered(path: Path, value: object, condition: str) -> InvalidParameterError:
    return InvalidParameterError(
        field=f"record {path}", value=value, condition=condition, remedy="Restore it as it was last written."
    )


def _numbers(folder: Path) -> Iterator[tuple[int, int]]:
    """The places and runs of all slot files."""
    with os.scandir(folder) as found:
        for each in found:
            match = _SLOT_FILE.fullmatch(each.name)
            if match is not None:
                yield int(match[1]), int(match[2])


@contextmanager
def _explained(path: Path, what: str) -> Iterator[None]:
    """Turn an error of the system into one that says what it means here."""
    try:
        yield
    except OSError as error:
        outcome = "The slot is spent." if what == "completed" else "Nothing was drawn."
        raise InvalidParameterError(
            field="record",
            value=str(path),
            condition=f"cannot be {what} ({error.strerror or error})",
            remedy=f"{outcome} Name a folder that you may write to, in a folder that exists.",
        ) from None


def _text(body: Mapping[str, object]) -> bytes:
    return (json.dumps(body, indent=2, ensure_ascii=True) + "\n").encode()


def text_digest(text: str) -> str:
    """The SHA-256 of a text in UTF-8."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _library() -> str:
    try:
        return version("optcomp")
    except PackageNotFoundError:
        return "not installed"

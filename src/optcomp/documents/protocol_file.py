"""Problems of many parties from files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from optcomp.documents.reading import parse, read_bytes
from optcomp.errors import DocumentError, InvalidParameterError
from optcomp.multiparty import MEASURES, Accuracy, BitFunction, Interest, Party, Protocol
from optcomp.quantities import count, exact_text

__all__ = ["ProtocolFile", "protocol_from_mapping", "protocol_schema", "read_protocol"]

_KEYS = ("title", "function", "accuracy", "party", "observer")
_PARTY_KEYS = ("name", "epsilon", "delta", "count", "prior", "function", "accuracy", "listens")
_OBSERVER_KEYS = ("function", "accuracy")
_NAMED: Mapping[str, Callable[[int], BitFunction]] = {
    "xor": BitFunction.xor,
    "and": BitFunction.conjunction,
    "or": BitFunction.disjunction,
    "majority": BitFunction.majority,
    "sum": BitFunction.total,
}
_MOST_PARTIES = 1_000_000


@dataclass(frozen=True, kw_only=True)
class ProtocolFile:
    """What a problem file says.

    Args:
        title: What it is about.
        names: Of the parties, in the order of their bits.
        protocol: The parties, and perhaps an observer.
        digest: Tells problems apart in transcripts: of the parties' epsilons and deltas in order.
    """

    title: str | None
    names: tuple[str, ...]
    protocol: Protocol
    digest: str


def read_protocol(path: str, *, standard_input: BinaryIO, format: str | None = None) -> ProtocolFile:  # noqa: A002  # the option's name
    """Read a problem file.

    Args:
        path: The file, or ``-`` for standard input.
        standard_input: Where ``-`` reads from.
        format: ``toml``, ``json`` or ``yaml``; by default it is told by the ending or the first character.

    Raises:
        DocumentError: For anything else; it names the file, the line or key, the value and the remedy.
    """
    content = read_bytes(path, standard_input=standard_input)
    where = "standard input" if path == "-" else path
    return protocol_from_mapping(parse(content, path=path, format=format), where=where)


def protocol_from_mapping(obj: Mapping[str, object], *, where: str) -> ProtocolFile:
    """Read a problem from plain mappings.

    Args:
        obj: With the keys ``title``, ``function`` and ``accuracy`` (of everybody who names no other), ``party``, a list
            of ``name``, ``epsilon``, ``delta``, ``count``, ``prior``, ``function``, ``accuracy`` and ``listens``; and
            ``observer`` with ``function`` and ``accuracy``.
        where: What to call it in errors.

    Raises:
        DocumentError: See `read_protocol`.
    """
    try:
        return _protocol(obj)
    except DocumentError:
        raise
    except InvalidParameterError as error:
        raise DocumentError(
            where=where, field=error.field, value=error.value, condition=error.condition, remedy=error.remedy
        ) from None


def _protocol(obj: Mapping[str, object]) -> ProtocolFile:
    _check_keys(obj, _KEYS, "")
    listed = obj.get("party")
    if not isinstance(listed, list) or not listed:
        raise _refused("party", listed, "must be a list of at least one party", "Add [[party]] with an epsilon.")
    rows: list[tuple[str, Mapping[str, object], str]] = []
    for place, each in enumerate(listed):
        path = f"party[{place}]"
        party = _mapping(each, path)
        _check_keys(party, _PARTY_KEYS, f"{path}.")
        times = count(party.get("count", 1), field=f"{path}.count", least=1)
        if len(rows) + times > _MOST_PARTIES:
            raise _refused(f"{path}.count", times, f"must make at most {_MOST_PARTIES} parties", "Give fewer.")
        name = _text(party.get("name", f"party {place}"), f"{path}.name")
        rows += [(name if times == 1 else f"{name} {run}", party, path) for run in range(times)]
    size = len(rows)
    known: dict[str, Party] = {}
    parties = []
    for _, party, path in rows:
        if path not in known:
            known[path] = _party(party, obj, path, size)
        parties.append(known[path])
    protocol = Protocol(parties=parties, observer=_observer(obj, size))
    return ProtocolFile(
        title=None if obj.get("title") is None else _text(obj["title"], "title"),
        names=tuple(name for name, _, _ in rows),
        protocol=protocol,
        digest=_digest(protocol),
    )


def _party(party: Mapping[str, object], whole: Mapping[str, object], path: str, size: int) -> Party:
    if "epsilon" not in party:
        raise _refused(f"{path}.epsilon", None, "is missing", "Add what the party insists on.")
    listens = party.get("listens", True)
    if not isinstance(listens, bool):
        raise _refused(f"{path}.listens", listens, "must be true or false", "Leave it out when it is true.")
    interest = _interest(party, whole, path, size) if listens else None
    return Party(
        epsilon=party["epsilon"],  # type: ignore[arg-type]  # the door refuses other types
        delta=party.get("delta", 0),  # type: ignore[arg-type]  # as above
        function=None if interest is None else interest.function,
        accuracy=MEASURES["indicator"] if interest is None else interest.accuracy,
        prior=party.get("prior", "1/2"),  # type: ignore[arg-type]  # as above
    )


def _observer(obj: Mapping[str, object], size: int) -> Interest | None:
    if "observer" not in obj:
        return None
    observer = _mapping(obj["observer"], "observer")
    _check_keys(observer, _OBSERVER_KEYS, "observer.")
    return _interest(observer, obj, "observer", size)


def _interest(own: Mapping[str, object], whole: Mapping[str, object], path: str, size: int) -> Interest | None:
    wanted = own.get("function", whole.get("function"))
    if wanted is None:
        return None
    return Interest(
        _function(wanted, f"{path}.function", size),
        _accuracy(own.get("accuracy", whole.get("accuracy", "indicator")), f"{path}.accuracy"),
    )


def _function(wanted: object, path: str, size: int) -> BitFunction:
    if isinstance(wanted, str) and wanted in _NAMED:
        return _NAMED[wanted](size)
    if isinstance(wanted, Mapping) and set(wanted) == {"threshold"}:
        return BitFunction.threshold(size, least=count(wanted["threshold"], field=f"{path}.threshold"))
    if isinstance(wanted, Mapping) and set(wanted) == {"table"} and isinstance(wanted["table"], list):
        return BitFunction.table([_answer(each, f"{path}.table") for each in wanted["table"]])
    raise _refused(
        path,
        wanted,
        f"must be one of {', '.join(_NAMED)}, or have the key threshold or table",
        "Write function = 'majority', or function = { table = [0, 1, 1, 0] }.",
    )


def _answer(value: object, path: str) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise _refused(path, value, "must hold whole numbers or words", "Write [0, 1, 1, 0].")
    return value


def _accuracy(wanted: object, path: str) -> Accuracy | Callable[[BitFunction], Accuracy]:
    if isinstance(wanted, str) and wanted in MEASURES:
        return MEASURES[wanted]
    if isinstance(wanted, Mapping) and set(wanted) == {"weights"} and isinstance(wanted["weights"], list):
        return Accuracy.of(wanted["weights"])
    raise _refused(
        path, wanted, f"must be one of {', '.join(MEASURES)}, or have the key weights", "Write accuracy = 'indicator'."
    )


def _digest(protocol: Protocol) -> str:
    levels = [[exact_text(each.epsilon), exact_text(each.delta)] for each in protocol.channels]
    return f"sha256:{hashlib.sha256(json.dumps(levels).encode()).hexdigest()}"


def _mapping(obj: object, path: str) -> Mapping[str, object]:
    if not isinstance(obj, Mapping):
        raise _refused(path, obj, "must be an object", "Write keys and values.")
    return obj


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise _refused(path, value, "must be text", "Put it in quotes.")
    return value


def _check_keys(obj: Mapping[str, object], allowed: tuple[str, ...], path: str) -> None:
    for key in obj:
        if key not in allowed:
            raise _refused(f"{path}{key}", obj[key], "is no key here", f"Use {', '.join(allowed)}.")


def _refused(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)


def protocol_schema() -> dict[str, object]:
    """The JSON Schema of a problem file."""
    number = {"type": ["string", "number"]}
    one_key = {"type": "object", "minProperties": 1, "maxProperties": 1}
    function = {"oneOf": [{"enum": list(_NAMED)}, one_key]}
    accuracy = {"oneOf": [{"enum": list(MEASURES)}, one_key]}
    party = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "epsilon": number,
            "delta": number,
            "prior": number,
            "count": {"type": "integer", "minimum": 1},
            "function": function,
            "accuracy": accuracy,
            "listens": {"type": "boolean"},
        },
        "required": ["epsilon"],
        "additionalProperties": False,
    }
    observer = {
        "type": "object",
        "properties": {"function": function, "accuracy": accuracy},
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "optcomp protocol",
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "function": function,
            "accuracy": accuracy,
            "party": {"type": "array", "items": party, "minItems": 1},
            "observer": observer,
        },
        "required": ["party"],
        "additionalProperties": False,
    }

"""An answer that carries its own evidence: what was asked, what was answered, by which theorem and engine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from optcomp.composition.adjacency import checked_adjacency
from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import Mechanism, Sequence, mechanism_from_json, mechanism_to_json
from optcomp.quantities import Enclosure, Real, approximately, exact_text, probability, rational, real

__all__ = ["VERSION", "Certificate", "ErrorSplit", "certificate_from_json", "certificate_to_json"]

VERSION = 1
"""The version of the form in which certificates are written."""

_KEYS = (
    "version",
    "mechanisms",
    "adjacency",
    "question",
    "lower",
    "upper",
    "theorem",
    "engine",
    "precision",
    "error",
    "digest",
)
_PARTS = ("failure", "target", "answer")


@dataclass(frozen=True, kw_only=True)
class ErrorSplit:
    """Where the width of an answer comes from, as relative widths rounded up.

    Args:
        failure: Of the probability that some mechanism fails.
        target: Of what is left of delta for the finite losses; 0 when delta was asked for.
        answer: Of the answer itself, engine included.
    """

    failure: float
    target: float
    answer: float


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """The statement ``lower <= truth <= upper``, with everything needed to check it again.

    Args:
        mechanism: What was composed.
        adjacency: The relation between neighbouring data sets that the listed guarantees refer to, where it is known.
        asked: ``epsilon`` for the least epsilon at a delta, ``delta`` for the least delta at an epsilon.
        point: That delta or epsilon.
        answer: The enclosure.
        theorem: Which theorem the engine computes.
        engine: The engine's name.
        precision: The engine's kind of arithmetic.
        error: Where the width of the answer comes from.
    """

    mechanism: Mechanism
    adjacency: str | None
    asked: Literal["epsilon", "delta"]
    point: Real
    answer: Enclosure
    theorem: str
    engine: str
    precision: str
    error: ErrorSplit

    @property
    def digest(self) -> str:
        """A fingerprint of all other fields."""
        return _digest(_body(self))


def certificate_to_json(certificate: Certificate) -> dict[str, object]:
    """The JSON object of a certificate; every number is exact text."""
    return {**_body(certificate), "digest": certificate.digest}


def _body(certificate: Certificate) -> dict[str, object]:
    whole = certificate.mechanism
    parts = whole.parts if isinstance(whole, Sequence) else (whole,)
    return {
        "version": VERSION,
        "mechanisms": [mechanism_to_json(part) for part in parts],
        "adjacency": certificate.adjacency,
        "question": {"delta" if certificate.asked == "epsilon" else "epsilon": exact_text(certificate.point)},
        "lower": exact_text(certificate.answer.lower),
        "upper": exact_text(certificate.answer.upper),
        "theorem": certificate.theorem,
        "engine": certificate.engine,
        "precision": certificate.precision,
        "error": {name: repr(getattr(certificate.error, name)) for name in _PARTS},
    }


def _digest(body: Mapping[str, object]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def certificate_from_json(obj: object) -> Certificate:
    """Read a certificate, and refuse one that was altered.

    Raises:
        InvalidParameterError: When a key is unknown, missing or of the wrong type, or the digest does not fit the rest.
    """
    if not isinstance(obj, Mapping):
        raise _refused("certificate", obj, "must be an object", "Give a certificate as it was written.")
    for key in obj:
        if key not in _KEYS:
            raise _refused(str(key), key, "is not a key of a certificate", f"The keys are {', '.join(_KEYS)}.")
    for key in _KEYS:
        if key not in obj:
            raise _refused(key, None, "is missing", "Give a certificate as it was written.")
    if obj["version"] != VERSION or type(obj["version"]) is not int:
        raise _refused("version", obj["version"], f"must be {VERSION}", "Use the release that wrote it.")
    body = {key: obj[key] for key in _KEYS if key != "digest"}
    try:
        expected: str | None = _digest(body)
    except (TypeError, ValueError, RecursionError):
        expected = None
    if expected is None or obj["digest"] != expected:
        raise _refused("digest", obj["digest"], "does not fit the certificate: it was altered", "Ask for a new one.")
    made = _certificate(body)
    if _body(made) != body:
        raise _refused("certificate", "numbers", "must be written in the shortest exact form", "Ask for a new one.")
    return made


def _certificate(body: Mapping[str, object]) -> Certificate:
    mechanisms = body["mechanisms"]
    if not isinstance(mechanisms, list):
        raise _refused("mechanisms", mechanisms, "must be a list", "Give a certificate as it was written.")
    asked, point = _question(body["question"])
    adjacency = body["adjacency"]
    return Certificate(
        mechanism=Sequence(parts=[mechanism_from_json(each) for each in mechanisms]),
        adjacency=checked_adjacency(None if adjacency is None else _text(adjacency, "adjacency")),
        asked=asked,
        point=point,
        answer=Enclosure(_end(body["lower"], "lower"), _end(body["upper"], "upper")),
        theorem=_text(body["theorem"], "theorem"),
        engine=_text(body["engine"], "engine"),
        precision=_text(body["precision"], "precision"),
        error=_split(body["error"]),
    )


def _split(obj: object) -> ErrorSplit:
    if not isinstance(obj, Mapping) or set(obj) != set(_PARTS):
        raise _refused("error", obj, f"must name {', '.join(_PARTS)}", "Give a certificate as it was written.")
    failure, target, answer = (_width(obj[name], f"error.{name}") for name in _PARTS)
    return ErrorSplit(failure=failure, target=target, answer=answer)


def _width(value: object, field: str) -> float:
    text = _text(value, field)
    width = approximately(rational(text, field=field))
    if repr(width) != text:
        raise _refused(field, value, "must be the shortest text of a float", "Ask for a new one.")
    return width


def _question(obj: object) -> tuple[Literal["epsilon", "delta"], Real]:
    if isinstance(obj, Mapping) and set(obj) == {"delta"}:
        return "epsilon", probability(_text(obj["delta"], "question.delta"), field="question.delta")
    if isinstance(obj, Mapping) and set(obj) == {"epsilon"}:
        return "delta", real(_text(obj["epsilon"], "question.epsilon"), field="question.epsilon")
    raise _refused("question", obj, "must name a delta or an epsilon", "Write {'delta': '1e-6'}.")


def _end(value: object, field: str) -> Fraction | float:
    text = _text(value, field)
    return float("inf") if text == "inf" else rational(text, field=field)


def _text(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise _refused(field, value, "must be text", "Give a certificate as it was written.")
    return value


def _refused(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)

"""Printed numbers, and whether an interval agrees with them.

A printed number is a rounded decimal. The tolerances are as tight as that allows:

==========================================  ===================================================================
text                                        tolerance
==========================================  ===================================================================
``inf``, an integer, ``n/d``                none
with ``digits: n`` given                    half a unit of the n-th significant digit
15 significant digits or more               half a unit of the last digit, at most 1e-18 of the value
fewer digits, so probably exact             none; then 1e-19 of the value, for a long number whose zeros were cut off
==========================================  ===================================================================

Where only the last of these makes a number fit, the report says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from optcomp import Enclosure

__all__ = ["Answer", "Approximate", "Finding", "MalformedError", "OneOf", "Printed", "Verdict", "judge", "read_number"]

_DECIMAL = re.compile(r"([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,5}))?", re.ASCII)
_RATIO = re.compile(r"([+-]?\d+)/(\d+)", re.ASCII)
_LONGEST_TEXT = 4000
_LONG = 15
_LONG_TOLERANCE = Fraction(1, 10**18)
_SHORT_TOLERANCE = Fraction(1, 10**19)


class MalformedError(Exception):
    """A case that cannot be read as a question, or a value that cannot be read as numbers."""


class Verdict(Enum):
    """What came of one case."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    UNANSWERED = "not answered"


@dataclass(frozen=True)
class Approximate:
    """An interval to be compared with a number that is printed to a few digits only."""

    interval: Enclosure
    digits: int


@dataclass(frozen=True)
class OneOf:
    """The whole numbers that the library allows as the answer; more than one where it cannot tell."""

    choices: frozenset[int]


Answer = Enclosure | Approximate | OneOf | Mapping[str, "Answer"] | Sequence["Answer"]
"""What the library says, in the shape of the printed value."""


@dataclass(frozen=True)
class Finding:
    """One number compared.

    Args:
        verdict: How it went.
        reason: Why it is not inside, else empty.
        width: The relative width of the interval; None where there is none.
        rounded: Whether a short text fits only as a rounded number.
    """

    verdict: Verdict
    reason: str = ""
    width: float | None = None
    rounded: bool = False


@dataclass(frozen=True)
class Printed:
    """A printed number: its value, the tolerance of its rounding, and the one tried when that does not fit."""

    value: Fraction | float
    tolerance: Fraction = Fraction(0)
    second_tolerance: Fraction = Fraction(0)


def read_number(raw: object, *, digits: int | None = None) -> Printed:
    """Read a number as it stands in a file."""
    if isinstance(raw, bool) or not isinstance(raw, str | int | Decimal):
        raise MalformedError(f"{raw!r:.80} is no number")
    text = str(raw).strip()
    if text in {"inf", "-inf"}:
        return Printed(float(text))
    if len(text) > _LONGEST_TEXT:
        raise MalformedError("the number is too long")
    ratio = _RATIO.fullmatch(text)
    if ratio and int(ratio[2]):
        return Printed(Fraction(int(ratio[1]), int(ratio[2])))
    return Printed(Fraction(raw)) if isinstance(raw, int) else _read_decimal(text, digits)


def _read_decimal(text: str, digits: int | None) -> Printed:
    found = _DECIMAL.fullmatch(text)
    if not found or not (found[2] + found[3]):
        raise MalformedError(f"{text!r:.80} is no number")
    mantissa = (found[2] + found[3]).lstrip("0")
    exponent = int(found[4] or 0) - len(found[3])
    value = (-1 if found[1] == "-" else 1) * Fraction(int(mantissa or 0)) * Fraction(10) ** exponent
    if value == 0:
        return Printed(value)
    if digits is not None:
        return Printed(value, Fraction(10) ** (exponent + len(mantissa) - digits) / 2)
    if len(mantissa) >= _LONG:
        return Printed(value, min(Fraction(10) ** exponent / 2, abs(value) * _LONG_TOLERANCE))
    return Printed(value, second_tolerance=abs(value) * _SHORT_TOLERANCE)


def judge(expected: object, answer: Answer, *, digits: int | None = None, path: str = "") -> Iterator[Finding]:
    """Compare every number of a printed value with the answer of the same shape."""
    if isinstance(expected, Mapping):
        yield from _judge_mapping(expected, answer, digits, path)
    elif isinstance(expected, list):
        yield from _judge_list(expected, answer, digits, path)
    elif isinstance(answer, OneOf):
        number = read_number(expected).value
        inside = number in answer.choices
        reason = "" if inside else f"{_at(path)}{number} is none of {sorted(answer.choices)}"
        yield Finding(Verdict.INSIDE if inside else Verdict.OUTSIDE, reason)
    elif isinstance(answer, Approximate):
        yield _judge_number(read_number(expected, digits=answer.digits), answer.interval, path)
    elif isinstance(answer, Enclosure):
        yield _judge_number(read_number(expected, digits=digits), answer, path)
    else:
        yield Finding(Verdict.UNANSWERED, f"{_at(path)}one number is printed where the library gives several")


def _judge_mapping(expected: Mapping[str, object], answer: Answer, digits: int | None, path: str) -> Iterator[Finding]:
    if not expected or not isinstance(answer, Mapping):
        yield Finding(Verdict.UNANSWERED, f"{_at(path)}the value has a shape that is not known here")
        return
    for key, value in expected.items():
        inner = f"{path}.{key}" if path else str(key)
        if key in answer:
            yield from judge(value, answer[key], digits=digits, path=inner)
        else:
            yield Finding(Verdict.UNANSWERED, f"{inner}: this number is not known here")


def _judge_list(expected: list[object], answer: Answer, digits: int | None, path: str) -> Iterator[Finding]:
    if not isinstance(answer, Sequence):
        yield Finding(Verdict.UNANSWERED, f"{_at(path)}the value has a shape that is not known here")
        return
    if len(expected) != len(answer):
        yield Finding(Verdict.OUTSIDE, f"{_at(path)}{len(expected)} are printed, the library gives {len(answer)}")
        return
    for place, (value, inner) in enumerate(zip(expected, answer, strict=True)):
        yield from judge(value, inner, digits=digits, path=f"{path}[{place}]")


def _judge_number(printed: Printed, interval: Enclosure, path: str) -> Finding:
    width = interval.relative_width
    if math.isinf(width):
        return Finding(Verdict.UNANSWERED, f"{_at(path)}the interval {interval} says nothing")
    if _fits(printed.value, interval, printed.tolerance):
        return Finding(Verdict.INSIDE, width=width)
    if printed.second_tolerance and _fits(printed.value, interval, printed.second_tolerance):
        return Finding(Verdict.INSIDE, width=width, rounded=True)
    return Finding(Verdict.OUTSIDE, f"{_at(path)}{_shown(printed.value)} is not in {interval}{_off(printed, interval)}")


def _fits(value: Fraction | float, interval: Enclosure, tolerance: Fraction) -> bool:
    if isinstance(value, float):
        return interval.lower == value == interval.upper
    if isinstance(interval.lower, float) or isinstance(interval.upper, float):
        return False
    return interval.lower - tolerance <= value <= interval.upper + tolerance


def _off(printed: Printed, interval: Enclosure) -> str:
    """How far off, in words."""
    ends = (printed.value, interval.lower, interval.upper)
    if any(isinstance(end, float) for end in ends) or printed.value == 0:
        return ""
    value, lower, upper = (Fraction(end) for end in ends)
    return f", off by {_float((lower - value if value < lower else value - upper) / abs(value)):.2g} of it"


def _shown(value: Fraction | float) -> str:
    return str(Enclosure(value, value))


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _at(path: str) -> str:
    return f"{path}: " if path else ""

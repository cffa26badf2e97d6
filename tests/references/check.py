"""Check the library against reference files: ``python -m tests.references.check FILE...``.

A file is a JSON object with lists of cases; ``cases`` holds questions with ``mechanisms``, ``query`` and ``value``, and
other lists are told by their names. A case is inside when every number of its value lies in the library's interval, up
to the rounding of the printed number. A case whose value is null asks for a refusal: `InvalidParameterError` with the
name of the field.

The exit status is 0 when every case is inside, 1 when one is not, 2 when a file cannot be read.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from optcomp import InvalidParameterError
from tests.references.printed import Finding, MalformedError, Verdict, judge
from tests.references.questions import CASES, LISTS, QUESTIONS, Case, kind_of

__all__ = ["Outcome", "UnreadableError", "cases_in", "main", "read", "run"]

_REFUSAL = "invalid_parameter"
_LONGEST_REASON = 400


class UnreadableError(Exception):
    """A file that holds no cases."""


@dataclass(frozen=True)
class Outcome:
    """What came of one case.

    Args:
        name: Its id.
        verdict: Inside only when every number is.
        reason: Why it is not inside, else empty.
        width: The largest relative width among its intervals; None when it has none.
        rounded: Whether a short printed number fits only as a rounded one.
        seconds: How long the library took.
    """

    name: str
    verdict: Verdict
    reason: str
    width: float | None
    rounded: bool
    seconds: float


def read(path: str) -> object:
    """The content of a reference file, with decimals kept exact."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"), parse_float=Decimal)
    except (OSError, ValueError, RecursionError, ArithmeticError) as error:
        raise UnreadableError(f"cannot be read ({error})") from None


def cases_in(content: object) -> list[tuple[str, str, object]]:
    """Every case of a file: the list it stands in, its name, and itself."""
    groups: Mapping[str, object] = {}
    if isinstance(content, list):
        groups = {CASES: content}
    elif isinstance(content, dict):
        groups = {key: value for key, value in content.items() if isinstance(value, list)}
    found = [
        (group, _name(group, place, case), case)
        for group, cases in groups.items()
        if isinstance(cases, list)
        for place, case in enumerate(cases)
    ]
    if not found:
        raise UnreadableError("holds no list of cases")
    return found


def _name(group: str, place: int, case: object) -> str:
    name = case.get("id") if isinstance(case, Mapping) else None
    return name if isinstance(name, str) and name else f"{group}[{place}]"


def run(group: str, name: str, case: object) -> Outcome:
    """Put one case to the library. Whatever it holds, the result is an outcome and never an exception."""
    start = time.perf_counter()
    try:
        findings = list(_findings(group, case))
    except MalformedError as error:
        findings = [Finding(Verdict.UNANSWERED, str(error))]
    except Exception as error:  # noqa: BLE001  # whatever goes wrong, the other cases still count
        findings = [Finding(Verdict.UNANSWERED, _described(error))]
    seconds = time.perf_counter() - start
    bad = [finding for finding in findings if finding.verdict is not Verdict.INSIDE]
    outside = [finding for finding in bad if finding.verdict is Verdict.OUTSIDE]
    verdict = Verdict.OUTSIDE if outside else Verdict.UNANSWERED if bad else Verdict.INSIDE
    widths = [finding.width for finding in findings if finding.width is not None]
    return Outcome(
        name=name,
        verdict=verdict,
        reason="; ".join(finding.reason for finding in (outside or bad))[:_LONGEST_REASON],
        width=max(widths, default=None) if verdict is Verdict.INSIDE else None,
        rounded=any(finding.rounded for finding in findings),
        seconds=seconds,
    )


def _described(error: Exception) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001  # an error whose own text fails
        return type(error).__name__


def _findings(group: str, case: object) -> Iterator[Finding]:
    if not isinstance(case, Mapping):
        raise MalformedError("is no object")
    kind = kind_of(group, case)
    if kind in LISTS:
        yield from judge(*LISTS[kind](case), digits=_digits(case))
        return
    if kind not in QUESTIONS:
        raise MalformedError(f"a question of the kind {kind!r:.80} is not known here")
    expected = case.get("value")
    if expected is None:
        yield _refusal(kind, case)
    else:
        yield from judge(expected, QUESTIONS[kind](case), digits=_digits(case))


def _refusal(kind: str, case: Case) -> Finding:
    """For a question that has no answer: the library has to refuse it and to name the field."""
    if case.get("error") != _REFUSAL:
        raise MalformedError("has neither a value nor a kind of refusal that is known here")
    try:
        QUESTIONS[kind](case)
    except InvalidParameterError as error:
        if isinstance(error.field, str) and error.field:
            return Finding(Verdict.INSIDE)
        return Finding(Verdict.OUTSIDE, "is refused without the name of a field")
    return Finding(Verdict.OUTSIDE, "is answered, but has to be refused")


def _digits(case: Case) -> int | None:
    digits = case.get("digits")
    if digits is None:
        return None
    if isinstance(digits, bool) or not isinstance(digits, int) or not 0 < digits <= 1000:
        raise MalformedError("digits must be a whole number")
    return digits


@dataclass(frozen=True)
class _File:
    """The outcomes of one file."""

    path: str
    outcomes: Sequence[Outcome]

    @property
    def inside(self) -> int:
        return sum(each.verdict is Verdict.INSIDE for each in self.outcomes)

    @property
    def rest(self) -> list[Outcome]:
        return [each for each in self.outcomes if each.verdict is not Verdict.INSIDE]

    @property
    def rounded(self) -> list[str]:
        return [each.name for each in self.outcomes if each.rounded and each.verdict is Verdict.INSIDE]

    @property
    def widest(self) -> tuple[float, str] | None:
        return max(((each.width, each.name) for each in self.outcomes if each.width is not None), default=None)

    @property
    def slowest(self) -> tuple[float, str]:
        return max((each.seconds, each.name) for each in self.outcomes)

    def lines(self) -> Iterator[str]:
        line = f"{self.path}: {self.inside}/{len(self.outcomes)} inside"
        if self.widest is not None:
            line += f", widest {self.widest[0]:.2g} ({self.widest[1]})"
        yield f"{line}, slowest {self.slowest[0]:.2f} s ({self.slowest[1]})"
        if self.rounded:
            yield f"  inside only when the short printed number is taken as rounded: {', '.join(self.rounded)}"
        for each in self.rest:
            yield f"  {each.name}: {each.verdict.value}: {each.reason}"

    def as_json(self) -> dict[str, Any]:
        return {
            "file": self.path,
            "inside": self.inside,
            "total": len(self.outcomes),
            "widest": self.widest and {"relative_width": self.widest[0], "case": self.widest[1]},
            "slowest": {"seconds": self.slowest[0], "case": self.slowest[1]},
            "inside_as_rounded": self.rounded,
            "not_inside": [{"case": e.name, "verdict": e.verdict.value, "reason": e.reason} for e in self.rest],
        }


def main(arguments: Sequence[str] | None = None) -> int:
    """Check files and print what came of it; the result is the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.references.check", description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE", help="a reference file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    checked: list[_File] = []
    unreadable: dict[str, str] = {}
    for path in options.files:
        try:
            checked.append(_File(path, [run(*each) for each in cases_in(read(path))]))
        except UnreadableError as error:
            unreadable[path] = str(error)
            if not options.json:
                print(f"{path}: {error}", file=sys.stderr)
        else:
            if not options.json:
                print(*checked[-1].lines(), sep="\n", flush=True)
    if options.json:
        unread = [{"file": path, "reason": reason} for path, reason in unreadable.items()]
        print(json.dumps({"files": [each.as_json() for each in checked], "unreadable": unread}, indent=1))
    if unreadable:
        return 2
    return 1 if any(each.rest for each in checked) else 0


if __name__ == "__main__":
    sys.exit(main())

"""What can many parties find out together, and what does each answer?"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

from optcomp.documents import ProtocolFile, parse, read_bytes, read_protocol
from optcomp.errors import DocumentError, InvalidParameterError
from optcomp.multiparty import (
    BitFunction,
    Interest,
    Listener,
    Measure,
    Message,
    Protocol,
    SurveyDesign,
    broadcast,
    decide,
    in_words,
    transcript_of,
)
from optcomp.plotting import Panel, Picture, Series, save
from optcomp.quantities import Enclosure, Number, exact_text
from optcomp.release.durable import create_exclusively, replace
from optcomp.usecases.tradeoff import refuse_existing

__all__ = [
    "DecideAnswer",
    "ListenerLine",
    "ProblemFile",
    "SolveAnswer",
    "SurveyAnswer",
    "SurveyRequest",
    "broadcast_bit",
    "decide_from",
    "draw_accuracies",
    "plan_survey",
    "solve_problem",
]

_OBSERVER = "observer"
_FOR_ANY = {
    "xor": BitFunction.xor,
    "and": BitFunction.conjunction,
    "or": BitFunction.disjunction,
    "majority": BitFunction.majority,
    "sum": BitFunction.total,
}
_SIZES = tuple(range(1, 16))
_EPSILONS = tuple(Fraction(step, 4) for step in range(17))


@dataclass(frozen=True, kw_only=True)
class ProblemFile:
    """A problem file.

    Args:
        path: The file, or ``-`` for standard input.
        format: ``toml``, ``json`` or ``yaml``, where neither the ending nor the first character tells.
        standard_input: Where ``-`` reads from.
    """

    path: str
    format: str | None = None
    standard_input: BinaryIO = field(default_factory=io.BytesIO)

    def read(self) -> ProtocolFile:
        """The problem."""
        return read_protocol(self.path, standard_input=self.standard_input, format=self.format)


@dataclass(frozen=True, kw_only=True)
class ListenerLine:
    """What one listener can find out.

    Args:
        name: The party's, or ``observer``.
        function: What it wants to know.
        accuracy: The best accuracy.
        method: How it was found.
        rule: The best rule in words, where there is one.
        lost: How much better it would do if nobody had any privacy.
    """

    name: str
    function: str
    accuracy: Enclosure
    method: str
    rule: str | None
    lost: Enclosure


@dataclass(frozen=True, kw_only=True)
class SolveAnswer:
    """All listeners of a problem."""

    title: str | None
    measure: str
    listeners: tuple[ListenerLine, ...]


def solve_problem(problem: ProblemFile, *, worst: bool = False) -> SolveAnswer:
    """The best accuracy of everybody who wants to know something. Equal parties are listed once.

    Raises:
        DocumentError: When the file is no problem.
        UnsupportedError: When there are too many transcripts.
    """
    known = problem.read()
    measure: Measure = "worst" if worst else "average"
    opened = Protocol(parties=[each.opened for each in known.protocol.parties], observer=known.protocol.observer)
    lines: list[ListenerLine] = []
    seen: set[object] = set()
    for party in (None, *range(len(known.names))):
        interest = known.protocol.observer if party is None else known.protocol.parties[party].interest
        if interest is None:
            continue
        key = None if party is None else known.protocol.parties[party]
        if party is not None and key in seen and interest.function.by_sum is not None:
            continue
        seen.add(key)
        found = known.protocol.solve(party=party, measure=measure)
        best = opened.solve(party=party, measure=measure).accuracy
        lines.append(
            ListenerLine(
                name=_OBSERVER if party is None else known.names[party],
                function=interest.function.name,
                accuracy=found.accuracy,
                method=found.method,
                rule=None if worst else _rule(known.protocol.listeners(party)),
                lost=_difference(best, found.accuracy),
            )
        )
    if not lines:
        raise InvalidParameterError(
            field="function", value=None, condition="is wanted by nobody", remedy="Add function = 'xor' or an observer."
        )
    return SolveAnswer(title=known.title, measure=measure, listeners=tuple(lines))


def _rule(problems: tuple[Listener, ...]) -> str | None:
    """The rule in words: one for the observer, one for each value of a party's own bit."""
    words = [in_words(each) for each in problems]
    if None in words or len(words) == 1:
        return words[0] if len(words) == 1 else None
    return " ".join(f"With the own bit {bit}: {sentence}" for bit, sentence in enumerate(words))


def _difference(high: Enclosure, low: Enclosure) -> Enclosure:
    return Enclosure(
        max(Fraction(high.lower) - Fraction(low.upper), Fraction(0)), Fraction(high.upper) - Fraction(low.lower)
    )


def broadcast_bit(problem: ProblemFile, *, party: int, bit: str, folder: str) -> str:
    """Draw one party's message and put it into the folder of the transcript, where none of that party may be yet.

    Args:
        problem: What everybody agreed on.
        party: Counted from 0.
        bit: ``0`` or ``1``; it is written nowhere.
        folder: Of the transcript; it is made when it is missing.

    Returns:
        The file.

    Raises:
        InvalidParameterError: When the party or the bit is wrong, or the party has broadcast already.
    """
    known = problem.read()
    stripped = bit.strip()
    if stripped not in {"0", "1"}:
        raise InvalidParameterError(field="bit", value="hidden", condition="must be 0 or 1", remedy="Give one of them.")
    path = Path(folder) / f"{party}.json"
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        if not 0 <= party < len(known.names):
            broadcast(known.protocol, party=party, bit=0)  # says what is wrong
        if not create_exclusively(path, b""):
            raise InvalidParameterError(
                field="party",
                value=party,
                condition="has broadcast already",
                remedy="A second message would cost the same privacy again. Use another folder for another question.",
            )
        message = broadcast(known.protocol, party=party, bit=int(stripped))
        held = {"protocol": known.digest, "party": party, "outcome": message.outcome}
        replace(path, (json.dumps(held) + "\n").encode())
    except OSError as error:
        raise InvalidParameterError(
            field="transcript",
            value=folder,
            condition=f"cannot be written ({error.strerror})",
            remedy="Name a folder that you may write to.",
        ) from None
    return str(path)


@dataclass(frozen=True, kw_only=True)
class DecideAnswer:
    """A listener's answer.

    Args:
        answer: The answer.
        score: About its expected accuracy, given what was heard.
        rule: The best rule in words, where there is one.
    """

    answer: str
    score: float
    rule: str | None


def decide_from(problem: ProblemFile, *, folder: str, party: int | None = None, bit: str | None = None) -> DecideAnswer:
    """The best answer to a transcript.

    Args:
        problem: What everybody agreed on.
        folder: Of the transcript.
        party: The listener, counted from 0; None for the observer.
        bit: The listener's own bit.

    Raises:
        InvalidParameterError: When a message is wrong, twice or missing, or the own bit is needed and missing.
    """
    known = problem.read()
    messages = _messages(folder, known)
    if party is None:
        listener = known.protocol.listeners(None)[0]
        heard = transcript_of(known.protocol, messages)
    else:
        if bit is None or bit.strip() not in {"0", "1"}:
            raise InvalidParameterError(
                field="bit", value="hidden", condition="must be the party's own, 0 or 1", remedy="Add --bit."
            )
        listener = known.protocol.listeners(party)[int(bit.strip())]
        heard = transcript_of(known.protocol, messages, without=party)
    found = decide(listener, heard)
    return DecideAnswer(
        answer=str(listener.function.answers[found.place]), score=found.scores[found.place], rule=in_words(listener)
    )


def _messages(folder: str, known: ProtocolFile) -> list[Message]:
    try:
        paths = sorted(path for path in Path(folder).iterdir() if path.suffix == ".json")
    except OSError as error:
        raise InvalidParameterError(
            field="transcript",
            value=folder,
            condition=f"cannot be read ({error.strerror})",
            remedy="Name the folder of the messages.",
        ) from None
    return [_message(path, known) for path in paths]


def _message(path: Path, known: ProtocolFile) -> Message:
    where = str(path)
    content = read_bytes(where, standard_input=io.BytesIO())
    if not content.strip():
        raise _wrong(where, "message", "nothing", "is empty: its party began to broadcast and did not finish")
    found = parse(content, path=where, format="json")
    if set(found) != {"protocol", "party", "outcome"}:
        raise _wrong(where, "message", ", ".join(found), "must have the keys protocol, party and outcome")
    if found["protocol"] != known.digest:
        raise _wrong(where, "protocol", found["protocol"], "is that of another problem")
    party, outcome = found["party"], found["outcome"]
    for name, value in (("party", party), ("outcome", outcome)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong(where, name, value, "must be a whole number")
    return Message(int(str(party)), int(str(outcome)))


def _wrong(where: str, name: str, value: object, condition: str) -> DocumentError:
    return DocumentError(
        where=where, field=name, value=value, condition=condition, remedy="Use messages as they were broadcast."
    )


def draw_accuracies(problem: ProblemFile, *, out: str, force: bool = False) -> None:
    """Draw every listener's average accuracy against a common epsilon, with the deltas of the problem.

    Raises:
        InvalidParameterError: When the file is there already or cannot be written, or nobody wants to know anything.
    """
    refuse_existing(out, force=force)
    known = problem.read()
    series: list[Series] = []
    for party in (None, *range(len(known.names))):
        interest = known.protocol.observer if party is None else known.protocol.parties[party].interest
        name = _OBSERVER if party is None else known.names[party]
        if interest is None or any(each.label == name for each in series):
            continue
        y = tuple(_at(known.protocol, party, epsilon) for epsilon in _EPSILONS)
        x = tuple(Enclosure.exactly(epsilon) for epsilon in _EPSILONS)
        series.append(Series(label=name, x=x, y=y, style=len(series) % 7))
        if len(series) == 6:  # more lines could not be told apart
            break
    if not series:
        raise InvalidParameterError(
            field="function", value=None, condition="is wanted by nobody", remedy="Add function = 'xor' or an observer."
        )
    panel = Panel(
        title=known.title or "Accuracy of the best answers",
        x_label="epsilon of every party",
        y_label="average accuracy",
        series=tuple(series),
        legend="lower right",
    )
    panels = (panel, *_against_count(known.protocol))
    picture = Picture(
        name=Path(out).stem, title=panel.title, caption="No protocol does better.", sources=(), panels=panels
    )
    try:
        save(picture, Path(out))
    except OSError as error:
        raise InvalidParameterError(
            field="out", value=out, condition=f"cannot be written ({error.strerror})", remedy="Check the folder."
        ) from None


def _against_count(protocol: Protocol) -> tuple[Panel, ...]:
    """A panel against the number of parties, where all are alike and want a function that is known for any number."""
    party = protocol.parties[0]
    interest = protocol.observer or party.interest
    if interest is None or interest.function.name not in _FOR_ANY or set(protocol.channels) != {party.channel}:
        return ()
    make = _FOR_ANY[interest.function.name]
    values = []
    for size in _SIZES:
        wanted = Interest(make(size), interest.accuracy)
        values.append(Protocol(parties=[party.silent] * size, observer=wanted).accuracy())
    series = Series(label="observer", x=tuple(Enclosure.exactly(size) for size in _SIZES), y=tuple(values))
    return (
        Panel(
            title=f"{interest.function.name} of more and more parties",
            x_label="number of parties",
            y_label="average accuracy",
            series=(series,),
            legend="upper right",
        ),
    )


def _at(protocol: Protocol, party: int | None, epsilon: Number) -> Enclosure:
    levelled = Protocol(parties=[each.at(epsilon) for each in protocol.parties], observer=protocol.observer)
    return levelled.accuracy(party=party)


@dataclass(frozen=True, kw_only=True)
class SurveyRequest:
    """A survey by randomized response.

    Args:
        epsilon: What one answer may give away.
        questions: How many questions each person answers.
        delta: For what all answers of one person give away together.
        half_width: The largest wanted error of a share; None leaves the number of people out.
        confidence: Of that error, and of an interval.
        positives: How many answered yes, once the survey is done.
        respondents: How many answered at all.
    """

    epsilon: str
    questions: int = 1
    delta: str = "0"
    half_width: str | None = None
    confidence: str = "0.95"
    positives: int | None = None
    respondents: int | None = None


@dataclass(frozen=True, kw_only=True)
class SurveyAnswer:
    """What the field needs to know.

    Args:
        truth: The chance of the truth.
        epsilon: What one answer gives away, exactly.
        instructions: For a respondent.
        whole: The least epsilon of all answers of one person.
        sample_size: How many people are enough, where that was asked.
        share: The estimate and its interval, where there are answers.
    """

    truth: Fraction
    epsilon: str
    instructions: str
    whole: Enclosure
    sample_size: int | None
    share: tuple[Enclosure, Enclosure] | None


def plan_survey(request: SurveyRequest) -> SurveyAnswer:
    """Design a survey, and estimate a share from its answers.

    Raises:
        InvalidParameterError: When a number is wrong, or only one of positives and respondents is given.
    """
    if (request.positives is None) != (request.respondents is None):
        raise InvalidParameterError(
            field="respondents",
            value=request.respondents,
            condition="must be given together with positives",
            remedy="Give both, or neither.",
        )
    design = SurveyDesign(epsilon=request.epsilon, questions=request.questions)
    share = None
    if request.positives is not None and request.respondents is not None:
        found = design.estimate(
            positives=request.positives, respondents=request.respondents, confidence=request.confidence
        )
        share = (found.value, found.interval)
    return SurveyAnswer(
        truth=design.truth,
        epsilon=exact_text(design.epsilon),
        instructions=design.instructions(),
        whole=design.respondent(delta=request.delta),
        sample_size=None
        if request.half_width is None
        else design.sample_size(half_width=request.half_width, confidence=request.confidence),
        share=share,
    )

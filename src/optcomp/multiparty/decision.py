"""What to answer after a transcript was heard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.multiparty.channels import Channel
from optcomp.multiparty.rounded import Floats
from optcomp.multiparty.solve import is_xor
from optcomp.multiparty.view import Listener
from optcomp.multiparty.worst import LARGEST, Game, solve

__all__ = ["Decision", "decide", "in_words", "worst_case_laws"]


@dataclass(frozen=True)
class Decision:
    """An answer, and how sure it is.

    Args:
        place: Of the answer among the function's answers.
        scores: For each answer about its expected weight, given the transcript.
    """

    place: int
    scores: tuple[float, ...]


def decide(listener: Listener, transcript: Sequence[int]) -> Decision:
    """The best answer to one transcript, on average; of equally good ones the first.

    Args:
        listener: What is heard, and what is wanted.
        transcript: One outcome for each channel, 0 to 3, in order.

    Raises:
        InvalidParameterError: When the transcript is too short or too long, or has an outcome that cannot happen.

    Source: Kairouz, Oh, Viswanath, section 5: the rule that maximises the posterior accuracy.
    """
    columns = _columns(listener, transcript)
    if is_xor(listener):
        return _xor_decision(listener, columns)
    weights = np.array([[float(each) for each in row] for row in listener.accuracy.weights])
    law = _law_of_truth(listener, columns)
    scores = law @ weights
    return Decision(int(scores.argmax()), tuple(float(each) for each in scores))


def _columns(listener: Listener, transcript: Sequence[int]) -> list[tuple[float, float]]:
    """For each channel the chances of what was heard, for bit 0 and bit 1, scaled to a larger one of 1."""
    if len(transcript) != len(listener.channels):
        raise InvalidParameterError(
            field="transcript",
            value=len(transcript),
            condition=f"must have one outcome for each of {len(listener.channels)} broadcasts",
            remedy="Give them in the order of the parties.",
        )
    return [
        _column(channel, outcome, place, listener.prior(place))
        for place, (channel, outcome) in enumerate(zip(listener.channels, transcript, strict=True))
    ]


def _column(channel: Channel, outcome: int, place: int, prior: Fraction) -> tuple[float, float]:
    if isinstance(outcome, bool) or outcome not in channel.outcomes:
        raise InvalidParameterError(
            field=f"transcript[{place}]",
            value=outcome,
            condition=f"must be one of {', '.join(map(str, channel.outcomes))}",
            remedy="0 and 3 give a bit away, 1 and 2 speak for 0 and 1.",
        )
    zero, one = (row[channel.outcomes.index(outcome)] for row in channel.floats)
    zero, one = zero * float(1 - prior), one * float(prior)
    largest = max(zero, one)
    return (zero / largest, one / largest) if largest > 0 else (1.0, 1.0)  # what cannot happen says nothing


def _xor_decision(listener: Listener, columns: list[tuple[float, float]]) -> Decision:
    """By the signs of what each broadcast says: their product is far too small for floats when there are many."""
    even, odd = (listener.function.by_sum or (0,))[0], 1 - (listener.function.by_sum or (0,))[0]
    bias = math.prod((zero - one) / (zero + one) for zero, one in columns)
    speaks_for_one = sum(zero < one for zero, one in columns) % 2 == 1
    nothing = any(zero == one for zero, one in columns)
    scores = [0.0, 0.0]
    scores[even], scores[odd] = (1 + bias) / 2, (1 - bias) / 2
    return Decision(0 if nothing else odd if speaks_for_one else even, tuple(scores))


def _law_of_truth(listener: Listener, columns: list[tuple[float, float]]) -> Floats:
    """About the law of the true value, by its place."""
    found = np.zeros(len(listener.function.answers))
    if listener.function.by_sum is not None:
        law = np.ones(1)
        for column in columns:
            law = np.convolve(law, column)
            law /= law.sum()
        np.add.at(found, np.array(listener.function.by_sum), law)
        return found
    values = np.ones(1)
    for zero, one in columns:  # bit i of a database is its i-th digit
        values = np.concatenate([values * zero, values * one])
        values /= values.sum()
    np.add.at(found, np.array(listener.function.places), values)
    return found


def in_words(listener: Listener) -> str | None:
    """The rule as a sentence, where there is one."""
    if not listener.is_uniform:
        return None
    if is_xor(listener) and listener.channels:
        flipped = listener.function.answers[(listener.function.by_sum or (0,))[0]] == 1
        if len(listener.channels) == 1:
            return f"Answer {int(flipped)} for an outcome 0 or 1, and {1 - int(flipped)} for 2 or 3."
        wanted = "the opposite of the XOR" if flipped else "the XOR"
        return f"Take 0 for every outcome 0 or 1 that you hear, and 1 for every 2 or 3. Answer {wanted} of all of them."
    same = len(listener.classes) == 1 and listener.channels[0].delta == 0
    by_sum = listener.function.by_sum
    if same and by_sum is not None and sorted(by_sum) == list(by_sum) and len(listener.function.answers) == len({0, 1}):
        return _by_count(listener)
    return None


def _by_count(listener: Listener) -> str:
    """For a threshold and equal channels without delta: how often must 1 be heard?"""
    size = len(listener.channels)
    answers = [decide(listener, [2] * heard + [1] * (size - heard)).place for heard in range(size + 1)]
    names = listener.function.answers
    changes = [heard for heard in range(1, size + 1) if answers[heard] != answers[heard - 1]]
    if not changes:
        return f"Answer {names[answers[0]]}, whatever you hear."
    return f"Answer {names[answers[-1]]} when at least {changes[0]} of {size} outcomes are 2, else {names[answers[0]]}."


def worst_case_laws(listener: Listener) -> list[tuple[Fraction, ...]]:
    """For each transcript, numbered with the first channel's outcome as the lowest digit, a law over the answers.

    It is a rule that is best in the worst case, as far as a linear programme in floats finds one.

    Raises:
        UnsupportedError: When there are too many transcripts to list.
    """
    if listener.transcripts * len(listener.function.answers) << len(listener.channels) > LARGEST:
        raise UnsupportedError(
            field="parties",
            value=len(listener.channels),
            condition="has too many transcripts to list a rule for each",
            remedy="Ask for fewer parties.",
        )
    game = Game.by_databases(listener)
    rule, _ = solve(game)
    return [tuple(Fraction(each) for each in column) for column in game.laws(rule).T]

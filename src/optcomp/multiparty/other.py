"""Other protocols, for comparison: they are never better than randomized response from everyone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import InvalidParameterError
from optcomp.multiparty.channels import Channel
from optcomp.multiparty.functions import Accuracy, BitFunction
from optcomp.numerics.balls import ball, enclose, precision
from optcomp.quantities import Number, exponential
from optcomp.tradeoff import FinitePair

__all__ = ["OtherProtocol"]

_BITS = 192
_NONE = Fraction(0)


@dataclass(frozen=True, init=False)
class OtherProtocol:
    """Any protocol, interactive or not, by the law of its transcript on each database.

    Args:
        rows: Row m is the law on the database m, whose bit i is ``(m >> i) & 1``; exact probabilities.

    Raises:
        InvalidParameterError: When the rows are no laws, or are not ``2^k`` of the same length.
    """

    rows: tuple[tuple[Fraction, ...], ...]

    def __init__(self, *, rows: Sequence[Sequence[Number]]) -> None:
        size = len(rows)
        if size < 2 or size & (size - 1):
            raise InvalidParameterError(
                field="rows", value=size, condition="must be 2^k, one for each database", remedy="Give them all."
            )
        pairs = [FinitePair(first=rows[0], second=row) for row in rows]
        object.__setattr__(self, "rows", tuple(pair.second for pair in pairs))

    @classmethod
    def of_messages(cls, messages: Sequence[FinitePair]) -> OtherProtocol:
        """Everyone sends one message by a law of the own bit: ``first`` for 0, ``second`` for 1."""
        rows: list[list[Fraction]] = [[Fraction(1)]]
        for pair in messages:
            rows = [
                [heard * chance for chance in law for heard in row] for law in (pair.first, pair.second) for row in rows
            ]
        return cls(rows=rows)

    @property
    def parties(self) -> int:
        """How many bits there are."""
        return len(self.rows).bit_length() - 1

    def keeps(self, channels: Sequence[Channel]) -> bool:
        """Whether every party's bit is protected by its epsilon and delta, whatever the other bits are.

        **Guarantee**: True only when it is so.

        Raises:
            InvalidParameterError: When there are not as many channels as bits.
        """
        if len(channels) != self.parties:
            raise InvalidParameterError(
                field="channels",
                value=len(channels),
                condition=f"must be as many as the protocol has bits, {self.parties}",
                remedy="Give one for each party.",
            )
        for party, channel in enumerate(channels):
            for database in range(len(self.rows)):
                if database >> party & 1:
                    continue
                pair = FinitePair(first=self.rows[database], second=self.rows[database | 1 << party])
                if not (_within(pair, channel) and _within(pair.swapped, channel)):
                    return False
        return True

    def accuracy(self, function: BitFunction, accuracy: Accuracy) -> Fraction:
        """The best average accuracy of an observer of this protocol, over uniform bits, exactly.

        Raises:
            InvalidParameterError: When the function is of another number of bits, or the weights do not fit it.
        """
        if function.parties != self.parties or len(accuracy.weights) != len(function.answers):
            raise InvalidParameterError(
                field="function",
                value=function.name,
                condition=f"must be of {self.parties} bits, with weights for its {len(function.answers)} answers",
                remedy="Make both for this protocol.",
            )
        truths = function.places
        total = Fraction(0)
        for column in zip(*self.rows, strict=True):
            total += max(
                sum(
                    (chance * accuracy.weights[truth][answer] for chance, truth in zip(column, truths, strict=True)),
                    _NONE,
                )
                for answer in range(len(function.answers))
            )
        return total / len(self.rows)


def _within(pair: FinitePair, channel: Channel) -> bool:
    odds = exponential(channel.epsilon)
    if odds is not None:
        return pair.delta_at(odds) <= channel.delta
    with precision(_BITS):
        below = Fraction(enclose(ball(channel.epsilon).exp()).lower)
    return pair.delta_at(below) <= channel.delta  # a smaller e^epsilon has the larger delta

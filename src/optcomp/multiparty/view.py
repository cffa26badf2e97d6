"""One listener's problem: what it hears, what it wants to know, and how its answers count."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from optcomp.errors import InvalidParameterError
from optcomp.multiparty.channels import Channel
from optcomp.multiparty.functions import Accuracy, BitFunction

__all__ = ["Listener"]


@dataclass(frozen=True)
class Listener:
    """Somebody who hears one broadcast for each bit of a function.

    Args:
        function: Of the bits that are heard about.
        accuracy: The weight of each answer.
        channels: One for each bit, in the order of the function's bits.
        priors: The probability of each bit to be 1, for averages; none at all for uniform bits.
    """

    function: BitFunction
    accuracy: Accuracy
    channels: tuple[Channel, ...]
    priors: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what does not fit together."""
        if len(self.channels) != self.function.parties:
            raise InvalidParameterError(
                field="parties",
                value=len(self.channels),
                condition=f"must be as many as the function has bits, {self.function.parties}",
                remedy="Give one broadcast for each bit.",
            )
        if self.priors and len(self.priors) != len(self.channels):
            raise InvalidParameterError(
                field="priors",
                value=len(self.priors),
                condition=f"must be as many as the broadcasts, {len(self.channels)}",
                remedy="Give one for each bit, or none.",
            )
        if len(self.accuracy.weights) != len(self.function.answers):
            raise InvalidParameterError(
                field="weights",
                value=f"{len(self.accuracy.weights)} rows",
                condition=f"must have one row for each of the {len(self.function.answers)} answers",
                remedy="Give a square table over the answers.",
            )

    def knowing(self, party: int, bit: int) -> Listener:
        """The problem that is left when one bit is known for certain."""
        others = self.channels[:party] + self.channels[party + 1 :]
        priors = self.priors[:party] + self.priors[party + 1 :]
        return Listener(self.function.fixed(party, bit), self.accuracy, others, priors)

    @property
    def is_uniform(self) -> bool:
        """Whether all bits are uniform, as in the paper."""
        return all(prior == Fraction(1, 2) for prior in self.priors)

    def prior(self, place: int) -> Fraction:
        """The probability of one bit to be 1."""
        return self.priors[place] if self.priors else Fraction(1, 2)

    @property
    def least(self) -> Fraction:
        """The smallest weight."""
        return min(min(row) for row in self.accuracy.weights)

    @cached_property
    def classes(self) -> tuple[tuple[Channel, int], ...]:
        """The different channels, each with how often it is there."""
        return tuple(Counter(self.channels).items())

    @property
    def transcripts(self) -> int:
        """How many different transcripts there are."""
        size = 1
        for channel in self.channels:
            size *= len(channel.outcomes)
        return size

"""Messages of a protocol, drawn exactly, and put together again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from optcomp.errors import InvalidParameterError
from optcomp.multiparty.channels import Channel
from optcomp.multiparty.protocol import Protocol
from optcomp.noise.responses import four_outcomes
from optcomp.noise.source import RandomSource, source_or_system

__all__ = ["Message", "broadcast", "transcript_of"]


@dataclass(frozen=True)
class Message:
    """What one party broadcast.

    Args:
        party: Counted from 0.
        outcome: 0 and 3 give the bit away, 1 and 2 speak for 0 and 1.
    """

    party: int
    outcome: int


def broadcast(protocol: Protocol, *, party: int, bit: int, source: RandomSource | None = None) -> Message:
    """One party's randomized response of its bit.

    It may be drawn once only: two messages cost twice the privacy.

    Args:
        protocol: What everybody agreed on.
        party: Counted from 0.
        bit: 0 or 1.
        source: Where random bits come from; the operating system by default.

    **Guarantee**: the message is (epsilon, delta)-DP for the party's bit, with exactly the probabilities of `Channel`.

    Raises:
        InvalidParameterError: When there is no such party, or the bit is neither 0 nor 1.
    """
    channel = _channel(protocol, party)
    if isinstance(bit, bool) or bit not in {0, 1}:
        raise InvalidParameterError(field="bit", value="hidden", condition="must be 0 or 1", remedy="Give one of them.")
    return Message(party, four_outcomes(bit, channel.epsilon, channel.delta, source_or_system(source)))


def _channel(protocol: Protocol, party: int) -> Channel:
    if isinstance(party, bool) or not isinstance(party, int) or not 0 <= party < len(protocol.parties):
        raise InvalidParameterError(
            field="party",
            value=party,
            condition=f"must be between 0 and {len(protocol.parties) - 1}",
            remedy="Parties are counted from 0.",
        )
    return protocol.channels[party]


def transcript_of(protocol: Protocol, messages: Iterable[Message], *, without: int | None = None) -> list[int]:
    """The outcomes in the order of the parties.

    Args:
        protocol: What everybody agreed on.
        messages: One from each party, in any order.
        without: The listener's own number, whose message is not needed.

    Raises:
        InvalidParameterError: When a message is of no party, has an outcome that cannot happen, comes twice, or is
            missing.
    """
    heard: dict[int, int] = {}
    for message in messages:
        channel = _channel(protocol, message.party)
        if isinstance(message.outcome, bool) or message.outcome not in channel.outcomes:
            raise InvalidParameterError(
                field=f"message of party {message.party}",
                value=message.outcome,
                condition=f"must be one of {', '.join(map(str, channel.outcomes))}",
                remedy="Ask the party for its message as it was drawn.",
            )
        if message.party in heard:
            raise InvalidParameterError(
                field=f"message of party {message.party}",
                value=message.outcome,
                condition="is there twice",
                remedy="Every party broadcasts once.",
            )
        heard[message.party] = message.outcome
    wanted = [party for party in range(len(protocol.parties)) if party != without]
    missing = [party for party in wanted if party not in heard]
    if missing:
        raise InvalidParameterError(
            field="messages",
            value=f"{len(heard)} of {len(protocol.parties)}",
            condition=f"must be there from every party: {', '.join(map(str, missing[:10]))} is missing",
            remedy="Wait for it.",
        )
    return [heard[party] for party in wanted]

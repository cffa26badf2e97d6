"""Parties with a bit each, what they insist on, and what they want to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from optcomp.errors import InvalidParameterError
from optcomp.multiparty.channels import Channel
from optcomp.multiparty.functions import Accuracy, BitFunction, indicator
from optcomp.multiparty.solve import Measure, Solved, solve
from optcomp.multiparty.view import Listener
from optcomp.quantities import Enclosure, Number, probability
from optcomp.sources import KOV15, states

__all__ = ["Interest", "Party", "Protocol"]


@dataclass(frozen=True)
class Interest:
    """What somebody wants to know.

    Args:
        function: Of all bits.
        accuracy: How answers count; by default 1 for the right one, else 0.
    """

    function: BitFunction
    accuracy: Accuracy | Callable[[BitFunction], Accuracy] = indicator

    @cached_property
    def weights(self) -> Accuracy:
        """The table of weights."""
        return self.accuracy if isinstance(self.accuracy, Accuracy) else self.accuracy(self.function)


@dataclass(frozen=True, init=False)
class Party:
    """One holder of a bit.

    Args:
        epsilon: What the party insists on for its bit, in nats.
        delta: The same, between 0 and 1.
        function: What the party wants to know; None when it only broadcasts.
        accuracy: How its answers count.
        prior: The probability that its bit is 1, for averages. The paper's theorem is stated for 1/2; the reason for it
            holds for any independent bits.
    """

    channel: Channel
    interest: Interest | None
    prior: Fraction

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number = 0,
        function: BitFunction | None = None,
        accuracy: Accuracy | Callable[[BitFunction], Accuracy] = indicator,
        prior: Number = Fraction(1, 2),  # a number cannot change
    ) -> None:
        object.__setattr__(self, "channel", Channel.of(epsilon, delta))
        object.__setattr__(self, "interest", None if function is None else Interest(function, accuracy))
        object.__setattr__(self, "prior", probability(prior, field="prior"))

    @property
    def opened(self) -> Party:
        """The same party, saying its bit openly."""
        return self._with(Channel.of(0, 1))

    def at(self, epsilon: Number) -> Party:
        """The same party with another epsilon."""
        return self._with(Channel.of(epsilon, self.channel.delta))

    @property
    def silent(self) -> Party:
        """The same party, wanting to know nothing."""
        return Party(epsilon=self.channel.epsilon, delta=self.channel.delta, prior=self.prior)

    def _with(self, channel: Channel) -> Party:
        found = Party(epsilon=0, prior=self.prior)
        object.__setattr__(found, "channel", channel)
        object.__setattr__(found, "interest", self.interest)
        return found


@dataclass(frozen=True, init=False)
class Protocol:
    """Everyone broadcasts one randomized response of the own bit. Then each decides from what it heard.

    This protocol is the best for everyone at once, among all protocols, interactive ones too, that give each party its
    privacy.

    Args:
        parties: In the order of their bits.
        observer: What somebody without a bit wants to know.

    Source: Kairouz, Oh, Viswanath, Theorem 5.1.

    >>> hospitals = [Party(epsilon="ln(3)", function=BitFunction.xor(3)) for _ in range(3)]
    >>> print(Protocol(parties=hospitals).accuracy(party=0))
    0.625
    """

    parties: tuple[Party, ...]
    observer: Interest | None

    def __init__(self, *, parties: Iterable[Party], observer: Interest | BitFunction | None = None) -> None:
        known = tuple(parties)
        if not known or not all(isinstance(each, Party) for each in known):
            raise InvalidParameterError(
                field="parties", value=known, condition="must be at least one party", remedy="Give Party(epsilon=1)."
            )
        wanted = Interest(observer) if isinstance(observer, BitFunction) else observer
        for name, interest in [("observer", wanted), *((f"parties[{i}]", p.interest) for i, p in enumerate(known))]:
            if interest is not None and interest.function.parties != len(known):
                raise InvalidParameterError(
                    field=f"{name}.function",
                    value=interest.function.parties,
                    condition=f"must be a function of {len(known)} bits, one for each party",
                    remedy="Make it for that many parties.",
                )
        object.__setattr__(self, "parties", known)
        object.__setattr__(self, "observer", wanted)

    def without_privacy(self, party: int) -> Protocol:
        """The same, but one party says its bit openly: what its privacy costs is the difference."""
        self._refuse_nobody(party)
        opened = self.parties[party].opened
        return Protocol(parties=(*self.parties[:party], opened, *self.parties[party + 1 :]), observer=self.observer)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """What each party broadcasts by."""
        return tuple(party.channel for party in self.parties)

    def _refuse_nobody(self, party: object) -> None:
        if isinstance(party, bool) or not isinstance(party, int) or not 0 <= party < len(self.parties):
            raise InvalidParameterError(
                field="party",
                value=party,
                condition=f"must be a whole number between 0 and {len(self.parties) - 1}",
                remedy="Parties are counted from 0.",
            )

    def interest(self, party: int | None) -> Interest:
        """What a party, or the observer for None, wants to know.

        Raises:
            InvalidParameterError: When there is no such party, or it wants to know nothing.
        """
        if party is not None:
            self._refuse_nobody(party)
        found = self.observer if party is None else self.parties[party].interest
        if found is None:
            raise InvalidParameterError(
                field="party" if party is not None else "observer",
                value=party,
                condition="wants to know nothing",
                remedy="Give it a function.",
            )
        return found

    def listeners(self, party: int | None) -> tuple[Listener, ...]:
        """The problem of a listener: one for the observer, and one for each value of the own bit for a party."""
        wanted = self.interest(party)
        priors = tuple(each.prior for each in self.parties)
        uniform = all(prior == Fraction(1, 2) for prior in priors)
        whole = Listener(wanted.function, wanted.weights, self.channels, () if uniform else priors)
        return (whole,) if party is None else (whole.knowing(party, 0), whole.knowing(party, 1))

    @states(KOV15, "Theorem 5.1")
    def solve(self, *, party: int | None = None, measure: Measure = "average") -> Solved:
        """The best accuracy of a party, or of the observer, and the way it was found.

        Args:
            party: Counted from 0; None for the observer.
            measure: ``average`` over independent bits with their priors, or ``worst`` over all databases.

        **Guarantee**: ``lower <= accuracy <= upper``; no protocol that gives the parties their privacy does better.
        """
        found = [solve(listener, measure) for listener in self.listeners(party)]
        if measure == "average":
            one = Fraction(0) if party is None else self.parties[party].prior
            shares = (1 - one, one)[: len(found)]
            low = sum((w * Fraction(each.accuracy.lower) for w, each in zip(shares, found, strict=True)), Fraction(0))
            high = sum((w * Fraction(each.accuracy.upper) for w, each in zip(shares, found, strict=True)), Fraction(0))
        else:
            low = min(Fraction(each.accuracy.lower) for each in found)
            high = min(Fraction(each.accuracy.upper) for each in found)
        return Solved(Enclosure(low, high, "lower"), found[0].method)

    def accuracy(self, *, party: int | None = None, measure: Measure = "average") -> Enclosure:
        """The best accuracy: see `solve`."""
        return self.solve(party=party, measure=measure).accuracy

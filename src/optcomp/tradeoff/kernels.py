"""Data processing and its converse: which finite mechanism can be made from which other one, and how.

A kernel turns each outcome of one mechanism into an outcome of another by a chance that knows nothing of the data. All
arithmetic is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from optcomp.sources import KOV15, states
from optcomp.tradeoff.finite import FinitePair, checked_pair

__all__ = ["Domination", "Kernel", "Witness", "dominates"]

_Masses = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Kernel:
    """A matrix of probabilities: row i is the law that outcome i is replaced by.

    Args:
        rows: As many as the source has outcomes, each as long as the target has outcomes.
    """

    rows: tuple[tuple[Fraction, ...], ...]

    def applied(self, law: Iterable[Fraction]) -> tuple[Fraction, ...]:
        """The law after the kernel."""
        weighted = [(mass, row) for mass, row in zip(law, self.rows, strict=True) if mass]
        width = len(self.rows[0])
        return tuple(sum((mass * row[place] for mass, row in weighted), start=Fraction(0)) for place in range(width))

    def carries(self, source: FinitePair, target: FinitePair) -> bool:
        """Whether this is a kernel, and turns both laws of the source into those of the target, exactly."""
        if len(self.rows) != source.size or any(len(row) != target.size for row in self.rows):
            return False
        if any(min(row) < 0 or sum(row) != 1 for row in self.rows):
            return False
        return self.applied(source.first) == target.first and self.applied(source.second) == target.second

    def then(self, following: Kernel) -> Kernel:
        """This kernel, and the other one after it."""
        return Kernel(tuple(following.applied(row) for row in self.rows))


@dataclass(frozen=True)
class Witness:
    """An ``e^epsilon`` at which the second mechanism has the larger delta: no kernel leads from the first to it.

    Below 1, it speaks of the data sets in the other order.
    """

    exp_epsilon: Fraction
    first_delta: Fraction
    second_delta: Fraction


@dataclass(frozen=True)
class Domination:
    """Whether one mechanism dominates another, with the proof: a kernel, or else a witness."""

    kernel: Kernel | None
    witness: Witness | None

    @property
    def holds(self) -> bool:
        """Whether it dominates."""
        return self.kernel is not None


@states(KOV15, "Theorems 2.4 and 2.5")
def dominates(first: FinitePair, second: FinitePair) -> Domination:
    """Decide whether the second mechanism can be made from the first one without looking at the data.

    Args:
        first: The mechanism that may be the more informative one.
        second: The other one.

    **Guarantee**: exactly one of both is given: a kernel with ``kernel.carries(first, second)``, or a witness at which
    the second one's delta is larger. Decided in exact arithmetic.

    Source: Kairouz, Oh, Viswanath, Theorem 2.4 (data processing) and Theorem 2.5, after Blackwell 1953 (the converse).
    It is about two data sets: for three or more, inclusion for every pair does not give one kernel for all.

    >>> truthful = FinitePair.randomized_response(epsilon="ln(3)")
    >>> vague = FinitePair(first=["1/2", "1/4", "1/4"], second=["1/4", "1/2", "1/4"])
    >>> dominates(truthful, vague).holds, dominates(vague, truthful).holds
    (True, False)
    """
    checked_pair(first, "first")
    checked_pair(second, "second")
    witness = _witness(first, second)
    if witness is not None:
        return Domination(kernel=None, witness=witness)
    return Domination(kernel=_matched(_cut(first, second), first, second), witness=None)


def _witness(first: FinitePair, second: FinitePair) -> Witness | None:
    """The knot at which the second delta exceeds the first one most; both are linear between the knots of both."""
    knots = {knot.exp_epsilon for pair in (first, second) for knot in pair.profile}
    places = sorted({*knots, max(knots) + 1})
    found = [Witness(place, first.delta_at(place), second.delta_at(place)) for place in places]
    worst = max(found, key=lambda each: each.second_delta - each.first_delta)
    return worst if worst.second_delta > worst.first_delta else None


@dataclass(frozen=True)
class _Piece:
    """A part of the first mechanism: its masses under both laws, and which share of each outcome it holds."""

    masses: _Masses
    shares: dict[int, Fraction]

    def split(self, share: Fraction) -> tuple[_Piece, _Piece]:
        rest = 1 - share
        return self._scaled(share), self._scaled(rest)

    def _scaled(self, factor: Fraction) -> _Piece:
        p, q = self.masses
        return _Piece((factor * p, factor * q), {place: factor * held for place, held in self.shares.items()})


def _cut(first: FinitePair, second: FinitePair) -> list[_Piece]:
    """Pieces of the first mechanism whose ratios P/Q are those of the second one.

    Summed up in the order of falling P/Q, the masses of a mechanism draw a concave path from (0, 0) to (1, 1). Each
    edge of the second path, extended to a line, cuts a cap off the first one: the pieces above the line become one.
    """
    pieces = [
        _Piece((p, q), {place: Fraction(1)})
        for place, (p, q) in enumerate(zip(first.first, first.second, strict=True))
        if p or q
    ]
    pieces.sort(key=lambda piece: piece.masses[0] / sum(piece.masses), reverse=True)
    likely = unlikely = Fraction(0)
    for p, q in second.merged:
        if p and q:
            slope = p / q
            pieces = list(_without_cap(pieces, slope, likely - slope * unlikely))
        likely, unlikely = likely + p, unlikely + q
    return pieces


def _without_cap(pieces: list[_Piece], slope: Fraction, offset: Fraction) -> Iterator[_Piece]:
    """The pieces, those above the line ``likely = slope unlikely + offset`` merged into one."""
    height = -offset
    cap: list[_Piece] = []
    for piece in pieces:
        p, q = piece.masses
        after = height + p - slope * q
        if height >= 0 and after >= 0:
            parts = [(piece, True)]
        elif height <= 0 and after <= 0:
            parts = [(piece, False)]
        else:
            below, above = piece.split(height / (height - after))
            parts = [(below, height > 0), (above, height <= 0)]
        for part, inside in parts:
            if inside:
                cap.append(part)
                continue
            if cap:
                yield _joined(cap)
                cap = []
            yield part
        height = after
    if cap:
        yield _joined(cap)


def _joined(pieces: list[_Piece]) -> _Piece:
    shares: dict[int, Fraction] = {}
    for piece in pieces:
        for place, held in piece.shares.items():
            shares[place] = shares.get(place, Fraction(0)) + held
    p, q = (sum((piece.masses[side] for piece in pieces), start=Fraction(0)) for side in (0, 1))
    return _Piece((p, q), shares)


def _matched(pieces: list[_Piece], first: FinitePair, second: FinitePair) -> Kernel:
    """Each piece goes to the outcomes of the second mechanism with its ratio, in proportion to their masses."""
    targets: dict[Fraction, list[tuple[int, Fraction]]] = {}
    for place, (p, q) in enumerate(zip(second.first, second.second, strict=True)):
        if p or q:
            targets.setdefault(p / (p + q), []).append((place, p + q))
    rows = [[Fraction(0)] * second.size for _ in range(first.size)]
    for piece in pieces:
        p, q = piece.masses
        chosen = targets[p / (p + q)]
        whole = sum(mass for _, mass in chosen)
        for source, held in piece.shares.items():
            for place, mass in chosen:
                rows[source][place] += held * mass / whole
    for place, (p, q) in enumerate(zip(first.first, first.second, strict=True)):
        if not (p or q):
            rows[place][0] = Fraction(1)  # it never happens: any law will do
    kernel = Kernel(tuple(tuple(row) for row in rows))
    if not kernel.carries(first, second):
        raise ArithmeticError("the kernel that was built does not carry one mechanism to the other")
    return kernel

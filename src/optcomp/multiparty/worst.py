"""The best answer in the worst case: a linear programme, with both of its sides checked.

A rule gives each transcript a law over the answers. Its accuracy in the worst case is the least over all databases. Any
rule is a bound from below, and any prior over the databases one from above: against it the best rule answers each
transcript by itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from optcomp.errors import UndecidedError
from optcomp.multiparty import counts
from optcomp.multiparty.rounded import Floats, between
from optcomp.multiparty.view import Listener
from optcomp.quantities import Enclosure

__all__ = ["LARGEST", "Game", "worst_case"]

LARGEST = 1 << 23
"""The most numbers that a linear programme may have."""

_PER_STEP = 3
_TOLERANCE = 1e-10  # the smallest that HiGHS takes
_BITS = 40  # of a probability in a rule or a prior


@dataclass(frozen=True)
class Game:
    """What the linear programme is made of.

    Args:
        chances: The probability of each transcript, or of each type of transcripts, in a row for each database, or for
            each type of databases.
        truths: The place of the true value for each row.
        weights: Above the least one, by truth and answer.
        roundings: Of each chance, at most.
        shift: The least weight.
    """

    chances: Floats
    truths: npt.NDArray[np.int64]
    weights: Floats
    roundings: int
    shift: Fraction

    @classmethod
    def of(cls, listener: Listener) -> Game:
        """By databases, or by sums of bits where that is all that matters and makes it smaller."""
        weights = _weights(listener)
        if listener.function.by_sum is not None and listener.function.parties > len(listener.classes):
            chances, truths = _by_counts(listener)
            roundings = counts.roundings_of(listener.function.parties)
            return cls(chances, truths, weights, roundings, listener.least)
        return cls.by_databases(listener)

    @classmethod
    def by_databases(cls, listener: Listener) -> Game:
        """With a row for each database and a column for each transcript."""
        return cls(
            _by_databases(listener),
            np.array(listener.function.places),
            _weights(listener),
            _PER_STEP * listener.function.parties,
            listener.least,
        )

    @staticmethod
    def laws(columns: Floats) -> Floats:
        """Each column as a law, exactly: whole multiples of ``2^-40`` that add up to 1."""
        return _laws(columns)

    def payoffs(self, answer: int) -> Floats:
        """The chances, each times the weight of one answer."""
        found: Floats = self.chances * self.weights[self.truths, answer][:, None]
        return found


def _weights(listener: Listener) -> Floats:
    return np.array([[float(each - listener.least) for each in row] for row in listener.accuracy.weights])


def _by_databases(listener: Listener) -> Floats:
    rows: Floats = np.ones((1, 1))
    for channel in listener.channels:  # the bits of later parties are higher, and so are their outcomes
        rows = np.kron(np.array(channel.floats, dtype=np.float64), rows).astype(np.float64)
    return rows


def _by_counts(listener: Listener) -> tuple[Floats, npt.NDArray[np.int64]]:
    rows: Floats = np.ones((1, 1))
    sums = np.zeros(1, dtype=np.int64)
    for channel, count in listener.classes:
        rows = np.kron(counts.likelihoods(channel, count), rows).astype(np.float64)
        sums = (np.arange(count + 1)[:, None] + sums[None, :]).ravel()
    return rows, np.array(listener.function.by_sum)[sums]


def worst_case(listener: Listener) -> Enclosure:
    """The accuracy of the best rule, which may be random, on its worst database.

    **Guarantee**: ``lower <= accuracy <= upper``: the lower end is reached by a rule, the upper end is kept by a prior.
    """
    game = Game.of(listener)
    rule, prior = solve(game)
    found = Enclosure(value_of_rule(game, rule), value_of_prior(game, prior))
    return Enclosure(game.shift + Fraction(found.lower), game.shift + Fraction(found.upper))


def solve(game: Game) -> tuple[Floats, Floats]:
    """A rule, one row for each answer, and a prior, near their optima: HiGHS in floats, checked by nobody here."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix, csr_matrix, hstack

    databases, transcripts = game.chances.shape
    answers = game.weights.shape[1]
    scale = game.chances.max(axis=0)
    kept = np.flatnonzero(scale > 0)
    blocks = [csr_matrix(-(game.payoffs(answer)[:, kept] / scale[kept])) for answer in range(answers)]
    upper = hstack([*blocks, csr_matrix(np.ones((databases, 1)))], format="csr")
    size = len(kept)
    one = coo_matrix((np.ones(answers * size), (np.tile(np.arange(size), answers), np.arange(answers * size))))
    equal = hstack([one, csr_matrix((size, 1))], format="csr")
    cost = np.zeros(answers * size + 1)
    cost[-1] = -1
    found = linprog(
        cost,
        A_ub=upper,
        b_ub=np.zeros(databases),
        A_eq=equal,
        b_eq=scale[kept],
        bounds=[(0, None)] * (answers * size) + [(None, None)],
        method="highs",
        options={"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE},
    )
    if found.x is None:
        raise UndecidedError(
            field="accuracy",
            value=found.message,
            condition="could not be found by the linear programme",
            remedy="Ask for the average case.",
        )
    rule = np.zeros((answers, transcripts))
    rule[:, kept] = np.maximum(found.x[:-1].reshape(answers, size), 0) / scale[kept]
    rule[0, scale == 0] = 1
    return rule, np.maximum(-found.ineqlin.marginals, 0)


def value_of_rule(game: Game, rule: Floats) -> Fraction:
    """A bound from below for the accuracy of a rule in the worst case, above the least weight."""
    known = _laws(rule)
    worth = sum((game.payoffs(answer) @ known[answer] for answer in range(len(known))), start=np.zeros(1))
    low, _ = between(float(np.min(worth)), game.roundings + game.chances.shape[1] + len(known) + 4)
    return low


def value_of_prior(game: Game, prior: Floats) -> Fraction:
    """A bound from above for the accuracy of every rule in the worst case, above the least weight."""
    known = _laws(prior[:, None])[:, 0]
    scores = np.stack([known @ game.payoffs(answer) for answer in range(game.weights.shape[1])])
    _, high = between(math.fsum(scores.max(axis=0)), game.roundings + game.chances.shape[0] + 5)
    return high


def _laws(columns: Floats) -> Floats:
    """Each column as a law, exactly: whole multiples of ``2^-40`` that add up to 1."""
    total = columns.sum(axis=0)
    shares = np.where(total > 0, columns / np.where(total > 0, total, 1), 1 / len(columns))
    whole = np.floor(shares * 2**_BITS).astype(np.int64)
    largest = shares.argmax(axis=0)
    whole[largest, np.arange(columns.shape[1])] += 2**_BITS - whole.sum(axis=0)
    found: Floats = whole / 2.0**_BITS
    return found

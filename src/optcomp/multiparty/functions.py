"""What the parties want to know: functions of all bits, and how good an answer is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from optcomp.errors import InvalidParameterError
from optcomp.quantities import Number, count, rational

__all__ = ["MEASURES", "Accuracy", "BitFunction", "absolute_error", "indicator", "squared_error"]

_MOST_ANSWERS = 2000
_MOST_BITS = 24  # of a function that is written out as a table


@dataclass(frozen=True)
class BitFunction:
    """A function of k bits with finitely many values.

    Made by `xor`, `conjunction`, `disjunction`, `majority`, `threshold`, `total`, `table` or `of`.

    Args:
        name: For people.
        parties: k, how many bits.
        answers: Every answer that may be given, the function's values among them.
        by_sum: The place among the answers of the value at each sum of bits, for a function of the sum only.
        by_database: The place of the value at each database m, whose bit i is ``(m >> i) & 1``; given for any other.
    """

    name: str
    parties: int
    answers: tuple[Hashable, ...]
    by_sum: tuple[int, ...] | None = None
    by_database: tuple[int, ...] | None = None

    @classmethod
    def xor(cls, parties: int) -> BitFunction:
        """Whether the number of ones is odd."""
        return cls._of_sum("xor", parties, lambda ones: ones % 2)

    @classmethod
    def conjunction(cls, parties: int) -> BitFunction:
        """Whether all bits are 1 (AND)."""
        return cls._of_sum("and", parties, lambda ones: int(ones == parties))

    @classmethod
    def disjunction(cls, parties: int) -> BitFunction:
        """Whether some bit is 1 (OR)."""
        return cls._of_sum("or", parties, lambda ones: int(ones > 0))

    @classmethod
    def majority(cls, parties: int) -> BitFunction:
        """Whether more than half of the bits are 1."""
        return cls._of_sum("majority", parties, lambda ones: int(2 * ones > parties))

    @classmethod
    def threshold(cls, parties: int, *, least: int) -> BitFunction:
        """Whether at least so many bits are 1."""
        bound = count(least, field="least")
        return cls._of_sum(f"threshold {bound}", parties, lambda ones: int(ones >= bound))

    @classmethod
    def total(cls, parties: int) -> BitFunction:
        """How many bits are 1."""
        size = count(parties, field="parties")
        return cls("sum", size, tuple(range(size + 1)), by_sum=tuple(range(size + 1)))

    @classmethod
    def table(cls, values: Sequence[Hashable]) -> BitFunction:
        """A truth table: the value at each database m, whose bit i is ``(m >> i) & 1``.

        Args:
            values: As many as a power of two.
        """
        size = len(values)
        if size == 0 or size & (size - 1) or size.bit_length() - 1 > _MOST_BITS:
            raise InvalidParameterError(
                field="table",
                value=size,
                condition=f"must have a power of two of values, at most 2^{_MOST_BITS}",
                remedy="Give the value for every database.",
            )
        answers = tuple(dict.fromkeys(values))
        places = {answer: place for place, answer in enumerate(answers)}
        return cls("table", size.bit_length() - 1, answers, by_database=tuple(places[value] for value in values))

    @classmethod
    def of(cls, function: Callable[[tuple[int, ...]], Hashable], parties: int) -> BitFunction:
        """Any function of a tuple of bits, written out as a table."""
        size = _parties(parties)
        bits = (tuple(reversed(each)) for each in product((0, 1), repeat=size))
        return cls.table([function(each) for each in bits])

    @classmethod
    def _of_sum(cls, name: str, parties: int, value: Callable[[int], int]) -> BitFunction:
        size = count(parties, field="parties")
        return cls(name, size, (0, 1), by_sum=tuple(value(ones) for ones in range(size + 1)))

    @property
    def places(self) -> tuple[int, ...]:
        """The place of the value at every database.

        Raises:
            InvalidParameterError: When there are too many databases to list.
        """
        if self.by_database is not None:
            return self.by_database
        _parties(self.parties)
        by_sum = self.by_sum or ()
        return tuple(by_sum[database.bit_count()] for database in range(1 << self.parties))

    def fixed(self, party: int, bit: int) -> BitFunction:
        """The function of the other bits, with one party's bit known."""
        if not 0 <= party < self.parties or bit not in {0, 1}:
            raise InvalidParameterError(
                field="party",
                value=(party, bit),
                condition=f"must be between 0 and {self.parties - 1}, with the bit 0 or 1",
                remedy="Parties are counted from 0.",
            )
        if self.by_sum is not None:
            kept = self.by_sum[bit : bit + self.parties]
            return BitFunction(self.name, self.parties - 1, self.answers, by_sum=kept)
        known = self.places
        low = (1 << party) - 1
        moved = ((other & low) | (bit << party) | ((other & ~low) << 1) for other in range(1 << (self.parties - 1)))
        return BitFunction(
            self.name, self.parties - 1, self.answers, by_database=tuple(known[database] for database in moved)
        )


def _parties(value: int) -> int:
    size = count(value, field="parties")
    if size > _MOST_BITS:
        raise InvalidParameterError(
            field="parties",
            value=size,
            condition=f"must be at most {_MOST_BITS} for a function that is written out",
            remedy="Use a function of the sum of the bits.",
        )
    return size


@dataclass(frozen=True)
class Accuracy:
    """How good an answer is, for each true value.

    Args:
        name: For people.
        weights: ``weights[truth][answer]``, by the places among the function's answers.
    """

    name: str
    weights: tuple[tuple[Fraction, ...], ...]

    @classmethod
    def of(cls, weights: Sequence[Sequence[Number]], name: str = "table") -> Accuracy:
        """A table of exact numbers, one row for each true value."""
        rows = tuple(tuple(rational(each, field="weights") for each in row) for row in weights)
        if not rows or any(len(row) != len(rows) for row in rows):
            raise InvalidParameterError(
                field="weights",
                value=f"{len(rows)} rows",
                condition="must be a square table with at least one row",
                remedy="Give a number for every true value and every answer.",
            )
        return cls(name, rows)


Measure = Callable[[BitFunction], Accuracy] | Accuracy
"""An accuracy, or how to make one for a function."""


def indicator(function: BitFunction) -> Accuracy:
    """1 for the right answer, else 0."""
    size = _size_of_table(function)
    return Accuracy("indicator", tuple(tuple(Fraction(int(t == a)) for a in range(size)) for t in range(size)))


def absolute_error(function: BitFunction) -> Accuracy:
    """Minus the distance of numbers."""
    return _distance(function, "absolute_error", abs)


def squared_error(function: BitFunction) -> Accuracy:
    """Minus the squared distance of numbers."""
    return _distance(function, "squared_error", lambda gap: gap**2)


def _distance(function: BitFunction, name: str, size: Callable[[Fraction], Fraction]) -> Accuracy:
    _size_of_table(function)
    values = [rational(each, field="answers") for each in function.answers]  # type: ignore[arg-type]  # refused if no number
    return Accuracy(name, tuple(tuple(-size(truth - answer) for answer in values) for truth in values))


def _size_of_table(function: BitFunction) -> int:
    size = len(function.answers)
    if size > _MOST_ANSWERS:
        raise InvalidParameterError(
            field="answers",
            value=size,
            condition=f"must be at most {_MOST_ANSWERS}, so that a table of weights can be held",
            remedy="Ask for a threshold, or for fewer parties.",
        )
    return size


MEASURES: Mapping[str, Callable[[BitFunction], Accuracy]] = {
    "indicator": indicator,
    "absolute_error": absolute_error,
    "squared_error": squared_error,
    "hamming_error": lambda function: Accuracy(
        "hamming_error", tuple(tuple(each - 1 for each in row) for row in indicator(function).weights)
    ),
}
"""The accuracies that have a name."""

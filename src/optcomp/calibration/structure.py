"""The parts of a split in one form: a row of releases and of choices between disjoint rows."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from optcomp.calibration.shares import Group, Parallel, Part, Share
from optcomp.errors import InvalidParameterError, UnsupportedError

__all__ = ["Choice", "Leaf", "Row", "Structure", "leaves_of", "structure_of"]

_MOST_SCENARIOS = 256
_DISJOINT_ADJACENCIES = ("add_or_remove_one", "add_one", "remove_one")


@dataclass(frozen=True)
class Leaf:
    """A release with what all weights above it come to.

    Args:
        share: As asked.
        portion: Of the whole budget, for one run, before floors and caps; disjoint parts have the whole of it each.
        importance: Of one run's error in the total error; all importances times counts add up to 1.
    """

    share: Share
    portion: Fraction
    importance: Fraction


@dataclass(frozen=True)
class Choice:
    """Rows of which a record meets one: the largest cost counts."""

    rows: tuple[Row, ...]


Row = tuple["Leaf | Choice", ...]
"""What is run on the same data: costs add up."""


@dataclass(frozen=True)
class Structure:
    """A split in one form.

    Args:
        row: Everything, in the form in which it is split.
        scenarios: All sets of releases that one record may meet, of which each must keep the target.
    """

    row: Row
    scenarios: tuple[tuple[Leaf, ...], ...]

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """All releases, in their order."""
        return tuple(leaves_of(self.row))


def leaves_of(row: Row) -> Iterator[Leaf]:
    """All releases of a row, in their order."""
    for node in row:
        if isinstance(node, Leaf):
            yield node
        else:
            for each in node.rows:
                yield from leaves_of(each)


def structure_of(parts: Iterable[Part], *, adjacency: str | None, window: int | None) -> Structure:
    """Bring parts into one form.

    With a window of n, the parts are periods in their order, and any n that follow each other must keep the target.
    Periods that are n apart get the same: then every window holds exactly one of each kind.

    Raises:
        InvalidParameterError: When there are no parts, two releases share a name, or parts are called disjoint under an
            adjacency that lets a record move.
        UnsupportedError: When disjoint parts combine in too many ways.
    """
    listed = tuple(parts)
    if not listed or not all(isinstance(each, Share | Group | Parallel) for each in listed):
        raise InvalidParameterError(
            field="shares", value=len(listed), condition="must be shares, at least one", remedy="Give Share(...)."
        )
    one = Fraction(1)
    periods = tuple(_row((part,), *_within(part, listed, one, one)) for part in listed)
    whole = tuple(itertools.chain.from_iterable(periods))
    _check_names(list(leaves_of(whole)))
    if any(isinstance(node, Choice) for node in whole):
        _check_disjoint(adjacency)
    if window is None or window >= len(periods):
        return Structure(whole, _scenarios([whole]))
    kinds = tuple(Choice(periods[place::window]) for place in range(window))
    windows = [
        tuple(itertools.chain.from_iterable(periods[start : start + window]))
        for start in range(len(periods) - window + 1)
    ]
    return Structure(kinds, _scenarios(windows))


def _within(part: Part, siblings: Sequence[Part], portion: Fraction, importance: Fraction) -> tuple[Fraction, Fraction]:
    """A part's own portion and importance among its siblings; of one run, for a share."""
    ratio = part.weight / sum(_times(each) * each.weight for each in siblings)
    return portion * ratio, importance * ratio


def _times(part: Part) -> int:
    return part.count if isinstance(part, Share) else 1


def _row(parts: Sequence[Part], portion: Fraction, importance: Fraction) -> Row:
    """One part with its own numbers, unfolded."""
    (part,) = parts
    if isinstance(part, Share):
        return (Leaf(part, portion, importance),)
    inner = [_within(each, part.parts, portion, importance) for each in part.parts]
    if isinstance(part, Group):
        return tuple(node for each, numbers in zip(part.parts, inner, strict=True) for node in _row((each,), *numbers))
    rows = []
    for each, (_, important) in zip(part.parts, inner, strict=True):
        rows.append(_row((each,), portion / _times(each), important))
    return rows[0] if len(rows) == 1 else (Choice(tuple(rows)),)


def _scenarios(rows: Sequence[Row]) -> tuple[tuple[Leaf, ...], ...]:
    if sum(_ways(row) for row in rows) > _MOST_SCENARIOS:
        raise UnsupportedError(
            field="shares",
            value=sum(_ways(row) for row in rows),
            condition=f"must leave at most {_MOST_SCENARIOS} ways in which a record meets disjoint parts and windows",
            remedy="Put disjoint parts that belong together into one Parallel.",
        )
    return tuple(found for row in rows for found in _met(row))


def _ways(row: Row) -> int:
    return math.prod(sum(_ways(each) for each in node.rows) for node in row if isinstance(node, Choice))


def _met(row: Row) -> Iterator[tuple[Leaf, ...]]:
    options: list[list[tuple[Leaf, ...]]] = []
    for node in row:
        if isinstance(node, Leaf):
            options.append([(node,)])
        else:
            options.append([found for each in node.rows for found in _met(each)])
    for chosen in itertools.product(*options):
        yield tuple(itertools.chain.from_iterable(chosen))


def _check_names(leaves: list[Leaf]) -> None:
    counted = Counter(leaf.share.name for leaf in leaves)
    for name, times in counted.items():
        if times > 1:
            raise InvalidParameterError(
                field="name", value=name, condition="stands on two releases", remedy="Rename one of them."
            )
        if name == "reserve":
            raise InvalidParameterError(
                field="name", value=name, condition="is kept for the reserve", remedy="Rename it, or give reserve=."
            )


def _check_disjoint(adjacency: str | None) -> None:
    if adjacency not in _DISJOINT_ADJACENCIES:
        raise InvalidParameterError(
            field="adjacency",
            value=adjacency,
            condition=f"must be one of {', '.join(_DISJOINT_ADJACENCIES)} for disjoint parts: elsewhere a changed "
            "record may leave one part and enter another, so both are touched",
            remedy="Name the adjacency, or write a Group instead of Parallel: its parts add up.",
        )

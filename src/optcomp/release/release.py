"""The verb: exact values in, noisy values out, and a slot of the plan spent."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from optcomp.composition import Plan
from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.mechanisms import ApproxDP, DiscreteGaussian, DiscreteLaplace, Mechanism, PureDP, Skellam
from optcomp.noise import RandomSource, SeededSourceForTests, SystemSource, draw_many, respond_many
from optcomp.noise.source import source_or_system
from optcomp.release.plans import NUMBER_NOISE, SlotLine, slot_line
from optcomp.release.record import Entry, Record, text_digest
from optcomp.release.table import write_table
from optcomp.release.values import (
    Categories,
    Column,
    as_decimal,
    categories_of,
    checked_places,
    column_of,
    fixed_text,
)

__all__ = ["Released", "release"]

_LARGEST_NOISE = 10**1000


@dataclass(frozen=True, kw_only=True)
class Released:
    """Noisy values, and what is known about how they came about.

    Args:
        values: The noisy values in the order of the exact ones: ints; Decimals, where there are decimals; names or
            numbers of categories, for responses.
        labels: The labels of the exact values, where they had any.
        mechanism: What was run.
        entry: What the record says.
        file: The slot's file in the record.
        text: The values as CSV. The SHA-256 of this text, in UTF-8, is in the record.
    """

    values: tuple[int | Decimal | str, ...]
    labels: tuple[str, ...] | None
    mechanism: Mechanism
    entry: Entry
    file: Path
    text: str

    @property
    def labelled(self) -> dict[str, int | Decimal | str]:
        """The values by their labels; empty where there are none."""
        return {} if self.labels is None else dict(zip(self.labels, self.values, strict=True))


def release(  # noqa: PLR0913  # what is released, by which plan, as which slot, noted where
    values: object,
    plan: Plan,
    *,
    name: str,
    record: str | Path,
    run: int | None = None,
    places: int = 0,
    categories: int | Sequence[str] | None = None,
    header: Sequence[str] | None = None,
    source: RandomSource | None = None,
) -> Released:
    """Release values with the noise that a plan fixed for them, once for each slot.

    The order is: everything is checked; the slot is claimed in the record; then bits are drawn; then the slot is noted
    as released. A crash after the claim leaves the slot spent.

    Args:
        values: One number, a list or an array, or a mapping from labels to values. Numbers are whole, or have exactly
            ``places`` decimals as text or `Decimal`. For responses, one answer of each person.
        plan: The plan. Its parameters were fixed before any answer was seen.
        name: Of one of its releases.
        record: The plan's record: a folder, which is created for the first slot.
        run: Which run of the release, from 0 on; by default the first that is free.
        places: How many decimals the values have. Sensitivity, scale and standard deviation of the mechanism are in
            units of the last one.
        categories: For responses: how many categories there are, or their names in order.
        header: Names of the columns, for the text.
        source: Where random bits come from; the operating system when it is left out.

    Returns:
        The noisy values in the shape of the exact ones.

    **Guarantee**: let every call for a plan use one record. Then all releases together are (epsilon, delta)-DP for
    every pair that ``plan.profile()`` contains, its target included, when neighbouring data sets have the same number
    of values and the same labels, and move the values of one call by no more than this:

    ====================  =======================================================================
    mechanism             what a neighbour may change
    ====================  =======================================================================
    `DiscreteLaplace`     the sum of the absolute changes of all values is at most the sensitivity
    `DiscreteGaussian`    one value, by at most the sensitivity
    `Skellam`             one value, by at most the sensitivity
    a response            one answer
    ====================  =======================================================================

    Nothing is cut off or rounded to make that so. Values that change together under the last three need a run each.

    Raises:
        InvalidParameterError: When a value, the name, the record or the plan is wrong, the plan is over its target, or
            the slot is spent. Nothing was drawn then, and no slot was spent, except when the record could not be
            completed after the draw, which the error says.
        UnsupportedError: When the mechanism is none that is drawn here, such as continuous noise.
        UndecidedError: When the plan's target is not proved.

    Source: Vadhan, Wang 2021, and Lyu 2022, for slots in any order. Several values under discrete Laplace noise: one
    shift by a + b dominates two shifts by a and b, by Ghosh, Roughgarden, Sundararajan 2012, Theorem 3.2: for a user
    who tells the two ends of a path of counts apart, no mechanism with the same epsilon per step does better.
    """
    line, bits = slot_line(plan, name), source_or_system(source)
    column = column_of(values)
    decimals = checked_places(places)
    is_number = isinstance(line.mechanism, NUMBER_NOISE)
    known = categories_of(line.mechanism, categories) if not is_number or categories is not None else None
    exact = column.units(decimals) if known is None else _truths(column, known, decimals)
    names = None if header is None else tuple(map(str, header))
    _check_writable(column, known, names)
    _check_drawable(line.mechanism, known)
    book = Record.open(record, plan)
    entry = book.claim(line, run=run, source=_words(bits), places=decimals if known is None else None)
    noisy = _noisy(line, exact, known, bits)
    found: tuple[int | Decimal | str, ...]
    if known is None:
        found = tuple(as_decimal(each, decimals) for each in noisy)
        texts = tuple(fixed_text(each, decimals) for each in noisy)
    else:
        shown = Categories(4) if isinstance(line.mechanism, ApproxDP) else known
        found = tuple(shown.name_of(each) for each in noisy)
        texts = tuple(map(str, found))
    text = write_table(texts, column.labels, names)
    done = book.complete(line, entry, values=len(found), digest=text_digest(text))
    return Released(
        values=found,
        labels=column.labels,
        mechanism=line.mechanism,
        entry=done,
        file=book.path_of(line, done.run),
        text=text,
    )


def _noisy(line: SlotLine, exact: tuple[int, ...], known: Categories | None, bits: RandomSource) -> list[int]:
    if known is None:
        noise = draw_many(line.mechanism, len(exact), source=bits)
        return [value + int(each) for value, each in zip(exact, noise, strict=True)]
    asked = known.count if isinstance(line.mechanism, PureDP) else 2
    return [int(each) for each in respond_many(line.mechanism, exact, categories=asked, source=bits)]


def _truths(column: Column, known: Categories, decimals: int) -> tuple[int, ...]:
    if decimals:
        raise InvalidParameterError(
            field="places", value=decimals, condition="must be left out for answers", remedy="Leave it out."
        )
    return tuple(known.number_of(value, column.where(place)) for place, value in enumerate(column.values))


def _check_writable(column: Column, known: Categories | None, header: tuple[str, ...] | None) -> None:
    """Find out whether the text could not be written, before a slot is spent."""
    if not column.values:
        raise InvalidParameterError(
            field="values", value="nothing", condition="must hold a value", remedy="Give at least one."
        )
    names = () if known is None or known.names is None else known.names
    try:
        write_table(("0",) * len(column.values), column.labels, header).encode()
        write_table(names, None, None).encode()
    except (ValueError, csv.Error) as error:
        raise InvalidParameterError(
            field="labels", value=str(error), condition="must be text that UTF-8 can hold", remedy="Mend them."
        ) from None


def _check_drawable(mechanism: Mechanism, known: Categories | None) -> None:
    """Find out whether a draw would fail, on bits that everybody knows and for no data, before a slot is spent."""
    size = 0
    if isinstance(mechanism, DiscreteLaplace):
        size = int(mechanism.scale)
    elif isinstance(mechanism, DiscreteGaussian | Skellam):
        size = int(mechanism.variance)
    if size > _LARGEST_NOISE:
        raise UnsupportedError(
            field="mechanism", value=mechanism, condition="has noise beyond 10^1000", remedy="Plan less noise."
        )
    probe = SeededSourceForTests(0)
    if known is None:
        draw_many(mechanism, 1, source=probe)
    else:
        respond_many(mechanism, [0], categories=known.count, source=probe)


def _words(source: RandomSource) -> str:
    """What was drawn from."""
    if not source.is_secret:
        return "test source: no privacy"
    return "operating system" if type(source) is SystemSource else f"caller's own source {type(source).__qualname__}"

"""What a budget is split among: single releases, groups of them, and disjoint parts of the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import Mechanism
from optcomp.quantities import Number, positive_rational, rational
from optcomp.quantities import count as whole_number

__all__ = ["FAMILIES", "ON_INTEGERS", "PURE_FAMILIES", "Group", "Parallel", "Part", "Share", "split"]

PURE_FAMILIES = ("pure_dp", "laplace", "discrete_laplace")
"""Families whose own budget is an epsilon."""

FAMILIES = (*PURE_FAMILIES, "gaussian", "discrete_gaussian")
"""All families; the own budget of the last two is a rho, ``sensitivity^2/(2 variance)``."""

ON_INTEGERS = ("discrete_laplace", "discrete_gaussian")
"""Families whose sensitivity is a whole number."""


@dataclass(frozen=True, init=False)
class Share:
    """One release that wants a share of a budget.

    Args:
        name: What to call it; no two in a split have the same name.
        family: ``pure_dp``, ``laplace``, ``discrete_laplace``, ``gaussian`` or ``discrete_gaussian``. It may be left
            out with a lock. A ``pure_dp`` has no noise of its own: where errors count, it is taken for Laplace noise.
        weight: How much each of its runs matters next to its neighbours, above 0.
        count: How often it is run, at least 1.
        sensitivity: By how much one neighbour changes the exact answer, above 0.
        lock: A finished mechanism, one run of it, which is kept as it is.
        floor: The least own budget of one run: an epsilon for the first three families, a rho for the last two.
        cap: The largest own budget of one run.
        standard_deviation: The error that is wanted: the release is locked to the most noise that keeps it.
        half_width: The same, as half the width of a 95 % interval.
    """

    name: str
    family: str | None
    weight: Fraction
    count: int
    sensitivity: Fraction
    lock: Mechanism | None
    floor: Fraction | None
    cap: Fraction | None
    standard_deviation: Fraction | None
    half_width: Fraction | None

    def __init__(  # noqa: PLR0913  # as many parts as the request has; all but the name may be left out
        self,
        *,
        name: str,
        family: str | None = None,
        weight: Number = 1,
        count: int = 1,
        sensitivity: Number = 1,
        lock: Mechanism | None = None,
        floor: Number | None = None,
        cap: Number | None = None,
        standard_deviation: Number | None = None,
        half_width: Number | None = None,
    ) -> None:
        fields: dict[str, object] = {
            "name": _name(name),
            "family": family,
            "weight": positive_rational(weight, field="weight"),
            "count": whole_number(count, field="count", least=1),
            "sensitivity": positive_rational(sensitivity, field="sensitivity"),
            "lock": lock,
            "floor": None if floor is None else rational(floor, field="floor"),
            "cap": None if cap is None else positive_rational(cap, field="cap"),
            "standard_deviation": _positive_or_none(standard_deviation, "standard_deviation"),
            "half_width": _positive_or_none(half_width, "half_width"),
        }
        for key, value in fields.items():
            object.__setattr__(self, key, value)
        self._check()

    def _check(self) -> None:
        if self.lock is not None and not isinstance(self.lock, Mechanism):
            raise _refused("lock", self.lock, "must be a mechanism", "Give one such as PureDP(epsilon='0.1').")
        if self.family not in FAMILIES and (self.lock is None or self.family is not None):
            raise _refused(
                "family", self.family, f"must be one of {', '.join(FAMILIES)}", "Choose one, or give a lock."
            )
        if self.family in ON_INTEGERS and self.sensitivity.denominator != 1:
            raise _refused("sensitivity", self.sensitivity, f"must be whole for {self.family}", "Give an integer.")
        if self.family == "pure_dp" and (self.standard_deviation is not None or self.half_width is not None):
            raise _refused("family", self.family, "has no noise, so no error can be wanted", "Name the noise: laplace.")
        bounds = (self.lock, self.standard_deviation, self.half_width)
        ranged = self.floor is not None or self.cap is not None
        if sum(each is not None for each in bounds) + ranged > 1:
            raise _refused(
                "lock",
                self.name,
                "must be the only one of a lock, a standard deviation, a half width, and a floor with a cap",
                "Keep one: each of them decides the noise.",
            )
        if self.floor is not None and self.floor < 0:
            raise _refused("floor", self.floor, "must be at least 0", "Give a number such as 0.01.")
        if self.floor is not None and self.cap is not None and self.floor > self.cap:
            raise _refused("floor", self.floor, f"must be at most the cap {self.cap}", "Lower it.")


@dataclass(frozen=True, init=False)
class Group:
    """Releases that are weighed together, such as the queries of one geographic level.

    A part's weight is divided by the sum of the weights in its group and multiplied with the group's own share.

    Args:
        name: What to call it.
        parts: Shares, groups or disjoint parts.
        weight: Next to its own neighbours, above 0.
    """

    name: str
    parts: tuple[Part, ...]
    weight: Fraction

    def __init__(self, *, name: str, parts: Iterable[Part], weight: Number = 1) -> None:
        _set_parts(self, name, parts, weight)


@dataclass(frozen=True, init=False)
class Parallel:
    """Parts that see disjoint parts of the data, such as one state each: a record touches one of them only.

    The cost is that of the worst part, so each part may spend all of what the whole gets. That is true where
    neighbours differ by one added or removed record, and is refused elsewhere: a record that is replaced may move from
    one part to another.

    Args:
        name: What to call it.
        parts: Shares, groups or disjoint parts.
        weight: Next to its own neighbours, above 0.
    """

    name: str
    parts: tuple[Part, ...]
    weight: Fraction

    def __init__(self, *, name: str, parts: Iterable[Part], weight: Number = 1) -> None:
        _set_parts(self, name, parts, weight)


Part = Share | Group | Parallel
"""What a split is made of."""


def split(total: Number, parts: int | Iterable[Number]) -> tuple[Fraction, ...]:
    """Divide a number, exactly.

    Args:
        total: What is divided, above 0.
        parts: Into how many equal parts; or the weights, above 0, of the parts.

    **Guarantee**: the parts add up to exactly ``total``.

    Raises:
        InvalidParameterError: When a number is out of range, or there are no parts.

    >>> split("0.25", 5)[0], sum(split(1, 11))
    (Fraction(1, 20), Fraction(1, 1))
    """
    whole = positive_rational(total, field="total")
    if isinstance(parts, int):
        return (whole / whole_number(parts, field="parts", least=1),) * parts
    weights = [positive_rational(each, field=f"parts[{place}]") for place, each in enumerate(parts)]
    if not weights:
        raise _refused("parts", "nothing", "must not be empty", "Give at least one weight.")
    unit = whole / sum(weights)
    return tuple(unit * each for each in weights)


def _set_parts(group: Group | Parallel, name: str, parts: Iterable[Part], weight: Number) -> None:
    listed = tuple(parts)
    if not listed or not all(isinstance(each, Share | Group | Parallel) for each in listed):
        raise _refused("parts", name, "must be shares, groups or disjoint parts, at least one", "Give Share(...).")
    object.__setattr__(group, "name", _name(name))
    object.__setattr__(group, "parts", listed)
    object.__setattr__(group, "weight", positive_rational(weight, field="weight"))


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise _refused("name", value, "must be text", "Give a name such as 'daily counts'.")
    return value


def _positive_or_none(value: Number | None, field: str) -> Fraction | None:
    return None if value is None else positive_rational(value, field=field)


def _refused(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)

"""Compositions with one free number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition import Plan, Profile, compose
from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import Mechanism, mechanism_from_json
from optcomp.quantities import exact_text

__all__ = ["Family", "FamilyLike", "family_of", "free_name", "with_free"]

Made = Mechanism | Iterable[Mechanism] | Profile | Plan
"""What a callable may return."""

FamilyLike = Callable[..., Made] | Mapping[str, object] | Sequence[object]
"""A callable of the free number; or a mechanism or a list of them in JSON, with ``{"solve": name}`` in one place."""

_SOLVE = "solve"
_LESS = frozenset({"standard_deviation", "variance", "scale", "noise_multiplier"})
_WHOLE = frozenset({"count", "sensitivity"})


@dataclass(frozen=True)
class Family:
    """A composition for each value of one number.

    Args:
        make: From the number to what is composed.
        adjacency: As in `optcomp.compose`.
        name: Of the number, where it is known.
        whole: Whether it is a whole number.
        spends_less: Whether a larger number spends less; None where that has to be found out.
    """

    make: Callable[..., Made]
    adjacency: str | None
    name: str | None
    whole: bool
    spends_less: bool | None

    def at(self, value: Fraction) -> Profile:
        """The profile at one value.

        Raises:
            InvalidParameterError: When the value is out of the number's range.
        """
        made = self.make(int(value) if self.whole else value)
        if isinstance(made, Profile):
            return made
        return made.profile() if isinstance(made, Plan) else compose(made, adjacency=self.adjacency)


def family_of(family: FamilyLike, adjacency: str | None) -> Family:
    """Read a family.

    A callable that refuses the fraction 3/2 and takes the int 1 is one of a whole number, such as a count.

    Raises:
        InvalidParameterError: When it is neither a callable nor JSON with one free place.
    """
    if isinstance(family, Mapping | list | tuple):
        parts: list[object] = [family] if isinstance(family, Mapping) else list(family)
        name = free_name(parts)
        less = True if name in _LESS else None
        return Family(lambda value: _read(parts, value), adjacency, name, name in _WHOLE, less)
    if not callable(family):
        raise InvalidParameterError(
            field="family",
            value=family,
            condition="must be a callable of the free number, or mechanisms in JSON with {'solve': name} in one place",
            remedy="Write lambda s: optcomp.Gaussian(standard_deviation=s).",
        )
    return Family(family, adjacency, None, _wants_whole(family), None)


def _wants_whole(make: Callable[..., Made]) -> bool:
    try:
        make(Fraction(3, 2))
    except (InvalidParameterError, TypeError):
        try:
            make(1)
        except (InvalidParameterError, TypeError):
            return False
        try:
            make(Fraction(1, 2))
        except (InvalidParameterError, TypeError):
            return True
    return False


def free_name(obj: object) -> str:
    """The name in the one free place of a JSON object.

    Raises:
        InvalidParameterError: When there is no such place, or more than one name.
    """
    found = set(_free_names(obj))
    if len(found) != 1:
        raise InvalidParameterError(
            field="family",
            value=", ".join(sorted(found)) or "nothing",
            condition="must have {'solve': name} for exactly one number",
            remedy='Write {"kind": "gaussian", "standard_deviation": {"solve": "standard_deviation"}}.',
        )
    return found.pop()


def _free_names(obj: object) -> Iterable[str]:
    if isinstance(obj, Mapping):
        if set(obj) == {_SOLVE}:
            yield str(obj[_SOLVE])
            return
        for each in obj.values():
            yield from _free_names(each)
    elif isinstance(obj, list):
        for each in obj:
            yield from _free_names(each)


def with_free(obj: object, value: Fraction) -> object:
    """The JSON object with a number in its free places, as exact text, or as an int where it is a count."""
    if isinstance(obj, Mapping):
        if set(obj) == {_SOLVE}:
            return int(value) if str(obj[_SOLVE]) in _WHOLE else exact_text(value)
        return {name: with_free(each, value) for name, each in obj.items()}
    return [with_free(each, value) for each in obj] if isinstance(obj, list) else obj


def _read(parts: list[object], value: Fraction | int) -> list[Mechanism]:
    return [mechanism_from_json(with_free(part, Fraction(value))) for part in parts]

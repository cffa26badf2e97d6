"""Intervals that provably contain a number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from optcomp.errors import InvalidParameterError, UndecidedError
from optcomp.quantities.exact import (
    ceil_to_digits,
    exact_text,
    float_down,
    float_up,
    floor_to_digits,
)

__all__ = ["Enclosure", "End"]

End = Fraction | float
"""An end of an enclosure: a Fraction, or ``math.inf``."""

_MOST_SHOWN_DIGITS = 17


@dataclass(frozen=True, repr=False)
class Enclosure:
    """Two exact numbers with the truth between them.

    **Guarantee**: ``lower <= truth <= upper``.

    Args:
        lower: The lower end, a Fraction or ``math.inf``.
        upper: The upper end, a Fraction or ``math.inf``.
        safe_side: Which end a caller gets who takes one float. For an epsilon or a delta it is the upper one.

    Comparisons with a number answer only when both ends agree, and raise `UndecidedError` otherwise.

    >>> from fractions import Fraction
    >>> Enclosure(Fraction(1, 3), Fraction(334, 1000)) <= 1
    True
    >>> print(Enclosure(Fraction(1, 3), Fraction(334, 1000)))
    [0.33333, 0.33400]
    """

    lower: End
    upper: End
    safe_side: Literal["lower", "upper"] = "upper"

    def __post_init__(self) -> None:
        """Refuse ends that are out of order or no exact numbers."""
        for name in ("lower", "upper"):
            end = getattr(self, name)
            if not isinstance(end, Fraction) and not (isinstance(end, float) and math.isinf(end)):
                raise InvalidParameterError(
                    field=name,
                    value=end,
                    condition="must be a Fraction or math.inf",
                    remedy="Convert it exactly first.",
                )
        if self.lower > self.upper:
            raise InvalidParameterError(
                field="lower",
                value=(self.lower, self.upper),
                condition="must be at most upper",
                remedy="Give the ends in order.",
            )

    @staticmethod
    def exactly(value: End | int) -> Enclosure:
        """The enclosure of a number that is known exactly."""
        end = value if isinstance(value, float) else Fraction(value)
        return Enclosure(end, end)

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the same number."""
        return self.lower == self.upper

    @property
    def width(self) -> End:
        """Upper minus lower; 0 when both are infinite."""
        return Fraction(0) if self.is_exact else self.upper - self.lower

    @property
    def relative_width(self) -> float:
        """Width over the upper end, rounded up; 0 for an exact number, ``inf`` when only one end is infinite."""
        if self.is_exact:
            return 0.0
        if isinstance(self.upper, float) or isinstance(self.lower, float):
            return math.inf
        largest = max(abs(self.upper), abs(self.lower))
        return float_up((self.upper - self.lower) / largest)

    def __contains__(self, value: End | int) -> bool:
        """Whether a number lies between the ends, both included."""
        return self.lower <= value <= self.upper

    def intersects(self, other: Enclosure) -> bool:
        """Whether the two can contain the same truth."""
        return self.lower <= other.upper and other.lower <= self.upper

    def rounded(self, digits: int) -> Enclosure:
        """The ends moved outward to decimals with that many significant digits."""
        lower = self.lower if isinstance(self.lower, float) else floor_to_digits(self.lower, digits)
        upper = self.upper if isinstance(self.upper, float) else ceil_to_digits(self.upper, digits)
        return Enclosure(lower, upper, self.safe_side)

    def __float__(self) -> float:
        """The safe end, rounded further to the safe side."""
        return float_up(self.upper) if self.safe_side == "upper" else float_down(self.lower)

    def __lt__(self, other: End | int) -> bool:
        """Certainly below, certainly not below, or `UndecidedError`."""
        return self._decide(other, yes=self.upper < other, no=self.lower >= other)

    def __le__(self, other: End | int) -> bool:
        """Certainly at most, certainly above, or `UndecidedError`."""
        return self._decide(other, yes=self.upper <= other, no=self.lower > other)

    def __gt__(self, other: End | int) -> bool:
        """Certainly above, certainly at most, or `UndecidedError`."""
        return not self <= other

    def __ge__(self, other: End | int) -> bool:
        """Certainly at least, certainly below, or `UndecidedError`."""
        return not self < other

    def _decide(self, other: End | int, *, yes: bool, no: bool) -> bool:
        if yes or no:
            return yes
        raise UndecidedError(
            field="comparison",
            value=other,
            condition=f"cannot be decided: the truth lies in {self}",
            remedy="Compare .lower or .upper, whichever side is safe for you.",
        )

    def __repr__(self) -> str:
        """The class and what `str` shows: the exact ends can be very long."""
        return f"Enclosure({self})"

    def __str__(self) -> str:
        """Both ends, rounded outward to the digits they share and two more; one number when they are equal."""
        if self.is_exact and (isinstance(self.upper, float) or len(exact_text(self.upper)) <= _MOST_SHOWN_DIGITS + 6):
            return exact_text(self.upper)
        if isinstance(self.upper, float) or isinstance(self.lower, float):
            lower = self.lower if isinstance(self.lower, float) else floor_to_digits(self.lower, _MOST_SHOWN_DIGITS)
            return f"[{exact_text(lower)}, {exact_text(self.upper)}]"
        relative = self.relative_width
        shared = (
            _MOST_SHOWN_DIGITS if relative == 0 else max(0, math.floor(-math.log10(relative))) if relative < 1 else 0
        )
        outward = self.rounded(min(shared + 3, _MOST_SHOWN_DIGITS))
        return f"[{_aligned(outward.lower, outward.upper)}, {_aligned(outward.upper, outward.lower)}]"


def _aligned(end: End, other: End) -> str:
    """The text of one end with as many decimals as the other has, so that the digits stand under each other."""
    text, beside = exact_text(end), exact_text(other)
    if "e" in text or "e" in beside or "/" in text or "." not in text + beside:
        return text
    places = max(len(each.partition(".")[2]) for each in (text, beside))
    whole, _, after = text.partition(".")
    return f"{whole}.{after.ljust(places, '0')}"

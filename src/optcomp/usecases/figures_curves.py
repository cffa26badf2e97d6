"""Curves of epsilon, one for each theorem, as the figures show them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from optcomp.composition import Comparison, compare
from optcomp.mechanisms import Mechanism
from optcomp.plotting import Series
from optcomp.quantities import Enclosure

__all__ = ["LOOKS", "compared", "ratio", "theorem_series"]

LOOKS = {
    "basic": ("basic", 3),
    "advanced": ("DRV", 1),
    "closed_form": ("closed form", 2),
    "zcdp": ("zCDP conversion", 1),
    "renyi": ("Renyi conversion", 1),
    "optimal": ("optimum", 0),
}
"""The label and the style of each theorem, the same in all figures."""


@lru_cache(maxsize=1024)
def compared(mechanism: Mechanism, delta: Fraction, adjacency: str | None = None) -> Comparison:
    """Every theorem at one total delta; figures that share points compute them once."""
    return compare(mechanism, delta=delta, adjacency=adjacency)


def theorem_series(name: str, points: Iterable[tuple[Enclosure, Enclosure | None]], label: str | None = None) -> Series:
    """The curve of one theorem; points where it says nothing are left out."""
    known = [(x, y) for x, y in points if y is not None]
    words, style = LOOKS[name]
    return Series(label=label or words, x=tuple(x for x, _ in known), y=tuple(y for _, y in known), style=style)


def ratio(above: Enclosure | None, below: Enclosure | None) -> Enclosure | None:
    """The quotient of two positive numbers, where both are known."""
    if above is None or below is None:
        return None
    return Enclosure(Fraction(above.lower) / Fraction(below.upper), Fraction(above.upper) / Fraction(below.lower))

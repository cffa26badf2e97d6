"""What a `Measure` claims, checked exactly."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from optcomp.numerics.lattice import Measure

Law = dict[int, Fraction]


def account_holds(measure: Measure, true: Law) -> bool:
    """Whether ``true_i = (mass_i + noise_i)(1 + r_i)`` can be met within the claims, and nothing more is left out.

    For each integer the smallest noise that the relative bound leaves over is taken, in rationals.
    """
    relative, squares = Fraction(measure.relative), Fraction(0)
    size = len(measure.masses)
    for place, mass in enumerate(measure.masses.tolist()):
        here = true.get(measure.start + place, Fraction(0))
        least, most = here / (1 + relative), here / (1 - relative)
        missing = max(least - Fraction(mass), Fraction(mass) - most, Fraction(0))
        squares += missing**2
    outside = sum(
        (mass for place, mass in true.items() if not measure.start <= place < measure.start + size), start=Fraction(0)
    )
    return bool(squares <= Fraction(measure.noise) ** 2 and outside <= Fraction(measure.dropped))


def smaller(measure: Measure, name: str, factor: float) -> Measure:
    """The same measure, claiming one bound smaller by that factor."""
    found: Measure = replace(measure, **{name: getattr(measure, name) / factor})
    return found


def exact_convolution(first: Law, second: Law, stride: int) -> Law:
    """The law of ``X + stride Y``."""
    found: Law = {}
    for place, mass in first.items():
        for other, weight in second.items():
            where = place + stride * other
            found[where] = found.get(where, Fraction(0)) + mass * weight
    return found


def binomial_law(count: int, odds: Fraction) -> Law:
    """The exact binomial law."""
    total, weight, found = (1 + odds) ** count, Fraction(1), {}
    for place in range(count + 1):
        found[place] = weight / total
        weight = weight * (count - place) / (place + 1) * odds
    return found


def random_law(draw: np.random.Generator, size: int, start: int = 0) -> Law:
    """A law whose masses are multiples of ``2**-40`` times a common factor, adding up to exactly 1."""
    weights = [int(each) for each in draw.integers(0, 2**20, size)]
    weights[int(draw.integers(0, size))] += 1
    total = sum(weights)
    return {start + place: Fraction(weight, total) for place, weight in enumerate(weights)}


def measured(law: Law) -> Measure:
    """The law as floats, with the honest bound of half a unit in the last place."""
    start, size = min(law), max(law) - min(law) + 1
    masses = np.array([float(law.get(start + place, Fraction(0))) for place in range(size)])
    return Measure(start=start, masses=masses, relative=2.0**-52, noise=0.0, dropped=0.0)

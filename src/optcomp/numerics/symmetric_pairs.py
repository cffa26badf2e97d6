"""Sums of symmetric pairs ``+-value`` on equally spaced points, under a tilt.

The pair has the probability ``e^value/(1 + e^value)`` above. A value between two points is replaced by the mixture of
the pairs at these points that has the same mean of ``tanh(value/2)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from optcomp.numerics.balls import Ball, ball, nearest_float
from optcomp.numerics.binomial import binomial
from optcomp.numerics.lattice import Measure, add_atoms, convolve, convolve_all, point
from optcomp.quantities import Real

__all__ = ["Pair", "sum_of_pairs"]

_TOGETHER = 8  # pairs whose four atoms are added one after the other before the large convolutions


@dataclass(frozen=True)
class Pair:
    """A value between the points ``high - 1`` and ``high``, in steps.

    Args:
        value: The value, above 0.
        high: The least point that is at least the value.
        count: How many there are.
        exact: Whether the value is that point.
    """

    value: Real
    high: int
    count: int
    exact: bool


def sum_of_pairs(pairs: tuple[Pair, ...], step: Fraction, tilt: Fraction) -> tuple[Measure, Ball]:
    """The tilted law of the sum of all pairs, counted from the top, and its cumulant.

    **Guarantee**: that of `Measure`.
    """
    exact: list[tuple[Pair, _Atoms]] = []
    moved: list[tuple[Pair, _Atoms]] = []
    whole = ball(0)
    for pair in pairs:
        atoms, cumulant = _atoms(pair, step, tilt)
        whole += pair.count * cumulant
        (exact if pair.exact else moved).append((pair, atoms))
    laws = [_power_of_exact(pair, atoms) for pair, atoms in exact] + _laws_of_moved(moved)
    return convolve_all(laws), whole


_Atoms = list[tuple[int, float]]


def _atoms(pair: Pair, step: Fraction, tilt: Fraction) -> tuple[_Atoms, Ball]:
    """The places and tilted probabilities of one pair's atoms, counted from the top, and its cumulant."""
    high, low = ball(pair.high * step), ball((pair.high - 1) * step)
    if pair.exact:
        sides = [(high, ball(1), 0, 2 * pair.high)]
    else:
        aim, upper, lower = ((value / 2).tanh() for value in (ball(pair.value), high, low))
        share = (upper - aim) / (upper - lower)
        sides = [(high, 1 - share, 0, 2 * pair.high), (low, share, 1, 2 * pair.high - 1)]
    power = ball(tilt) + ball(Fraction(1, 2))
    atoms: list[tuple[int, Ball]] = []
    for value, weight, above, below in sides:
        part = weight / (2 * (value / 2).cosh())
        atoms += [(above, part * (power * value).exp()), (below, part * (-power * value).exp())]
    whole = sum((weight for _, weight in atoms), start=ball(0))
    return [(place, max(nearest_float(weight / whole), 0.0)) for place, weight in atoms], whole.log()


def _power_of_exact(pair: Pair, atoms: _Atoms) -> Measure:
    """The law of the sum of equal pairs that lie on the points."""
    (_, likely), (_, unlikely) = atoms
    return convolve(point(), binomial(pair.count, unlikely / likely), 2 * pair.high)


def _laws_of_moved(moved: list[tuple[Pair, _Atoms]]) -> list[Measure]:
    """The laws of sums of pairs off the points: few single ones together, repeated ones by repeated squaring."""
    laws = []
    single = [atoms for pair, atoms in moved if pair.count == 1]
    for start in range(0, len(single), _TOGETHER):
        law = point()
        for atoms in single[start : start + _TOGETHER]:
            law = add_atoms(law, atoms, roundings=2)
        laws.append(law)
    for pair, atoms in moved:
        if pair.count > 1:
            laws.append(_power(add_atoms(point(), atoms, roundings=2), pair.count))
    return laws


def _power(law: Measure, count: int) -> Measure:
    """The law of the sum of ``count`` independent copies."""
    whole: Measure | None = None
    while count:
        if count & 1:
            whole = law if whole is None else convolve(whole, law, 1)
        count >>= 1
        if count:
            law = convolve(law, law, 1)
    return whole or point()

"""Laws of sums of very many terms, cut where Chernoff's bound for the exact law says that next to nothing is.

After a Fourier transform the floats at a window's ends are rounding errors, so they cannot tell what may be cut. The
exponential moments of the terms can: they are known before the first transform, and they multiply.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from optcomp.numerics.lattice import Measure, convolve
from optcomp.numerics.sums import norm_up

__all__ = ["Piece", "sum_of_many"]

Floats = npt.NDArray[np.float64]

_SLACK = 1.0 + 1e-9
_CUT = 75.0  # parts beyond e^-75 of the mass are cut off
_RATES = 2.0 ** np.arange(-5, 14)
_WORTHWHILE = 0.9  # a cut must leave at most this share
_LARGEST_EXPONENT = 300.0  # so that squares do not overflow
_SHORT = 512  # windows up to this are not cut


@dataclass(frozen=True)
class Piece:
    """A law, and bounds on ``ln E[e^(r (D - centre))]`` for rates r of either sign over its undropped part.

    Args:
        law: Of D.
        rates: The rates, all different from 0.
        centre: About the mean.
        logs: One bound each.
    """

    law: Measure
    rates: Floats
    centre: float
    logs: Floats

    @staticmethod
    def of(law: Measure, scale: float) -> Piece:
        """A law with its bounds, at rates around one over a scale."""
        places = law.start + np.arange(len(law.masses), dtype=np.float64)
        total = float(np.sum(law.masses))
        centre = float(places @ law.masses) / total if total > 0 else 0.0
        rates = np.concatenate([_RATES, -_RATES]) / scale
        logs = np.full(len(rates), math.inf)
        for k, rate in enumerate(rates):
            exponents = rate * (places - centre)
            if float(exponents.max()) < _LARGEST_EXPONENT:
                factors = np.exp(exponents)
                bound = float(np.abs(law.masses) @ factors) + law.noise * norm_up(factors)
                logs[k] = math.log(bound * (1 + law.relative) * (1 + 1e-6)) + 1e-9
        return Piece(law, rates, centre, logs)

    def with_sum(self, other: Piece) -> Piece:
        """The law of the sum of two independent terms, its far ends cut off."""
        law = convolve(self.law, other.law, 1)
        return Piece(law, self.rates, self.centre + other.centre, self.logs + other.logs).trimmed()

    def trimmed(self) -> Piece:
        """The same with its far ends cut off: by Chernoff's bound they carry at most ``2 e^-75``."""
        law = self.law
        size = len(law.masses)
        reaches = (_CUT + self.logs) / np.abs(self.rates)
        half = len(self.rates) // 2
        right, left = float(np.min(reaches[:half])), float(np.min(reaches[half:]))
        if size <= _SHORT or not math.isfinite(left + right):
            return self
        begin = max(math.floor(self.centre - left) - 1 - law.start, 0)
        end = min(math.ceil(self.centre + right) + 2 - law.start, size)
        if end - begin >= _WORTHWHILE * size:
            return self
        cut = replace(
            law,
            start=law.start + begin,
            masses=law.masses[begin:end],
            dropped=(law.dropped + 3 * math.exp(-_CUT)) * _SLACK,
        )
        return replace(self, law=cut)

    def power(self, count: int) -> Piece:
        """The law of the sum of independent copies, at least one."""
        whole: Piece | None = None
        law = self
        while count:
            if count & 1:
                whole = law if whole is None else whole.with_sum(law)
            count >>= 1
            if count:
                law = law.with_sum(law)
        return whole or self


def sum_of_many(laws: Iterable[tuple[Measure, int]]) -> Measure:
    """The law of a sum of independent terms, each law with how many there are, in all at least one.

    **Guarantee**: that of `Measure`, when it holds for all laws.
    """
    known = [(law, count) for law, count in laws if count and (law.start or len(law.masses) > 1 or law.dropped)]
    if len(known) == 1 and known[0][1] == 1:
        return known[0][0]
    scale = math.sqrt(sum(count * _variance(law) for law, count in known)) + 1
    waiting = [Piece.of(law, scale).power(count) for law, count in known]
    while len(waiting) > 1:  # the two smallest windows first
        waiting.sort(key=lambda piece: len(piece.law.masses), reverse=True)
        waiting.append(waiting.pop().with_sum(waiting.pop()))
    return waiting[0].law


def _variance(law: Measure) -> float:
    """About the variance."""
    places = np.arange(len(law.masses), dtype=np.float64)
    masses = np.maximum(law.masses, 0.0)
    middle = float(places @ masses)
    return float((places - middle) ** 2 @ masses)

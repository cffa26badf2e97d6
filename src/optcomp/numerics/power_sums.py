"""Very many losses ``+-e`` at once: only sums of even powers of e enter.

    ln (cosh((s + 1/2) e)/cosh(e/2)) = sum over m >= 1 of c_m e^(2 m) ((s + 1/2)^(2 m) - 4^-m),
    c_m = (-1)^(m - 1) (1 - 4^-m) zeta(2 m) (2/pi)^(2 m)/m,

while ``|s + 1/2| e < pi/2``. With ``r = (2 |s + 1/2| e/pi)^2 < 1`` at the largest e, what follows M terms is at most

    2.47 sum e^(2 M + 2) (2 |s + 1/2|/pi)^(2 M + 2)/((M + 1) (1 - r)).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["PowerSums"]

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]

U = 2.0**-53
_TERMS = 24
_BLOCK = 1 << 16
_REACH = 0.3  # of r


class PowerSums:
    """The sums for some losses with counts.

    Args:
        epsilons: Above 0, known to a relative 2 u.
        counts: Of each.
    """

    def __init__(self, epsilons: Floats, counts: Floats) -> None:
        self.largest = float(epsilons.max())
        sums = np.zeros(_TERMS + 1)
        for start in range(0, len(epsilons), _BLOCK):  # small blocks stay in the cache
            square = (epsilons[start : start + _BLOCK] / self.largest) ** 2
            power = counts[start : start + _BLOCK].copy()
            for m in range(_TERMS + 1):
                power *= square
                sums[m] += power.sum()
        from scipy.special import zeta

        blocks = len(epsilons) / _BLOCK + 30
        orders = np.arange(1, _TERMS + 1)
        self._coefficients = (
            (-1.0) ** (orders - 1) * (1 - 4.0**-orders) * zeta(2.0 * orders) * (2 / math.pi) ** (2 * orders) / orders
        ) * sums[:_TERMS]
        self._roundings = (8 * orders + 40 + blocks) * U  # of a term; zeta is accurate to a few u
        self._next = 2.47 * float(sums[_TERMS])

    def reach(self) -> float:
        """The largest ``|s + 1/2|`` that is served."""
        return math.sqrt(_REACH) * math.pi / 2 / self.largest

    def log_growth(self, tilt: float) -> tuple[float, float]:
        """The sum at a real s, and a bound on its error."""
        scaled = ((tilt + 0.5) * self.largest) ** 2
        start = (0.5 * self.largest) ** 2
        orders = np.arange(1, _TERMS + 1)
        terms = self._coefficients * (scaled**orders - start**orders)
        size = np.abs(self._coefficients) * scaled**orders
        return float(terms.sum()), float(size @ (self._roundings + 8 * orders * U)) + self._rest(tilt + 0.5)

    def _rest(self, distance: float) -> float:
        r = (2 * distance * self.largest / math.pi) ** 2
        return self._next * r ** (_TERMS + 1) / ((_TERMS + 1) * (1 - r)) * 1.01 if r < 1 else math.inf

    def change(self, tilt: float, heights: Floats) -> tuple[Complexes, Floats]:
        """``ln M(tilt + i t) - ln M(tilt)``, and bounds on the errors."""
        base = ((tilt + 0.5) * self.largest) ** 2
        step = self.largest**2 * (-(heights**2) + 1j * (2 * tilt + 1) * heights)
        total = np.zeros(len(heights), dtype=np.complex128)
        error = np.zeros(len(heights))
        size = base + np.abs(step)
        difference: Complexes = step.astype(np.complex128)  # of the m-th powers of base + step and base
        raised: Complexes = np.full(len(heights), 1.0, dtype=np.complex128)
        for m in range(1, _TERMS + 1):
            if m > 1:
                raised = (raised * (base + step)).astype(np.complex128)
                difference = difference * base + raised * step
            coefficient = self._coefficients[m - 1]
            total += coefficient * difference
            bound = abs(coefficient) * m * size ** (m - 1) * np.abs(step)
            error += bound * (self._roundings[m - 1] + (30 + 12 * m) * U)
        far = np.sqrt((tilt + 0.5) ** 2 + heights**2)
        r = (2 * far * self.largest / math.pi) ** 2
        error += np.where(r < 1, 2 * self._next * r ** (_TERMS + 1) / ((_TERMS + 1) * np.maximum(1 - r, 1e-9)), np.inf)
        return total, error

"""The laws, by mpmath, and a test of goodness of fit: written without the library."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
from scipy.stats import chi2

mpmath.mp.dps = 60

Law = Callable[[int], mpmath.mpf]


def number(value: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def geometric_law(rate: mpmath.mpf) -> Law:
    return lambda y: (1 - mpmath.exp(-rate)) * mpmath.exp(-rate * y)


def laplace_law(scale: Fraction) -> Law:
    rate = 1 / number(scale)
    return lambda x: mpmath.tanh(rate / 2) * mpmath.exp(-rate * abs(x))


def gaussian_law(variance: Fraction) -> Law:
    spread = number(variance)
    total = mpmath.nsum(lambda x: mpmath.exp(-(x**2) / (2 * spread)), [1, mpmath.inf]) * 2 + 1
    return lambda x: mpmath.exp(-(mpmath.mpf(x) ** 2) / (2 * spread)) / total


def skellam_law(variance: Fraction) -> Law:
    spread = number(variance)
    return lambda x: mpmath.exp(-spread) * mpmath.besseli(abs(x), spread)


def poisson_law(mean: Fraction) -> Law:
    spread = number(mean)
    return lambda x: mpmath.exp(-spread) * spread**x / mpmath.factorial(x)


def staircase_law(rate: mpmath.mpf, steps: int, fall: int) -> Law:
    decay = mpmath.exp(-rate)

    def weight(x: int) -> mpmath.mpf:
        blocks, rest = divmod(abs(x), steps)
        return decay ** (blocks + (rest >= fall))

    reach = steps * (int(200 / rate) + 2)
    total = mpmath.fsum(weight(x) for x in range(-reach, reach + 1))
    return lambda x: weight(x) / total


def fits(values: np.ndarray, law: Law, *, low: int, high: int, cells: int = 40) -> float:
    """The p-value of a chi-squared test on cells from low to high, with one more cell for all the rest."""
    edges = np.unique(np.linspace(low, high + 1, min(cells, high - low + 1) + 1).astype(np.int64))
    chances = [float(mpmath.fsum(law(x) for x in range(a, b))) for a, b in itertools.pairwise(edges)]
    counts = [int(np.count_nonzero((values >= a) & (values < b))) for a, b in itertools.pairwise(edges)]
    chances.append(1 - sum(chances))
    counts.append(len(values) - sum(counts))
    expected = np.array(chances) * len(values)
    used = expected >= 5
    found = np.append(np.array(counts)[used], np.array(counts)[~used].sum())
    wanted = np.append(expected[used], expected[~used].sum())
    if wanted[-1] < 5:
        found, wanted = found[:-1], wanted[:-1]
    return float(chi2.sf(((found - wanted) ** 2 / wanted).sum(), len(wanted) - 1))

"""Delta by a Fourier integral in plain floats, for losses on no common lattice.

For any c > 0, ``delta(x) = 1/(2 pi i) int_(c - i inf)^(c + i inf) e^(K(s) - s x) / (s (s + 1)) ds``, where K is the
logarithm of ``E e^(s L)``. The trapezoidal rule with step h gives the sum of ``delta(x + 2 pi j / h) e^(2 pi j c / h)``
over all whole j, of which j = 0 is meant; h is chosen so that the others are negligible. For sums on a lattice the
line is one period long, and ``1 / (s (s + 1)) = 1 / s - 1 / (s + 1)`` becomes a difference of two geometric series.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from benchmarks.cases import Case, Group, Noise, Part, Uniform

__all__ = ["tails"]

Array = npt.NDArray[np.complex128]

_NEGLIGIBLE = 35.0  # e^-35 = 6e-16
_CHUNK = 10**5
_REACH = 9.0  # standard deviations
_FAR = 3e4  # losses with atoms at two places have a transform that does not vanish


def tails(case: Case, epsilon: float, *, added: bool) -> tuple[float, float]:
    """Delta at ``epsilon``, and minus its derivative there.

    Args:
        case: Which mechanisms.
        epsilon: Where.
        added: Whether the neighbour has one record more, which matters for sampled mechanisms.
    """

    def exponent(s: Array) -> Array:
        whole: Array = -s * epsilon
        for group in case.groups:
            whole = whole + _cumulant(group, s, added=added)
        return whole

    def height(c: float) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            found = float(exponent(np.full(1, c, dtype=complex))[0].real) - math.log(c * (c + 1))
        return found if math.isfinite(found) else math.inf

    target = math.log(1 / float(case.finite_target))
    tilt = _lowest(height, target / epsilon)
    bend = 1e-3 * tilt
    deviation = math.sqrt((height(tilt + bend) - 2 * height(tilt) + height(tilt - bend)) / bend**2)
    # Sums of random guarantees are close to normal; other losses have heavier tails, and transforms that come back.
    alike = case.kinds == {"uniform"}
    farthest = _FAR if "laplace" in case.kinds else 0 if alike else 10 * _REACH / deviation
    step = min((0.4 if alike else 0.05) / deviation, 2 * math.pi * tilt / (target + _NEGLIGIBLE))
    block = math.ceil(_REACH / deviation / step)
    delta, below, lattice = 0.0, 0.0, _lattice(case)
    for start in itertools.count(0, block):
        line: Array = np.asarray(tilt + 1j * step * np.arange(start, start + block), dtype=np.complex128)
        values = np.exp(exponent(line))
        if start == 0:
            values[0] /= 2
        parts = values * _kernel(line + 1, lattice, epsilon)
        below += step / math.pi * float(parts.real.sum())
        delta += step / math.pi * float((values * _kernel(line, lattice, epsilon) - parts).real.sum())
        reached, small = step * start >= farthest, np.abs(parts).max() < math.exp(-_NEGLIGIBLE) * below
        if (reached and small) or step * start > _FAR:
            return delta, below
    raise AssertionError


def _lattice(case: Case) -> tuple[Fraction, Fraction] | None:
    """A point and the step of the lattice that all sums of losses are on, for discrete noise."""
    groups = [group for group in case.groups if isinstance(group, Noise) and group.kind == "discrete_gaussian"]
    if len(groups) < len(case.groups):
        return None
    # One loss is rho times an odd number.
    steps = [2 * group["rho"] for group in groups]
    denominator = math.lcm(*(step.denominator for step in steps))
    step = Fraction(math.gcd(*(int(step * denominator) for step in steps)), denominator)
    return sum((group["rho"] * group.count for group in groups), start=Fraction(0)), step


def _kernel(s: Array, lattice: tuple[Fraction, Fraction] | None, epsilon: float) -> Array:
    """The transform of ``e^(-y)``, y beyond epsilon: a half-line, or the points of a lattice on it."""
    if lattice is None:
        return np.asarray(1 / s)
    point, step = lattice
    first = float(point - Fraction(epsilon) + step * (1 + math.floor((Fraction(epsilon) - point) / step)))
    return np.asarray(-float(step) * np.exp(-s * first) / np.expm1(-s * float(step)))


def _lowest(height: Callable[[float], float], scale: float) -> float:
    """Where a function with one valley is lowest."""
    grid = scale * np.geomspace(1e-2, 8, 40)
    place = int(np.argmin([height(float(c)) for c in grid]))
    bounds = (grid[max(place - 1, 0)], grid[min(place + 1, len(grid) - 1)])
    return float(minimize_scalar(height, bounds=bounds, method="bounded").x)


def _cumulant(group: Part, s: Array, *, added: bool) -> Array:
    """``log E e^(s L)`` of all losses of a group."""
    if isinstance(group, Uniform):
        epsilons = np.random.default_rng(group.seed).uniform(group.low, group.high, group.count)
        chunks = np.array_split(epsilons, math.ceil(group.count / _CHUNK))
        return np.array([sum(complex(_guarantee(chunk, z).sum()) for chunk in chunks) for z in s])
    if isinstance(group, Group):
        return group.count * np.array([complex(_guarantee(np.array([float(group.epsilon)]), z)[0]) for z in s])
    return group.count * _NOISES[group.kind](group, s, added)


def _guarantee(epsilon: npt.NDArray[np.float64], s: complex) -> Array:
    down = 1 / (1 + np.exp(epsilon))
    return np.asarray(s * epsilon + np.log1p(down * np.expm1(-2 * s * epsilon)))


def _sampled(group: Noise, s: Array, added: bool) -> Array:  # noqa: FBT001  # one signature for all kinds
    sigma, rate = float(group["noise_multiplier"]), float(group["sampling_probability"])
    x = np.arange(-15 * sigma, 60 * sigma, sigma / 32)
    weights = np.exp(-(x**2) / (2 * sigma**2)) / (math.sqrt(2 * math.pi) * 32)
    loss = np.log1p(rate * np.expm1((2 * x - 1) / (2 * sigma**2)))
    powers = -s if added else 1 + s
    return np.array([np.log1p((weights * np.expm1(power * loss)).sum()) for power in powers])


def _discrete(group: Noise, s: Array, added: bool) -> Array:  # noqa: ARG001, FBT001
    precision = float(2 * group["rho"])  # 1/sigma^2
    reach = math.ceil(60 / math.sqrt(precision)) + 60
    x = np.arange(-reach, reach + 1.0)
    weights = np.exp(-(x**2) * precision / 2)
    weights /= weights.sum()
    loss = (1 - 2 * x) * precision / 2
    return np.array([np.log((weights * np.exp(power * loss)).sum()) for power in s])


def _laplace(group: Noise, s: Array, added: bool) -> Array:  # noqa: ARG001, FBT001
    epsilon = 1 / float(group["scale"])
    up, down = np.exp(s * epsilon), np.exp(-(1 + s) * epsilon)
    return np.asarray(np.log((up + down) / 2 + up * -np.expm1(-epsilon * (1 + 2 * s)) / (2 * (1 + 2 * s))))


_NOISES = {"poisson_gaussian": _sampled, "discrete_gaussian": _discrete, "laplace": _laplace}

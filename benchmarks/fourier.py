"""Delta by a Fourier integral in plain floats, for losses on no common lattice.

For any c > 0, ``delta(x) = 1/(2 pi i) int_(c - i inf)^(c + i inf) e^(K(s) - s x) / (s (s + 1)) ds``, where K is the
logarithm of ``E e^(s L)``. The trapezoidal rule with step h gives the sum of ``delta(x + 2 pi j / h) e^(2 pi j c / h)``
over all whole j, of which j = 0 is meant; h is chosen so that the others are negligible.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar

from benchmarks.cases import Case, Group, Noise, Part, Uniform

__all__ = ["tails"]

Array = npt.NDArray[np.complex128]

_NEGLIGIBLE = 35.0  # e^-35 = 6e-16
_CHUNK = 10**5
_REACH = 9.0  # standard deviations
_FAR = 3e4  # for losses with atoms at two places, whose transform does not vanish


def tails(case: Case, epsilon: float, *, added: bool) -> tuple[float, float]:
    """Delta at ``epsilon``, and minus its derivative there.

    Args:
        case: Which mechanisms.
        epsilon: Where.
        added: Whether the neighbour has one record more, which matters for sampled mechanisms.
    """

    def exponent(s: Array) -> Array:
        whole = -s * epsilon
        for group in case.groups:
            whole = whole + _cumulant(group, s, added=added)
        return whole

    def height(c: float) -> float:
        return float(exponent(np.array([c], dtype=np.complex128))[0].real) - math.log(c * (c + 1))

    scale = math.log(1 / float(case.finite_target)) / epsilon
    tilt = float(minimize_scalar(height, bounds=(1e-3 * scale, 50 * scale), method="bounded").x)
    bend = 1e-3 * tilt
    variance = (height(tilt + bend) - 2 * height(tilt) + height(tilt - bend)) / bend**2
    step = min(
        0.4 / math.sqrt(variance),
        2 * math.pi * tilt / (math.log(1 / float(case.finite_target)) + _NEGLIGIBLE),
    )
    atoms = any(isinstance(group, Noise) and group.kind == "laplace" for group in case.groups)
    last = _FAR if atoms else _REACH / math.sqrt(variance)
    line = tilt + 1j * step * np.arange(math.ceil(last / step))
    values = np.exp(exponent(line))
    values[0] /= 2
    delta = step / math.pi * float((values / (line * (line + 1))).real.sum())
    below = step / math.pi * float((values / (line + 1)).real.sum())
    return delta, below


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

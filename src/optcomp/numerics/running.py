"""Running sums of exponentially fading weights over an ordered list of integers, from positive terms only.

For sorted integers ``k_0 <= k_1 <= ...`` with weights ``w_j``, a step h and a tilt ``theta >= 0`` the running sums are

    mass_j = sum over i <= j of w_i e^(-theta t),     lag_j = sum over i <= j of w_i e^(-theta t) (1 - e^-t),

with ``t = 2 h (k_j - k_i)``. A block of masses and lags that ends at i is carried to a later j by

    mass -> e^(-theta t) mass,     lag -> e^(-theta t) (e^-t lag + (1 - e^-t) mass).

Blocks of 8 are worked through side by side, then the blocks' totals in the same way, and so on, so a number passes
through at most 8 such steps a level.

Roundings of one step: ``1 - e^-t`` (10), the error of t (3, and 3 more on the side of ``e^-t``, where ``t e^-t`` is
at most ``1 - e^-t`` and the lag at most the mass), a product and two additions, in all 19; with a tilt the fading
factor (8) and one more product: 28. The error of the exponent ``theta t`` is 4 roundings of the exponent itself; over
all steps it adds up to 4 times the largest exponent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from optcomp.numerics.elementary import decay_rise

__all__ = ["Keys", "Running", "carry", "running_sums"]

Floats = npt.NDArray[np.float64]
Keys = npt.NDArray[np.int64] | npt.NDArray[np.object_]

_BLOCK = 8
_PER_STEP, _PER_TILTED_STEP = 19, 28


@dataclass(frozen=True)
class Running:
    """An ordered list of integers with weights and running sums.

    Args:
        keys: The integers in order: 64-bit, or Python's own where those are too short.
        weights: Their weights.
        masses: The running sums of the weights.
        lags: The running sums of ``w_i (1 - e^-t)``.
        roundings: Of each running sum, beyond those of the weights.
    """

    keys: Keys
    weights: Floats
    masses: Floats
    lags: Floats
    roundings: float


def running_sums(keys: Keys, weights: Floats, *, double_step: float, tilt: float) -> Running:
    """Order the integers and make the running sums.

    Args:
        keys: Integers in any order.
        weights: One each, positive.
        double_step: 2 h, within one rounding.
        tilt: theta, exact.

    **Guarantee**: each running sum is within ``roundings`` of the exact sum over the given weights, apart from terms
    below 1e-300.
    """
    order = np.argsort(keys, kind="stable")
    keys, weights = keys[order], weights[order]
    masses, lags, depth = _scan(keys, weights, np.zeros_like(weights), double_step, tilt)
    exponent = tilt * double_step * float(keys[-1] - keys[0])
    steps = _BLOCK * depth * (_PER_TILTED_STEP if tilt else _PER_STEP)
    return Running(keys, weights, masses, lags, steps + 4 * min(exponent, 745.0) + 1)


def carry(gaps: Floats, tilt: float) -> tuple[Floats | float, Floats, Floats]:
    """The fading factor ``e^(-theta t)``, ``e^-t`` and ``1 - e^-t``."""
    decays, rises = decay_rise(gaps)
    return (decay_rise(gaps * tilt)[0] if tilt else 1.0), decays, rises


def _scan(keys: Keys, masses: Floats, lags: Floats, double_step: float, tilt: float) -> tuple[Floats, Floats, int]:
    """Running totals of blocks that end at the given keys."""
    size = len(keys)
    if size == 1:
        return masses, lags, 1
    rows = -(-size // _BLOCK)
    places = np.minimum(np.arange(rows * _BLOCK), size - 1)
    grid = keys[places].reshape(rows, _BLOCK)
    mass, lag = (_in_columns(part, rows) for part in (masses, lags))

    def carried(gaps: Keys, mass_before: Floats, lag_before: Floats) -> tuple[Floats, Floats]:
        fade, decays, rises = carry(gaps.astype(np.float64) * double_step, tilt)
        return fade * mass_before, fade * (decays * lag_before + rises * mass_before)

    for column in range(1, _BLOCK):
        add = carried(grid[:, column] - grid[:, column - 1], mass[column - 1], lag[column - 1])
        mass[column] += add[0]
        lag[column] += add[1]
    depth = 0
    if rows > 1:
        ends = grid[:, -1]
        mass_before, lag_before, depth = _scan(ends, mass[-1].copy(), lag[-1].copy(), double_step, tilt)
        for column in range(_BLOCK):
            add = carried(grid[1:, column] - ends[:-1], mass_before[:-1], lag_before[:-1])
            mass[column, 1:] += add[0]
            lag[column, 1:] += add[1]
    return mass.T.ravel()[:size], lag.T.ravel()[:size], depth + 1


def _in_columns(values: Floats, rows: int) -> Floats:
    """The values as columns of a grid, with zeros at the end, as a copy."""
    padded = np.zeros(rows * _BLOCK)
    padded[: len(values)] = values
    return np.ascontiguousarray(padded.reshape(rows, _BLOCK).T)

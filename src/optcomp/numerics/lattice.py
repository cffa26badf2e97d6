"""Probability measures on the integers, in floats, with a running account of every error.

A `Measure` stands for an exact measure ``true`` of total mass 1. For each integer i in its window

    true_i = (mass_i + noise_i) (1 + r_i),   |r_i| <= relative,   ||noise||_2 <= noise,   mass_i + noise_i >= 0,

and the true mass outside the window is at most ``dropped``. As long as only sums and products of positive numbers were
needed, the noise is no more than what underflow can do; the fast Fourier transform adds its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from optcomp.numerics.directed import ROUNDING, add_up, compound_up
from optcomp.numerics.fft import convolve_by_fft

__all__ = ["Measure", "blocked_sum", "convolve", "dilated_size", "point"]

Floats = npt.NDArray[np.float64]

_UNDERFLOW = 1e-290  # more than all products that can be lost below the smallest float in one operation on a vector
_CROP = 1e-34  # the share of mass that may be cut from an end in one operation
_SLACK = 1.0 + 1e-9  # covers the roundings of the error terms themselves
_SHORT = 300  # below this length a loop over the shorter vector is the fastest convolution
_FFT_GAIN = 8.0  # the transform is used where it saves at least this factor in operations per element and level


@dataclass(frozen=True)
class Measure:
    """See the module's text.

    Args:
        start: The integer that the first mass belongs to.
        masses: One mass per integer.
        relative: Bound on the relative error of each mass.
        noise: Bound on the 2-norm of the absolute errors.
        dropped: Bound on the true mass that has no place in the window.
        signed: Whether a mass may be negative (after a Fourier transform).
    """

    start: int
    masses: Floats
    relative: float
    noise: float
    dropped: float
    signed: bool = False


def point() -> Measure:
    """All mass at 0, exactly."""
    return Measure(start=0, masses=np.ones(1), relative=0.0, noise=0.0, dropped=0.0)


def blocked_sum(values: Floats) -> tuple[float, float]:
    """The sum of a vector, and a bound on the roundings on the way to it, whatever order the hardware adds in.

    **Guarantee**: ``|sum - exact| <= compound_up(roundings) * sum |values|``. Adding up rows first keeps the bound near
    ``2 sqrt(n)`` roundings instead of n.
    """
    rows = math.isqrt(len(values)) + 1
    padded = np.zeros(rows * rows)
    padded[: len(values)] = values
    return float(padded.reshape(rows, rows).sum(axis=1).sum()), 2.0 * rows


def dilated_size(size: int, stride: int) -> int:
    """How many integers a measure of that size covers when its integers are multiplied by the stride."""
    return (size - 1) * stride + 1


def convolve(first: Measure, second: Measure, stride: int) -> Measure:
    """The law of ``X + stride * Y`` for independent X and Y.

    **Guarantee**: that of `Measure`, when it holds for both arguments.
    """
    a, b = first.masses, second.masses
    size = len(a) + dilated_size(len(b), stride) - 1
    terms = min(len(a), len(b))
    levels = max(1, size.bit_length())
    by_fft = terms > _SHORT and terms * max(len(a), len(b)) > _FFT_GAIN * 6 * size * levels
    relative = (1 + first.relative) * (1 + second.relative) - 1
    noise = (
        first.noise * _mass(second) + second.noise * _mass(first) + first.noise * second.noise * math.sqrt(terms)
    ) * _SLACK + _UNDERFLOW
    signed = by_fft or first.signed or second.signed
    if by_fft:
        masses, error = convolve_by_fft(a, _dilated(b, stride))
        noise += error
    else:
        masses = _directly(a, b, stride, size)
        rounding = compound_up(terms + 1)
        if signed:
            noise += rounding * float(np.abs(a).sum()) * math.sqrt(float(b @ b)) * _SLACK
        else:
            relative = (1 + relative) * (1 + rounding) - 1
    return _cropped(
        Measure(
            start=first.start + stride * second.start,
            masses=masses,
            relative=add_up(relative, 8 * ROUNDING),
            noise=noise * _SLACK,
            dropped=(first.dropped + second.dropped) * _SLACK,
            signed=signed,
        )
    )


def _mass(measure: Measure) -> float:
    """A bound on the sum of ``mass_i + noise_i``, from the true total of 1."""
    return 1 / (1 - measure.relative) if measure.relative < 0.5 else math.inf  # nothing is promised then


def _dilated(masses: Floats, stride: int) -> Floats:
    if stride == 1:
        return masses
    spread = np.zeros(dilated_size(len(masses), stride))
    spread[::stride] = masses
    return spread


def _directly(a: Floats, b: Floats, stride: int, size: int) -> Floats:
    out = np.zeros(size)
    if len(b) <= _SHORT:
        for place, weight in enumerate(b):
            out[place * stride : place * stride + len(a)] += weight * a
    elif len(a) <= _SHORT:
        reach = dilated_size(len(b), stride)
        for place, weight in enumerate(a):
            out[place : place + reach : stride] += weight * b
    else:
        for residue in range(min(stride, len(a))):
            part = np.convolve(a[residue::stride], b)
            out[residue : residue + dilated_size(len(part), stride) : stride] = part
    return out


def _cropped(measure: Measure) -> Measure:
    """Cut ends that carry next to nothing."""
    masses = measure.masses
    if len(masses) < _SHORT:
        return measure
    edge = len(masses) // 8
    left = int(np.searchsorted(np.cumsum(np.abs(masses[:edge])), _CROP))
    right = int(np.searchsorted(np.cumsum(np.abs(masses[: -edge - 1 : -1])), _CROP))
    if left + right < edge // 2:
        return measure
    cut = 3 * _CROP * (1 + measure.relative) + 2 * measure.noise * math.sqrt(left + right)
    return Measure(
        start=measure.start + left,
        masses=masses[left : len(masses) - right],
        relative=measure.relative,
        noise=measure.noise,
        dropped=(measure.dropped + cut) * _SLACK,
        signed=measure.signed,
    )

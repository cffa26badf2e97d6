"""Probability measures on the integers, in floats, with a running account of every error.

A `Measure` stands for an exact measure ``true`` of total mass 1. For each integer i in its window

    true_i = (mass_i + noise_i) (1 + r_i),   |r_i| <= relative,   ||noise||_2 <= noise,   mass_i + noise_i >= 0,

and the true mass outside the window is at most ``dropped``. As long as only sums and products of positive numbers were
needed, the noise is no more than what underflow can do; the fast Fourier transform adds its own.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from optcomp.numerics.directed import ROUNDING, add_up, compound_up
from optcomp.numerics.fft import convolve_by_fft
from optcomp.numerics.sums import norm_up

__all__ = ["Measure", "add_atoms", "convolve", "convolve_all", "dilated_size", "point"]

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
            noise += rounding * float(np.abs(a).sum()) * norm_up(b) * _SLACK
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


def convolve_all(measures: Iterable[Measure]) -> Measure:
    """The law of a sum of independent terms, the two smallest windows first.

    **Guarantee**: that of `Measure`, when it holds for all arguments.
    """
    waiting = [(len(measure.masses), place, measure) for place, measure in enumerate(measures)]
    heapq.heapify(waiting)
    place = len(waiting)
    while len(waiting) > 1:
        (_, _, first), (_, _, second) = heapq.heappop(waiting), heapq.heappop(waiting)
        whole, place = convolve(first, second, 1), place + 1
        heapq.heappush(waiting, (len(whole.masses), place, whole))
    return waiting[0][2] if waiting else point()


def add_atoms(measure: Measure, atoms: Iterable[tuple[int, float]], *, roundings: int) -> Measure:
    """The law of X + Y where Y takes few values.

    Args:
        measure: The law of X, without signed masses.
        atoms: The values of Y, each at least 0, with their probabilities.
        roundings: Bound on the roundings of each probability.

    **Guarantee**: that of `Measure`, when it holds for X.
    """
    known = sorted(atoms)
    base, size = known[0][0], len(measure.masses)
    masses = np.zeros(size + known[-1][0] - base)
    for place, weight in known:
        masses[place - base : place - base + size] += weight * measure.masses
    rounding = compound_up(roundings + len(known) + 1)
    relative = (1 + measure.relative) * (1 + rounding) - 1
    return _cropped(
        replace(
            measure,
            start=measure.start + base,
            masses=masses,
            relative=add_up(relative, 8 * ROUNDING),
            noise=measure.noise * (1 + rounding) * _SLACK + _UNDERFLOW,
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

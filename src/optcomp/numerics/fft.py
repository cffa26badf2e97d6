"""Convolution by the fast Fourier transform, with a bound on its rounding error.

Model of the transform: computed in IEEE double precision by butterflies of radix at most 5 with twiddle factors
accurate to one rounding, a transform of length N returns ``y`` with ``||error||_2 <= E(N) ||y||_2`` and
``E(N) = 10 u log2(N)`` (Higham, Accuracy and Stability of Numerical Algorithms, Theorem 24.2, with its constant
rounded up; lengths here are powers of 2).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from optcomp.numerics.directed import ROUNDING
from optcomp.numerics.sums import norm_up

__all__ = ["convolve_by_fft"]

Floats = npt.NDArray[np.float64]

_PER_LEVEL = 10 * ROUNDING
_SAFETY = 1.0 + 1e-6  # covers the roundings of the bound itself and all products of errors


def convolve_by_fft(first: Floats, second: Floats) -> tuple[Floats, float]:
    """The convolution of two real vectors.

    Returns:
        The result, and a bound on the 2-norm of its error.

    **Guarantee** (in the model above): ``||result - exact||_2 <= bound``. With the vectors written as a and b, the two
    forward transforms, the product and the inverse give ``(3 E(N) + 3 u) ||a||_1 ||b||_2``; either may be called b.
    """
    size = len(first) + len(second) - 1
    length = 1 << (size - 1).bit_length()
    result = np.fft.irfft(np.fft.rfft(first, length) * np.fft.rfft(second, length), length)[:size]
    level = _PER_LEVEL * max(1, length.bit_length() - 1)
    sums = [float(np.abs(each).sum()) for each in (first, second)]
    norms = [norm_up(each) for each in (first, second)]
    magnitude = min(sums[0] * norms[1], sums[1] * norms[0]) * _SAFETY
    return result, (3 * level + 3 * ROUNDING) * magnitude * _SAFETY

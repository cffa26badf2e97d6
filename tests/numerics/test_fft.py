"""The bound on the error of a Fourier convolution, against exact integers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from optcomp.numerics.fft import convolve_by_fft
from tests.numerics.test_lattice import product_of_polynomials


@pytest.mark.parametrize(
    ("first_size", "second_size", "spread"), [(1, 1, 0), (5, 900, 20), (2048, 2049, 0), (4000, 3000, 25)]
)
def test_the_error_stays_within_the_bound(first_size: int, second_size: int, spread: int) -> None:
    """Entries of very different size: the bound is about the norm, never about single entries."""
    draw = np.random.default_rng(first_size)
    scales = [draw.integers(0, spread + 1, size) for size in (first_size, second_size)]
    vectors = [[int(v) for v in draw.integers(1, 2**25, len(s)) << s] for s in scales]
    exact = product_of_polynomials(*vectors)
    floats = [np.array([float(value) for value in each]) for each in vectors]
    assert all(Fraction(float(value)) == value for each in vectors for value in each)
    found, bound = convolve_by_fft(*floats)
    squares = sum(((Fraction(a) - b) ** 2 for a, b in zip(found.tolist(), exact, strict=True)), start=Fraction(0))
    assert squares <= Fraction(bound) ** 2
    norm = float(np.sqrt(float(found @ found)))
    assert bound <= 1e-11 * norm  # a bound that says nothing would pass the line above


def test_signs_are_allowed() -> None:
    first, second = np.array([1.0, -2.0, 3.0]), np.array([-1.0, 0.0, 0.5])
    found, bound = convolve_by_fft(first, second)
    exact = [-1.0, 2.0, -2.5, -1.0, 1.5]
    assert float(np.linalg.norm(found - np.array(exact))) <= bound < 1e-12

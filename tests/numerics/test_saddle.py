"""The uncertified first guess: finite, without warnings, and close enough to be of use."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from optcomp.numerics.saddle import tail_at, tail_for

SUMS = [
    ([0.1], [100.0]),
    ([1e-12], [1e12]),
    ([1e-12, 1e4], [9.0, 3.0]),
    ([1e6], [1.0]),
    ([1e-300], [1.0]),
    ([1.0, 2.0, 40.0], [1.0, 1e9, 2.0]),
]


def floats(values: list[float]) -> Any:
    return np.array(values)


@pytest.mark.parametrize(("epsilons", "counts"), SUMS)
@pytest.mark.parametrize("log_delta", [-1e-9, -0.1, -14.0, -700.0, -1e4])
def test_a_point_for_a_delta_is_finite(epsilons: list[float], counts: list[float], log_delta: float) -> None:
    point = tail_for(floats(epsilons), floats(counts), log_delta)
    assert math.isfinite(point.x)
    assert math.isfinite(point.tilt)
    assert point.tilt >= 0


@pytest.mark.parametrize(("epsilons", "counts"), SUMS)
@pytest.mark.parametrize("share", [-0.5, 0.0, 0.3, 0.999, 1.0, 2.0])
def test_a_tilt_for_a_point_is_finite(epsilons: list[float], counts: list[float], share: float) -> None:
    total = float(floats(epsilons) @ floats(counts))
    point = tail_at(floats(epsilons), floats(counts), share * total)
    assert math.isfinite(point.tilt)
    assert point.tilt >= 0


def test_the_guess_is_close_for_many_small_losses() -> None:
    """0.1 x 100 at 1e-6: the answer is 4.7745675881."""
    point = tail_for(floats([0.1]), floats([100.0]), math.log(1e-6))
    assert abs(point.x - 4.7745675881) < 0.1

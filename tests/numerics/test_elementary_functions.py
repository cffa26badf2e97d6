"""What the float engines assume of the platform: elementary functions within four units in the last place."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import flint
import numpy as np
import numpy.typing as npt
import pytest

from optcomp.numerics.balls import precision

Floats = npt.NDArray[np.float64]

SAMPLE = 4_000
NIGHTLY = 200_000
BITS = 160
MOST = 4.0


def two_sided(rng: np.random.Generator, size: int, least: float, most: float) -> Floats:
    """Both signs, logarithms spread evenly."""
    return rng.choice([-1.0, 1.0], size) * np.exp(rng.uniform(np.log(least), np.log(most), size))


def turns(rng: np.random.Generator, size: int) -> Floats:
    """Phases up to 1e7, some next to multiples of a quarter turn, where the reduction is hardest."""
    phases = two_sided(rng, size, 1e-8, 1e7)
    near = np.rint(phases / (np.pi / 2)) * (np.pi / 2)
    return np.where(rng.random(size) < 0.2, near, phases)


ONE_ARGUMENT: dict[str, tuple[Callable[[Floats], Floats], Callable[[flint.arb], flint.arb], object]] = {
    "sin": (np.sin, flint.arb.sin, turns),
    "cos": (np.cos, flint.arb.cos, turns),
    "exp": (np.exp, flint.arb.exp, lambda rng, size: two_sided(rng, size, 1e-12, 700.0)),
    "expm1": (np.expm1, flint.arb.expm1, lambda rng, size: two_sided(rng, size, 1e-12, 700.0)),
    "log": (np.log, flint.arb.log, lambda rng, size: np.exp(two_sided(rng, size, 1e-9, 700.0))),
    "log1p": (
        np.log1p,
        flint.arb.log1p,
        lambda rng, size: np.maximum(two_sided(rng, size, 1e-12, 1e12), rng.uniform(-1 + 1e-9, 0, size)),
    ),
    "sqrt": (np.sqrt, flint.arb.sqrt, lambda rng, size: np.abs(two_sided(rng, size, 1e-200, 1e200))),
}


def off(values: Floats, truths: Iterator[flint.arb]) -> float:
    """The largest distance in units in the last place of the truth."""
    worst = 0.0
    for value, truth in zip(values, truths, strict=True):
        unit = float(np.spacing(abs(float(truth.mid()))))
        worst = max(worst, float(abs(flint.arb(float(value)) - truth).upper()) / unit)
    return worst


def worst_of(name: str, size: int) -> float:
    found, exact, arguments = ONE_ARGUMENT[name]
    points = arguments(np.random.default_rng(7), size)  # type: ignore[operator]
    with precision(BITS):
        return off(found(points), (exact(flint.arb(float(point))) for point in points))


def worst_angle(size: int) -> float:
    rng = np.random.default_rng(8)
    y, x = two_sided(rng, size, 1e-12, 1e12), two_sided(rng, size, 1e-12, 1e12)
    close = rng.random(size) < 0.5
    y = np.where(close, y, x * two_sided(rng, size, 0.5, 2.0))
    with precision(BITS):
        pairs = zip(y, x, strict=True)
        truths = (flint.acb(flint.arb(float(b)), flint.arb(float(a))).log().imag for a, b in pairs)
        return off(np.arctan2(y, x), truths)


@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_four_units(name: str) -> None:
    assert worst_of(name, SAMPLE) < MOST


def test_four_units_of_an_angle() -> None:
    assert worst_angle(SAMPLE) < MOST


@pytest.mark.nightly
@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_four_units_everywhere(name: str) -> None:
    assert worst_of(name, NIGHTLY) < MOST


@pytest.mark.nightly
def test_four_units_of_an_angle_everywhere() -> None:
    assert worst_angle(NIGHTLY) < MOST


def test_the_judge_sees_five_units() -> None:
    with precision(BITS):
        shifted = np.array([1.0]) + 5 * np.spacing(1.0)
        assert off(shifted, iter([flint.arb(1)])) == pytest.approx(5.0)

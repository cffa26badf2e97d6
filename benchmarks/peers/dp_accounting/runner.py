"""Answers cases with dp-accounting.

Its `PLDAccountant` has no event for an (epsilon, delta) guarantee, and the one for randomized response composes a
single run whatever the count (0.6.0), so the privacy loss distributions are composed directly, in the documented way.
Many different ones are composed in a balanced tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dp_accounting.pld import common, privacy_loss_distribution  # type: ignore[import-not-found,unused-ignore]

from benchmarks.peers.protocol import Answer, Profile, serve

DEFAULT_GRID = 1e-4


def solve(case: Mapping[str, Any], setting: str) -> Profile:
    """The epsilon of the composed privacy loss distribution."""
    grid = float(case["step"]) if setting == "step" else DEFAULT_GRID
    level = [part for group in case["groups"] for part in distributions(group, grid)]
    while len(level) > 1:
        pairs = [first.compose(second) for first, second in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[2 * len(pairs) :]
    whole = level[0]

    def ask(delta: str) -> Answer:
        return {"value": repr(float(whole.get_epsilon_for_delta(float(delta))))}

    return ask


def distributions(group: Mapping[str, Any], grid: float) -> Iterator[Any]:
    """The privacy loss distributions of one group."""
    if group["kind"] == "uniform":
        yield from (_guarantee(float(epsilon), 0.0, grid) for epsilon in group["epsilons"])
        return
    part = _noise(group, grid)
    yield part.self_compose(group["count"]) if group["count"] > 1 else part


def _noise(group: Mapping[str, Any], grid: float) -> Any:  # noqa: ANN401  # no types
    kind, library = group["kind"], privacy_loss_distribution
    if kind == "poisson_gaussian":
        sigma, rate = (float(Fraction(group[name])) for name in ("noise_multiplier", "sampling_probability"))
        return library.from_gaussian_mechanism(sigma, sampling_prob=rate, value_discretization_interval=grid)
    if kind == "discrete_gaussian":
        sigma = float(1 / (2 * Fraction(group["rho"]))) ** 0.5
        return library.from_discrete_gaussian_mechanism(sigma, value_discretization_interval=grid)
    if kind == "laplace":
        return library.from_laplace_mechanism(float(group["scale"]), value_discretization_interval=grid)
    return _guarantee(float(group["epsilon"]), float(group["delta"]), grid)


def _guarantee(epsilon: float, delta: float, grid: float) -> Any:  # noqa: ANN401  # no types
    parameters = common.DifferentialPrivacyParameters(epsilon, delta)
    return privacy_loss_distribution.from_privacy_parameters(parameters, value_discretization_interval=grid)


if __name__ == "__main__":
    serve(solve)

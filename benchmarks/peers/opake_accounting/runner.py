"""Answers cases with opake-accounting.

Its sampled mechanisms are public in another distribution that needs PyTorch; they are thin covers of these functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from opake.accounting import get_discretization  # type: ignore[import-not-found,unused-ignore]
from opake.api.accounting.core import _native  # type: ignore[import-not-found,unused-ignore]

from benchmarks.peers.protocol import Answer, Profile, serve


def solve(case: Mapping[str, Any], setting: str) -> Profile:
    """The epsilon of the composed privacy loss distribution."""
    del setting
    level = [part for group in case["groups"] for part in distributions(group, get_discretization().to_native())]
    while len(level) > 1:
        pairs = [first.compose(second) for first, second in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[2 * len(pairs) :]
    whole = level[0]

    def ask(delta: str) -> Answer:
        return {"value": repr(float(whole.epsilon_at(float(delta))))}

    return ask


def distributions(group: Mapping[str, Any], config: object) -> Iterator[Any]:
    """The privacy loss distributions of one group."""
    kind, count = group["kind"], group["count"]
    if kind == "uniform":
        yield from (_native.eps_delta_pld(float(epsilon), 0.0, config) for epsilon in group["epsilons"])
    elif kind == "poisson_gaussian":
        noise = _native.gaussian_pld(float(Fraction(group["noise_multiplier"])), config)
        yield _native.poisson_pld(noise, float(Fraction(group["sampling_probability"]))).self_compose(count)
    else:
        yield _native.eps_delta_pld(float(group["epsilon"]), float(group["delta"]), config).self_compose(count)


if __name__ == "__main__":
    serve(solve)

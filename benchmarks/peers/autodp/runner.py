"""Answers cases with autodp."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from autodp import mechanism_zoo, transformer_zoo  # type: ignore[import-not-found,unused-ignore]

from benchmarks.peers.protocol import Answer, Profile, serve


def solve(case: Mapping[str, Any], setting: str) -> Profile:
    """The epsilon from the sum of the Renyi curves."""
    del setting
    pairs = [pair for group in case["groups"] for pair in mechanisms(group)]
    whole = transformer_zoo.Composition()([pair[0] for pair in pairs], [pair[1] for pair in pairs])

    def ask(delta: str) -> Answer:
        return {"value": repr(float(whole.get_approxDP(float(delta))))}

    return ask


def mechanisms(group: Mapping[str, Any]) -> Iterator[tuple[Any, int]]:
    """The mechanisms of a group, each with how often it is there."""
    kind, count = group["kind"], group["count"]
    if kind == "uniform":
        yield from ((mechanism_zoo.PureDP_Mechanism(float(epsilon)), 1) for epsilon in group["epsilons"])
    elif kind == "laplace":
        yield mechanism_zoo.LaplaceMechanism(b=float(group["scale"])), count
    elif kind == "discrete_gaussian":
        yield mechanism_zoo.DiscreteGaussianMechanism(sigma=float(1 / (2 * Fraction(group["rho"]))) ** 0.5), count
    elif kind == "poisson_gaussian":
        noise = mechanism_zoo.GaussianMechanism(sigma=float(Fraction(group["noise_multiplier"])))
        rate = float(Fraction(group["sampling_probability"]))
        yield transformer_zoo.AmplificationBySampling()(noise, rate, improved_bound_flag=True), count
    elif float(group["delta"]) > 0:
        raise ValueError("no mechanism with a delta of its own")
    else:
        yield mechanism_zoo.PureDP_Mechanism(float(group["epsilon"])), count


if __name__ == "__main__":
    serve(solve)

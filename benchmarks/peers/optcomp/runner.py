"""Answers cases with optcomp."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import optcomp as oc
from benchmarks.peers.protocol import Answer, Profile, serve

WIDTH = "1e-9"


def solve(case: Mapping[str, Any], setting: str) -> Profile:
    """The certified epsilon; both ends are exact fractions."""
    profile = oc.compose(list(mechanisms(case, setting)), adjacency=case["adjacency"])

    def ask(delta: str) -> Answer:
        epsilon = profile.epsilon(delta=delta, width=WIDTH)
        return {"value": str(epsilon.upper), "lower": str(epsilon.lower), "upper": str(epsilon.upper)}

    return ask


def mechanisms(case: Mapping[str, Any], setting: str) -> Iterator[oc.Mechanism]:
    """The groups as optcomp knows them."""
    for group in case["groups"]:
        kind, count = group["kind"], group["count"]
        if kind == "uniform" and setting == "objects":
            yield from (oc.PureDP(epsilon=float(epsilon)) for epsilon in group["epsilons"])
        elif kind == "uniform":
            yield oc.PureDP.many(epsilons=group["epsilons"])
        elif kind == "discrete_gaussian":
            yield oc.DiscreteGaussian(rho=group["rho"]).repeated(count)
        elif kind == "laplace":
            yield oc.Laplace(scale=group["scale"], sensitivity="1").repeated(count)
        elif kind == "poisson_gaussian":
            noise = oc.Gaussian(noise_multiplier=group["noise_multiplier"])
            sampled = oc.PoissonSampled(mechanism=noise, sampling_probability=group["sampling_probability"])
            yield sampled.repeated(count)
        else:
            yield oc.ApproxDP(epsilon=group["epsilon"], delta=group["delta"]).repeated(count)


if __name__ == "__main__":
    serve(solve)

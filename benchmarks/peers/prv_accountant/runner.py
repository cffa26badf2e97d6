"""Answers cases with prv-accountant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from prv_accountant import PRVAccountant  # type: ignore[import-not-found,unused-ignore]
from prv_accountant import privacy_random_variables as prv  # type: ignore[import-not-found,unused-ignore]

from benchmarks.peers.protocol import Answer, Profile, serve


def solve(case: Mapping[str, Any], setting: str) -> Profile:
    """The interval that the library claims; its accountant is made for one error of delta, so for one delta."""
    pairs = [pair for group in case["groups"] for pair in variables(group)]
    variables_, counts = [pair[0] for pair in pairs], [pair[1] for pair in pairs]

    def ask(delta: str) -> Answer:
        accountant = PRVAccountant(
            prvs=variables_, max_self_compositions=counts, eps_error=float(setting), delta_error=float(delta) / 1000
        )
        lower, middle, upper = (repr(float(end)) for end in accountant.compute_epsilon(float(delta), counts))
        return {"value": middle, "lower": lower, "upper": upper}

    return ask


def variables(group: Mapping[str, Any]) -> Iterator[tuple[Any, int]]:
    """The privacy random variables of a group, each with how often it is there."""
    kind, count = group["kind"], group["count"]
    if kind == "uniform":
        yield from ((prv.PureDPMechanism(float(epsilon)), 1) for epsilon in group["epsilons"])
    elif kind == "laplace":
        yield prv.LaplaceMechanism(1 / float(group["scale"])), count
    elif kind == "poisson_gaussian":
        rate, sigma = (float(Fraction(group[name])) for name in ("sampling_probability", "noise_multiplier"))
        yield prv.PoissonSubsampledGaussianMechanism(rate, sigma), count
    elif float(group["delta"]) > 0:
        yield prv.ApproximateDPMechanism(float(group["epsilon"]), float(group["delta"])), count
    else:
        yield prv.PureDPMechanism(float(group["epsilon"])), count


if __name__ == "__main__":
    serve(solve)

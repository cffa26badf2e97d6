"""Answers cases with pld-accounting."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dp_accounting.pld import privacy_loss_distribution  # type: ignore[import-not-found,unused-ignore]
from PLD_accounting import subsample_pld  # type: ignore[import-not-found,unused-ignore]

from benchmarks.peers.protocol import Answer, Profile, serve


def solve(case: Mapping[str, Any], setting: str) -> Profile:
    """The epsilon of a sampled Gaussian."""
    del setting
    (group,) = case["groups"]
    noise = privacy_loss_distribution.from_gaussian_mechanism(float(Fraction(group["noise_multiplier"])))
    sampled = subsample_pld(pld=noise, sampling_probability=float(Fraction(group["sampling_probability"])))
    whole = sampled.self_compose(group["count"])

    def ask(delta: str) -> Answer:
        return {"value": repr(float(whole.get_epsilon_for_delta(float(delta))))}

    return ask


if __name__ == "__main__":
    serve(solve)

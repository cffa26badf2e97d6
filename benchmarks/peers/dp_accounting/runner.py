"""Answers cases with dp-accounting.

Its `PLDAccountant` has no event for an (epsilon, delta) guarantee, and the one for randomized response composes a
single run whatever the count (0.6.0), so the privacy loss distributions are composed directly, in the documented way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dp_accounting.pld import common, privacy_loss_distribution  # type: ignore[import-not-found,unused-ignore]

from benchmarks.peers.protocol import Answer, serve

DEFAULT_GRID = 1e-4


def solve(case: Mapping[str, Any], setting: str) -> Answer:
    """The epsilon of the composed privacy loss distribution."""
    grid = float(case["step"]) if setting == "step" else DEFAULT_GRID
    whole = None
    for group in case["groups"]:
        parameters = common.DifferentialPrivacyParameters(float(group["epsilon"]), float(group["delta"]))
        part = privacy_loss_distribution.from_privacy_parameters(parameters, value_discretization_interval=grid)
        if group["count"] > 1:
            part = part.self_compose(group["count"])
        whole = part if whole is None else whole.compose(part)
    if whole is None:
        raise ValueError("a case needs a group")
    return {"value": repr(float(whole.get_epsilon_for_delta(float(case["delta"]))))}


if __name__ == "__main__":
    serve(solve)

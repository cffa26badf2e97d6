"""Answers cases with optcomp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import optcomp
from benchmarks.peers.protocol import Answer, serve


def solve(case: Mapping[str, Any], setting: str) -> Answer:
    """The certified epsilon; both ends are exact fractions."""
    del setting
    profile = optcomp.compose(
        optcomp.ApproxDP(epsilon=group["epsilon"], delta=group["delta"]).repeated(group["count"])
        for group in case["groups"]
    )
    epsilon = profile.epsilon(delta=case["delta"])
    return {"value": str(epsilon.upper), "lower": str(epsilon.lower), "upper": str(epsilon.upper)}


if __name__ == "__main__":
    serve(solve)

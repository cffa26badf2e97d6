"""Answers cases with diffprivlib."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from diffprivlib import BudgetAccountant  # type: ignore[import-not-found,unused-ignore]

from benchmarks.peers.protocol import Answer, Profile, serve


def solve(case: Mapping[str, Any], setting: str) -> Profile:
    """The total of all spends."""
    del setting
    spent: list[tuple[float, float]] = []
    for group in case["groups"]:
        if group["kind"] == "uniform":
            spent += [(float(epsilon), 0.0) for epsilon in group["epsilons"]]
        else:
            spent += [(float(group["epsilon"]), float(group["delta"]))] * group["count"]
    survival = math.prod(1 - delta for _, delta in spent)
    accountant = BudgetAccountant()

    def ask(delta: str) -> Answer:
        slack = 1 - (1 - float(delta)) / survival if survival < 1 else float(delta)
        return {"value": repr(float(accountant.total(spent_budget=spent, slack=slack)[0]))}

    return ask


if __name__ == "__main__":
    serve(solve)

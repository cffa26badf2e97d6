# ruff: noqa: INP001  # a script, not a package
"""Print a plan of 10,000 small queries, each with an epsilon of its own between 0.001 and 0.05.

To compose it: ``python examples/many_queries.py | optcomp compose -``.
"""

import json
import sys

import numpy as np

epsilons = np.random.default_rng(0).uniform(0.001, 0.05, 10_000)
plan = {
    "title": "10,000 small queries",
    "privacy_unit": "one person's record",
    "adjacency": "add_or_remove_one",
    "target": {"delta": "1e-6"},
    "release": [
        {
            "name": "queries",
            "mechanism": {
                "kind": "sequence",
                "parts": [{"kind": "pure_dp", "epsilon": repr(float(epsilon))} for epsilon in epsilons],
            },
        }
    ],
}
json.dump(plan, sys.stdout, indent=1)
sys.stdout.write("\n")

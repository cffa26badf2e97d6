"""``python -m benchmarks.noise``: draws a second, beside OpenDP in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import optcomp as oc
from benchmarks.environments import ROOT, Peer, UnavailableError, interpreter
from optcomp.noise import draw, draw_many

_OURS, _THEIRS, _SINGLE, _REPEATS = 1_000_000, 200_000, 5_000, 3
_LEAST_RATE = 500_000
_SCALES = (1, 10, 100)
_PINNED = "opendp==0.16.0\nnumpy==2.4.6\n"
_PROGRAM = """
import json, sys, time
import opendp.prelude as dp
dp.enable_features("contrib")
count, repeats, scales = json.loads(sys.argv[1])
items = dp.vector_domain(dp.atom_domain(T=int))
spaces = {"laplace": (items, dp.l1_distance(T=int)), "gaussian": (items, dp.l2_distance(T=float))}
makers = {"laplace": dp.m.then_laplace, "gaussian": dp.m.then_gaussian}
rates = {}
for kind, space in spaces.items():
    for scale in scales:
        measure, zeros, best = space >> makers[kind](scale=float(scale)), [0] * count, 0.0
        for _ in range(repeats):
            start = time.process_time()
            measure(zeros)
            best = max(best, count / (time.process_time() - start))
        rates[f"{kind} {scale}"] = best
print(json.dumps(rates))
"""


def ours() -> dict[str, tuple[float, float]]:
    """Draws a second, many at once and one by one; the tables are made before."""
    found = {}
    for scale in _SCALES:
        for kind, mechanism in {
            "laplace": oc.DiscreteLaplace(scale=scale),
            "gaussian": oc.DiscreteGaussian(standard_deviation=scale),
        }.items():
            draw_many(mechanism, 1)
            many = single = 0.0
            for _ in range(_REPEATS):
                start = time.process_time()
                draw_many(mechanism, _OURS)
                many = max(many, _OURS / (time.process_time() - start))
                start = time.process_time()
                for _ in range(_SINGLE):
                    draw(mechanism)
                single = max(single, _SINGLE / (time.process_time() - start))
            found[f"{kind} {scale}"] = many, single
    return found


def theirs() -> dict[str, float]:
    """OpenDP's draws a second; empty when its environment cannot be made."""
    requirements = ROOT / ".bench" / "opendp-requirements.txt"
    requirements.parent.mkdir(exist_ok=True)
    requirements.write_text(_PINNED, encoding="utf-8")
    peer = Peer("opendp", "OpenDP", None, requirements, ("opendp",), (), ())
    try:
        python = interpreter(peer)
    except UnavailableError as reason:
        print(f"bench: OpenDP is not available: {reason}")
        return {}
    asked = json.dumps([_THEIRS, _REPEATS, _SCALES])
    done = subprocess.run([str(python), "-c", _PROGRAM, asked], capture_output=True, text=True, check=True, timeout=300)
    rates: dict[str, float] = json.loads(done.stdout)
    return rates


def main() -> int:
    """Measure and print; the exit status is 1 when discrete Laplace noise is drawn too slowly."""
    rates, peer = ours(), theirs()
    print("| noise, scale | optcomp, many | optcomp, one by one | OpenDP | ratio |")
    print("| --- | --- | --- | --- | --- |")
    for name, (many, single) in sorted(rates.items()):
        beside = f"{peer[name]:,.0f} | {many / peer[name]:.0f}" if name in peer else "not available | "
        print(f"| {name} | {many:,.0f} | {single:,.0f} | {beside} |")
    return int(min(many for name, (many, _) in rates.items() if name.startswith("laplace")) < _LEAST_RATE)


if __name__ == "__main__":
    sys.exit(main())

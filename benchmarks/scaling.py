"""How width and time scale: ``python -m benchmarks.scaling`` measures, draws, and writes docs/scaling.md."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import matplotlib as mpl
import numpy as np

import optcomp as oc
from optcomp.engines.bracketing_lattice import BracketingLattice
from optcomp.losses import lower
from optcomp.quantities import Enclosure
from optcomp.theorems import Term
from optcomp.theorems.mv16 import approximate_optimum

DOCS = Path(__file__).resolve().parent.parent / "docs"
DELTA = "1e-6"
STEPS = [Fraction(1, 2**power) for power in range(9, 14)]
COUNTS = [10, 20, 40, 80, 160, 320, 640]


def different(count: int) -> list[oc.Mechanism]:
    """Mechanisms with that many different epsilons between 0.05 and 0.5, of 16 digits."""
    return [oc.PureDP(epsilon=float(each)) for each in np.random.default_rng(5).uniform(0.05, 0.5, count)]


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def slope(x: list[float], y: list[float]) -> float:
    """The power of x that y grows with."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def draw(name: str, x: list[float], y: list[float], *, across: str, up: str) -> None:
    """One picture on logarithmic axes."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams["svg.hashsalt"] = name
    figure, axes = plt.subplots(figsize=(5, 3.2))
    axes.loglog(x, y, "o-", color="#0072b2")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(visible=True, which="both", alpha=0.3)
    figure.tight_layout()
    figure.savefig(DOCS / "pictures" / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def widths() -> list[float]:
    """Relative width of epsilon for 100 different epsilons, on grids that are finer and finer."""
    losses = lower(oc.Sequence(parts=different(100))).losses
    target = Enclosure.exactly(Fraction(1, 10**6))
    return [BracketingLattice(losses, width=1.0, step=step).epsilon(target).relative_width for step in STEPS]


def times_of_the_scheme() -> list[float]:
    """Time of the polynomial-time scheme against the number of mechanisms."""
    terms = {k: [Term(epsilon=Fraction(100 + 400 * i // k, 1000)) for i in range(k)] for k in COUNTS}
    return [seconds(partial(approximate_optimum, terms[k], delta=DELTA, tolerance="0.1")) for k in COUNTS]


def table_of_arbitrary() -> list[str]:
    """Rows for 40 and 100 arbitrary epsilons."""
    forty, hundred = oc.compose(different(40)), oc.compose(different(100))
    build = seconds(lambda: forty.delta(1))
    rows = [
        ("40 different epsilons: lists made, and one delta", "2.2 s", build),
        ("the same, a further delta", "0.2 s", seconds(lambda: forty.delta(5))),
        ("the same, epsilon at delta 1e-6", "1 s", seconds(lambda: forty.epsilon(DELTA))),
        (
            "100 different epsilons, epsilon at delta 1e-6 to width 1e-6",
            "0.5 s",
            seconds(lambda: hundred.epsilon(DELTA)),
        ),
    ]
    return [f"| {name} | {goal} | {taken:.3f} s |" for name, goal, taken in rows]


def main() -> None:
    """Measure, draw and write."""
    (DOCS / "pictures").mkdir(exist_ok=True)
    rows = table_of_arbitrary()
    found, taken = widths(), times_of_the_scheme()
    steps, counts = [float(step) for step in STEPS], [float(k) for k in COUNTS]
    draw("width_against_step", steps, found, across="step of the grid", up="relative width of epsilon")
    draw("scheme_against_k", counts, taken, across="mechanisms", up="seconds")
    lines = [
        "# Scaling",
        "",
        "This page is written by `python -m benchmarks.scaling`. Times are processor seconds of one call.",
        "",
        "## Arbitrary different epsilons",
        "",
        "Epsilons of 16 digits, uniform between 0.05 and 0.5.",
        "",
        "| question | goal | taken |",
        "| --- | --- | --- |",
        *rows,
        "",
        "## Width of the two-sided bounds against the step",
        "",
        f"100 different epsilons, delta {DELTA}. The width falls as the step to the power {slope(steps, found):.2f}.",
        "",
        "| step | relative width |",
        "| --- | --- |",
        *(f"| 2^{round(math.log2(step))} | {width:.1e} |" for step, width in zip(steps, found, strict=True)),
        "",
        "![The width falls as the square of the step](pictures/width_against_step.svg)",
        "",
        "## Time of the polynomial-time scheme",
        "",
        "`approximate_optimum` with tolerance 0.1 for different epsilons between 0.1 and 0.5.",
        f"The time grows as the number of mechanisms to the power {slope(counts, taken):.2f}.",
        "",
        "| mechanisms | seconds |",
        "| --- | --- |",
        *(f"| {k} | {spent:.3f} |" for k, spent in zip(COUNTS, taken, strict=True)),
        "",
        "![The time of the scheme against the number of mechanisms](pictures/scheme_against_k.svg)",
        "",
    ]
    (DOCS / "scaling.md").write_text("\n".join(lines), encoding="utf-8")
    print(f"written: {DOCS / 'scaling.md'}")


if __name__ == "__main__":
    main()

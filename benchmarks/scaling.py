"""How width and time scale: ``python -m benchmarks.scaling`` measures, draws, and writes docs/scaling.md."""

from __future__ import annotations

import math
import resource
import textwrap
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from multiprocessing import get_context
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
DISTINCT_LOSSES = 10**4
REPETITIONS = 5

Point = tuple[float, float, float]
"""Seconds for a new profile, seconds for a further delta, and the megabytes of the whole process."""


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


def draw(name: str, x: list[float], ys: dict[str, list[float]], *, across: str, up: str) -> None:
    """One picture on logarithmic axes, a line for each name; megabytes go on an axis that begins at 0."""
    mpl.use("Agg")
    from matplotlib import pyplot as plt

    mpl.rcParams["svg.hashsalt"] = name
    figure, axes = plt.subplots(figsize=(5, 3.2))
    for (label, y), color, style in zip(ys.items(), ("#0072b2", "#d55e00"), ("o-", "s--"), strict=False):
        axes.loglog(x, y, style, color=color, label=label)
    if up == "megabytes":
        axes.set_yscale("linear")
        axes.set_ylim(0, 1.2 * max(max(y) for y in ys.values()))
    if len(ys) > 1:
        axes.legend()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(visible=True, which="both", alpha=0.3)
    figure.tight_layout()
    figure.savefig(DOCS / "pictures" / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def equal(size: int) -> Callable[[], list[oc.Mechanism]]:
    """That many equal mechanisms of epsilon near 1/sqrt(size), so that the whole stays alike."""
    epsilon = f"{1 / math.sqrt(size):.3g}"
    return lambda: [oc.PureDP(epsilon=epsilon).repeated(size)]


def arbitrary(size: int) -> Callable[[], list[oc.Mechanism]]:
    """That many different epsilons, uniform between 0.2 and 2 over sqrt(size)."""
    epsilons = np.random.default_rng(2).uniform(0.2, 2, size) / math.sqrt(size)
    return lambda: [oc.PureDP.many(epsilons=epsilons)]


def distinct(size: int) -> Callable[[], list[oc.Mechanism]]:
    """10,000 mechanisms that have that many different epsilons, each as often as the others."""
    epsilons = np.random.default_rng(3).uniform(0.002, 0.02, size)
    count = DISTINCT_LOSSES // size
    return lambda: [oc.PureDP(epsilon=float(epsilon)).repeated(count) for epsilon in epsilons]


def point(family: Callable[[int], Callable[[], list[oc.Mechanism]]], size: int) -> Point:
    """The least processor time of several repetitions, and the most memory."""
    make, fresh, further = family(size), [], []
    for _ in range(REPETITIONS):
        found: list[oc.Profile] = []
        fresh.append(seconds(lambda: _answer(found, make)))  # noqa: B023  # called at once
        further.append(seconds(partial(found[0].epsilon, "1e-7", width="1e-9")))
    return min(fresh), min(further), peak_megabytes()


def _answer(found: list[oc.Profile], make: Callable[[], list[oc.Mechanism]]) -> None:
    found.append(oc.compose(make()))
    found[0].epsilon(DELTA, width="1e-9")


def peak_megabytes() -> float:
    """The most memory that this process needed."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) * 1.024e-3


@dataclass(frozen=True)
class Family:
    """Compositions of more and more mechanisms.

    Args:
        name: In the names of the pictures.
        title: Of the section.
        words: About it; ``{factor}`` is the dearest time over the cheapest, for sizes from ``level`` on.
        across: What the sizes count.
        make: From a size to what makes the mechanisms.
        sizes: The sizes.
        level: From where on the time is said to grow no more, or little.
    """

    name: str
    title: str
    words: str
    across: str
    make: Callable[[int], Callable[[], list[oc.Mechanism]]]
    sizes: list[int]
    level: int

    def points(self) -> list[Point]:
        """One fresh process for each size."""
        found = []
        for size in self.sizes:
            with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
                found.append(pool.submit(point, self.make, size).result())
        return found

    def section(self) -> list[str]:
        """Two pictures and a table."""
        found = self.points()
        fresh, further, memory = (list(column) for column in zip(*found, strict=True))
        x = [float(size) for size in self.sizes]
        draw(f"time_{self.name}", x, {"new profile": fresh, "further delta": further}, across=self.across, up="seconds")
        draw(f"memory_{self.name}", x, {"process": memory}, across=self.across, up="megabytes")
        late = [taken for size, taken in zip(self.sizes, fresh, strict=True) if size >= self.level]
        rows = zip(self.sizes, found, strict=True)
        return [
            f"## {self.title}",
            "",
            textwrap.fill(self.words.format(factor=f"{max(late) / min(late):.1f}"), 120),
            "",
            f"| {self.across} | new profile | further delta | memory |",
            "| --- | --- | --- | --- |",
            *(f"| {size:,} | {a:.4f} s | {b:.4f} s | {c:.0f} MB |" for size, (a, b, c) in rows),
            "",
            f"![Time against the number of {self.across}](pictures/time_{self.name}.svg)",
            "",
            f"![Memory against the number of {self.across}](pictures/memory_{self.name}.svg)",
            "",
        ]


FAMILIES = (
    Family(
        "equal",
        "Equal mechanisms",
        "k mechanisms, each with epsilon near 1/sqrt(k), so the whole stays alike. Few of them are cheaper still; from "
        "10,000 to 10^9 the dearest profile takes {factor} times as long as the cheapest.",
        "mechanisms",
        equal,
        [10**power for power in range(1, 10)],
        10_000,
    ),
    Family(
        "different",
        "Different epsilons",
        "k epsilons, all different, uniform between 0.2 and 2 over sqrt(k), by `PureDP.many`. A hundred "
        "are dearer than thousands. From 1,000 to 10^6 the dearest profile takes {factor} times as "
        "long as the cheapest.",
        "different epsilons",
        arbitrary,
        [10**power for power in range(2, 7)],
        1_000,
    ),
    Family(
        "distinct",
        "Number of distinct parameters",
        f"Always some {DISTINCT_LOSSES:,} mechanisms, uniform between 0.002 and 0.02, but with more and more different "
        "epsilons among them, each as often as the others. Around a hundred are dearest. "
        "From 300 on the dearest profile takes {factor} times as "
        "long as the cheapest.",
        "distinct epsilons",
        distinct,
        [1, 10, 30, 100, 300, 1_000, 10_000],
        300,
    ),
)


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
    grown = [line for family in FAMILIES for line in family.section()]
    found, taken = widths(), times_of_the_scheme()
    steps, counts = [float(step) for step in STEPS], [float(k) for k in COUNTS]
    draw("width_against_step", steps, {"": found}, across="step of the grid", up="relative width of epsilon")
    draw("scheme_against_k", counts, {"": taken}, across="mechanisms", up="seconds")
    lines = [
        "# Scaling",
        "",
        textwrap.fill(
            "This page is written by `python -m benchmarks.scaling`. Times are processor seconds of one call; in the "
            f"first three sections the least of {REPETITIONS} calls, which other work on the machine disturbs least. "
            f"There epsilon is asked for at delta {DELTA}, and at 1e-7 as a further delta on the same profile, to a "
            "relative width of 1e-9, and each row is a process of its own. Memory is the most that the whole process "
            "needed, libraries included.",
            120,
        ),
        "",
        *grown,
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

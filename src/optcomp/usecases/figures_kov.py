"""The figures of Kairouz, Oh and Viswanath."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from optcomp.mechanisms import ApproxDP
from optcomp.plotting import Note, Panel, Picture, Series
from optcomp.quantities import Enclosure
from optcomp.sources import KOV15, statement_of
from optcomp.theorems import Guarantee, Term
from optcomp.theorems.basic import basic_composition
from optcomp.theorems.drv10 import advanced_composition
from optcomp.theorems.kov15 import closed_form, optimal_corners, optimal_region
from optcomp.usecases.figures_curves import compared, theorem_series
from optcomp.usecases.figures_regions import (
    ALARM,
    MISSED,
    corners_series,
    diagonal,
    guaranteed_region,
    optimal_series,
)

__all__ = ["SLACKS", "TOTALS", "growing_counts", "one_mechanism", "three_theorems"]

_EPSILON, _DELTA = Fraction(1), Fraction(1, 10)
_COUNTS = range(1, 6)
_GROWING = ((Fraction(2, 5), Fraction(0)), (Fraction(1, 10), Fraction(1, 1000)))
_MANY = Term(epsilon=Fraction(1, 10), delta=Fraction(1, 1000), count=30)

SLACKS = tuple(
    Fraction(digit, 100 * 10**power)
    for power in range(8)
    for digit in (
        95,
        90,
        85,
        80,
        75,
        70,
        65,
        60,
        55,
        50,
        45,
        40,
        35,
        30,
        27,
        24,
        22,
        20,
        18,
        16,
        15,
        14,
        13,
        12,
        11,
        10,
    )
)
"""The slacks whose guarantees are intersected: falling, from 0.95 to 1e-8."""

TOTALS = tuple(Fraction(each, 2000) for each in (60, 61, 62, 63, 64, 65, 66, 68, 70, 73, 76, *range(80, 401, 10)))
"""The total deltas of the curves, from 0.03 to 0.2."""

_WHOLE = (0.0, 1.0)


def one_mechanism() -> Picture:
    """Figure 1: the region of one mechanism."""
    corners = optimal_corners(epsilon=_EPSILON, delta=_DELTA, count=1)
    notes = (
        Note("(0, 1)", 6, 2),
        Note("(0, 1-\u03b4)", -30.5, -2.5),
        Note("(w, w)\nw = (1-\u03b4)/(1+e^\u03b5)", -26, -30),
        Note("(1-\u03b4, 0)", -20, -12),
        Note("(1, 0)", 3, 4),
    )
    boundary = corners_series(corners, label="boundary", style=0)
    region = replace(boundary, kind="region", label="what a test can reach")
    marked = replace(boundary, kind="points", label="corners", style=3, notes=notes)
    return Picture(
        name="kov_1_region",
        title="The privacy region of one (1, 0.1)-DP mechanism",
        caption=(
            "Missed detection and false alarm of every test that tells two neighbouring data sets apart from one "
            "answer of an (epsilon, delta)-DP mechanism, here with epsilon = 1 and delta = 0.1. The shaded region "
            "is what such a test can reach at best: Theorem 2.1 of Kairouz, Oh and Viswanath says that a mechanism "
            "is (epsilon, delta)-DP exactly when its tests stay inside, and for one mechanism Theorem 3.3 gives the "
            "same region. The nearer its boundary is to the grey line of blind guesses, the more private is the "
            "mechanism."
        ),
        sources=(f"{KOV15.authors} {KOV15.year}, Theorem 2.1", str(statement_of(optimal_corners))),
        panels=(
            Panel(
                title="one mechanism: epsilon = 1, delta = 0.1",
                x_label=MISSED,
                y_label=ALARM,
                series=(diagonal(), region, marked),
                x_range=(-0.23, 1.16),
                y_range=(-0.23, 1.16),
                square=True,
                legend="upper right",
            ),
        ),
    )


def growing_counts() -> Picture:
    """Figure 2: the regions of k-fold composition for growing k."""
    return Picture(
        name="kov_2_growing_k",
        title="Privacy regions of k-fold composition",
        caption=(
            "The optimal regions of k = 1 to 5 equal mechanisms by Theorem 3.3 of Kairouz, Oh and Viswanath: above, "
            "each is (0.4, 0)-DP; below, each is (0.1, 0.001)-DP. Every mechanism more moves the boundary away from "
            "the grey line of blind guesses, so an attacker's tests get better. The markers are the corners, where "
            "two of the theorem's half planes meet."
        ),
        sources=(str(statement_of(optimal_corners)), str(statement_of(optimal_region))),
        panels=tuple(_growing(epsilon, delta) for epsilon, delta in _GROWING),
    )


def _growing(epsilon: Fraction, delta: Fraction) -> Panel:
    boundaries = (optimal_series(epsilon=epsilon, delta=delta, count=k, label=f"k = {k}", style=k - 1) for k in _COUNTS)
    return Panel(
        title=f"each epsilon = {float(epsilon)}, delta = {float(delta):g}",
        x_label=MISSED,
        y_label=ALARM,
        series=(diagonal(), *boundaries),
        x_range=_WHOLE,
        y_range=_WHOLE,
        square=True,
        legend="upper right",
    )


def three_theorems() -> Picture:
    """Figure 3: what three theorems say about the 30-fold composition of (0.1, 0.001)."""
    return Picture(
        name="kov_3_theorems",
        title="Three theorems on 30 mechanisms, each (0.1, 0.001)-DP",
        caption=(
            "Above: the regions that three theorems allow for 30 mechanisms, each (0.1, 0.001)-DP. The one of "
            "Theorem 3.3 of Kairouz, Oh and Viswanath is the optimum; those of Dwork, Rothblum and Vadhan and of "
            "the closed form, Theorem 3.4, are intersections over many slacks, with every e^epsilon and delta "
            "rounded up, so each line is one that the theorem really proves. Below: the epsilon of the whole that "
            "each theorem gives at a total delta. The lower the curve, the better the theorem; a curve begins where "
            "the theorem begins to say something, and basic composition always says 3."
        ),
        sources=tuple(
            str(statement_of(each)) for each in (basic_composition, advanced_composition, closed_form, optimal_corners)
        ),
        panels=(_three_regions(), _four_curves()),
    )


def _three_regions() -> Panel:
    drawn = (
        guaranteed_region(_advanced(), label="DRV", style=1),
        guaranteed_region(_closed(), label="closed form, Thm. 3.4", style=2),
        optimal_series(epsilon=_MANY.epsilon, delta=_MANY.delta, count=_MANY.count, label="optimum, Thm. 3.3", style=0),
    )
    return Panel(
        title="regions after 30 mechanisms",
        x_label=MISSED,
        y_label=ALARM,
        series=(diagonal(), *drawn),
        x_range=_WHOLE,
        y_range=_WHOLE,
        square=True,
        legend="upper right",
    )


def _advanced() -> Iterator[Guarantee]:
    for slack in SLACKS:
        yield advanced_composition([_MANY], slack=slack)


def _closed() -> Iterator[Guarantee]:
    for slack in (*SLACKS, Fraction(0)):
        yield closed_form([_MANY], slack=slack)


def _four_curves() -> Panel:
    mechanism = ApproxDP(epsilon=_MANY.epsilon, delta=_MANY.delta).repeated(_MANY.count)
    rows = [(Enclosure.exactly(total), compared(mechanism, total)) for total in TOTALS]
    series: list[Series] = [
        theorem_series(name, ((total, found.row(name).epsilon) for total, found in rows))
        for name in ("basic", "advanced", "closed_form", "optimal")
    ]
    return Panel(
        title="epsilon of the whole at a total delta",
        x_label="total delta",
        y_label="epsilon of the whole",
        series=tuple(series),
        x_range=(0.025, 0.205),
        y_range=(0.0, 4.6),
        legend="upper right",
    )

"""A second route to each answer, in plain floats, that shares no code with optcomp.

Write L for the sum of the losses, each ``+epsilon_i`` with probability ``p_i = 1/(1 + e^(-epsilon_i))`` and
``-epsilon_i`` otherwise. At the answer x, ``delta(x) = P(L > x) - e^x Q(L > x)`` equals the target, where Q is the law
of -L. All routes compute the two tails at optcomp's answer; by Newton's step, their distance to the target tells how
far away their own answer is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from benchmarks.cases import Case
from benchmarks.fourier import tails

__all__ = ["Agreement", "check"]

_DIRECTIONS = {"remove_one": (False,), "add_one": (True,), "add_or_remove_one": (False, True)}
_MOST_WORK = 2e9  # additions of floats, a few seconds


@dataclass(frozen=True)
class Agreement:
    """How well the second route agrees.

    Args:
        route: Its name.
        distance: Between the two answers, relative.
    """

    route: str
    distance: float


def check(case: Case, epsilon: Fraction) -> Agreement:
    """Compute delta at ``epsilon`` by another route, and say how far off ``epsilon`` would be by its word."""
    span = sum(Fraction(group.epsilon) * group.count for group in case.guarantees)
    if case.step is None:
        route, gap, below = "Fourier integral", *_fourier(case, epsilon)
    elif case.losses * float(span / case.step) <= _MOST_WORK:
        route, gap, below = "one at a time", *_gap(case, _one_at_a_time(case, epsilon))
    elif len(case.guarantees) == 1:
        route, gap, below = "incomplete beta", *_gap(case, _incomplete_beta(case, epsilon))
    else:
        raise ValueError(f"no second route for {case.name}")
    return Agreement(route, abs(gap) / (below * float(epsilon)))


def _gap(case: Case, found: tuple[float, float]) -> tuple[float, float]:
    above, below = found
    return above - below - float(case.finite_target), below


def _fourier(case: Case, epsilon: Fraction) -> tuple[float, float]:
    """How far delta is from the target, and the lower tail; of the two directions, the one with the larger delta."""
    found = [tails(case, float(epsilon), added=added) for added in _DIRECTIONS[case.adjacency or "remove_one"]]
    delta, below = max(found)
    return delta - float(case.finite_target), below


def _one_at_a_time(case: Case, epsilon: Fraction) -> tuple[float, float]:
    """``P(L > x)`` and ``e^x Q(L > x)``, the losses added one after another on their lattice.

    Only additions and multiplications of positive numbers, so each mass is off by some 1e-16 per loss, relatively.
    """
    total, step = sum(Fraction(group.epsilon) * group.count for group in case.guarantees), case.step
    if step is None:
        raise ValueError("no lattice")
    # L = total - 2 step D: the masses of D = 0 .. cells-1 are those with L > x.
    cells = math.ceil((total - epsilon) / (2 * step))
    masses = np.zeros(cells)
    masses[0] = 1.0
    for group in case.guarantees:
        shift = int(Fraction(group.epsilon) / step)
        up, down = 1 / (1 + math.exp(-float(group.epsilon))), 1 / (1 + math.exp(float(group.epsilon)))
        for _ in range(group.count):
            moved = down * masses[: max(cells - shift, 0)]
            masses *= up
            masses[shift:] += moved
    beyond = float(total - epsilon) - 2 * float(step) * np.arange(cells)
    return float(masses.sum()), float((masses * np.exp(-beyond)).sum())


def _incomplete_beta(case: Case, epsilon: Fraction) -> tuple[float, float]:
    """The same for equal losses, with scipy's regularized incomplete beta function."""
    from scipy.special import betainc

    (group,) = case.guarantees
    loss, count = Fraction(group.epsilon), group.count
    least = math.floor((epsilon / loss + count) / 2) + 1
    up, down = 1 / (1 + math.exp(-float(loss))), 1 / (1 + math.exp(float(loss)))
    above = float(betainc(least, count - least + 1, up))
    return above, math.exp(float(epsilon)) * float(betainc(least, count - least + 1, down))

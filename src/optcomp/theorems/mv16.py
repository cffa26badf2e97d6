"""The polynomial-time approximation of the optimum by Murtagh and Vadhan.

With ``beta (k + E + 1) <= eta``, ``step = ln(1 + beta)`` and the integers ``a_i = ceil(epsilon_i (1/beta + 1))`` each
epsilon is raised to ``a_i step``, by c in all, ``c + step <= eta``. The raised values lie on a lattice, where the
optimum is computed by dynamic programming over the ``B = sum a_i`` possible sums instead of 2^k subsets. Raising
epsilons by c raises the finite delta by at most ``e^(c/2)`` when x is raised by c too, which gives both inequalities.

Floats are rounded towards failing the test, so the answer is never below the optimum. What the rounding can cost on the
other side is paid out of eta: a thousandth of it is set aside, and checked to be enough.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from optcomp.errors import UndecidedError, UnsupportedError
from optcomp.numerics.balls import Ball, ball, enclose, ends, hull, nearest_float, precision
from optcomp.numerics.binomial import LARGEST_COUNT, binomial
from optcomp.numerics.bracket import least_true
from optcomp.numerics.lattice import convolve, point
from optcomp.numerics.saddle import tail_for
from optcomp.numerics.survival import compare_with, share_beyond
from optcomp.numerics.tail import Tail
from optcomp.quantities import Enclosure, Number, Real, floor_to_digits, positive_rational, probability
from optcomp.sources import MV16, states
from optcomp.theorems.base import Term, certain, evaluate, exact_sum, positive_terms, refuse

__all__ = ["Approximation", "approximate_optimum"]

_BITS = 128
_SET_ASIDE = Fraction(1, 1000)
_MOST_CELLS = 3e7
_DIGITS = 20


@dataclass(frozen=True)
class Approximation:
    """The answer, and how it was reached.

    Args:
        epsilon: An enclosure of the number ``j step``; its upper end is what the guarantee is about. Infinite, or the
            exact sum of all epsilons, in the cases that need no computation.
        steps: j; None in those cases.
        total_weight: B, which the running time is proportional to; 0 in those cases.
    """

    epsilon: Enclosure
    steps: int | None = None
    total_weight: int = 0


@states(MV16, "Theorem 1.7")
def approximate_optimum(terms: Iterable[Term], *, delta: Number, tolerance: Number) -> Approximation:
    """An epsilon between the optimum and nearly the optimum, in polynomial time.

    Args:
        terms: The mechanisms, with any rational parameters (or logarithms of rationals).
        delta: The total delta, between 0 and 1.
        tolerance: eta, in (0, 1).

    **Guarantee**: with OptComp(d) the least epsilon at a total delta d,
    ``OptComp(delta) <= epsilon.upper <= OptComp(e^(-eta/2) delta) + eta``.

    Raises:
        InvalidParameterError: When a number is out of range.
        UnsupportedError: When B is too large for memory.
        UndecidedError: When the tolerance is so small that rounding would use it up.
    """
    known, wanted = positive_terms(terms), probability(delta, field="delta")
    eta = positive_rational(tolerance, field="tolerance")
    if eta >= 1:
        raise refuse("tolerance", tolerance, "must be below 1", "Give a number such as 0.01.")
    if wanted == 1:
        return Approximation(certain(0))
    failures = tuple(sorted((term.delta, term.count) for term in known if term.delta))
    side = compare_with(failures, wanted)
    if side < 0:
        return Approximation(Enclosure.exactly(math.inf))
    if side == 0:
        return Approximation(exact_sum(known))
    losses = tuple((term.epsilon, term.count) for term in known if term.epsilon != 0 and term.delta != 1)
    if not losses:
        return Approximation(certain(0))
    return _on_the_lattice(losses, share_beyond(failures, wanted), eta)


def _on_the_lattice(losses: tuple[tuple[Real, int], ...], target: Enclosure, eta: Fraction) -> Approximation:
    tops = [(_upper(epsilon), count) for epsilon, count in losses]
    size, total = sum(count for _, count in tops), sum((top * count for top, count in tops), start=Fraction(0))
    ratio = floor_to_digits(eta * (1 - _SET_ASIDE) / (size + total + 1), _DIGITS)
    weights = [(math.ceil(top * (1 / ratio + 1)), count) for top, count in tops]
    raised = _Raised(weights, ratio, target)
    steps = least_true(raised.passes, 0, raised.total)
    if (
        steps and raised.error(steps - 1) * 3 > eta * _SET_ASIDE
    ):  # that step failed: by how much can it have been wrong?
        raise UndecidedError(
            field="tolerance",
            value=eta,
            condition="is so small that rounding uses it up",
            remedy="Ask for a larger tolerance, or for the optimum itself.",
        )
    return Approximation(evaluate(lambda: steps * ball(1 + ratio).log(), what="epsilon"), steps, raised.total)


def _upper(epsilon: Real) -> Fraction:
    if isinstance(epsilon, Fraction):
        return epsilon
    with precision(2 * _BITS):
        return Fraction(enclose(ball(epsilon)).upper)


class _Raised:
    """The raised values ``a_i step`` on their lattice."""

    def __init__(self, weights: list[tuple[int, int]], ratio: Fraction, target: Enclosure) -> None:
        self.target, self.total = target, sum(weight * count for weight, count in weights)
        with precision(_BITS):
            self.step = ball(1 + ratio).log()
            step, log_target = nearest_float(self.step), nearest_float(hull(target).log())
            values, counts = (np.array(part, dtype=np.float64) for part in zip(*weights, strict=True))
            self._refuse_too_many(values, counts)
            self.tilt = Fraction(tail_for(values * step, counts, log_target).tilt)
            law, self.cumulant = point(), ball(0)
            for weight, count in weights:
                power, value = ball(self.tilt) + ball(Fraction(1, 2)), weight * self.step
                odds = nearest_float((-2 * power * value).exp())
                law = convolve(law, binomial(count, odds), weight)
                self.cumulant += count * ((power * value).cosh() / (value / 2).cosh()).log()
            self.tail = Tail(law, unit=2 * self.step, tilt=ball(self.tilt))

    @staticmethod
    def _refuse_too_many(weights: np.ndarray, counts: np.ndarray) -> None:
        reach = min(float(weights @ counts), 30 * math.sqrt(float(weights**2 @ counts)) + 200 * float(weights.max()))
        if reach > _MOST_CELLS or counts.max() > LARGEST_COUNT:
            raise UnsupportedError(
                field="tolerance",
                value=f"{reach:.0e} cells",
                condition="asks for a table that does not fit in memory",
                remedy="Ask for a larger tolerance, or for the optimum itself.",
            )

    def passes(self, steps: int) -> bool:
        """Whether the raised values' delta at ``steps * step`` is certainly at most the target."""
        if steps >= self.total:
            return True
        return self._ends(steps)[1] <= self.target.lower

    def error(self, steps: int) -> Fraction | float:
        """The relative width of the raised values' delta at ``steps * step``."""
        low, high = self._ends(steps)
        return (high - low) / high if high > 0 else math.inf

    def _ends(self, steps: int) -> tuple[Fraction | float, Fraction | float]:
        with precision(_BITS):
            return ends(self._delta(steps))

    def _delta(self, steps: int) -> Ball:
        place = (self.total - steps) // 2
        gap = (steps - (self.total - 2 * place)) * self.step
        falling, border = self.tail.sums(place)
        scale = (self.cumulant - ball(self.tilt) * (self.total - 2 * place) * self.step).exp()
        return scale * (falling - gap.expm1() * border)

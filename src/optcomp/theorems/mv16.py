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
from optcomp.numerics.balls import ball, enclose, ends, hull, nearest_float, precision
from optcomp.numerics.binomial import LARGEST_COUNT, binomial
from optcomp.numerics.bracket import least_true
from optcomp.numerics.lattice import convolve, point
from optcomp.numerics.saddle import tail_at, tail_for
from optcomp.numerics.survival import compare_with, share_beyond
from optcomp.numerics.tail import Tail
from optcomp.quantities import Enclosure, Number, Real, floor_to_digits, positive_rational, probability
from optcomp.sources import MV16, states
from optcomp.theorems.base import Term, certain, evaluate, exact_sum, positive_terms, refuse

__all__ = ["Approximation", "RaisedLattice", "approximate_optimum"]

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
    raised = RaisedLattice(losses, eta * (1 - _SET_ASIDE))
    raised.tilt_for(target)
    steps = least_true(lambda j: raised.ends(j)[1] <= target.lower, 0, raised.total)
    if (
        steps and raised.error(steps - 1) * 3 > eta * _SET_ASIDE
    ):  # that step failed: by how much can it have been wrong?
        raise UndecidedError(
            field="tolerance",
            value=eta,
            condition="is so small that rounding uses it up",
            remedy="Ask for a larger tolerance, or for the optimum itself.",
        )
    return Approximation(evaluate(lambda: steps * ball(1 + raised.ratio).log(), what="epsilon"), steps, raised.total)


class RaisedLattice:
    """The epsilons raised to multiples ``a_i step`` of one step, by at most ``eta - step`` in all.

    Args:
        losses: Epsilons above 0, each with its count.
        eta: What the raising may cost.
    """

    def __init__(self, losses: tuple[tuple[Real, int], ...], eta: Fraction) -> None:
        tops = [(_upper(epsilon), count) for epsilon, count in losses]
        size, total = sum(count for _, count in tops), sum((top * count for top, count in tops), start=Fraction(0))
        self.ratio = floor_to_digits(eta / (size + total + 1), _DIGITS)
        self._weights = [(math.ceil(top * (1 / self.ratio + 1)), count) for top, count in tops]
        self.total = sum(weight * count for weight, count in self._weights)
        with precision(_BITS):
            self.step = ball(1 + self.ratio).log()
        self._values, self._counts = (np.array(part, dtype=np.float64) for part in zip(*self._weights, strict=True))
        self._refuse_too_many()

    def _refuse_too_many(self) -> None:
        most = min(
            float(self._values @ self._counts),
            30 * math.sqrt(float(self._values**2 @ self._counts)) + 200 * float(self._values.max()),
        )
        if most > _MOST_CELLS or self._counts.max() > LARGEST_COUNT:
            raise UnsupportedError(
                field="tolerance",
                value=f"{most:.0e} cells",
                condition="asks for a table that does not fit in memory",
                remedy="Ask for a larger tolerance, or for the optimum itself.",
            )

    def tilt_for(self, target: Enclosure) -> None:
        """Fill the table so that it is sharp where delta is about the target."""
        with precision(_BITS):
            step, log_target = nearest_float(self.step), nearest_float(hull(target).log())
        self._fill(Fraction(tail_for(self._values * step, self._counts, log_target).tilt))

    def tilt_at(self, x: float) -> None:
        """Fill the table so that it is sharp near an epsilon."""
        with precision(_BITS):
            step = nearest_float(self.step)
        self._fill(Fraction(tail_at(self._values * step, self._counts, x).tilt))

    def _fill(self, tilt: Fraction) -> None:
        with precision(_BITS):
            law, self._cumulant, self._tilt = point(), ball(0), tilt
            for weight, count in self._weights:
                power, value = ball(tilt) + ball(Fraction(1, 2)), weight * self.step
                law = convolve(law, binomial(count, nearest_float((-2 * power * value).exp())), weight)
                self._cumulant += count * ((power * value).cosh() / (value / 2).cosh()).log()
            self._tail = Tail(law, unit=2 * self.step, tilt=ball(tilt))

    def error(self, steps: int) -> Fraction | float:
        """The relative width of the raised values' delta at ``steps * step``."""
        low, high = self.ends(steps)
        return (high - low) / high if high > 0 else math.inf

    def ends(self, steps: int) -> tuple[Fraction | float, Fraction | float]:
        """The raised values' delta at ``steps * step``: two numbers around it."""
        if steps >= self.total:
            return Fraction(0), Fraction(0)
        with precision(_BITS):
            place = (self.total - steps) // 2
            gap = (steps - (self.total - 2 * place)) * self.step
            falling, border = self._tail.sums(place)
            scale = (self._cumulant - ball(self._tilt) * (self.total - 2 * place) * self.step).exp()
            return ends(scale * (falling - gap.expm1() * border))


def _upper(epsilon: Real) -> Fraction:
    if isinstance(epsilon, Fraction):
        return epsilon
    with precision(2 * _BITS):
        return Fraction(enclose(ball(epsilon)).upper)

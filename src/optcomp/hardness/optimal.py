"""The last step: a sum out of an oracle for the least epsilon of a composition.

With the epsilons ``ln w`` the sum at the ratio r is the product of ``1 + w`` times the delta whose least epsilon is
ln r. The least epsilon falls as delta rises, so bisection finds that delta.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition import compose
from optcomp.errors import UndecidedError
from optcomp.hardness.problems import OptimalComposition, SumPartition
from optcomp.hardness.roots import enclosure_of
from optcomp.hardness.weights import Weights
from optcomp.mechanisms import PureDP
from optcomp.numerics.balls import ball, enclose, precision
from optcomp.quantities import Enclosure, Logarithm, Number, positive_rational
from optcomp.sources import MV16, states

__all__ = ["EpsilonOracle", "Found", "composition_oracle", "exact_oracle", "sum_from_epsilons"]

EpsilonOracle = Callable[[Fraction], Enclosure]
"""An enclosure of the least epsilon at a delta."""

_BITS = 160
_ELSEWHERE = 37  # where the oracle cannot answer at the middle, it is asked this part of the interval beside it


@dataclass(frozen=True)
class Found:
    """A sum, and what it took.

    Args:
        value: An enclosure of the sum.
        delta: An enclosure of the delta that was searched for.
        calls: How often the oracle was asked.
    """

    value: Enclosure
    delta: Enclosure
    calls: int


def composition_oracle(weights: Weights) -> EpsilonOracle:
    """An oracle that is `optcomp.compose` itself, for mechanisms with the epsilons ``ln w``.

    **Guarantee**: an enclosure of the least epsilon; it raises `UndecidedError` where the library's engines do.
    """
    profile = compose([PureDP(epsilon=epsilon) for epsilon in weights.logarithms])
    return lambda delta: profile.epsilon(delta=delta)


def exact_oracle(weights: Weights) -> EpsilonOracle:
    """An oracle that solves `OptimalComposition` exactly and encloses the answer to about 40 digits."""
    return lambda delta: OptimalComposition(weights, delta).enclosure()


@states(MV16, "#P-completeness, step from sums to optimal composition")
def sum_from_epsilons(problem: SumPartition, oracle: EpsilonOracle, *, width: Number) -> Found:
    """The value of a sum problem by bisection with an oracle for the least epsilon.

    Args:
        problem: The weights and the ratio r.
        oracle: Answers at a delta for the epsilons ``ln w``, all with delta 0.
        width: How wide the enclosure of the sum may be.

    **Guarantee**: when the oracle is right, the sum lies in ``value``, whose width is at most ``width``.

    Raises:
        UndecidedError: When the oracle is not accurate enough for that width.
        InvalidParameterError: When the width is not above 0.
    """
    whole, wanted = enclosure_of(problem.weights.one_plus), positive_rational(width, field="width")
    search = _Bisection(oracle, _logarithm(problem.ratio))
    if problem.ratio != 1:
        search.ask(Fraction(0))
    while _times(search.low, search.high, whole).width > wanted:
        search.step()
    return Found(_times(search.low, search.high, whole), Enclosure(search.low, search.high), search.calls)


def _times(low: Fraction, high: Fraction, whole: Enclosure) -> Enclosure:
    return Enclosure(low * Fraction(whole.lower), high * Fraction(whole.upper))


def _logarithm(ratio: Fraction) -> Enclosure:
    found = Logarithm.of(ratio)
    if isinstance(found, Fraction):
        return Enclosure.exactly(found)
    with precision(_BITS):
        return enclose(ball(found))


class _Bisection:
    """An interval of deltas around the one whose least epsilon is wanted."""

    def __init__(self, oracle: EpsilonOracle, epsilon: Enclosure) -> None:
        self._oracle, self._epsilon = oracle, epsilon
        self.low, self.high, self.calls = Fraction(0), Fraction(1), 0

    def step(self) -> None:
        """Ask in the middle, or beside it where the oracle cannot answer."""
        middle, size = (self.low + self.high) / 2, self.high - self.low
        try:
            self.ask(middle)
        except UndecidedError:
            self.ask(middle + size / _ELSEWHERE)
        if self.high - self.low > size * 3 / 4:
            raise UndecidedError(
                field="oracle",
                value=str(self._oracle(middle)),
                condition="must answer more accurately than that",
                remedy="Ask for a wider enclosure of the sum.",
                reached=Enclosure(self.low, self.high),
            )

    def ask(self, delta: Fraction) -> None:
        """Narrow the interval by the oracle's answer at one delta."""
        self.calls += 1
        found = self._oracle(delta)
        wanted_low, wanted_high = Fraction(self._epsilon.lower), Fraction(self._epsilon.upper)
        low, high = Fraction(found.lower), Fraction(found.upper)
        if high <= wanted_low:
            self.high = min(self.high, delta)
        elif low > wanted_high:
            self.low = max(self.low, delta)
        else:  # delta as a function of epsilon falls by at most the change of epsilon
            self.high = min(self.high, delta + max(Fraction(0), high - wanted_low))
            if low > 0:
                self.low = max(self.low, delta - max(Fraction(0), wanted_high - low))

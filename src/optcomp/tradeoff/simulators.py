"""Every (epsilon, delta)-DP mechanism, made from randomized response: the explicit kernels of both papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import InvalidParameterError
from optcomp.quantities import Logarithm, Number, exact_text, probability
from optcomp.sources import KOV15, MV16, states
from optcomp.tradeoff.finite import FinitePair, checked_pair, rational_odds
from optcomp.tradeoff.kernels import Kernel

__all__ = ["TwoStages", "simulate", "simulate_in_two_stages"]

_Row = tuple[Fraction, ...]


@states(KOV15, "Theorem 2.5, for randomized response")
def simulate(pair: FinitePair, *, epsilon: Number, delta: Number) -> Kernel:
    """The kernel that makes a mechanism from the four-outcome randomized response.

    Args:
        pair: A mechanism that is (epsilon, delta)-DP on its two data sets, in both orders.
        epsilon: The logarithm of a rational number, such as ``ln(3)``, or 0.
        delta: Between 0 and 1.

    **Guarantee**: ``kernel.carries(FinitePair.randomized_response(epsilon=, delta=), pair)``, exactly.

    Raises:
        InvalidParameterError: When ``e^epsilon`` is not rational, or the mechanism is not (epsilon, delta)-DP.

    Source: Kairouz, Oh, Viswanath, Theorem 2.5; Murtagh, Vadhan, section 3.
    """
    odds, failing = rational_odds(epsilon), probability(delta, field="delta")
    _refuse_leaky(pair, odds, failing)
    if failing == 1:
        return _verified(Kernel((pair.first, pair.first, pair.second, pair.second)), pair, odds, failing)
    lower, upper = _kept(pair, odds)
    lower, upper = _balanced(lower, upper, odds)
    scale = (1 - failing) / sum(lower)
    lower, upper = tuple(scale * p for p in lower), tuple(scale * q for q in upper)
    inner = 1 - failing
    if odds == 1:
        middle = tuple(p / inner for p in lower)
        rows = (_rest(pair.first, lower, failing), middle, middle, _rest(pair.second, upper, failing))
    else:
        width = inner * (odds - 1)
        rows = (
            _rest(pair.first, lower, failing),
            tuple((odds * p - q) / width for p, q in zip(lower, upper, strict=True)),
            tuple((odds * q - p) / width for p, q in zip(lower, upper, strict=True)),
            _rest(pair.second, upper, failing),
        )
    return _verified(Kernel(rows), pair, odds, failing)


@dataclass(frozen=True)
class TwoStages:
    """A simulation with a stop in between.

    Args:
        generalised: The four-outcome pair with the mechanism's own two deltas.
        first: From randomized response to it.
        second: From it to the mechanism.
    """

    generalised: FinitePair
    first: Kernel
    second: Kernel

    @property
    def combined(self) -> Kernel:
        """From randomized response to the mechanism."""
        return self.first.then(self.second)


@states(MV16, "the simulation in two stages")
def simulate_in_two_stages(pair: FinitePair, *, epsilon: Number, delta: Number) -> TwoStages:
    """The same in two steps, by way of a randomized response with one delta for each order of the data sets.

    The arguments, the guarantee (for ``combined``) and the errors are those of `simulate`.

    Source: Murtagh, Vadhan, section 3.
    """
    odds, failing = rational_odds(epsilon), probability(delta, field="delta")
    _refuse_leaky(pair, odds, failing)
    one, other = pair.delta_at(odds), pair.swapped.delta_at(odds)
    middle = _generalised(odds, one, other)
    lower, upper = _kept(pair, odds)
    if odds == 1:
        shared = _share(lower, 1 - one)
        inner = (shared, shared)
    else:
        inner = (
            _share(tuple(odds * p - q for p, q in zip(lower, upper, strict=True)), odds * (1 - one) - (1 - other)),
            _share(tuple(odds * q - p for p, q in zip(lower, upper, strict=True)), odds * (1 - other) - (1 - one)),
        )
    second = Kernel((_rest(pair.first, lower, one), *inner, _rest(pair.second, upper, other)))
    if not second.carries(middle, pair):
        raise ArithmeticError("the second stage does not carry the generalised pair to the mechanism")
    return TwoStages(middle, simulate(middle, epsilon=epsilon, delta=delta), second)


def _generalised(odds: Fraction, one: Fraction, other: Fraction) -> FinitePair:
    """The pair ``(d0, t x, y, 0)`` against ``(0, x, t y, d1)``."""
    if odds == 1:
        x = y = (1 - one) / 2
    else:
        x = (odds * (1 - one) - (1 - other)) / (odds**2 - 1)
        y = (odds * (1 - other) - (1 - one)) / (odds**2 - 1)
    return FinitePair(first=(one, odds * x, y, 0), second=(0, x, odds * y, other))


def _refuse_leaky(pair: FinitePair, odds: Fraction, delta: Fraction) -> None:
    checked_pair(pair, "pair")
    least = max(pair.delta_at(odds), pair.swapped.delta_at(odds))
    if delta < least:
        raise InvalidParameterError(
            field="delta",
            value=exact_text(delta),
            condition=f"must be at least the mechanism's own delta at this epsilon, {exact_text(least)}",
            remedy="Raise delta or epsilon.",
        )


def _kept(pair: FinitePair, odds: Fraction) -> tuple[_Row, _Row]:
    """What is left of both rows after the parts that exceed ``odds`` times the other row are cut off."""
    both = list(zip(pair.first, pair.second, strict=True))
    return tuple(min(p, odds * q) for p, q in both), tuple(min(q, odds * p) for p, q in both)


def _balanced(lower: _Row, upper: _Row, odds: Fraction) -> tuple[_Row, _Row]:
    """Rows with equal sums, the smaller of both, that still differ by at most a factor of ``odds`` everywhere."""
    mass, other = sum(lower), sum(upper)
    if mass > other:
        return _shrunk(lower, upper, odds), upper
    return (lower, _shrunk(upper, lower, odds)) if other > mass else (lower, upper)


def _shrunk(larger: _Row, smaller: _Row, odds: Fraction) -> _Row:
    """The larger row moved towards ``smaller/odds``, its least allowed value, until its sum is that of the other."""
    floor = [q / odds for q in smaller]
    wanted = sum(smaller)
    share = (wanted - wanted / odds) / (sum(larger) - wanted / odds)
    return tuple(least + share * (p - least) for p, least in zip(larger, floor, strict=True))


def _rest(whole: _Row, kept: Sequence[Fraction], mass: Fraction) -> _Row:
    """What was cut off, as a law."""
    return _share(tuple(p - k for p, k in zip(whole, kept, strict=True)), mass)


def _share(row: _Row, mass: Fraction) -> _Row:
    """The row over its sum; where that is 0 the outcome never happens, and any law will do."""
    if mass == 0:
        return (Fraction(1), *(Fraction(0) for _ in row[1:]))
    return tuple(each / mass for each in row)


def _verified(kernel: Kernel, pair: FinitePair, odds: Fraction, delta: Fraction) -> Kernel:
    source = FinitePair.randomized_response(epsilon=Logarithm.of(odds), delta=delta)
    if not kernel.carries(source, pair):
        raise ArithmeticError("the kernel does not carry randomized response to the mechanism")
    return kernel

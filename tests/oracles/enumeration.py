"""Losses with finitely many values, composed value by value in decimals of 70 digits, from the definitions alone."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction

Atoms = list[tuple[Decimal, Decimal]]  # losses and their probabilities under P

DIGITS = Context(prec=70, Emin=-(10**15), Emax=10**15)
_GRAIN = Decimal("1e-55")  # values closer than that are one value
ZERO, ONE = Decimal(0), Decimal(1)


def decimal(value: Fraction | float) -> Decimal:
    if isinstance(value, float):
        return Decimal(value)
    with localcontext(DIGITS):
        return Decimal(value.numerator) / Decimal(value.denominator)


def two_point(epsilon: Fraction) -> Atoms:
    with localcontext(DIGITS):
        rate = decimal(epsilon)
        decay = (-rate).exp()
        return [(rate, 1 / (1 + decay)), (-rate, decay / (1 + decay))]


def randomized_response(own: Fraction, categories: int) -> Atoms:
    with localcontext(DIGITS):
        other = (1 - own) / (categories - 1)
        loss = (decimal(own) / decimal(other)).ln()
        atoms = [(loss, decimal(own)), (-loss, decimal(other)), (ZERO, decimal(1 - own - other))]
        return [(value, likely) for value, likely in atoms if likely > 0]


def staircase(epsilon: Fraction, gamma: Fraction) -> Atoms:
    with localcontext(DIGITS):
        rate, place = decimal(epsilon), decimal(gamma)
        decay = (-rate).exp()
        height = (1 - decay) / (2 * (place + decay * (1 - place)))
        middle = abs(1 - 2 * place) * (decay if gamma < Fraction(1, 2) else ONE) * height
        sides = (1 - middle) / (1 + decay)
        atoms = [(ZERO, middle), (rate, sides), (-rate, sides * decay)]
        return [(value, likely) for value, likely in atoms if likely > 0]


def discrete_laplace(scale: Fraction, sensitivity: int) -> Atoms:
    with localcontext(DIGITS):
        rate = 1 / decimal(scale)
        decay = (-rate).exp()
        unit = (1 - decay) / (1 + decay)
        inner = [((sensitivity - 2 * place) * rate, unit * (-rate * place).exp()) for place in range(1, sensitivity)]
        ends = [(sensitivity * rate, ONE), (-sensitivity * rate, (-rate * sensitivity).exp())]
        return inner + [(value, likely * unit / (1 - decay)) for value, likely in ends]


def discrete_gaussian(variance: Fraction, sensitivity: int) -> Atoms:
    """All noise but some of a probability below 1e-60, under either law."""
    with localcontext(DIGITS):
        spread = int((2 * decimal(variance) * 160).sqrt()) + 2 + 4 * sensitivity
        weights = {x: (-Decimal(x * x) / (2 * decimal(variance))).exp() for x in range(-spread, spread + 1)}
        total = sum(weights.values())
        return [
            (Decimal(sensitivity * (sensitivity - 2 * x)) / (2 * decimal(variance)), weight / total)
            for x, weight in weights.items()
        ]


def sampled(atoms: Atoms, share: Fraction, direction: str, failure: Fraction = Fraction(0)) -> tuple[Fraction, Atoms]:
    """The failure probability and the finite losses of a mechanism on a Poisson sample."""
    with localcontext(DIGITS):
        q, lost = decimal(share), decimal(failure)
        found = []
        for loss, likely in atoms:
            without, record = (1 - lost) * likely * (-loss).exp(), (1 - lost) * likely
            mixed = (1 - q) * without + q * record
            found.append(
                ((mixed / without).ln(), mixed) if direction == "remove" else ((without / mixed).ln(), without)
            )
        if failure:
            last = (1 - q).ln()
            found.append((last, (1 - q) * lost) if direction == "remove" else (-last, lost))
        fails = share * failure if direction == "remove" else Fraction(0)
        whole = 1 - decimal(fails)
        return fails, [(loss, likely / whole) for loss, likely in found]


def together(first: Atoms, second: Atoms) -> Atoms:
    with localcontext(DIGITS):
        found: dict[Decimal, Decimal] = {}
        for a, p in first:
            for b, q in second:
                place = (a + b).quantize(_GRAIN)
                found[place] = found.get(place, ZERO) + p * q
        return list(found.items())


class Enumerated:
    """A composition of several losses, each with its count, and the probability of a failure."""

    def __init__(self, parts: Sequence[tuple[Atoms, int]], failure: Fraction = Fraction(0)) -> None:
        whole: Atoms = [(ZERO, ONE)]
        for atoms, count in parts:
            for _ in range(count):
                whole = together(whole, atoms)
        self.atoms = sorted(whole, reverse=True)
        self.failure = decimal(failure)

    def delta(self, x: Fraction) -> Decimal:
        with localcontext(DIGITS):
            return self.failure + (1 - self.failure) * self._finite(decimal(x))

    def epsilon(self, delta: Fraction) -> Decimal:
        """The least ``x >= 0``, infinite below the failure."""
        with localcontext(DIGITS):
            wanted = (decimal(delta) - self.failure) / (1 - self.failure)
            if wanted < 0:
                return Decimal("Infinity")
            if self._finite(ZERO) <= wanted:
                return ZERO
            likely = unlikely = ZERO
            following = [value for value, _ in self.atoms[1:]] + [Decimal(-1)]
            for (value, weight), after in zip(self.atoms, following, strict=True):
                likely, unlikely = likely + weight, unlikely + weight * (-value).exp()
                if after <= 0 or likely - after.exp() * unlikely >= wanted:
                    return ((likely - wanted) / unlikely).ln()
        raise AssertionError

    def _finite(self, x: Decimal) -> Decimal:
        return sum((weight * (1 - (x - value).exp()) for value, weight in self.atoms if value > x), start=ZERO)

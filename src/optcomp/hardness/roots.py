"""Sums of rational multiples of powers ``base**e`` with rational e: exact, with an exact test for 0.

The base is a rational above 1 that is no power of another rational. Then ``x**n - base`` is irreducible over the
rationals, so the powers with exponents in [0, 1) are linearly independent, and a sum is 0 only when it has no terms.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.errors import InvalidParameterError, UndecidedError
from optcomp.numerics.balls import Ball, ball, enclose, refine, sign
from optcomp.quantities import Enclosure, Logarithm, Number, positive_rational, rational

__all__ = ["Exact", "RootSum", "compare", "enclosure_of", "exact_sum_of", "floor_of", "logarithm_enclosure", "power"]

_BITS = 160
_TERM = re.compile(
    r"\s*([+-])?\s*(?:([\d./]+)\s*\*\s*)?(?:sqrt\(\s*([\d./]+)\s*\)|([\d.]+)\s*\^\s*\(\s*(\d+/\d+)\s*\))(?:\s*/\s*(\d+))?"
    r"|\s*([+-])?\s*([\d./]+)",
    re.ASCII,
)


@dataclass(frozen=True)
class RootSum:
    """The irrational number ``sum of coefficient * base**exponent``.

    Args:
        base: A rational above 1 that is no power.
        terms: Pairs of an exponent in [0, 1) and a coefficient other than 0, in order; one exponent is above 0.
    """

    base: Fraction
    terms: tuple[tuple[Fraction, Fraction], ...]

    def __add__(self, other: Exact | int) -> Exact:
        return exact_sum_of((self, other if isinstance(other, RootSum) else Fraction(other)))

    def __radd__(self, other: Fraction | int) -> Exact:
        return self + other

    def __neg__(self) -> RootSum:
        return RootSum(self.base, tuple((exponent, -coefficient) for exponent, coefficient in self.terms))

    def __sub__(self, other: Exact | int) -> Exact:
        return self + -other

    def __rsub__(self, other: Fraction | int) -> Exact:
        return -self + other

    def __mul__(self, other: Exact | int) -> Exact:
        factor = other if isinstance(other, RootSum) else Fraction(other)
        base = _common_base((self, factor))
        return _collected(base, ((e + f, c * d) for e, c in self.terms for f, d in _terms(factor)))

    def __rmul__(self, other: Fraction | int) -> Exact:
        return self * other

    @staticmethod
    def read(value: Number | RootSum, *, field: str) -> Exact:
        """Read a number, or text such as ``sqrt(2)``, ``3*sqrt(2)/2``, ``2^(3/2)-2^(1/2)``.

        Raises:
            InvalidParameterError: For anything else.
        """
        if isinstance(value, RootSum):
            return value
        if not isinstance(value, str) or not ("sqrt" in value or "^" in value):
            return rational(value, field=field)
        place, found = 0, []
        while place < len(value.rstrip()):
            match = _TERM.match(value, place)
            if not match or (place and not (match[1] or match[7])):
                raise InvalidParameterError(
                    field=field,
                    value=value,
                    condition="must be a sum of numbers and square roots",
                    remedy="Write it as 3*sqrt(2) or 1/2.",
                )
            found.append(_read_term(match, field))
            place = match.end()
        return exact_sum_of(found)


Exact = Fraction | RootSum
"""A number that is known exactly."""


def _read_term(match: re.Match[str], field: str) -> Exact:
    minus = Fraction(-1 if "-" in (match[1], match[7]) else 1)
    if match[8]:
        return minus * rational(match[8], field=field)
    factor = minus * (rational(match[2], field=field) if match[2] else 1)
    factor /= positive_rational(match[6], field=field) if match[6] else 1
    base = positive_rational(match[3] or match[4], field=field)
    exponent = Fraction(1, 2) if match[3] else positive_rational(match[5], field=field)
    return factor * power(base, exponent)


def power(base: Fraction, exponent: Fraction) -> Exact:
    """The number ``base**exponent`` for a positive rational base."""
    log = Logarithm.of(base)
    if not isinstance(log, Logarithm):
        return Fraction(1)
    return _collected(log.base, [(log.multiple * exponent, Fraction(1))])


def exact_sum_of(values: Iterable[Exact]) -> Exact:
    """The sum of exact numbers that share a base.

    Raises:
        UndecidedError: When two of them are roots of different bases.
    """
    known = list(values)
    base = _common_base(known)
    return _collected(base, (term for value in known for term in _terms(value)))


def _collected(base: Fraction, terms: Iterable[tuple[Fraction, Fraction]]) -> Exact:
    found: dict[Fraction, Fraction] = {}
    for exponent, coefficient in terms:
        whole = math.floor(exponent)
        share = coefficient * base**whole if whole else coefficient
        found[exponent - whole] = found.get(exponent - whole, Fraction(0)) + share
    left = tuple(sorted((exponent, value) for exponent, value in found.items() if value))
    if not any(exponent for exponent, _ in left):
        return left[0][1] if left else Fraction(0)
    return RootSum(base, left)


def _terms(value: Exact) -> tuple[tuple[Fraction, Fraction], ...]:
    return value.terms if isinstance(value, RootSum) else ((Fraction(0), value),)


def _common_base(values: Iterable[Exact]) -> Fraction:
    bases = {value.base for value in values if isinstance(value, RootSum)}
    if len(bases) > 1:
        raise _undecided(sorted(bases))
    return bases.pop() if bases else Fraction(2)


def _undecided(value: object) -> UndecidedError:
    return UndecidedError(
        field="base",
        value=value,
        condition="must be the same for roots that are added or compared",
        remedy="Give all roots over one base.",
    )


def compare(first: Exact, second: Exact) -> int:
    """-1, 0 or 1 as the first number is below, equal to or above the second; never decided by rounding.

    Raises:
        UndecidedError: When they are sums of roots of different bases of which neither is a single root.
    """
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return (first > second) - (first < second)
    if _equal(first, second):
        return 0

    def difference() -> Ball | None:
        value = _ball(first) - _ball(second)
        return value if sign(value) else None

    return 1 if sign(refine(difference, start=64, accuracy=1, what="comparison")) == 1 else -1


def _equal(first: Exact, second: Exact) -> bool:
    """Whether two numbers are equal; over different bases by powers that make a single root rational."""
    if isinstance(first, Fraction) or isinstance(second, Fraction) or first.base == second.base:
        return first == second
    if len(first.terms) == 1:
        first, second = second, first
    if len(second.terms) > 1:
        raise _undecided((first.base, second.base))
    degree = second.terms[0][0].denominator
    if _power(first, degree) != _power(second, degree):
        return False
    return degree % 2 == 1 or floor_of(first) >= 0 == (second.terms[0][1] > 0)


def _power(value: Exact, degree: int) -> Exact:
    found: Exact = Fraction(1)
    for _ in range(degree):
        found = found * value
    return found


def _ball(value: Exact) -> Ball:
    found = ball(0)
    for exponent, coefficient in _terms(value):
        root = ball(Logarithm(value.base, exponent)).exp() if exponent and isinstance(value, RootSum) else ball(1)
        found += ball(coefficient) * root
    return found


def floor_of(value: Exact) -> int:
    """The largest whole number that is at most this one, decided exactly."""
    if isinstance(value, Fraction):
        return math.floor(value)

    def narrow() -> Ball | None:
        found = _ball(value)
        return found.floor() if found.floor().is_exact() else None  # irrational, so enough bits decide

    return int(str(refine(narrow, start=128, accuracy=1, what="whole part").unique_fmpz()))


def enclosure_of(value: Exact) -> Enclosure:
    """The number itself when it is rational, else an enclosure of about 40 digits."""
    if isinstance(value, Fraction):
        return Enclosure.exactly(value)
    return enclose(refine(lambda: _ball(value), start=_BITS, accuracy=_BITS - 20, what="value"))


def logarithm_enclosure(top: Exact, bottom: Exact) -> Enclosure:
    """An enclosure of ``ln(top / bottom)`` for positive numbers, clipped at 0 when the quotient is at least 1."""

    def logarithm() -> Ball:
        return (_ball(top) / _ball(bottom)).log()

    found = refine(logarithm, start=_BITS, accuracy=_BITS - 30, floor=_BITS, what="logarithm")
    return enclose(found, least=Fraction(0) if compare(top, bottom) >= 0 else None)

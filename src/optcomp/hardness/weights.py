"""Weights of at least 1 and the products of their subsets, both kinds decided exactly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from optcomp.errors import InvalidParameterError
from optcomp.hardness.roots import Exact, compare, exact_sum_of, power
from optcomp.quantities import Logarithm, Number, Real, count, exponential, positive_rational, ratio, real, scaled

__all__ = [
    "MOST_WEIGHTS",
    "RationalWeights",
    "RootWeights",
    "Split",
    "Weights",
    "refuse_too_many",
    "weights_of",
    "weights_of_epsilons",
]

MOST_WEIGHTS = 20
"""The largest number of weights or integers: the solvers take time and memory up to 2 to its power."""

_MOST_BITS = 20_000


@dataclass(frozen=True)
class Split:
    """Partitions with the same products.

    Args:
        inside: u, the product of the weights in the subset.
        outside: v, the product of the others.
        count: How many subsets have this u.
    """

    inside: Exact
    outside: Exact
    count: int


@dataclass(frozen=True)
class RationalWeights:
    """Rational weights.

    Args:
        values: Rationals of at least 1.
    """

    values: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        """Refuse numbers below 1, and lists that are too long."""
        refuse_too_many("weights", self.values)
        read = tuple(positive_rational(value, field="weights") for value in self.values)
        object.__setattr__(self, "values", read)
        for value in read:
            if value < 1:
                raise _refuse("weights", value, "must be at least 1", "Give numbers such as 3/2.")
        _refuse_long("weights", sum(v.numerator.bit_length() + v.denominator.bit_length() for v in read))

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def product(self) -> Fraction:
        """The product of all."""
        found = Fraction(1)
        for value in self.values:
            found *= value
        return found

    @cached_property
    def grid(self) -> Fraction:
        """A number that every subset's product is a whole multiple of."""
        found = 1
        for value in self.values:
            found *= value.denominator
        return Fraction(1, found)

    def extended(self, new: Fraction) -> RationalWeights:
        """The same with one more weight."""
        return RationalWeights((*self.values, new))

    def with_product(self) -> RationalWeights:
        """The same with one more weight, the product of all."""
        return self.extended(self.product)

    @property
    def is_trivial(self) -> bool:
        """Whether all weights are 1."""
        return self.product == 1

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """Every product of a subset with how often it occurs, the largest first."""
        found = {Fraction(1): 1}
        for value in self.values:
            larger = dict(found)
            for product, times in found.items():
                larger[product * value] = larger.get(product * value, 0) + times if value != 1 else 2 * times
            found = larger
        return tuple(Split(u, self.product / u, found[u]) for u in sorted(found, reverse=True))

    @cached_property
    def one_plus(self) -> Fraction:
        """The product of ``1 + w`` over all weights."""
        found = Fraction(1)
        for value in self.values:
            found *= 1 + value
        return found

    @property
    def logarithms(self) -> tuple[Real, ...]:
        """The epsilons ``ln w``, exact."""
        return tuple(Logarithm.of(value) for value in self.values)


@dataclass(frozen=True)
class RootWeights:
    """The weights ``base**(z/degree)``, one for each exponent z.

    Args:
        base: A rational above 1.
        degree: D, at least 1.
        exponents: Whole numbers of at least 0.
    """

    base: Fraction
    degree: int
    exponents: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        refuse_too_many("exponents", self.exponents)
        object.__setattr__(self, "base", positive_rational(self.base, field="base"))
        if self.base <= 1:
            raise _refuse("base", self.base, "must be above 1", "Give a number such as 2.")
        object.__setattr__(self, "degree", count(self.degree, field="degree", least=1))
        object.__setattr__(self, "exponents", tuple(count(z, field="exponents") for z in self.exponents))
        bits = self.base.numerator.bit_length()
        _refuse_long("exponents", bits * (self.total // self.degree + 1))

    def __len__(self) -> int:
        return len(self.exponents)

    @property
    def total(self) -> int:
        """The sum of all exponents."""
        return sum(self.exponents)

    def root(self, exponent: Fraction | int) -> Exact:
        """The number ``base**(exponent/degree)``."""
        return power(self.base, Fraction(exponent) / self.degree)

    @property
    def product(self) -> Exact:
        """The product of all."""
        return self.root(self.total)

    def with_product(self) -> RootWeights:
        """The same with one more weight, the product of all."""
        return RootWeights(self.base, self.degree, (*self.exponents, self.total))

    @property
    def is_trivial(self) -> bool:
        """Whether all weights are 1."""
        return self.total == 0

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """Every product of a subset with how often it occurs, the largest first."""
        found = subset_sums(self.exponents)
        return tuple(Split(self.root(s), self.root(self.total - s), found[s]) for s in sorted(found, reverse=True))

    @cached_property
    def one_plus(self) -> Exact:
        """The product of ``1 + w`` over all weights."""
        return exact_sum_of(split.count * split.inside for split in self.splits)

    @property
    def logarithms(self) -> tuple[Real, ...]:
        """The epsilons ``ln w``, exact."""
        log = Logarithm.of(self.base)
        return tuple(scaled(log, Fraction(z, self.degree)) if z else Fraction(0) for z in self.exponents)


Weights = RationalWeights | RootWeights
"""Either kind."""


def subset_sums(integers: Iterable[int]) -> dict[int, int]:
    """How many subsets have each sum."""
    found = {0: 1}
    for integer in integers:
        larger = dict(found)
        for total, times in found.items():
            larger[total + integer] = larger.get(total + integer, 0) + times if integer else 2 * times
        found = larger
    return found


def weights_of(values: Weights | Iterable[Number]) -> Weights:
    """Read weights: either kind as it is, or a list of rationals of at least 1.

    Raises:
        InvalidParameterError: For a bool, a NaN, a number below 1, or more than `MOST_WEIGHTS` of them.
    """
    if isinstance(values, RationalWeights | RootWeights):
        return values
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise _refuse("weights", values, "must be a list of numbers", "Give a list such as [2, 3, 6].")
    return RationalWeights(tuple(positive_rational(value, field="weights") for value in values))


def weights_of_epsilons(values: Iterable[Number]) -> Weights:
    """The weights ``e**epsilon`` for epsilons that are logarithms, ``ln(3/2)`` or ``1/3*ln(2)``.

    Raises:
        InvalidParameterError: When they are not all logarithms of rationals, nor of roots of one number.
    """
    logs = tuple(real(value, field="epsilon") for value in values)
    powers = tuple(exponential(log) for log in logs)
    rationals = tuple(each for each in powers if each is not None)
    if len(rationals) == len(logs):
        return RationalWeights(rationals)
    first = next(log for log, each in zip(logs, powers, strict=True) if each is None)
    shares = [ratio(log, Logarithm(first.base, Fraction(1))) for log in logs] if isinstance(first, Logarithm) else []
    known = [share for share in shares if share is not None and share >= 0]
    if not isinstance(first, Logarithm) or len(known) < len(logs):
        raise _refuse("epsilon", values, "must be logarithms of rationals or of roots of one number", "Use ln(3/2).")
    degree = Fraction(1)
    for share in known:
        degree *= (share * degree).denominator
    return RootWeights(first.base, int(degree), tuple(int(share * degree) for share in known))


def refuse_too_many(field: str, values: object) -> None:
    """Refuse what is no tuple of at most `MOST_WEIGHTS` entries."""
    if not isinstance(values, tuple):
        raise _refuse(field, values, "must be a tuple", "Convert it with tuple().")
    if len(values) > MOST_WEIGHTS:
        raise _refuse(
            field, len(values), f"must have at most {MOST_WEIGHTS} entries", "These solvers are for small instances."
        )


def _refuse_long(field: str, bits: int) -> None:
    if bits > _MOST_BITS:
        raise _refuse(field, bits, f"must have a product of at most {_MOST_BITS} bits", "Give smaller numbers.")


def _refuse(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)


def same(first: Exact, second: Exact) -> bool:
    """Whether two exact numbers are equal."""
    return compare(first, second) == 0

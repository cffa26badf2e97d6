"""Mechanisms known by a promise about their Renyi divergence. No more than the promise is ever used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from optcomp.errors import InvalidParameterError
from optcomp.mechanisms.base import Mechanism
from optcomp.quantities import Number, rational

__all__ = ["RenyiCurve", "ZeroConcentrated"]


@dataclass(frozen=True, init=False)
class ZeroConcentrated(Mechanism):
    """Any rho-zCDP mechanism: its Renyi divergence of every order a > 1 is at most ``rho a``.

    Args:
        rho: At least 0.
    """

    kind: ClassVar[str] = "zero_concentrated"
    rho: Fraction

    def __init__(self, *, rho: Number) -> None:
        self._set(rho=_nonnegative(rho, "rho"))


@dataclass(frozen=True, init=False)
class RenyiCurve(Mechanism):
    """Any mechanism whose Renyi divergence is bounded at some orders.

    Args:
        orders: The orders, each above 1, increasing.
        divergences: The bound at each order, in nats, at least 0 and not decreasing: a true curve never falls.
    """

    kind: ClassVar[str] = "renyi_curve"
    orders: tuple[Fraction, ...]
    divergences: tuple[Fraction, ...]

    def __init__(self, *, orders: Iterable[Number], divergences: Iterable[Number]) -> None:
        known = _numbers(orders, "orders")
        bounds = _numbers(divergences, "divergences")
        if len(known) != len(bounds) or not known:
            raise _refused(
                "divergences", len(bounds), "must be as many as there are orders", "Give one for each order."
            )
        for place, (order, bound) in enumerate(zip(known, bounds, strict=True)):
            if order <= 1 or (place and order <= known[place - 1]):
                raise _refused(f"orders[{place}]", order, "must be above 1 and increase", "Sort the orders.")
            if place and bound < bounds[place - 1]:
                raise _refused(
                    f"divergences[{place}]", bound, "must not be below the one before", "Check the curve: none falls."
                )
        self._set(orders=known, divergences=bounds)


def _numbers(values: Iterable[Number], field: str) -> tuple[Fraction, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise _refused(field, values, "must be a list of numbers", "Write [2, 4, 8].")
    return tuple(_nonnegative(value, f"{field}[{place}]") for place, value in enumerate(values))


def _nonnegative(value: Number, field: str) -> Fraction:
    number = rational(value, field=field)
    if number < 0:
        raise _refused(field, value, "must be at least 0", "Give a number such as 0.1.")
    return number


def _refused(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)

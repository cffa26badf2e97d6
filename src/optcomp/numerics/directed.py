"""Float operations whose side is in the name: ``up`` is never below the exact result, ``down`` never above.

IEEE arithmetic rounds to the nearest float, so the neighbour on the wanted side bounds the exact result. There is no
neutral twin on purpose.
"""

from __future__ import annotations

import math

__all__ = [
    "ROUNDING",
    "add_down",
    "add_up",
    "compound_up",
    "div_down",
    "div_up",
    "mul_down",
    "mul_up",
    "sqrt_up",
    "sub_down",
    "sub_up",
]

ROUNDING = 2.0**-53
"""The relative error of one IEEE operation in double precision."""


def _up(value: float) -> float:
    return math.nextafter(value, math.inf)


def _down(value: float) -> float:
    return math.nextafter(value, -math.inf)


def add_up(a: float, b: float) -> float:
    """At least a + b."""
    return _up(a + b)


def add_down(a: float, b: float) -> float:
    """At most a + b."""
    return _down(a + b)


def sub_up(a: float, b: float) -> float:
    """At least a - b."""
    return _up(a - b)


def sub_down(a: float, b: float) -> float:
    """At most a - b."""
    return _down(a - b)


def mul_up(a: float, b: float) -> float:
    """At least a * b."""
    return _up(a * b)


def mul_down(a: float, b: float) -> float:
    """At most a * b."""
    return _down(a * b)


def div_up(a: float, b: float) -> float:
    """At least a / b."""
    return _up(a / b)


def div_down(a: float, b: float) -> float:
    """At most a / b."""
    return _down(a / b)


def sqrt_up(a: float) -> float:
    """At least the square root of a."""
    return _up(math.sqrt(a))


def compound_up(operations: float) -> float:
    """A bound on ``(1 + u)**operations - 1`` and on ``1 - (1 - u)**operations``, u = `ROUNDING`.

    **Guarantee**: a product of that many factors ``1 + d``, each ``|d| <= u``, differs from 1 by at most the result.
    """
    product = mul_up(operations, ROUNDING)
    limit = 0.5
    if product >= limit:
        return math.inf
    return div_up(product, sub_down(1.0, product))

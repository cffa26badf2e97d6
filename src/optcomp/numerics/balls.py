"""The one door to ball arithmetic: python-flint's ``arb``, whose precision is global to the process.

A ball is an interval around a number; every operation returns a ball that contains the true result. All work with
balls happens inside ``with precision(bits):``, which holds a lock, sets the precision and puts the old one back.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TypeVar

from flint import acb, arb, arb_poly, ctx, fmpq

from optcomp.errors import UndecidedError
from optcomp.quantities import Enclosure, Logarithm, Real

__all__ = [
    "HIGHEST_PRECISION",
    "Ball",
    "ComplexBall",
    "Either",
    "ball",
    "complex_ball",
    "enclose",
    "enclose_share",
    "ends",
    "hull",
    "legendre",
    "nearest_float",
    "polynomial_at",
    "precision",
    "present_precision",
    "refine",
    "sign",
    "with_error",
]

Ball = arb
ComplexBall = acb

Either = TypeVar("Either", arb, acb)
"""A real or a complex ball, and the same kind again."""

HIGHEST_PRECISION = 1 << 15
"""The largest number of bits that `refine` tries before it gives up."""

_DIGITS = 40  # ends are rounded outward to decimals this long, so that they can be read and written exactly
_LARGEST_EXPONENT = 70_000  # numbers beyond 2 to its power are not written out
_END_BITS = 512  # of the ends of a ball, so that reading them costs no accuracy
_LOCK = threading.RLock()


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Hold the lock and compute with that many bits inside."""
    with _LOCK:
        before = ctx.prec
        ctx.prec = bits
        try:
            yield
        finally:
            ctx.prec = before


def present_precision() -> int:
    """The number of bits that balls are computed with now."""
    return int(ctx.prec)


def ball(value: Real | float) -> Ball:
    """The ball of an exact number at the present precision."""
    if isinstance(value, Logarithm):
        return _rational_ball(value.multiple) * _rational_ball(value.base).log()
    if isinstance(value, float):
        return arb(value)
    return _rational_ball(Fraction(value))


def complex_ball(real: Ball, imaginary: Ball) -> ComplexBall:
    """The complex ball with these parts."""
    return acb(real, imaginary)


def legendre(points: int, place: int) -> tuple[Ball, Ball]:
    """A node of Gauss and Legendre's rule on [-1, 1] with that many points, and its weight."""
    node, weight = arb(0).legendre_p_root(points, place, weight=True)
    return node, weight


def polynomial_at(coefficients: Sequence[Ball], place: Ball) -> Ball:
    """A polynomial's value, the coefficients from the constant one upwards."""
    found: Ball = arb_poly(list(coefficients))(place)
    return found


def _rational_ball(value: Fraction) -> Ball:
    return arb(fmpq(value.numerator, value.denominator))


def hull(interval: Enclosure) -> Ball:
    """A ball that contains an enclosure with finite ends."""
    if isinstance(interval.lower, float) or isinstance(interval.upper, float):
        raise UndecidedError(
            field="interval", value=str(interval), condition="must have finite ends", remedy="Ask for another value."
        )
    low = _rational_ball(interval.lower)
    return low if interval.is_exact else low.union(_rational_ball(interval.upper))


def _at_most(exact: Ball) -> Fraction | float:
    """A rational, or minus infinity, that is at most an exact ball: itself unless its exponent is enormous."""
    mantissa, exponent = (int(part) for part in exact.man_exp())
    size = exponent + mantissa.bit_length()
    if abs(size) <= _LARGEST_EXPONENT or mantissa == 0:
        return Fraction(mantissa) * Fraction(2) ** exponent
    if size < 0:
        return Fraction(0) if mantissa > 0 else -Fraction(1, 2**_LARGEST_EXPONENT)
    return Fraction(2**_LARGEST_EXPONENT) if mantissa > 0 else -math.inf


def ends(value: Ball) -> tuple[Fraction | float, Fraction | float]:
    """Two numbers with the ball between them; infinite when nothing is known."""
    if not value.is_finite():
        return -math.inf, math.inf
    with precision(_END_BITS):
        return _at_most(value.lower()), -_at_most(-value.upper())


def enclose(value: Ball, *, least: Fraction | None = None, most: Fraction | None = None) -> Enclosure:
    """The enclosure of a ball, its ends outward at 40 digits, clipped to the range the truth is known to lie in.

    **Guarantee**: every point of the ball in ``[least, most]`` lies in the enclosure.
    """
    low, high = ends(value)
    if least is not None:
        low, high = max(low, least), max(high, least)
    if most is not None:
        low, high = min(low, most), min(high, most)
    return Enclosure(low, high).rounded(_DIGITS)


def enclose_share(value: Ball, rest: Ball) -> Enclosure:
    """The enclosure of a probability from its ball and from that of one minus it.

    Near 1 the ends keep the digits of what is left, however small that is.

    **Guarantee**: every point of both balls, with its complement in the other one, lies in the enclosure.
    """
    if not value > rest:
        return enclose(value, least=Fraction(0), most=Fraction(1))
    left = enclose(rest, least=Fraction(0), most=Fraction(1))
    return Enclosure(1 - Fraction(left.upper), 1 - Fraction(left.lower))


def nearest_float(value: Ball) -> float:
    """The midpoint as a float: within one rounding of the truth when the ball is narrower than a float's spacing."""
    return float(value.mid())


def with_error(value: float, *, relative: float, absolute: float) -> Ball:
    """The ball around a float whose true value is off by at most ``relative * |value| + absolute``.

    **Guarantee**: contains every such true value, for bounds that are themselves within 1e-9 of their exact values.
    """
    return arb(value, (abs(value) * relative + absolute) * (1 + 1e-9))


def sign(value: Ball) -> int | None:
    """-1, 0 or 1, or None when the ball does not tell."""
    if value > 0:
        return 1
    if value < 0:
        return -1
    return 0 if value.is_zero() else None


def refine(
    compute: Callable[[], Ball | None], *, start: int, accuracy: int, floor: int | None = None, what: str
) -> Ball:
    """Evaluate at rising precision until the ball is accurate enough.

    Args:
        compute: Evaluates the wanted number at the present precision; None means that more bits are needed.
        start: Bits of the first try.
        accuracy: Wanted relative accuracy in bits.
        floor: A ball with a radius below ``2**-floor`` is accurate enough as well (for numbers that may be 0).
        what: The name of the number, for the error.

    Raises:
        UndecidedError: When `HIGHEST_PRECISION` bits do not suffice.
    """
    bits = start
    while bits <= HIGHEST_PRECISION:
        with precision(bits):
            value = compute()
            if value is not None and value.is_finite():
                small = floor is not None and value.rad() < arb(2) ** -floor
                if small or value.is_zero() or value.rel_accuracy_bits() >= accuracy:
                    return value
        bits *= 2
    raise UndecidedError(
        field=what,
        value=f"{HIGHEST_PRECISION} bits",
        condition="could not be computed to the promised accuracy",
        remedy="Ask for a nearby value.",
    )

"""The door for numbers: text, int, Fraction, Decimal and float come in, exact rationals and logarithms come out.

A binary float is taken at its shortest decimal: ``0.1`` means 1/10. An epsilon may also be the logarithm of a
rational, written ``ln(3/2)``, and is then kept in that form.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from optcomp.errors import InvalidParameterError

__all__ = [
    "Logarithm",
    "Number",
    "Real",
    "approximately",
    "ceil_to_digits",
    "common_step",
    "exact_text",
    "exponential",
    "float_down",
    "float_up",
    "floor_to_digits",
    "ratio",
    "rational",
    "real",
    "scaled",
]

LONGEST_TEXT = 20_000
"""The longest text of a number that is read, in characters; also the largest decimal exponent."""

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_RATIO = re.compile(r"([+-]?\d+)\s*/\s*(\d+)", re.ASCII)
_LOGARITHM = re.compile(r"(?:([^ln]+?)\s*\*\s*|([+-]))?\s*ln\(\s*(.+?)\s*\)", re.ASCII)
_LONGEST_POWER = 2048  # bits of a rational that is searched for being a power
_WAYS = "Give an int, a Fraction, a Decimal, a finite float, or text such as '0.11', '1e-10' or '104/4099'."


@dataclass(frozen=True, order=True)
class Logarithm:
    """The real number ``multiple * ln(base)``, kept exact.

    ``base`` is a rational above 1 that is no power of another rational, so equal numbers have equal fields.
    """

    base: Fraction
    multiple: Fraction

    def __post_init__(self) -> None:
        """Refuse what is no logarithm in its one form."""
        right = isinstance(self.base, Fraction) and isinstance(self.multiple, Fraction)
        if not right or self.base <= 1 or self.multiple == 0 or _primitive(self.base)[1] != 1:
            raise _refuse(
                "logarithm",
                (self.base, self.multiple),
                "must have a base above 1 that is no power, and a multiple other than 0, both Fractions",
                "Use Logarithm.of(Fraction(3, 2)), or the text 'ln(3/2)'.",
            )

    @staticmethod
    def of(argument: Fraction) -> Real:
        """``ln(argument)`` for a positive rational; the rational 0 when the argument is 1."""
        if argument == 1:
            return Fraction(0)
        if argument < 1:
            base, power = _primitive(1 / argument)
            return Logarithm(base, Fraction(-power))
        base, power = _primitive(argument)
        return Logarithm(base, Fraction(power))

    def __neg__(self) -> Logarithm:
        """The logarithm of the reciprocal."""
        return Logarithm(self.base, -self.multiple)

    def __str__(self) -> str:
        """The text that reads back as this number."""
        if self.multiple.denominator == 1 and abs(self.multiple) * self.base.numerator.bit_length() <= _LONGEST_POWER:
            return f"ln({_ratio_text(self.base ** int(self.multiple))})"
        return f"{_ratio_text(self.multiple)}*ln({_ratio_text(self.base)})"


Real = Fraction | Logarithm
"""An exact real number as this library keeps it."""

Number = int | float | str | Decimal | Fraction | Logarithm
"""What a caller may give where a real number is wanted."""


@lru_cache(maxsize=4096)
def _primitive(ratio: Fraction) -> tuple[Fraction, int]:
    """The rational g and the largest power n with ``g**n == ratio``, for a ratio above 1 that is not too long."""
    bits = ratio.numerator.bit_length()
    if bits > _LONGEST_POWER:  # the search would take long, and nobody writes such powers: it counts as its own base
        return ratio, 1
    for power in range(2, bits + 1):
        top = _exact_root(ratio.numerator, power)
        bottom = None if top is None else _exact_root(ratio.denominator, power)
        if top is not None and bottom is not None:
            base, more = _primitive(Fraction(top, bottom))
            return base, power * more
    return ratio, 1


def _exact_root(number: int, power: int) -> int | None:
    guess = 1 << -(-number.bit_length() // power)
    while True:
        better = ((power - 1) * guess + number // guess ** (power - 1)) // power
        if better >= guess:
            return guess if guess**power == number else None
        guess = better


def _refuse(
    field: str, value: object, condition: str = "must be a finite number", remedy: str = _WAYS
) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)


def rational(value: Number, *, field: str) -> Fraction:
    """Read an exact rational number.

    Args:
        value: Text, int, Fraction, Decimal, or a float (taken at its shortest decimal). numpy scalars count too.
        field: The parameter's name, for the error.

    Returns:
        The number itself, never rounded.

    Raises:
        InvalidParameterError: For a bool, a NaN, an infinity, text that is no number or is too long, any other type.
    """
    if isinstance(value, str):
        return _rational_from_text(value, field)
    if isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}:
        raise _refuse(field, value)
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise _refuse(field, value)
        return _rational_from_text(str(value), field)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise _refuse(field, value)
        shortest = float.__repr__(value) if isinstance(value, float) else str(value)
        return Fraction(shortest)
    raise _refuse(field, value)


def _rational_from_text(text: str, field: str) -> Fraction:
    stripped = text.strip()
    if len(stripped) > LONGEST_TEXT:
        raise _refuse(field, text, f"must be a number of at most {LONGEST_TEXT} characters")
    ratio = _RATIO.fullmatch(stripped)
    if ratio:
        top, bottom = _whole(ratio[1]), _whole(ratio[2])
        if bottom == 0:
            raise _refuse(field, text, "must not have the denominator 0")
        return Fraction(top, bottom)
    decimal = _DECIMAL.fullmatch(stripped)
    if not decimal:
        raise _refuse(field, text)
    digits, _, exponent = stripped.lower().partition("e")
    if exponent and abs(_whole(exponent)) > LONGEST_TEXT:
        raise _refuse(field, text, f"must have a decimal exponent between -{LONGEST_TEXT} and {LONGEST_TEXT}")
    whole, _, after = digits.partition(".")
    shift = len(after) - (_whole(exponent) if exponent else 0)
    mantissa = _whole(f"{whole}{after}")
    return Fraction(mantissa, 10**shift) if shift > 0 else Fraction(mantissa * 10**-shift)


_CHUNK = 4000  # below the interpreter's own limit on the digits of an int read from text


def _whole(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-") or "0"
    total = 0
    for start in range(0, len(digits), _CHUNK):
        piece = digits[start : start + _CHUNK]
        total = total * 10 ** len(piece) + int(piece)
    return sign * total


def real(value: Number, *, field: str) -> Real:
    """Read an exact real number: a rational as in `rational`, or the logarithm of a positive rational, ``ln(3/2)``.

    Raises:
        InvalidParameterError: As for `rational`, and for the logarithm of a number that is not positive.
    """
    if isinstance(value, Logarithm):
        return value
    if isinstance(value, str):
        logarithm = _LOGARITHM.fullmatch(value.strip())
        if logarithm:
            argument = _rational_from_text(logarithm[3], field)
            if argument <= 0:
                raise _refuse(field, value, "must be the logarithm of a positive number", "Write it as ln(3/2).")
            times = (
                _rational_from_text(logarithm[1], field) if logarithm[1] else Fraction(-1 if logarithm[2] == "-" else 1)
            )
            return scaled(Logarithm.of(argument), times) if times else Fraction(0)
    return rational(value, field=field)


def ratio(first: Real, second: Real) -> Fraction | None:
    """``first / second`` where that is known to be rational: two rationals, or two logarithms of one base."""
    if isinstance(first, Logarithm) and isinstance(second, Logarithm):
        return first.multiple / second.multiple if first.base == second.base else None
    if isinstance(first, Logarithm) or isinstance(second, Logarithm):
        return Fraction(0) if first == 0 else None
    return first / second


def common_step(values: Iterable[Real]) -> tuple[Real, tuple[int, ...]] | None:
    """The largest number that divides all given positive numbers, with the quotients; None when there is none.

    Rationals always have one; logarithms have one when they share a base.
    """
    known = tuple(values)
    shares = [ratio(value, known[0]) for value in known]
    fractions = [share for share in shares if share is not None]
    if len(fractions) < len(shares):
        return None
    step = Fraction(math.gcd(*(s.numerator for s in fractions)), math.lcm(*(s.denominator for s in fractions)))
    return scaled(known[0], step), tuple(int(share / step) for share in fractions)


def scaled(value: Real, factor: Fraction) -> Real:
    """``factor * value``, exact."""
    return Logarithm(value.base, value.multiple * factor) if isinstance(value, Logarithm) else value * factor


def exponential(value: Real, *, longest: int = 1 << 20) -> Fraction | None:
    """``e**value`` where that is rational and at most that many bits long; else None."""
    if value == 0:
        return Fraction(1)
    if isinstance(value, Fraction) or value.multiple.denominator != 1:
        return None
    size = max(value.base.numerator.bit_length(), value.base.denominator.bit_length())
    return value.base ** int(value.multiple) if abs(value.multiple) * size <= longest else None


def approximately(value: Real) -> float:
    """A float within a few roundings of an exact number, infinite or 0 where floats end. No bound is promised."""
    if isinstance(value, Logarithm):
        log = math.log(value.base.numerator) - math.log(value.base.denominator)
        near_one = value.base.numerator - value.base.denominator
        if abs(near_one) * 8 < value.base.denominator:
            log = math.log1p(_nearest(Fraction(near_one, value.base.denominator)))
        return _nearest(value.multiple) * log
    return _nearest(value)


def exact_text(value: Real | float) -> str:
    """The shortest text that reads back as exactly this number: a decimal where one exists, else ``n/d``."""
    if isinstance(value, Logarithm):
        return str(value)
    if isinstance(value, float):
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        value = Fraction(value)
    return _fraction_text(Fraction(value))


def _fraction_text(value: Fraction) -> str:
    twos = (value.denominator & -value.denominator).bit_length() - 1
    fives, rest = 0, value.denominator >> twos
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{_digits(value.numerator)}/{_digits(value.denominator)}"
    places = max(twos, fives)
    scaled = value.numerator * 10**places // value.denominator
    return _decimal_text(scaled, -places)


def _ratio_text(value: Fraction) -> str:
    whole = value.denominator == 1
    return _digits(value.numerator) if whole else f"{_digits(value.numerator)}/{_digits(value.denominator)}"


def _digits(number: int) -> str:
    """Decimal digits of an integer of any length."""
    sign, rest, pieces = ("-" if number < 0 else ""), abs(number), []
    while rest >= 10**_CHUNK:
        rest, low = divmod(rest, 10**_CHUNK)
        pieces.append(str(low).zfill(_CHUNK))
    return sign + str(rest) + "".join(reversed(pieces))


_PLAIN_EXPONENTS = range(-5, 21)  # where a decimal is written without an exponent


def _decimal_text(mantissa: int, exponent: int) -> str:
    if mantissa == 0:
        return "0"
    sign, digits = ("-" if mantissa < 0 else ""), _digits(abs(mantissa))
    trimmed = digits.rstrip("0")
    exponent += len(digits) - len(trimmed)
    leading = len(trimmed) + exponent - 1
    if leading not in _PLAIN_EXPONENTS:
        return f"{sign}{trimmed[0]}{'.' + trimmed[1:] if len(trimmed) > 1 else ''}e{leading}"
    if exponent >= 0:
        return sign + trimmed + "0" * exponent
    padded = trimmed.zfill(1 - exponent)
    return f"{sign}{padded[:exponent]}.{padded[exponent:]}"


def _leading_exponent(value: Fraction) -> int:
    """The integer e with ``10**e <= abs(value) < 10**(e+1)``, for a value other than 0."""
    top, bottom = abs(value.numerator), value.denominator
    guess = math.floor((math.log2(top) - math.log2(bottom)) * math.log10(2))
    while Fraction(10) ** guess * bottom > top:
        guess -= 1
    while Fraction(10) ** (guess + 1) * bottom <= top:
        guess += 1
    return guess


def floor_to_digits(value: Fraction, digits: int) -> Fraction:
    """The largest decimal with that many significant digits that is at most ``value``."""
    if value == 0:
        return value
    unit = Fraction(10) ** (_leading_exponent(value) - digits + 1)
    return math.floor(value / unit) * unit


def ceil_to_digits(value: Fraction, digits: int) -> Fraction:
    """The least decimal with that many significant digits that is at least ``value``."""
    return -floor_to_digits(-value, digits)


def float_down(value: Fraction | float) -> float:
    """The largest float that is at most ``value``."""
    nearest = _nearest(value)
    return nearest if nearest <= value else math.nextafter(nearest, -math.inf)


def float_up(value: Fraction | float) -> float:
    """The least float that is at least ``value``."""
    nearest = _nearest(value)
    return nearest if nearest >= value else math.nextafter(nearest, math.inf)


def _nearest(value: Fraction | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf

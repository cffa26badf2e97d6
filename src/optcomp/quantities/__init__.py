"""Exact numbers, and intervals that provably contain a number."""

from optcomp.quantities.enclosure import Enclosure
from optcomp.quantities.exact import (
    Logarithm,
    Number,
    Real,
    approximately,
    ceil_to_digits,
    common_step,
    exact_text,
    exponential,
    float_up,
    floor_to_digits,
    ratio,
    rational,
    real,
    scaled,
)
from optcomp.quantities.html import html_table
from optcomp.quantities.ranges import count, nonnegative_real, positive_rational, probability

__all__ = [
    "Enclosure",
    "Logarithm",
    "Number",
    "Real",
    "approximately",
    "ceil_to_digits",
    "common_step",
    "count",
    "exact_text",
    "exponential",
    "float_up",
    "floor_to_digits",
    "html_table",
    "nonnegative_real",
    "positive_rational",
    "probability",
    "ratio",
    "rational",
    "real",
    "scaled",
]

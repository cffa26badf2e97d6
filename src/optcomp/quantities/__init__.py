"""Exact numbers, and intervals that provably contain a number."""

from optcomp.quantities.enclosure import Enclosure
from optcomp.quantities.exact import Logarithm, Number, Real, exact_text, ratio, rational, real
from optcomp.quantities.ranges import count, nonnegative_real, probability

__all__ = [
    "Enclosure",
    "Logarithm",
    "Number",
    "Real",
    "count",
    "exact_text",
    "nonnegative_real",
    "probability",
    "ratio",
    "rational",
    "real",
]

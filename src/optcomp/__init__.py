"""Certified optimal composition of differential privacy.

Several differentially private mechanisms run on the same data: what does the whole guarantee? Every number comes as an
`Enclosure` that provably contains the truth.
"""

from optcomp.composition import Comparison, Profile, compare, compose
from optcomp.errors import DocumentError, InvalidParameterError, OptcompError, UndecidedError, UnsupportedError
from optcomp.mechanisms import (
    ApproxDP,
    Mechanism,
    PureDP,
    RandomizedResponse,
    Repeated,
    Sequence,
    mechanism_from_json,
    mechanism_to_json,
)
from optcomp.quantities import Enclosure, Logarithm

__all__ = [
    "ApproxDP",
    "Comparison",
    "DocumentError",
    "Enclosure",
    "InvalidParameterError",
    "Logarithm",
    "Mechanism",
    "OptcompError",
    "Profile",
    "PureDP",
    "RandomizedResponse",
    "Repeated",
    "Sequence",
    "UndecidedError",
    "UnsupportedError",
    "compare",
    "compose",
    "mechanism_from_json",
    "mechanism_to_json",
]

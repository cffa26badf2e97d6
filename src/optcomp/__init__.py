"""Certified optimal composition of differential privacy.

Several differentially private mechanisms run on the same data: what does the whole guarantee? Every number comes as an
`Enclosure` that provably contains the truth.
"""

from optcomp.composition import (
    Certificate,
    Comparison,
    Profile,
    Recheck,
    RecheckVerdict,
    certificate_from_json,
    certificate_to_json,
    compare,
    compose,
    recheck,
)
from optcomp.errors import DocumentError, InvalidParameterError, OptcompError, UndecidedError, UnsupportedError
from optcomp.mechanisms import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    PureDP,
    PureDPColumn,
    RandomizedResponse,
    RenyiCurve,
    Repeated,
    Sequence,
    Staircase,
    ZeroConcentrated,
    mechanism_from_json,
    mechanism_to_json,
)
from optcomp.quantities import Enclosure, Logarithm

__all__ = [
    "ApproxDP",
    "Certificate",
    "Comparison",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DocumentError",
    "Enclosure",
    "Exponential",
    "Gaussian",
    "InvalidParameterError",
    "Laplace",
    "Logarithm",
    "Mechanism",
    "OptcompError",
    "PoissonSampled",
    "Profile",
    "PureDP",
    "PureDPColumn",
    "RandomizedResponse",
    "Recheck",
    "RecheckVerdict",
    "RenyiCurve",
    "Repeated",
    "Sequence",
    "Staircase",
    "UndecidedError",
    "UnsupportedError",
    "ZeroConcentrated",
    "certificate_from_json",
    "certificate_to_json",
    "compare",
    "compose",
    "mechanism_from_json",
    "mechanism_to_json",
    "recheck",
]

"""What was run, as frozen data."""

from optcomp.mechanisms.additive import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Skellam, Staircase
from optcomp.mechanisms.base import Mechanism, Repeated
from optcomp.mechanisms.codec import mechanism_from_json, mechanism_to_json
from optcomp.mechanisms.discrete import RandomizedResponse
from optcomp.mechanisms.guarantees import ApproxDP, PureDP, PureDPColumn
from optcomp.mechanisms.promises import RenyiCurve, ZeroConcentrated
from optcomp.mechanisms.sampling import PoissonSampled
from optcomp.mechanisms.selection import Exponential
from optcomp.mechanisms.structure import Sequence

__all__ = [
    "ApproxDP",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Exponential",
    "Gaussian",
    "Laplace",
    "Mechanism",
    "PoissonSampled",
    "PureDP",
    "PureDPColumn",
    "RandomizedResponse",
    "RenyiCurve",
    "Repeated",
    "Sequence",
    "Skellam",
    "Staircase",
    "ZeroConcentrated",
    "mechanism_from_json",
    "mechanism_to_json",
]

"""What was run, as frozen data."""

from optcomp.mechanisms.base import Mechanism, Repeated
from optcomp.mechanisms.codec import mechanism_from_json, mechanism_to_json
from optcomp.mechanisms.discrete import RandomizedResponse
from optcomp.mechanisms.guarantees import ApproxDP, PureDP
from optcomp.mechanisms.structure import Sequence

__all__ = [
    "ApproxDP",
    "Mechanism",
    "PureDP",
    "RandomizedResponse",
    "Repeated",
    "Sequence",
    "mechanism_from_json",
    "mechanism_to_json",
]

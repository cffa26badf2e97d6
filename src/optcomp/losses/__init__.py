"""From mechanisms to privacy losses."""

from optcomp.losses import discrete as _discrete
from optcomp.losses import guarantees as _guarantees
from optcomp.losses.base import TwoPoint, WorstCase, worst_case
from optcomp.losses.composite import Composite, guarantees, lower
from optcomp.losses.failure import exceeds_failure, failure_mass, finite_target, whole_delta

__all__ = [
    "Composite",
    "TwoPoint",
    "WorstCase",
    "exceeds_failure",
    "failure_mass",
    "finite_target",
    "guarantees",
    "lower",
    "whole_delta",
    "worst_case",
]

del _discrete, _guarantees  # imported for their registrations

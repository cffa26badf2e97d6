"""From mechanisms to privacy losses."""

from optcomp.losses import discrete as _discrete
from optcomp.losses import guarantees as _guarantees
from optcomp.losses.additive import GaussianLoss, LaplaceLoss, StaircaseLoss
from optcomp.losses.base import Atom, AtomicLoss, Direction, Grid, Loss, TwoPoint, WorstCase, sum_above, worst_case
from optcomp.losses.columns import TwoPointColumn
from optcomp.losses.composite import Composite, directions, guarantees, lower, mirrored
from optcomp.losses.discrete import DiscreteGaussianLoss, DiscreteLaplaceLoss, KaryLoss
from optcomp.losses.failure import exceeds_failure, failure_mass, finite_target, whole_delta
from optcomp.losses.promises import ConcentratedLoss, PromisedLoss, RenyiLoss
from optcomp.losses.sampled import (
    SampledAtoms,
    SampledDiscreteGaussianLoss,
    SampledGaussianLoss,
    SampledLaplaceLoss,
    SampledLoss,
)
from optcomp.losses.selection import BoundedRangeLoss
from optcomp.losses.skellam import SkellamLoss

__all__ = [
    "Atom",
    "AtomicLoss",
    "BoundedRangeLoss",
    "Composite",
    "ConcentratedLoss",
    "Direction",
    "DiscreteGaussianLoss",
    "DiscreteLaplaceLoss",
    "GaussianLoss",
    "Grid",
    "KaryLoss",
    "LaplaceLoss",
    "Loss",
    "PromisedLoss",
    "RenyiLoss",
    "SampledAtoms",
    "SampledDiscreteGaussianLoss",
    "SampledGaussianLoss",
    "SampledLaplaceLoss",
    "SampledLoss",
    "SkellamLoss",
    "StaircaseLoss",
    "TwoPoint",
    "TwoPointColumn",
    "WorstCase",
    "directions",
    "exceeds_failure",
    "failure_mass",
    "finite_target",
    "guarantees",
    "lower",
    "mirrored",
    "sum_above",
    "whole_delta",
    "worst_case",
]

del _discrete, _guarantees  # imported for their registrations

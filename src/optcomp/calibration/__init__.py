"""From a target to the number that meets it."""

from optcomp.calibration.allocate import allocate
from optcomp.calibration.allocation import Allocation, Line
from optcomp.calibration.calibrate import Calibration, calibrate
from optcomp.calibration.family import FamilyLike
from optcomp.calibration.headroom import Headroom, headroom, how_many
from optcomp.calibration.required import RequiredNoise, required_noise
from optcomp.calibration.shares import Group, Parallel, Share, split
from optcomp.calibration.targets import AttackTarget, EpsilonDelta, MuTarget, RegionTarget, Target

__all__ = [
    "Allocation",
    "AttackTarget",
    "Calibration",
    "EpsilonDelta",
    "FamilyLike",
    "Group",
    "Headroom",
    "Line",
    "MuTarget",
    "Parallel",
    "RegionTarget",
    "RequiredNoise",
    "Share",
    "Target",
    "allocate",
    "calibrate",
    "headroom",
    "how_many",
    "required_noise",
    "split",
]

"""From a target to the number that meets it."""

from optcomp.calibration.calibrate import Calibration, calibrate
from optcomp.calibration.family import FamilyLike
from optcomp.calibration.headroom import Headroom, headroom, how_many
from optcomp.calibration.required import RequiredNoise, required_noise
from optcomp.calibration.targets import AttackTarget, EpsilonDelta, MuTarget, RegionTarget, Target

__all__ = [
    "AttackTarget",
    "Calibration",
    "EpsilonDelta",
    "FamilyLike",
    "Headroom",
    "MuTarget",
    "RegionTarget",
    "RequiredNoise",
    "Target",
    "calibrate",
    "headroom",
    "how_many",
    "required_noise",
]

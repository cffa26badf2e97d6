"""Privacy as a region of tests: trade-off curves, regions, kernels, and what an attacker can achieve."""

from optcomp.tradeoff.attacks import AttackCounts, EpsilonBound, contradicts, epsilon_lower_bound
from optcomp.tradeoff.curve import TradeoffCurve
from optcomp.tradeoff.finite import FinitePair, Knot, Point
from optcomp.tradeoff.kernels import Domination, Kernel, Witness, dominates
from optcomp.tradeoff.normal_curve import NearestGaussians
from optcomp.tradeoff.region import Constraint, PrivacyRegion
from optcomp.tradeoff.risk import AttackRisk
from optcomp.tradeoff.simulators import TwoStages, simulate, simulate_in_two_stages
from optcomp.tradeoff.tests import OptimalTest

__all__ = [
    "AttackCounts",
    "AttackRisk",
    "Constraint",
    "Domination",
    "EpsilonBound",
    "FinitePair",
    "Kernel",
    "Knot",
    "NearestGaussians",
    "OptimalTest",
    "Point",
    "PrivacyRegion",
    "TradeoffCurve",
    "TwoStages",
    "Witness",
    "contradicts",
    "dominates",
    "epsilon_lower_bound",
    "simulate",
    "simulate_in_two_stages",
]

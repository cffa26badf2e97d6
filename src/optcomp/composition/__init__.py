"""From a list of mechanisms to the whole guarantee."""

from optcomp.composition.comparison import Comparison, Row, compare
from optcomp.composition.compose import ADJACENCIES, compose
from optcomp.composition.plan import Plan, Release, Verdict, verdict
from optcomp.composition.profile import Profile

__all__ = ["ADJACENCIES", "Comparison", "Plan", "Profile", "Release", "Row", "Verdict", "compare", "compose", "verdict"]

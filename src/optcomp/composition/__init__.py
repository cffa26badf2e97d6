"""From a list of mechanisms to the whole guarantee."""

from optcomp.composition.adjacency import ADJACENCIES, checked_adjacency
from optcomp.composition.certificate import Certificate, ErrorSplit, certificate_from_json, certificate_to_json
from optcomp.composition.comparison import Comparison, Row, compare
from optcomp.composition.compose import compose
from optcomp.composition.plan import Plan, Release, Verdict, verdict
from optcomp.composition.profile import Profile
from optcomp.composition.recheck import Recheck, RecheckVerdict, recheck

__all__ = [
    "ADJACENCIES",
    "Certificate",
    "Comparison",
    "ErrorSplit",
    "Plan",
    "Profile",
    "Recheck",
    "RecheckVerdict",
    "Release",
    "Row",
    "Verdict",
    "certificate_from_json",
    "certificate_to_json",
    "checked_adjacency",
    "compare",
    "compose",
    "recheck",
    "verdict",
]

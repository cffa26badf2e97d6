"""From a list of mechanisms to the whole guarantee."""

from optcomp.composition.compose import ADJACENCIES, compose
from optcomp.composition.profile import Profile

__all__ = ["ADJACENCIES", "Profile", "compose"]

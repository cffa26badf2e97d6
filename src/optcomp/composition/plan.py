"""A plan: named releases, and the guarantee that they are meant to meet together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from optcomp.composition.compose import compose
from optcomp.composition.profile import Profile
from optcomp.mechanisms import Mechanism, Sequence
from optcomp.quantities import Enclosure, Real

__all__ = ["Plan", "Release", "Verdict", "verdict"]


class Verdict(Enum):
    """Whether a plan keeps within its target."""

    FITS = "fits"
    OVER = "over"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class Release:
    """One line of a plan: a name and what is run under it."""

    name: str
    mechanism: Mechanism


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Releases whose parameters are all fixed beforehand.

    Args:
        title: What the plan is.
        adjacency: The relation between neighbouring data sets; see `optcomp.compose`.
        privacy_unit: Whose data one neighbouring step changes, in words, such as ``one person's records of one day``.
        target_epsilon: The epsilon that the whole must meet, if any.
        target_delta: The delta that the whole must meet, if any.
        releases: The lines of the plan.
    """

    title: str | None = None
    adjacency: str | None = None
    privacy_unit: str | None = None
    target_epsilon: Real | None = None
    target_delta: Fraction | None = None
    releases: tuple[Release, ...]

    def profile(self) -> Profile:
        """The whole guarantee."""
        return compose(Sequence(parts=[release.mechanism for release in self.releases]), adjacency=self.adjacency)


def verdict(found: Enclosure, limit: Fraction) -> Verdict:
    """Whether a composed epsilon or delta is within a limit.

    **Guarantee**: FITS only when ``found <= limit`` is proved, OVER only when ``found > limit`` is proved.
    """
    if found.upper <= limit:
        return Verdict.FITS
    return Verdict.OVER if found.lower > limit else Verdict.UNDECIDED

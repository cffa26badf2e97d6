"""Are the guarantees that somebody claims for a plan true?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from optcomp.composition import Profile
from optcomp.errors import InvalidParameterError, UndecidedError
from optcomp.quantities import Enclosure, Real, nonnegative_real, probability
from optcomp.usecases.assumptions import assumption_of
from optcomp.usecases.engine import Rigor, checked_rigor
from optcomp.usecases.source import Source

__all__ = ["AuditAnswer", "AuditVerdict", "Claim", "JudgedClaim", "audit_plan"]

_PARTS = 2


class AuditVerdict(Enum):
    """What can be said of a claim."""

    PROVEN = "proven"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Claim:
    """The statement that the whole is (epsilon, delta)-differentially private.

    Args:
        epsilon: In nats, at least 0.
        delta: Between 0 and 1.
    """

    epsilon: Real
    delta: Fraction

    @classmethod
    def of(cls, text: str) -> Claim:
        """Read ``epsilon,delta``.

        Raises:
            InvalidParameterError: When it is no such pair.
        """
        parts = text.split(",")
        if len(parts) != _PARTS:
            raise InvalidParameterError(
                field="claims", value=text, condition="must be epsilon and delta with a comma", remedy="Write 1,1e-6."
            )
        epsilon, delta = (part.strip() for part in parts)
        return cls(nonnegative_real(epsilon, field="claims.epsilon"), probability(delta, field="claims.delta"))


@dataclass(frozen=True)
class JudgedClaim:
    """A claim, and what the composition says of it.

    Args:
        claim: The claim.
        verdict: Proven: the least delta at its epsilon is at most its delta. Refuted: it is larger. Undecided: the
            claimed delta lies inside of the interval.
        least_delta: The certified interval of the least delta at the claimed epsilon; None where none was reached.
        note: Why there is no interval, or nothing.
    """

    claim: Claim
    verdict: AuditVerdict
    least_delta: Enclosure | None
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class AuditAnswer:
    """All claims, judged.

    Args:
        title: The plan's title.
        adjacency: The relation between neighbouring data sets.
        assumption: What the answer rests on where mechanisms are sampled.
        claims: One for each claim, in the order given.
    """

    title: str | None
    adjacency: str | None
    assumption: str | None
    claims: tuple[JudgedClaim, ...]

    @property
    def verdict(self) -> AuditVerdict:
        """Refuted when some claim is; otherwise undecided when some claim is; otherwise proven."""
        found = {each.verdict for each in self.claims}
        for worst in (AuditVerdict.REFUTED, AuditVerdict.UNDECIDED):
            if worst in found:
                return worst
        return AuditVerdict.PROVEN


def audit_plan(
    source: Source, *, claims: Iterable[Claim | str], width: str | None = None, rigor: str | None = None
) -> AuditAnswer:
    """Judge claims about a plan.

    Args:
        source: The plan.
        claims: At least one; text is read as ``epsilon,delta``.
        width: The largest acceptable relative width of each interval.
        rigor: ``float`` or ``ball``; see `optcomp.Profile.delta`.

    **Guarantee**: a claim is PROVEN only when the composition is (epsilon, delta)-DP, and REFUTED only when some
    mechanisms with the listed guarantees are not. The claimed delta is compared exactly.

    Raises:
        InvalidParameterError: When the plan or a claim is wrong, or there is no claim.
        UnsupportedError: When no engine takes the plan.
    """
    wanted = tuple(each if isinstance(each, Claim) else Claim.of(each) for each in claims)
    if not wanted:
        raise InvalidParameterError(
            field="claims", value=None, condition="must hold at least one claim", remedy="Add --claims 1,1e-6."
        )
    checked = checked_rigor(rigor)
    plan = source.plan()
    profile = plan.profile()
    return AuditAnswer(
        title=plan.title,
        adjacency=plan.adjacency,
        assumption=assumption_of(profile.mechanism, plan.adjacency),
        claims=tuple(_judged(profile, claim, width, checked) for claim in wanted),
    )


def _judged(profile: Profile, claim: Claim, width: str | None, rigor: Rigor) -> JudgedClaim:
    try:
        found = profile.delta(claim.epsilon, width=width, rigor=rigor)
    except UndecidedError as error:
        return JudgedClaim(claim, AuditVerdict.UNDECIDED, None, str(error))
    if found.upper <= claim.delta:
        verdict = AuditVerdict.PROVEN
    else:
        verdict = AuditVerdict.REFUTED if found.lower > claim.delta else AuditVerdict.UNDECIDED
    return JudgedClaim(claim, verdict, found)

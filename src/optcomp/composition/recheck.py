"""A second engine's verdict on a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from optcomp.composition.certificate import Certificate
from optcomp.composition.profile import Profile
from optcomp.engines import auto
from optcomp.errors import OptcompError
from optcomp.quantities import Enclosure

__all__ = ["Recheck", "RecheckVerdict", "recheck"]


class RecheckVerdict(Enum):
    """What a second engine says."""

    CONFIRMED = "confirmed"
    CONSISTENT = "consistent"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class Recheck:
    """The verdict, and what it rests on.

    Args:
        verdict: Confirmed: the second enclosure proves the certified inequality. Consistent: the two intersect.
            Contradicted: they are disjoint, or the certificate's own description is wrong. Undecided: no second engine
            reaches.
        engine: The second engine, if one answered.
        answer: Its enclosure.
        reason: One sentence.
    """

    verdict: RecheckVerdict
    engine: str | None
    answer: Enclosure | None
    reason: str


def recheck(certificate: Certificate) -> Recheck:
    """Check a certificate with other engines: they share arithmetic with the one that made it, not its method.

    **Guarantee**: CONFIRMED only when an engine other than the certificate's proves
    ``certificate.answer.lower <= truth <= certificate.answer.upper``; CONTRADICTED by an engine only when the truth is
    provably outside.

    Raises:
        InvalidParameterError: When the certificate names an engine that does not exist.
    """
    profile = Profile(mechanism=certificate.mechanism, adjacency=certificate.adjacency)
    wrong = _description_fault(certificate, profile)
    if wrong:
        return Recheck(verdict=RecheckVerdict.CONTRADICTED, engine=None, answer=None, reason=wrong)
    seen, refusals = [], []
    for rule, takes in profile.considered:
        if not takes or rule.method == auto.named(certificate.engine).method:
            continue
        try:
            answer = _ask(
                Profile(mechanism=certificate.mechanism, adjacency=certificate.adjacency, engine=rule.name), certificate
            )
        except OptcompError as error:
            refusals.append(f"{rule.name}: {error.condition}")
            continue
        found = _judge(certificate.answer, answer, rule.name)
        if found.verdict is not RecheckVerdict.CONSISTENT:
            return found
        seen.append(found)
    if seen:
        return min(seen, key=lambda each: each.answer.relative_width if each.answer else 0.0)
    reason = "; ".join(refusals) or "no second engine takes this composition"
    return Recheck(verdict=RecheckVerdict.UNDECIDED, engine=None, answer=None, reason=reason)


def _ask(profile: Profile, certificate: Certificate) -> Enclosure:
    """The second answer: as narrow as the first where the engine can choose, else as it comes."""
    wanted = certificate.answer.relative_width / 2
    question = profile.epsilon if certificate.asked == "epsilon" else profile.delta
    if profile.choice.rule.exact or wanted == 0:
        return question(certificate.point)
    try:
        return question(certificate.point, width=wanted)
    except OptcompError:
        return question(certificate.point)


def _judge(first: Enclosure, second: Enclosure, engine: str) -> Recheck:
    if not first.intersects(second):
        verdict, reason = RecheckVerdict.CONTRADICTED, f"{engine} proves that the truth lies in {second}"
    elif first.lower <= second.lower and second.upper <= first.upper:
        verdict, reason = RecheckVerdict.CONFIRMED, f"{engine} proves the certified interval"
    else:
        verdict = RecheckVerdict.CONSISTENT
        reason = f"{engine} agrees to a relative width of {second.relative_width:.1e}, which is wider than certified"
    return Recheck(verdict=verdict, engine=engine, answer=second, reason=reason)


def _description_fault(certificate: Certificate, profile: Profile) -> str | None:
    """What in the certificate's own description cannot be true; None when it is in order."""
    engine = auto.named(certificate.engine)
    if certificate.theorem != engine.theorem:
        return f"the engine {engine.name} computes {engine.theorem}, not {certificate.theorem}"
    if certificate.precision != engine.precision:
        return f"the engine {engine.name} works in {engine.precision}, not in {certificate.precision}"
    if not {rule.name: takes for rule, takes in profile.considered}[engine.name]:
        return f"the engine {engine.name} does not take this composition"
    if certificate.error != profile.error_split(certificate.asked, certificate.point, certificate.answer):
        return "the answer's error does not split as the certificate says"
    return None

"""A plan as what a record is made for: its fingerprint, its slots, and the proof of its target."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition import Certificate, Plan, Verdict, verdict
from optcomp.errors import InvalidParameterError, UndecidedError, UnsupportedError
from optcomp.mechanisms import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    Repeated,
    Sequence,
    Skellam,
    Staircase,
    mechanism_to_json,
)
from optcomp.quantities import exact_text

__all__ = [
    "NUMBER_NOISE",
    "RESPONSES",
    "SlotLine",
    "digest_of",
    "plan_digest",
    "plan_to_json",
    "proof_of",
    "refuse_unproved",
    "slot_line",
]

NUMBER_NOISE = (DiscreteLaplace, DiscreteGaussian, Skellam)
"""What adds noise to numbers here."""

RESPONSES = (RandomizedResponse, PureDP, ApproxDP)
"""What answers with a category here."""

_VERSION = 1
_REMEDIES: dict[type[Mechanism], str] = {
    Laplace: "Plan a discrete_laplace: continuous noise, rounded to floats, betrays the answer.",
    Gaussian: "Plan a discrete_gaussian: continuous noise, rounded to floats, betrays the answer.",
    Staircase: "Plan a discrete_laplace: staircase noise is continuous.",
    Exponential: "Plan a pure_dp of its epsilon, and make the selection elsewhere.",
    PoissonSampled: "Nothing is sampled here: make this release elsewhere.",
    Sequence: "Plan each of its parts as a release with a name of its own.",
}


@dataclass(frozen=True, kw_only=True)
class SlotLine:
    """One line of a plan, as slots.

    Args:
        place: Where it stands in the plan, from 0 on.
        name: Its name, which no other line has.
        mechanism: What one slot runs.
        count: How many slots there are: the runs 0 to ``count - 1``.
    """

    place: int
    name: str
    mechanism: Mechanism
    count: int


def slot_line(plan: Plan, name: str) -> SlotLine:
    """The line of a plan with a name.

    Raises:
        InvalidParameterError: When no line or several lines have the name, or the line is run 0 times.
        UnsupportedError: When its mechanism is none that is drawn here.
    """
    found = [place for place, line in enumerate(plan.releases) if line.name == name]
    if len(found) != 1:
        names = ", ".join(sorted({repr(line.name) for line in plan.releases}))
        condition = f"stands {len(found)} times in the plan" if found else "must be a release of the plan"
        remedy = "Give each release a name of its own." if found else f"The plan has {names}."
        raise InvalidParameterError(field="name", value=name, condition=condition, remedy=remedy)
    whole = plan.releases[found[0]].mechanism
    mechanism, count = (whole.mechanism, whole.count) if isinstance(whole, Repeated) else (whole, 1)
    if not isinstance(mechanism, NUMBER_NOISE + RESPONSES):
        raise UnsupportedError(
            field="mechanism",
            value=mechanism,
            condition="must be one that is drawn here",
            remedy=_REMEDIES.get(type(mechanism), "Plan a discrete_laplace, discrete_gaussian or randomized_response."),
        )
    if count == 0:
        raise InvalidParameterError(
            field="name", value=name, condition="is run 0 times by the plan", remedy="Use another release."
        )
    return SlotLine(place=found[0], name=name, mechanism=mechanism, count=count)


def plan_to_json(plan: Plan) -> dict[str, object]:
    """The JSON object of all that a plan means: everything but its title."""
    return {
        "version": _VERSION,
        "adjacency": plan.adjacency,
        "privacy_unit": plan.privacy_unit,
        "target": {
            "epsilon": None if plan.target_epsilon is None else exact_text(plan.target_epsilon),
            "delta": None if plan.target_delta is None else exact_text(plan.target_delta),
        },
        "releases": [{"name": line.name, "mechanism": mechanism_to_json(line.mechanism)} for line in plan.releases],
    }


def plan_digest(plan: Plan) -> str:
    """A fingerprint of all that a plan means: of everything but its title."""
    return digest_of(plan_to_json(plan))


def digest_of(body: Mapping[str, object]) -> str:
    """The SHA-256 of an object's JSON text with sorted keys and without spaces."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def proof_of(plan: Plan) -> Certificate | None:
    """A certificate that the plan meets its target; None when it has no target.

    **Guarantee**: with a target epsilon and delta, the composition is (epsilon, delta)-DP. With one of them, the other
    is in the certificate.

    Raises:
        InvalidParameterError: When the plan is proved to be over its target.
        UndecidedError: When neither is proved.
    """
    if plan.target_epsilon is not None:  # a delta is always rational, so it is the one to compare
        made = plan.profile().certificate(epsilon=plan.target_epsilon)
    elif plan.target_delta is not None:
        made = plan.profile().certificate(delta=plan.target_delta)
    else:
        return None
    refuse_unproved(made, plan)
    return made


def refuse_unproved(certificate: Certificate, plan: Plan) -> None:
    """Return only when a certificate proves a plan's target.

    Raises:
        InvalidParameterError: When it proves the opposite, or is about something else.
        UndecidedError: When it proves neither.
    """
    found = _verdict(certificate, plan)
    if found is Verdict.FITS:
        return
    answer = f"{certificate.asked} {certificate.answer}"
    limit = "" if certificate.asked == "epsilon" else f", delta {exact_text(plan.target_delta or Fraction(0))}"
    if found is Verdict.OVER:
        raise InvalidParameterError(
            field="plan",
            value=answer,
            condition=f"must meet its target{limit}",
            remedy="Plan fewer releases or more noise, or change the target. Nothing was drawn.",
        )
    raise UndecidedError(
        field="plan",
        value=answer,
        condition="could not be proved to meet its target",
        remedy="Raise the target's last digit a little. Nothing was drawn.",
        reached=certificate.answer,
    )


def _verdict(certificate: Certificate, plan: Plan) -> Verdict:
    asked, point = "delta", plan.target_epsilon
    if point is None:
        asked, point = "epsilon", plan.target_delta
    whole = Sequence(parts=[line.mechanism for line in plan.releases])
    is_about = certificate.mechanism == whole and certificate.adjacency == plan.adjacency
    if point is None or (certificate.asked, certificate.point) != (asked, point) or not is_about:
        raise InvalidParameterError(
            field="certificate",
            value=certificate.digest,
            condition="must be about this plan and its target",
            remedy="Restore the record as it was written, or release with another plan.",
        )
    if asked == "epsilon":
        return Verdict.OVER if certificate.answer.lower == math.inf else Verdict.FITS
    return Verdict.FITS if plan.target_delta is None else verdict(certificate.answer, plan.target_delta)

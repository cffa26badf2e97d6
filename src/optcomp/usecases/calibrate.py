"""How much noise does a target need, and what does it leave?"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from fractions import Fraction
from typing import BinaryIO

from optcomp.calibration import (
    AttackTarget,
    Calibration,
    EpsilonDelta,
    MuTarget,
    RequiredNoise,
    Target,
    calibrate,
    headroom,
    how_many,
    required_noise,
)
from optcomp.composition import Verdict, certificate_to_json
from optcomp.documents import read_family
from optcomp.errors import InvalidParameterError
from optcomp.quantities import Number, exact_text
from optcomp.usecases.engine import checked_rigor
from optcomp.usecases.source import Source

__all__ = [
    "CalibrateAnswer",
    "CalibrateRequest",
    "HeadroomAnswer",
    "HeadroomRequest",
    "Limit",
    "RequiredNoise",
    "calibrate_family",
    "headroom_of",
    "noise_required",
]


@dataclass(frozen=True, kw_only=True)
class CalibrateRequest:
    """A family, and the target that it has to meet.

    Args:
        path: The family file, or ``-`` for standard input.
        format: ``toml``, ``json`` or ``yaml``, where neither the ending nor the first character tells.
        epsilon: Of the target, in nats; by default the plan's own.
        delta: Of the target; by default the plan's own.
        mu: Another target: Gaussian differential privacy.
        attack: Another target: a false positive rate, and the largest true positive rate at it.
        adjacency: The relation between neighbouring data sets.
        digits: The number is a multiple of ``10**-digits``.
        rigor: ``float`` or ``ball``.
        standard_input: Where ``-`` reads from.
    """

    path: str
    format: str | None = None
    epsilon: str | None = None
    delta: str | None = None
    mu: str | None = None
    attack: tuple[str, str] | None = None
    adjacency: str | None = None
    digits: int | None = None
    rigor: str | None = None
    standard_input: BinaryIO = field(default_factory=io.BytesIO)


@dataclass(frozen=True, kw_only=True)
class CalibrateAnswer:
    """The free number with both sides.

    Args:
        title: The plan's title.
        name: Of the number.
        parameter: On the safe side, as exact text.
        other_side: On the other side, as exact text; None where the range of the number ends.
        adjacency: The relation between neighbouring data sets.
        certificate: For ``parameter``.
    """

    title: str | None
    name: str
    parameter: str
    other_side: str | None
    adjacency: str | None
    certificate: dict[str, object]


def calibrate_family(request: CalibrateRequest) -> CalibrateAnswer:
    """Find the free number of a family.

    Raises:
        InvalidParameterError: When the file or a number is wrong, or no target is given.
        UnsupportedError: When no value meets the target, or every value does.
        UndecidedError: When both sides could not be proved.
    """
    known = read_family(request.path, standard_input=request.standard_input, format=request.format)
    if request.adjacency is not None and known.adjacency not in {None, request.adjacency}:
        raise InvalidParameterError(
            field="adjacency",
            value=request.adjacency,
            condition=f"must be the plan's own, {known.adjacency}",
            remedy="Leave it out, or change the plan.",
        )
    adjacency = request.adjacency or known.adjacency
    epsilon = known.target_epsilon if request.epsilon is None else request.epsilon
    delta = known.target_delta if request.delta is None else request.delta
    found = calibrate(
        known.family,
        target=_target(request, epsilon, delta),
        adjacency=adjacency,
        digits=request.digits,
        rigor=checked_rigor(request.rigor),
    )
    return CalibrateAnswer(
        title=known.title,
        name=known.name,
        parameter=exact_text(found.parameter),
        other_side=None if found.other_side is None else exact_text(found.other_side),
        adjacency=adjacency,
        certificate=certificate_to_json(found.certificate),
    )


def _target(request: CalibrateRequest, epsilon: Number | None, delta: Number | None) -> Target:
    if request.mu is not None and request.attack is None:
        return MuTarget.of(request.mu)
    if request.attack is not None and request.mu is None:
        return AttackTarget.of(false_positive_rate=request.attack[0], true_positive_rate=request.attack[1])
    if request.mu is None and epsilon is not None and delta is not None:
        return EpsilonDelta.of(epsilon, delta)
    raise InvalidParameterError(
        field="target",
        value=None,
        condition="must be given once: epsilon and delta, or mu, or an attack",
        remedy="Add --epsilon 1 --delta 1e-6.",
    )


def noise_required(
    *, epsilon: str | None, delta: str | None, count: int, sensitivity: str
) -> tuple[RequiredNoise, ...]:
    """The variance of each noise for equal answers: earlier conditions, closed forms, and the least.

    Raises:
        InvalidParameterError: When a number is missing or wrong.
    """
    if epsilon is None or delta is None:
        raise InvalidParameterError(
            field="target",
            value=None,
            condition="must have an epsilon and a delta",
            remedy="Add --epsilon 1 --delta 1e-6.",
        )
    return required_noise(epsilon=epsilon, delta=delta, count=count, sensitivity=sensitivity)


@dataclass(frozen=True, kw_only=True)
class HeadroomRequest:
    """A plan, and the target that it should stay within.

    Args:
        source: The plan.
        epsilon: Of the target; by default the plan's own.
        delta: Of the target; by default the plan's own.
        more: ``epsilon`` or ``epsilon,delta`` of a mechanism whose further runs are counted.
    """

    source: Source
    epsilon: str | None = None
    delta: str | None = None
    more: str | None = None


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A number that still fits, and one that does not; None where nothing does, or the range ends."""

    fits: Fraction | None
    breaks: Fraction | None


@dataclass(frozen=True, kw_only=True)
class HeadroomAnswer:
    """What is left.

    Args:
        title: The plan's title.
        epsilon: The target's, as exact text.
        delta: The target's, as exact text.
        verdict: Whether the plan itself meets the target.
        pure: One more pure mechanism, by its epsilon.
        gaussian: One more Gaussian answer, by its sensitivity over its standard deviation.
        more: How often the asked mechanism may run beside the plan.
    """

    title: str | None
    epsilon: str
    delta: str
    verdict: Verdict
    pure: Limit | None
    gaussian: Limit | None
    more: Limit | None


def headroom_of(request: HeadroomRequest) -> HeadroomAnswer:
    """What a target leaves beside a plan.

    Raises:
        InvalidParameterError: When the plan or a number is wrong, or there is no target.
    """
    plan = request.source.plan()
    epsilon = plan.target_epsilon if request.epsilon is None else request.epsilon
    delta = plan.target_delta if request.delta is None else request.delta
    if epsilon is None or delta is None:
        raise InvalidParameterError(
            field="target",
            value=None,
            condition="must have an epsilon and a delta, here or in the plan",
            remedy="Add --epsilon 1 --delta 1e-6.",
        )
    target = EpsilonDelta.of(epsilon, delta)
    profile = plan.profile()
    judged = target.verdict(profile, "float")
    pure = gaussian = more = None
    if judged is Verdict.FITS:
        left = headroom(profile.mechanism, epsilon=epsilon, delta=delta, adjacency=plan.adjacency)
        pure, gaussian = _limit(left.epsilon), _limit(left.mu)
        if request.more is not None:
            further = Source(each=(request.more,)).plan().releases[0].mechanism
            more = _limit(
                how_many(further, epsilon=epsilon, delta=delta, beside=profile.mechanism, adjacency=plan.adjacency)
            )
    return HeadroomAnswer(
        title=plan.title,
        epsilon=exact_text(target.epsilon),
        delta=exact_text(target.delta),
        verdict=judged,
        pure=pure,
        gaussian=gaussian,
        more=more,
    )


def _limit(found: Calibration | None) -> Limit:
    return Limit(fits=None, breaks=None) if found is None else Limit(fits=found.parameter, breaks=found.other_side)

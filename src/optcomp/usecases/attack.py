"""What does an attack prove, and does it refute what a plan guarantees?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.plotting import Series
from optcomp.quantities import Enclosure
from optcomp.tradeoff import TradeoffCurve
from optcomp.tradeoff.attacks import AttackCounts, EpsilonBound, epsilon_lower_bound
from optcomp.usecases.assumptions import assumption_of
from optcomp.usecases.engine import checked_rigor
from optcomp.usecases.source import Source
from optcomp.usecases.tradeoff import draw_curve, refuse_existing

__all__ = ["AttackAnswer", "AttackCounts", "AttackRequest", "AttackVerdict", "PlanBound", "judge_attack"]


class AttackVerdict(Enum):
    """What an attack says of a plan."""

    CONSISTENT = "consistent"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True, kw_only=True)
class PlanBound:
    """What a plan guarantees at the attack's delta.

    Args:
        title: The plan's title.
        adjacency: The relation between neighbouring data sets.
        assumption: What the guarantee rests on where mechanisms are sampled.
        epsilon: The certified interval of the least epsilon.
        verdict: Contradicted when the attack's bound exceeds the upper end, otherwise consistent.
    """

    title: str | None
    adjacency: str | None
    assumption: str | None
    epsilon: Enclosure
    verdict: AttackVerdict


@dataclass(frozen=True, kw_only=True)
class AttackAnswer:
    """What an attack proves, beside what a plan guarantees.

    Args:
        bound: The certified lower bound on epsilon, with the rates behind it.
        plan: The certified upper bound; None without a plan.
    """

    bound: EpsilonBound
    plan: PlanBound | None


@dataclass(frozen=True, kw_only=True)
class AttackRequest:
    """An attack's counts, perhaps with a plan that they are held against.

    Args:
        counts: What was observed, in independent trials.
        delta: Between 0 and 1.
        confidence: Above 0 and below 1.
        source: The plan.
        rigor: ``float`` or ``ball``; see `optcomp.Profile.delta`.
        picture: A file that the plan's trade-off curve is drawn into, with the attack beside it.
        force: Whether a picture that is there already may be replaced.
    """

    counts: AttackCounts
    delta: str
    confidence: str
    source: Source | None = None
    rigor: str | None = None
    picture: str | None = None
    force: bool = False


def judge_attack(request: AttackRequest) -> AttackAnswer:
    """Bound epsilon from below by an attack's counts, and compare with a plan where there is one.

    **Guarantee**: where the mechanisms keep the plan's guarantees, and the attack's two data sets are neighbours in the
    plan's sense, the verdict is CONTRADICTED with probability at most ``1 - confidence`` over the trials.

    Raises:
        InvalidParameterError: When a number or the plan is wrong.
        UnsupportedError: When no engine takes the plan.
        UndecidedError: When the plan's epsilon cannot be found.
    """
    checked, source, picture = checked_rigor(request.rigor), request.source, request.picture
    if picture is not None:
        _refuse_picture(picture, has_plan=source is not None, force=request.force)
    bound = epsilon_lower_bound(request.counts, delta=request.delta, confidence=request.confidence)
    if source is None:
        return AttackAnswer(bound=bound, plan=None)
    plan = source.plan()
    profile = plan.profile()
    if not profile.is_symmetric:
        raise UnsupportedError(
            field="adjacency",
            value=plan.adjacency,
            condition="must cover both directions: the attack's bound is about adding and removing a record",
            remedy="Compose the plan under add_or_remove_one.",
        )
    promised = profile.epsilon(bound.delta, rigor=checked)
    refuted = bound.epsilon.lower > promised.upper
    if picture is not None:
        draw_curve(
            TradeoffCurve.of(profile),
            title=plan.title or "An attack beside the bound",
            path=Path(picture),
            attack=_reached(bound),
        )
    return AttackAnswer(
        bound=bound,
        plan=PlanBound(
            title=plan.title,
            adjacency=plan.adjacency,
            assumption=assumption_of(profile.mechanism, plan.adjacency),
            epsilon=promised,
            verdict=AttackVerdict.CONTRADICTED if refuted else AttackVerdict.CONSISTENT,
        ),
    )


def _reached(bound: EpsilonBound) -> Series:
    """The attack's two error rates: as observed, up to the bounds at the confidence."""
    counts = bound.counts
    alarms = Fraction(counts.false_positives, counts.nonmembers)
    missed = Fraction(counts.false_negatives, counts.members)
    return Series(
        label="the attack, observed and bounded",
        x=(Enclosure(alarms, max(alarms, Fraction(bound.false_positive_rate.upper))),),
        y=(Enclosure(missed, max(missed, Fraction(bound.false_negative_rate.upper))),),
        kind="points",
        style=1,
    )


def _refuse_picture(picture: str, *, has_plan: bool, force: bool) -> None:
    if not has_plan:
        raise InvalidParameterError(
            field="picture", value=picture, condition="needs a plan to draw", remedy="Give a plan, or --each."
        )
    refuse_existing(picture, force=force)

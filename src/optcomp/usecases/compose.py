"""What does the whole guarantee?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition import Profile, Verdict, verdict
from optcomp.quantities import Enclosure, Logarithm, Real, exact_text, probability, real
from optcomp.usecases.assumptions import assumption_of
from optcomp.usecases.engine import Rigor, answered, checked_rigor
from optcomp.usecases.source import Source, asked_point

__all__ = ["Budget", "ComposeAnswer", "compose_plan"]


@dataclass(frozen=True)
class Budget:
    """An (epsilon, delta) that the whole is meant to meet, and whether it does."""

    epsilon: Real
    delta: Fraction
    verdict: Verdict


@dataclass(frozen=True, kw_only=True)
class ComposeAnswer:
    """The composed guarantee at one point.

    Args:
        title: The plan's title.
        question: ``epsilon`` when the least epsilon at a delta was asked, ``delta`` for the other way round.
        given: The name and the exact text of the other one.
        answer: The enclosure.
        engine: Which engine answered.
        reason: Why that engine.
        adjacency: The plan's relation between neighbouring data sets.
        assumption: What the answer rests on where mechanisms are sampled.
        privacy_unit: The plan's unit.
        budget: The budget and the verdict, where the plan names both targets or the caller gives both numbers.
        notes: Sentences worth reading beside the number.
    """

    title: str | None
    question: str
    given: tuple[str, str]
    answer: Enclosure
    engine: str
    reason: str
    adjacency: str | None
    assumption: str | None
    privacy_unit: str | None
    budget: Budget | None
    notes: tuple[str, ...]


def compose_plan(
    source: Source,
    *,
    epsilon: str | None = None,
    delta: str | None = None,
    width: str | None = None,
    rigor: str | None = None,
) -> ComposeAnswer:
    """Compose a plan and answer at a point.

    Args:
        source: The plan.
        epsilon: Asks for the least delta at this epsilon; by default the plan's target epsilon, when it has no delta.
        delta: Asks for the least epsilon at this delta; by default the plan's target delta.
        width: The largest acceptable relative width of the answer.
        rigor: ``float`` or ``ball``; see `optcomp.Profile.delta`.

    The budget of the verdict is the pair given here, or else the plan's two targets.

    Raises:
        InvalidParameterError: When the plan or a number is wrong, or there is neither an epsilon nor a delta.
    """
    checked = checked_rigor(rigor)
    plan = source.plan()
    point = asked_point(plan, epsilon=epsilon, delta=delta)
    profile = plan.profile()
    found = answered(profile, point.asked, point.value, width=width, rigor=checked)
    if epsilon is not None and delta is not None:
        budget = _budget(profile, real(epsilon, field="epsilon"), probability(delta, field="delta"), checked)
    else:
        budget = _budget(profile, plan.target_epsilon, plan.target_delta, checked)
    return ComposeAnswer(
        title=plan.title,
        question=point.asked,
        given=(point.given, exact_text(point.value)),
        answer=found.value,
        engine=found.engine,
        reason=found.reason,
        adjacency=plan.adjacency,
        assumption=assumption_of(profile.mechanism, plan.adjacency),
        privacy_unit=plan.privacy_unit,
        budget=budget,
        notes=_notes(profile),
    )


def _budget(profile: Profile, epsilon: Real | None, delta: Fraction | None, rigor: Rigor) -> Budget | None:
    if epsilon is None or delta is None:
        return None
    if isinstance(epsilon, Logarithm):  # irrational: compare the deltas at that epsilon instead
        return Budget(epsilon, delta, verdict(profile.delta(epsilon, rigor=rigor), delta))
    return Budget(epsilon, delta, verdict(profile.epsilon(delta, rigor=rigor), epsilon))


def _notes(profile: Profile) -> tuple[str, ...]:
    if profile.failure.upper > 0:
        mass = profile.failure
        return (f"Below delta {mass} no epsilon is finite: that is the probability that some mechanism fails.",)
    if profile.largest_epsilon.upper == math.inf:
        return ("With delta 0 no epsilon is finite: the noise can reveal any amount, if rarely.",)
    return (f"All mechanisms are pure: with delta 0 the epsilon is their sum, {profile.largest_epsilon}.",)

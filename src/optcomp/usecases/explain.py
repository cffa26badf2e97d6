"""Which engine would answer, why, at what cost, and what would make the answer exact."""

from __future__ import annotations

from dataclasses import dataclass

from optcomp.usecases.assumptions import assumption_of
from optcomp.usecases.source import Source

__all__ = ["Considered", "ExplainAnswer", "explain_plan"]


@dataclass(frozen=True)
class Considered:
    """One engine of the table.

    Args:
        name: The engine.
        takes: Whether it takes the composition.
        when: What it takes, in words.
        chosen: Whether it is the one that answers.
    """

    name: str
    takes: bool
    when: str
    chosen: bool


@dataclass(frozen=True, kw_only=True)
class ExplainAnswer:
    """The engine and its reasons.

    Args:
        title: The plan's title.
        adjacency: The relation between neighbouring data sets.
        assumption: What an answer will rest on where mechanisms are sampled.
        engine: Which engine answers.
        reason: Why.
        theorem: What it computes.
        precision: The arithmetic it works in.
        cost: What an answer costs.
        exact: Whether its answers are narrow up to rounding.
        advice: What would make the answer exact; empty when it is.
        considered: The whole table, in order.
    """

    title: str | None
    adjacency: str | None
    assumption: str | None
    engine: str
    reason: str
    theorem: str
    precision: str
    cost: str
    exact: bool
    advice: str
    considered: tuple[Considered, ...]


def explain_plan(source: Source) -> ExplainAnswer:
    """Explain without composing anything.

    Raises:
        InvalidParameterError: When the plan is wrong.
        UnsupportedError: When no engine takes it.
    """
    plan = source.plan()
    profile = plan.profile()
    choice = profile.choice
    advice = (
        ""
        if choice.rule.exact or profile.sides[0].composite.two_points is None
        else "Round the epsilons up to a common step, such as 0.001, or to few different values: that is safe."
    )
    return ExplainAnswer(
        title=plan.title,
        adjacency=plan.adjacency,
        assumption=assumption_of(profile.mechanism, plan.adjacency),
        engine=choice.name,
        reason=choice.reason,
        theorem=choice.rule.theorem,
        precision=choice.rule.precision,
        cost=choice.engine.cost,
        exact=choice.rule.exact,
        advice=advice,
        considered=tuple(
            Considered(rule.name, takes, rule.when, rule.name == choice.name) for rule, takes in profile.considered
        ),
    )

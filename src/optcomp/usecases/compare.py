"""What would each theorem say?"""

from __future__ import annotations

from dataclasses import dataclass

from optcomp.composition import Row, compare
from optcomp.errors import InvalidParameterError
from optcomp.quantities import exact_text, probability
from optcomp.usecases.assumptions import assumption_of
from optcomp.usecases.source import Source

__all__ = ["CompareAnswer", "compare_plan"]


@dataclass(frozen=True, kw_only=True)
class CompareAnswer:
    """Every theorem at one total delta.

    Args:
        title: The plan's title.
        delta: The exact text of the total delta.
        adjacency: The relation between neighbouring data sets.
        assumption: What the rows rest on where mechanisms are sampled.
        rows: One per theorem, the optimum last.
    """

    title: str | None
    delta: str
    adjacency: str | None
    assumption: str | None
    rows: tuple[Row, ...]


def compare_plan(source: Source, *, delta: str | None = None) -> CompareAnswer:
    """Compare all theorems on a plan.

    Args:
        source: The plan.
        delta: The total delta; by default the plan's target.

    Raises:
        InvalidParameterError: When the plan or the delta is wrong, or there is no delta.
    """
    plan = source.plan()
    wanted = plan.target_delta if delta is None else probability(delta, field="delta")
    if wanted is None:
        raise InvalidParameterError(
            field="delta",
            value=None,
            condition="must be given: the plan has no target.delta",
            remedy="Add --delta 1e-6.",
        )
    whole = plan.profile().mechanism
    found = compare(whole, delta=wanted, adjacency=plan.adjacency)
    return CompareAnswer(
        title=plan.title,
        delta=exact_text(wanted),
        adjacency=plan.adjacency,
        assumption=assumption_of(whole, plan.adjacency),
        rows=found.rows,
    )

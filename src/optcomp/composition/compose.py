"""The one verb."""

from __future__ import annotations

from collections.abc import Iterable

from optcomp.composition.adjacency import checked_adjacency
from optcomp.composition.profile import Profile
from optcomp.mechanisms import Mechanism, Sequence

__all__ = ["compose"]


def compose(
    mechanisms: Mechanism | Iterable[Mechanism], *, adjacency: str | None = None, engine: str | None = None
) -> Profile:
    """Compose mechanisms that all run on the same data.

    Args:
        mechanisms: One mechanism, or any number of them.
        adjacency: One of ``add_or_remove_one``, ``add_one``, ``remove_one``, ``replace_one``, ``replace_special``: the
            relation that every listed guarantee holds for. Guarantees given as (epsilon, delta) compose in the same
            way under each, so here it is carried along and does not change the numbers.
        engine: An engine's name, for comparing engines; by default the table in `optcomp.engines.auto` decides.

    Returns:
        The profile, which computes nothing until it is asked.

    Raises:
        InvalidParameterError: When something in the list is no mechanism, or the adjacency has no such name.

    >>> import optcomp
    >>> year = optcomp.compose([optcomp.PureDP(epsilon="0.1").repeated(100)])
    >>> print(year.epsilon(delta="1e-6"))
    [4.7745675881079861, 4.7745675881079862]
    """
    whole = mechanisms if isinstance(mechanisms, Mechanism) else Sequence(parts=mechanisms)
    return Profile(mechanism=whole, adjacency=checked_adjacency(adjacency), engine=engine)

"""What an answer about sampled mechanisms rests on, in one sentence."""

from __future__ import annotations

from optcomp.mechanisms import Mechanism, PoissonSampled, Repeated, Sequence

__all__ = ["assumption_of"]

_DIRECTIONS = {
    "add_or_remove_one": "The larger of both directions, one record added and one removed",
    "add_one": "One direction only, one record added",
    "remove_one": "One direction only, one record removed",
    "replace_special": "The larger of both directions, one record blanked and one filled in",
}
_SAMPLING = "where each record is in a sample by a coin of its own (Poisson sampling, no shuffled batches)"


def assumption_of(mechanism: Mechanism, adjacency: str | None) -> str | None:
    """The relation and the sampling that an answer assumes; None where nothing is sampled.

    Args:
        mechanism: What is composed.
        adjacency: The relation between neighbouring data sets.
    """
    if not _samples(mechanism):
        return None
    return f"{_DIRECTIONS.get(adjacency or '', 'Under the adjacency given')}, {_SAMPLING}."


def _samples(mechanism: Mechanism) -> bool:
    waiting = [mechanism]
    while waiting:
        part = waiting.pop()
        if isinstance(part, PoissonSampled):
            return True
        if isinstance(part, Repeated) and part.count:
            waiting.append(part.mechanism)
        elif isinstance(part, Sequence):
            waiting.extend(part.parts)
    return False

"""Where the mechanisms come from: a plan file, or values typed in."""

from __future__ import annotations

import io
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Literal

from optcomp.composition import Plan, Release, checked_adjacency
from optcomp.documents import FORMATS, read_plan
from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import ApproxDP, Mechanism, PureDP
from optcomp.quantities import Real, probability, real

__all__ = ["Point", "Source", "asked_point"]

_PURE, _APPROXIMATE = 1, 2


@dataclass(frozen=True, kw_only=True)
class Source:
    """Either a plan file or inline values, not both.

    Args:
        path: The plan file, or ``-`` for standard input.
        format: ``toml``, ``yaml`` or ``json``, where neither the ending nor the first character tells.
        each: Inline values, ``epsilon`` or ``epsilon,delta``.
        counts: How often each is run: none, or as many as there are inline values.
        adjacency: The relation between neighbouring data sets, where the plan names none or the same one.
        standard_input: Where ``-`` reads from.
    """

    path: str | None = None
    format: str | None = None
    each: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    adjacency: str | None = None
    standard_input: BinaryIO = field(default_factory=io.BytesIO)

    def plan(self) -> Plan:
        """The plan that is meant.

        Raises:
            InvalidParameterError: When both or neither are given, a value cannot be read, or the plan names another
                adjacency.
        """
        wanted = checked_adjacency(self.adjacency)
        if (self.path is None) == (not self.each):
            raise InvalidParameterError(
                field="plan",
                value=self.path,
                condition="must be given, or --each instead, and not both",
                remedy="Give PLAN, or --each 0.1 --count 30.",
            )
        if self.format is not None and self.format not in FORMATS:
            raise InvalidParameterError(
                field="format",
                value=self.format,
                condition=f"must be one of {', '.join(FORMATS)}",
                remedy="Choose one.",
            )
        if self.path is not None:
            self._refuse_counts(0)
            return _under(wanted, read_plan(self.path, standard_input=self.standard_input, format=self.format))
        if self.counts:
            self._refuse_counts(len(self.each))
        counts = self.counts or (1,) * len(self.each)
        return Plan(
            adjacency=wanted,
            releases=tuple(
                Release(name=text, mechanism=_inline(text).repeated(count))
                for text, count in zip(self.each, counts, strict=True)
            ),
        )

    def _refuse_counts(self, wanted: int) -> None:
        if len(self.counts) != wanted:
            raise InvalidParameterError(
                field="count",
                value=self.counts,
                condition=f"must be given {wanted} times: once for each --each, and never with a plan file",
                remedy="Repeat --each and --count in pairs.",
            )


@dataclass(frozen=True)
class Point:
    """One question to a profile.

    Args:
        asked: ``epsilon`` for the least epsilon at a delta, ``delta`` for the other way round.
        value: That delta or epsilon.
    """

    asked: Literal["epsilon", "delta"]
    value: Real

    @property
    def given(self) -> str:
        """The name of the value."""
        return "delta" if self.asked == "epsilon" else "epsilon"


def asked_point(plan: Plan, *, epsilon: str | None, delta: str | None) -> Point:
    """The question that is meant: the one typed in, or else the plan's target; a delta before an epsilon.

    Raises:
        InvalidParameterError: When a number is wrong, or there is neither an epsilon nor a delta.
    """
    asked_epsilon = None if epsilon is None else real(epsilon, field="epsilon")
    asked_delta = None if delta is None else probability(delta, field="delta")
    if asked_epsilon is None and asked_delta is None:
        asked_epsilon, asked_delta = plan.target_epsilon, plan.target_delta
    if asked_delta is not None:
        return Point("epsilon", asked_delta)
    if asked_epsilon is not None:
        return Point("delta", asked_epsilon)
    raise InvalidParameterError(
        field="delta", value=None, condition="must be given, or an epsilon instead", remedy="Add --delta 1e-6."
    )


def _under(adjacency: str | None, plan: Plan) -> Plan:
    """The plan under the adjacency that was asked for, unless it speaks of another one."""
    if adjacency is not None and plan.adjacency not in {None, adjacency}:
        raise InvalidParameterError(
            field="adjacency",
            value=adjacency,
            condition=f"must be the plan's own, {plan.adjacency}",
            remedy="Leave it out, or change the plan: its guarantees were stated for that relation.",
        )
    return plan if adjacency is None else replace(plan, adjacency=adjacency)


def _inline(text: str) -> Mechanism:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == _PURE:
        return PureDP(epsilon=parts[0])
    if len(parts) == _APPROXIMATE:
        return ApproxDP(epsilon=parts[0], delta=parts[1])
    raise InvalidParameterError(
        field="each",
        value=text,
        condition="must be epsilon, or epsilon and delta with a comma",
        remedy="Write 0.1,1e-6.",
    )

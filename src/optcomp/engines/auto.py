"""Which engine answers, and why: a table that can be read, and asked without running anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from optcomp.engines.base import Engine, Nothing
from optcomp.engines.binomial import Binomial
from optcomp.engines.bracketing_lattice import BracketingLattice
from optcomp.engines.lattice import Lattice
from optcomp.engines.subsets import Subsets
from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.losses import Composite

__all__ = ["TABLE", "Choice", "Rule", "build", "considered", "select"]


@dataclass(frozen=True)
class Rule:
    """One row of the table.

    Args:
        name: The engine.
        when: What it takes, in words.
        exact: Whether its answers are narrow up to rounding, instead of to a wanted width.
        build: The engine for a composition, or None when the composition is not of that kind.
    """

    name: str
    when: str
    exact: bool
    build: Callable[[Composite], Engine | None]


@dataclass(frozen=True)
class Choice:
    """An engine, and why it was chosen."""

    engine: Engine
    reason: str

    @property
    def name(self) -> str:
        """The engine's name."""
        return self.engine.name


def _nothing(composite: Composite) -> Engine | None:
    return None if composite.losses else Nothing()


def _binomial(composite: Composite) -> Engine | None:
    if len(composite.losses) != 1:
        return None
    ((loss, count),) = composite.losses
    return Binomial(loss.epsilon, count)


def _lattice(composite: Composite) -> Engine | None:
    return Lattice.of(composite.losses) if composite.losses else None


def _subsets(composite: Composite) -> Engine | None:
    return Subsets.of(composite.losses) if composite.losses else None


def _bracketing_lattice(composite: Composite) -> Engine | None:
    return BracketingLattice(composite.losses) if composite.losses else None


TABLE: tuple[Rule, ...] = (
    Rule("nothing", "no mechanism has a finite loss other than 0", exact=True, build=_nothing),
    Rule("binomial", "all epsilons are equal; any count", exact=True, build=_binomial),
    Rule("lattice", "the epsilons are multiples of one step that is not too fine for them", exact=True, build=_lattice),
    Rule("subsets", "at most 44 different epsilons, or few different ones in any number", exact=True, build=_subsets),
    Rule("bracketing_lattice", "any epsilons, two-sided on a grid", exact=False, build=_bracketing_lattice),
)
"""The rules in the order in which they are tried; the first that fits is taken."""


def select(composite: Composite) -> Choice:
    """The engine that answers for a composition, with the reason.

    Raises:
        UnsupportedError: When no engine takes it.
    """
    for rule in TABLE:
        engine = rule.build(composite)
        if engine is not None:
            return Choice(engine, rule.when)
    raise UnsupportedError(  # unreachable while the last rule takes everything
        field="epsilon",
        value=f"{len(composite.losses)} different values",
        condition="cannot be composed by any engine",
        remedy="Round the epsilons up to a common step, such as 0.001: that is safe and costs little.",
    )


def considered(composite: Composite) -> tuple[tuple[Rule, bool], ...]:
    """Every rule of the table, and whether it takes the composition. Nothing is composed."""
    return tuple((rule, rule.build(composite) is not None) for rule in TABLE)


def build(composite: Composite, name: str) -> Choice:
    """The engine of that name, for comparing engines.

    Raises:
        InvalidParameterError: When there is no such engine.
        UnsupportedError: When it does not take this composition.
    """
    for rule in TABLE:
        if rule.name == name:
            engine = rule.build(composite)
            if engine is None:
                raise UnsupportedError(
                    field="engine", value=name, condition=f"needs that {rule.when}", remedy="Leave the choice to auto."
                )
            return Choice(engine, "asked for by name")
    names = ", ".join(rule.name for rule in TABLE)
    raise InvalidParameterError(field="engine", value=name, condition=f"must be one of {names}", remedy="Choose one.")

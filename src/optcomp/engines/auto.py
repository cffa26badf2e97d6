"""Which engine answers, and why: a table that can be read, and asked without running anything."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from optcomp.engines.approximation import Approximation
from optcomp.engines.base import Engine, Nothing
from optcomp.engines.binomial import Binomial
from optcomp.engines.bracketing_lattice import BracketingLattice
from optcomp.engines.closed_form import ClosedForm
from optcomp.engines.contour import BallContour, Contour
from optcomp.engines.conversion import Conversion
from optcomp.engines.lattice import Lattice
from optcomp.engines.outcomes import Outcomes
from optcomp.engines.residues import Residues
from optcomp.engines.subsets import Subsets
from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.losses import Composite, PromisedLoss, SampledDiscreteGaussianLoss, TwoPoint, TwoPointColumn
from optcomp.losses.ripples import has_ripple
from optcomp.quantities import approximately
from optcomp.sources import statement_of

__all__ = ["RIGORS", "TABLE", "Choice", "Rigor", "Rule", "build", "choices", "considered", "named", "refusal", "select"]

Rigor = Literal["float", "ball"]
RIGORS: tuple[Rigor, ...] = ("float", "ball")
"""``float``: any engine, every rounding counted; ``ball``: engines in ball arithmetic only."""

Losses = tuple[tuple[TwoPoint, int], ...]

_MOST_EXACT = 500  # different epsilons, for engines whose cost grows with each
_LEAST, _MOST = 1e-100, 1e100  # of an epsilon, for engines whose floats need room on both sides


@dataclass(frozen=True)
class Rule:
    """One row of the table.

    Args:
        kind: The engine's class.
        when: What it takes, in words.
        exact: Whether its answers are narrow up to rounding, instead of to a wanted width.
        build: The engine for a composition, or None when the composition is not of that kind.
        follows: Whether it is asked where an earlier engine of the table did not reach its width.
    """

    kind: type[Engine]
    when: str
    exact: bool
    build: Callable[[Composite], Engine | None]
    follows: bool = False

    @property
    def name(self) -> str:
        """The engine's name."""
        return self.kind.name

    @property
    def method(self) -> str:
        """What it does: two engines of one method in different arithmetic are no check of each other."""
        return self.name.removesuffix("_balls")

    @property
    def theorem(self) -> str:
        """The theorem that the engine computes."""
        return str(statement_of(self.kind.delta))

    @property
    def precision(self) -> str:
        """The arithmetic that the engine works in."""
        return self.kind.precision

    @property
    def in_balls(self) -> bool:
        """Whether its arithmetic is ball arithmetic alone, which assumes nothing of any elementary function."""
        return self.precision.startswith("balls")


@dataclass(frozen=True)
class Choice:
    """An engine, the rule that it stands under, and why it was chosen."""

    engine: Engine
    rule: Rule
    reason: str

    @property
    def name(self) -> str:
        """The engine's name."""
        return self.rule.name


def _nothing(composite: Composite) -> Engine | None:
    return None if composite.losses else Nothing()


def _closed_form(composite: Composite) -> Engine | None:
    return ClosedForm.of(composite.losses)


def _binomial(composite: Composite) -> Engine | None:
    known = composite.two_points
    return Binomial(known[0][0].epsilon, known[0][1]) if known is not None and len(known) == 1 else None


def _outcomes(composite: Composite) -> Engine | None:
    return Outcomes.of(composite.losses) if composite.losses else None


def _in_floats(
    build: Callable[[Losses], Engine | None], *, most: float = math.inf
) -> Callable[[Composite], Engine | None]:
    """An engine that works in floats: it takes epsilons between 1e-100 and 1e100 only."""

    def checked(composite: Composite) -> Engine | None:
        known = composite.two_points
        if known is None or len(known) > most:
            return None
        fits = bool(known) and all(_LEAST <= approximately(loss.epsilon) <= _MOST for loss, _ in known or ())
        return build(known) if known and fits else None

    return checked


def _fit_floats(composite: Composite) -> bool:
    """Whether every epsilon leaves floats room on both sides."""
    known = [loss.epsilon for loss, _ in composite.losses if type(loss) is TwoPoint]
    ends = known if len(known) <= _MOST_EXACT else [known[0], known[-1]]  # rational ones are sorted
    return all(_LEAST <= approximately(epsilon) <= _MOST for epsilon in ends)


def _bracketing(composite: Composite) -> Engine | None:
    taken = bool(composite.losses) and _fit_floats(composite)
    columns = any(issubclass(kind, TwoPointColumn | PromisedLoss) for kind in composite.kinds)
    columns = columns or (SampledDiscreteGaussianLoss in composite.kinds and not has_ripple(composite.losses))
    return BracketingLattice(composite.losses) if taken and not columns else None


TABLE: tuple[Rule, ...] = (
    Rule(Nothing, "no mechanism has a finite loss other than 0", exact=True, build=_nothing),
    Rule(
        Conversion,
        "there is a promise about Renyi divergences: a conversion, no optimum",
        exact=True,
        build=lambda composite: None if composite.two_points else Conversion.of(composite.losses),
    ),
    Rule(Binomial, "all epsilons are equal; any count", exact=True, build=_binomial),
    Rule(
        Residues,
        "the losses are Laplace or bounded-range ones, at most 1000, in few groups, with few atoms beside",
        exact=True,
        build=lambda composite: None if composite.two_points else Residues.of(composite.losses),
    ),
    Rule(Outcomes, "the sum of the losses has at most 2048 values", exact=True, build=_outcomes),
    Rule(
        ClosedForm,
        "there is one mechanism, or all are Gaussian",
        exact=True,
        build=_closed_form,
    ),
    Rule(
        Lattice,
        "the epsilons are multiples of one step that is not too fine for them",
        exact=True,
        build=_in_floats(Lattice.of, most=_MOST_EXACT),
    ),
    Rule(
        Subsets,
        "at most 44 different epsilons, or few different ones in any number",
        exact=True,
        build=_in_floats(Subsets.of, most=_MOST_EXACT),
    ),
    Rule(
        Contour,
        "every loss can be followed along a line: all but promises",
        exact=False,
        build=lambda composite: Contour.of(composite.losses) if _fit_floats(composite) else None,
    ),
    Rule(
        BallContour,
        "as for contour, where floats do not reach",
        exact=False,
        build=lambda composite: BallContour.of(composite.losses) if _fit_floats(composite) else None,
        follows=True,
    ),
    Rule(BracketingLattice, "any losses, two-sided on a grid", exact=False, build=_bracketing, follows=True),
    Rule(
        Approximation,
        "any epsilons, to a width in proportion to its cost",
        exact=False,
        build=_in_floats(Approximation),
    ),
)
"""The rules in the order in which they are tried; the first that fits is taken."""


def choices(composite: Composite, *, rigor: Rigor = "float") -> Iterator[Choice]:
    """The engines that take a composition, in the table's order, built as they are asked for.

    Args:
        composite: What is composed.
        rigor: ``ball`` leaves out the engines that work in floats.
    """
    for rule in TABLE:
        if rigor == "ball" and not rule.in_balls:
            continue
        engine = rule.build(composite)
        if engine is not None:
            yield Choice(engine, rule, rule.when)


def select(composite: Composite, *, rigor: Rigor = "float") -> Choice:
    """The engine that answers for a composition, with the reason.

    Raises:
        UnsupportedError: When no engine takes it.
    """
    for choice in choices(composite, rigor=rigor):
        return choice
    raise refusal(composite, rigor=rigor)


def refusal(composite: Composite, *, rigor: Rigor) -> UnsupportedError:
    """Why no engine takes a composition."""
    if rigor == "ball":
        return UnsupportedError(
            field="rigor",
            value=rigor,
            condition="has no engine for this composition",
            remedy="Ask with rigor='float': the answer is certified as well, with every rounding counted.",
        )
    if composite.two_points is not None:
        return UnsupportedError(
            field="epsilon",
            value=f"{len(composite.losses)} different values",
            condition=f"must lie between {_LEAST:g} and {_MOST:g} when so many are composed",
            remedy="Leave out epsilons that tiny; one that huge is no protection at all.",
        )
    return UnsupportedError(
        field="mechanisms",
        value=", ".join(sorted(kind.__name__ for kind in composite.kinds)),
        condition="have no engine that composes them together",
        remedy="Describe some of them by a guarantee, PureDP or ApproxDP.",
    )


def considered(composite: Composite) -> tuple[tuple[Rule, bool], ...]:
    """Every rule of the table, and whether it takes the composition. Nothing is composed."""
    return tuple((rule, rule.build(composite) is not None) for rule in TABLE)


def named(name: str) -> Rule:
    """The rule of the engine of that name.

    Raises:
        InvalidParameterError: When there is no such engine.
    """
    for rule in TABLE:
        if rule.name == name:
            return rule
    names = ", ".join(rule.name for rule in TABLE)
    raise InvalidParameterError(field="engine", value=name, condition=f"must be one of {names}", remedy="Choose one.")


def build(composite: Composite, name: str) -> Choice:
    """The engine of that name, for comparing engines.

    Raises:
        InvalidParameterError: When there is no such engine.
        UnsupportedError: When it does not take this composition.
    """
    rule = named(name)
    engine = rule.build(composite)
    if engine is None:
        raise UnsupportedError(
            field="engine", value=name, condition=f"needs that {rule.when}", remedy="Leave the choice to auto."
        )
    return Choice(engine, rule, "asked for by name")

"""Every theorem at the same total delta, beside the optimum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition.compose import compose
from optcomp.composition.profile import Profile
from optcomp.errors import InvalidParameterError, OptcompError, UndecidedError, UnsupportedError
from optcomp.losses import (
    BoundedRangeLoss,
    Composite,
    DiscreteGaussianLoss,
    GaussianLoss,
    Loss,
    SampledAtoms,
    SampledLoss,
    TwoPoint,
    directions,
    exceeds_failure,
    finite_target,
    guarantees,
    lower,
)
from optcomp.losses.promises import ConcentratedLoss, PromisedLoss, furthest, renyi_cumulant
from optcomp.mechanisms import Mechanism, Repeated, Sequence
from optcomp.quantities import Enclosure, Number, exact_text, floor_to_digits, html_table, probability
from optcomp.sources import statement_of
from optcomp.theorems import Guarantee, Term
from optcomp.theorems.basic import basic_composition
from optcomp.theorems.drv10 import advanced_composition
from optcomp.theorems.filters import fully_adaptive_bound
from optcomp.theorems.kov15 import closed_form, half_drift_form, short_form
from optcomp.theorems.mv16 import approximate_optimum
from optcomp.theorems.renyi import (
    Converted,
    bounded_range_rho,
    discrete_gaussian_rho,
    gaussian_rho,
    pure_dp_rho,
    renyi_epsilon,
    renyi_epsilon_at,
    zcdp_epsilon,
)

__all__ = ["Comparison", "Row", "compare"]


@dataclass(frozen=True)
class Row:
    """What one theorem says.

    Args:
        name: A short name, such as ``closed_form``.
        source: The paper and the theorem.
        epsilon: Its epsilon at the total delta; None when the theorem says nothing there.
        waste: How much larger that is than the optimum, in percent; None where that has no meaning.
        note: Why it says nothing, or what to know about the number.
        adaptive: Whether it also holds when parameters are chosen as you go.
    """

    name: str
    source: str
    epsilon: Enclosure | None
    waste: Enclosure | None = None
    note: str = ""
    adaptive: bool = False


@dataclass(frozen=True)
class Comparison:
    """The rows, loosest theorems first and the optimum last, at one total delta."""

    delta: Fraction
    rows: tuple[Row, ...]

    def row(self, name: str) -> Row:
        """The row of one theorem."""
        for row in self.rows:
            if row.name == name:
                return row
        names = ", ".join(row.name for row in self.rows)
        raise InvalidParameterError(field="name", value=name, condition=f"must be one of {names}", remedy="Choose one.")

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        rows = [
            (
                row.name,
                "" if row.epsilon is None else str(row.epsilon),
                "" if row.waste is None else f"{float(row.waste):.1f} %",
                row.note,
            )
            for row in self.rows
        ]
        title = f"Every theorem at delta {exact_text(self.delta)}"
        return html_table(title, ("theorem", "epsilon", "wasted", "note"), rows)


@dataclass(frozen=True)
class _Side:
    """One direction of the composition, and what its failures leave of delta; None where they take more than that."""

    composite: Composite
    slack: Enclosure | None

    @classmethod
    def of(cls, composite: Composite, delta: Fraction) -> _Side:
        side = exceeds_failure(composite, delta)
        left = None if side < 0 else finite_target(composite, delta) if side else Enclosure.exactly(0)
        return cls(composite, left)


@dataclass(frozen=True)
class _Question:
    """One composition at one total delta, with what is left of delta as slack.

    The terms are None where some mechanism has no (epsilon, delta) of its own.
    """

    mechanism: Mechanism
    delta: Fraction
    sides: tuple[_Side, ...]
    listed: tuple[Term, ...] | None

    @property
    def terms(self) -> tuple[Term, ...]:
        if self.listed is None:
            kind = _kind(self.mechanism, lambda leaf: guarantees(leaf) is not None)
            raise _NotApplicableError(f"says nothing: {kind} has no (epsilon, delta) guarantee of its own")
        return self.listed

    @property
    def additive_slack(self) -> Fraction:
        return self.delta - sum((term.delta * term.count for term in self.terms), start=Fraction(0))


class _NotApplicableError(Exception):
    """A theorem says nothing about this question; the text says why."""


def compare(mechanisms: Mechanism | Iterable[Mechanism], *, delta: Number, adjacency: str | None = None) -> Comparison:
    """Every theorem's epsilon for the same mechanisms at the same total delta.

    The slack of each closed form is what the total leaves: ``delta - sum delta_i`` where deltas add up, and s with
    ``1 - (1 - s) prod (1 - delta_i) = delta`` in the others. A theorem about (epsilon, delta) knows a mechanism by its
    largest loss, and says nothing where a loss has no largest value. The optimum of a composition with a promise about
    Renyi divergences is not known: there the last row says nothing either.

    Args:
        mechanisms: One mechanism, or any number of them.
        delta: The total, between 0 and 1.
        adjacency: As in `optcomp.compose`: required where a mechanism is sampled.

    **Guarantee**: each row's epsilon contains the value of its formula; the last row contains the optimum, or where two
    or more exponential mechanisms are composed, a bound of it from above.

    Raises:
        InvalidParameterError: When something in the list is no mechanism, delta is no probability, or the answer
            depends on the adjacency and none is given.
        UnsupportedError: When a mechanism has no loss that is known under the adjacency.
    """
    profile = compose(mechanisms, adjacency=adjacency)
    question = _question(profile.mechanism, probability(delta, field="delta"), adjacency)
    optimum = _optimum(profile, question)
    rows = [theorem.row(question, None if _ranges(question) > 1 else optimum.epsilon) for theorem in _TABLE]
    return Comparison(delta=question.delta, rows=(*rows, optimum))


_OPTIMAL_SOURCE = "Kairouz, Oh, Viswanath 2015, Theorem 3.3; Murtagh, Vadhan 2016, Theorem 1.5"


def _question(mechanism: Mechanism, delta: Fraction, adjacency: str | None) -> _Question:
    found = directions(mechanism, adjacency)
    known = guarantees(mechanism)
    terms = None if known is None else tuple(Term(epsilon=e, delta=part, count=count) for e, part, count in known)
    sides = tuple(_Side.of(lower(mechanism, direction), delta) for direction in found)
    return _Question(mechanism=mechanism, delta=delta, sides=sides, listed=terms)


def _optimum(profile: Profile, question: _Question) -> Row:
    losses = [loss for side in question.sides for loss, _ in side.composite.losses]
    if any(isinstance(loss, PromisedLoss) for loss in losses):
        kind = _kind(question.mechanism, lambda leaf: not any(isinstance(x, PromisedLoss) for x in _losses(leaf)))
        note = f"says nothing: {kind} is a promise, and renyi is the best that is proved from it"
        return Row("optimal", _OPTIMAL_SOURCE, None, note=note)
    try:
        epsilon, choice = profile.epsilon(question.delta), profile.choice
    except OptcompError as error:
        return Row("optimal", _OPTIMAL_SOURCE, None, note=str(error))
    source = _OPTIMAL_SOURCE if all(isinstance(loss, TwoPoint) for loss in losses) else choice.rule.theorem
    note = f"{choice.name}; {_RANGES}" if _ranges(question) > 1 else choice.name
    return Row("optimal", source, epsilon, note=note)


_RANGES = "above the optimum: one pair stands for every place of each range"


def _ranges(question: _Question) -> int:
    """How many mechanisms are known by their range: of two or more the composed pair is sound, but no optimum."""
    return sum(count for loss, count in question.sides[0].composite.losses if isinstance(loss, BoundedRangeLoss))


def _kind(mechanism: Mechanism, fits: Callable[[Mechanism], bool]) -> str:
    """The kind of the first part that does not fit."""
    return next((leaf.kind for leaf in _leaves(mechanism) if not fits(leaf)), mechanism.kind)


def _leaves(mechanism: Mechanism) -> Iterator[Mechanism]:
    """The parts that are run at least once, in the order in which they are listed; without recursion."""
    waiting = [mechanism]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Repeated):
            waiting += [part.mechanism] if part.count else []
        elif isinstance(part, Sequence):
            waiting += reversed(part.parts)
        else:
            yield part


def _losses(leaf: Mechanism) -> list[Loss]:
    return [loss for loss, _ in lower(leaf).losses]


@dataclass(frozen=True)
class _Theorem:
    """One line of the table: how a theorem is asked."""

    name: str
    function: Callable[..., object]
    ask: Callable[[_Question], Enclosure | Converted]
    note: str = ""
    adaptive: bool = False

    def row(self, question: _Question, optimum: Enclosure | None) -> Row:
        source = str(statement_of(self.function))
        try:
            found = self.ask(question)
        except _NotApplicableError as reason:
            return Row(self.name, source, None, note=str(reason), adaptive=self.adaptive)
        epsilon, note = (found, self.note) if isinstance(found, Enclosure) else (found.value, _order_note(found.order))
        waste = _waste(epsilon, optimum)
        return Row(self.name, source, epsilon, waste=waste, note=note, adaptive=self.adaptive)


def _order_note(order: Enclosure | None) -> str:
    return "at no order: nothing is lost" if order is None else f"at order {_short(order)}"


def _short(order: Enclosure) -> str:
    return exact_text(floor_to_digits(Fraction(order.lower), 6))


def _waste(epsilon: Enclosure, optimum: Enclosure | None) -> Enclosure | None:
    """``100 (epsilon/optimum - 1)`` as an enclosure, where both are finite and the optimum is certainly positive."""
    if optimum is None or optimum.lower <= 0 or math.inf in {epsilon.upper, optimum.upper}:
        return None
    low, high = Fraction(epsilon.lower) / Fraction(optimum.upper), Fraction(epsilon.upper) / Fraction(optimum.lower)
    return Enclosure(100 * (low - 1), 100 * (high - 1)).rounded(12)


def _basic(question: _Question) -> Enclosure:
    if question.additive_slack < 0:
        raise _NotApplicableError("the deltas alone add up to more than the total")
    return basic_composition(question.terms).epsilon


def _additive(question: _Question, theorem: Callable[..., Guarantee]) -> Enclosure:
    if question.additive_slack <= 0 and any(term.epsilon != 0 for term in question.terms):
        raise _NotApplicableError("no slack is left: the deltas add up to the total or more")
    return theorem(question.terms, slack=question.additive_slack).epsilon


def _multiplicative(side: _Side, epsilon_at: Callable[[Fraction], Enclosure]) -> Enclosure:
    """A formula that falls in the slack, at a slack known to lie in an interval."""
    slack = side.slack
    if slack is None:
        raise _NotApplicableError("no slack is left: some mechanism fails with more than the total")
    loose = epsilon_at(Fraction(slack.lower))
    return loose if slack.is_exact else Enclosure(epsilon_at(Fraction(slack.upper)).lower, loose.upper)


def _closed_form(question: _Question) -> Enclosure:
    terms = question.terms
    return _multiplicative(question.sides[0], lambda slack: closed_form(terms, slack=slack).epsilon)


def _equal(question: _Question) -> Term:
    terms = [term for term in question.terms if term.count]
    if len(terms) != 1:
        raise _NotApplicableError("the mechanisms are not all equal" if terms else "there is no mechanism")
    return terms[0]


def _form_for_equal(question: _Question, form: Callable[..., Guarantee]) -> Enclosure:
    term = _equal(question)

    def at(slack: Fraction) -> Enclosure:
        return form(epsilon=term.epsilon, delta=term.delta, count=term.count, slack=slack).epsilon

    try:
        return _multiplicative(question.sides[0], at)
    except InvalidParameterError as error:
        raise _NotApplicableError(f"{error.field} {error.condition}") from None


def _concentrated(question: _Question) -> Enclosure:
    known = [_rho(loss, count) for loss, count in question.sides[0].composite.losses]
    if None in known:
        kind = _kind(question.mechanism, lambda leaf: all(_rho(loss, 1) is not None for loss in _losses(leaf)))
        raise _NotApplicableError(f"says nothing: {kind} has no zero-concentrated guarantee of its own")
    found = [rho for rho in known if rho is not None]
    rho = Enclosure(
        sum((Fraction(each.lower) for each in found), start=Fraction(0)),
        sum((Fraction(each.upper) for each in found), start=Fraction(0)),
    )
    side = question.sides[0]
    _refuse_without_delta(side, free=rho.upper == 0)
    return _multiplicative(side, lambda slack: zcdp_epsilon(rho=rho, delta=slack).value)


def _rho(loss: Loss, count: int) -> Enclosure | None:
    """The zero-concentrated guarantee of a loss; None where it has none of its own."""
    one: Enclosure | None = None
    if isinstance(loss, GaussianLoss):
        one = gaussian_rho(sensitivity=1, variance=1 / loss.mu_squared)
    elif isinstance(loss, DiscreteGaussianLoss):
        one = discrete_gaussian_rho(sensitivity=loss.sensitivity, variance=loss.variance)
    elif isinstance(loss, ConcentratedLoss):
        one = Enclosure.exactly(loss.rho)
    elif isinstance(loss, BoundedRangeLoss):
        one = bounded_range_rho([Term(epsilon=loss.epsilon)])
    elif loss.largest is not None and not isinstance(loss, SampledAtoms | SampledLoss):
        one = pure_dp_rho([Term(epsilon=loss.largest)])
    return None if one is None else Enclosure(Fraction(one.lower) * count, Fraction(one.upper) * count)


def _refuse_without_delta(side: _Side, *, free: bool) -> None:
    if side.slack is not None and side.slack.upper == 0 and not free:
        raise _NotApplicableError("no slack is left: the conversion needs a positive delta")


def _renyi(question: _Question) -> Converted:
    """The larger answer of the directions, each at the order that is best there."""
    first, *others = question.sides
    found = [_renyi_of(first)]
    found += [_renyi_of(side) for side in others if not _is_below(side, found[0])]
    widest = max(found, key=lambda each: each.value.upper)
    return Converted(Enclosure(max(each.value.lower for each in found), widest.value.upper), widest.order)


def _is_below(side: _Side, other: Converted) -> bool:
    """Whether a side is certainly below an answer already at the order that gave it, without a search."""
    losses = side.composite.losses
    if side.slack is None or side.slack.lower <= 0 or side.slack.lower == 1 or other.order is None:
        return False
    order = Fraction(other.order.lower)
    reach = furthest(losses)
    if order <= 1 or (reach is not None and order > 1 + reach):
        return False
    try:
        most = renyi_epsilon_at(lambda x: renyi_cumulant(losses, x), delta=Fraction(side.slack.lower), order=order)
    except OptcompError:
        return False
    return most.upper <= other.value.lower


def _renyi_of(side: _Side) -> Converted:
    losses = side.composite.losses
    _refuse_without_delta(side, free=not losses)
    reach = furthest(losses)
    order: list[Enclosure | None] = []

    def at(slack: Fraction) -> Enclosure:
        if not losses:
            order.append(None)
            return Enclosure.exactly(0)
        found = renyi_epsilon(lambda x: renyi_cumulant(losses, x), delta=slack, largest=reach)
        order.append(found.order)
        return found.value

    try:
        value = _multiplicative(side, at)
    except OptcompError as error:
        raise _NotApplicableError(str(error)) from None
    return Converted(value, order[0])


def _approximation(question: _Question) -> Enclosure:
    total = basic_composition(question.terms).epsilon
    tolerance = min(Fraction(total.upper) / 100, Fraction(1, 2))
    if tolerance == 0:
        return total
    try:
        found = approximate_optimum(question.terms, delta=question.delta, tolerance=tolerance).epsilon
    except (UnsupportedError, UndecidedError) as error:
        raise _NotApplicableError(f"{error.field} {error.condition}") from None
    if found.upper == math.inf:
        raise _NotApplicableError("no slack is left: some mechanism fails with more than the total")
    return found


_TABLE = (
    _Theorem("basic", basic_composition, _basic, "does not depend on delta", adaptive=True),
    _Theorem("advanced", advanced_composition, lambda q: _additive(q, advanced_composition)),
    _Theorem("short_form", short_form, lambda q: _form_for_equal(q, short_form)),
    _Theorem("half_drift_form", half_drift_form, lambda q: _form_for_equal(q, half_drift_form)),
    _Theorem("closed_form", closed_form, _closed_form),
    _Theorem("zcdp", zcdp_epsilon, _concentrated, "with the sum of all rho, epsilon^2/2 where only epsilon is known"),
    _Theorem("renyi", renyi_epsilon, _renyi),
    _Theorem(
        "approximation", approximate_optimum, _approximation, "the polynomial-time scheme, tolerance 1 % of the sum"
    ),
    _Theorem("fully_adaptive", fully_adaptive_bound, lambda q: _additive(q, fully_adaptive_bound), adaptive=True),
)

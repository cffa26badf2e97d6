"""Every theorem at the same total delta, beside the optimum."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition.compose import compose
from optcomp.errors import InvalidParameterError, OptcompError, UndecidedError, UnsupportedError
from optcomp.losses import exceeds_failure, finite_target, guarantees, lower
from optcomp.mechanisms import Mechanism
from optcomp.quantities import Enclosure, Number, probability
from optcomp.sources import statement_of
from optcomp.theorems import Guarantee, Term
from optcomp.theorems.basic import basic_composition
from optcomp.theorems.drv10 import advanced_composition
from optcomp.theorems.filters import fully_adaptive_bound
from optcomp.theorems.kov15 import closed_form, half_drift_form, short_form
from optcomp.theorems.mv16 import approximate_optimum
from optcomp.theorems.renyi import pure_dp_rho, zcdp_epsilon

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


@dataclass(frozen=True)
class _Question:
    """One composition at one total delta, with what is left of delta as slack."""

    terms: tuple[Term, ...]
    delta: Fraction
    additive_slack: Fraction
    multiplicative_slack: Enclosure | None


class _NotApplicableError(Exception):
    """A theorem says nothing about this question; the text says why."""


def compare(mechanisms: Mechanism | Iterable[Mechanism], *, delta: Number) -> Comparison:
    """Every theorem's epsilon for the same mechanisms at the same total delta.

    The slack of each closed form is what the total leaves: ``delta - sum delta_i`` where deltas add up, and s with
    ``1 - (1 - s) prod (1 - delta_i) = delta`` in the theorems of Kairouz, Oh and Viswanath.

    Args:
        mechanisms: One mechanism, or any number of them.
        delta: The total, between 0 and 1.

    **Guarantee**: each row's epsilon contains the value of its formula; the last row contains the optimum.

    Raises:
        InvalidParameterError: When something in the list is no mechanism, or delta is no probability.
    """
    profile = compose(mechanisms)
    question = _question(profile.mechanism, probability(delta, field="delta"))
    try:
        optimum = Row("optimal", _OPTIMAL_SOURCE, profile.epsilon(question.delta), note=profile.choice.name)
    except OptcompError as error:
        optimum = Row("optimal", _OPTIMAL_SOURCE, None, note=str(error))
    rows = [theorem.row(question, optimum.epsilon) for theorem in _TABLE]
    return Comparison(delta=question.delta, rows=(*rows, optimum))


_OPTIMAL_SOURCE = "Kairouz, Oh, Viswanath 2015, Theorem 3.3; Murtagh, Vadhan 2016, Theorem 1.5"


def _question(mechanism: Mechanism, delta: Fraction) -> _Question:
    composite = lower(mechanism)
    terms = tuple(Term(epsilon=epsilon, delta=part, count=count) for epsilon, part, count in guarantees(mechanism))
    side = exceeds_failure(composite, delta)
    left = None if side < 0 else finite_target(composite, delta) if side else Enclosure.exactly(0)
    spent = sum((term.delta * term.count for term in terms), start=Fraction(0))
    return _Question(terms=terms, delta=delta, additive_slack=delta - spent, multiplicative_slack=left)


@dataclass(frozen=True)
class _Theorem:
    """One line of the table: how a theorem is asked."""

    name: str
    function: Callable[..., object]
    ask: Callable[[_Question], Enclosure]
    note: str = ""
    adaptive: bool = False

    def row(self, question: _Question, optimum: Enclosure | None) -> Row:
        source = str(statement_of(self.function))
        try:
            epsilon = self.ask(question)
        except _NotApplicableError as reason:
            return Row(self.name, source, None, note=str(reason), adaptive=self.adaptive)
        waste = _waste(epsilon, optimum)
        return Row(self.name, source, epsilon, waste=waste, note=self.note, adaptive=self.adaptive)


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


def _multiplicative(question: _Question, epsilon_at: Callable[[Fraction], Enclosure]) -> Enclosure:
    """A formula that falls in the slack, at a slack known to lie in an interval."""
    slack = question.multiplicative_slack
    if slack is None:
        raise _NotApplicableError("no slack is left: some mechanism fails with more than the total")
    loose = epsilon_at(Fraction(slack.lower))
    return loose if slack.is_exact else Enclosure(epsilon_at(Fraction(slack.upper)).lower, loose.upper)


def _closed_form(question: _Question) -> Enclosure:
    return _multiplicative(question, lambda slack: closed_form(question.terms, slack=slack).epsilon)


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
        return _multiplicative(question, at)
    except InvalidParameterError as error:
        raise _NotApplicableError(f"{error.field} {error.condition}") from None


def _concentrated(question: _Question) -> Enclosure:
    rho = pure_dp_rho(question.terms)
    if question.multiplicative_slack is not None and question.multiplicative_slack.upper == 0 and rho.upper > 0:
        raise _NotApplicableError("no slack is left: the conversion needs a positive delta")
    return _multiplicative(question, lambda slack: zcdp_epsilon(rho=rho, delta=slack).value)


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
    _Theorem("zcdp", zcdp_epsilon, _concentrated, "with rho = sum epsilon^2 / 2"),
    _Theorem(
        "approximation", approximate_optimum, _approximation, "the polynomial-time scheme, tolerance 1 % of the sum"
    ),
    _Theorem("fully_adaptive", fully_adaptive_bound, lambda q: _additive(q, fully_adaptive_bound), adaptive=True),
)

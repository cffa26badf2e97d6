"""How much noise suffices under composition: section 4 of Kairouz, Oh and Viswanath, and what was known before.

Write L for ``ln(e + epsilon/delta)``, k for the number of answers and D for the sensitivity of each. The question is
which variance makes all k answers together (epsilon, delta)-DP.

No closed form here holds for every epsilon, so each is checked before it is given, and refused where the check fails:

=============================  =============================================  =====================================
form                           checked by                                     never refused for
=============================  =============================================  =====================================
the Gaussian theorem           its exact delta                                epsilon <= 8 L
Corollary 4.1                  Theorem 3.4 at the slack delta/2               epsilon <= 2.34 L, or k <= 4 L
earlier: advanced composition  Theorem III.3 or 3.1 at the slack delta/2      k <= 8 ln(2/delta)
earlier: one Gaussian answer   its exact delta                                epsilon <= 4 ln 2
the textbook's Gaussian        nothing: it is proved                          epsilon <= 1, and refused above
=============================  =============================================  =====================================

Edge cases of every variance, in this order:

=============================  ===========================================
count or sensitivity 0         0
epsilon or delta 0             infinite: the closed form gives no variance
delta 1                        the number of the formula, never refused
=============================  ===========================================

Why the last column is right. Gaussian noise at k answers has, for ``m = D sqrt(k/variance)`` and
``y = epsilon/m - m/2 >= 0``, a ``delta(epsilon)`` of at most ``e^(-y^2/2)/2`` and at most ``m phi(y)``, the latter
because it grows with m at the rate ``phi(epsilon/m - m/2)``.

- The Gaussian theorem has ``m = epsilon/sqrt(8 L)`` and ``y^2/2 = 4 L (1 - epsilon/(16 L))^2``, which is at least L for
  ``epsilon <= 8 L``. Then ``m phi(y) <= epsilon e^-L/sqrt(16 pi L) < delta/7``.
- In the corollary ``k epsilon_0^2 = epsilon^2/(4 L)``: Theorem 3.4 gives at most
  ``epsilon (epsilon/(8 L) + 1/sqrt(2))``, and the plain sum ``epsilon sqrt(k/(4 L))``.
- One answer with ``l = ln(2/delta)`` has ``y^2/2 = l - epsilon/2 + epsilon^2/(16 l)``: its delta is at most
  ``delta e^(epsilon/2)/4``, and ``y >= 0`` for ``epsilon <= 4 l``.
- The textbook's has ``l = ln(1.25/delta)`` in the same place. For ``epsilon <= min(1, 4 l)`` it is
  ``m phi(y) <= 0.64 delta``; for ``4 l < epsilon <= 1`` delta exceeds 0.97, and the total variation is below 0.6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from optcomp.numerics.balls import Ball, ball, refine, sign
from optcomp.numerics.normal import normal_above
from optcomp.quantities import Enclosure, Number, Real, count, nonnegative_real, probability, rational
from optcomp.sources import BW18, DRV10, KOV15, states
from optcomp.theorems.base import Guarantee, Term, certain, evaluate, exact_sum, refuse
from optcomp.theorems.drv10 import advanced_composition
from optcomp.theorems.kov15 import closed_form
from optcomp.theorems.noise_laws import geometric_noise, laplace_noise, staircase_noise

__all__ = [
    "each_guarantee",
    "earlier_gaussian_variance",
    "earlier_geometric_variance",
    "earlier_guarantee",
    "earlier_laplace_variance",
    "earlier_staircase_variance",
    "gaussian_variance",
    "gaussian_variance_each",
    "geometric_variance",
    "laplace_variance",
    "single_gaussian_variance",
    "staircase_variance",
    "textbook_gaussian_variance",
]

_GAUSSIAN_RANGE = 8
_REMEDY = "Calibrate exactly, or certify the noise you have with optcomp.compose(...).delta(epsilon)."
_count = count  # a parameter has the same name


@dataclass(frozen=True)
class _Target:
    """What all the answers together shall meet; ``asked`` is the epsilon as it was given."""

    epsilon: Real
    delta: Fraction
    count: int
    asked: Number

    @property
    def slack(self) -> Fraction:
        """Half of delta; the other half is for the deltas of the answers."""
        return self.delta / 2

    @property
    def each_delta(self) -> Fraction:
        return self.delta / (2 * self.count)

    def logarithm(self) -> Ball:
        """L."""
        return (ball(1).exp() + ball(self.epsilon) / ball(self.delta)).log()

    def refused(self, condition: str) -> Exception:
        return refuse("epsilon", self.asked, condition, _REMEDY)


@dataclass(frozen=True)
class _Split:
    """How a target is divided among equal answers.

    Args:
        epsilon: Of each answer.
        composed: The epsilon that a theorem proves for such answers, at a slack.
        condition: What the target violates where the theorem proves too little.
    """

    epsilon: Callable[[_Target], Ball]
    composed: Callable[[Term, Fraction], Enclosure]
    condition: str

    def guarantee(self, target: _Target) -> Guarantee:
        """The guarantee of each answer, once the theorem has confirmed it; any smaller one serves as well."""
        if target.epsilon == 0 or target.delta == 0:
            return Guarantee(epsilon=certain(0), delta=certain(target.each_delta))
        found = evaluate(lambda: self.epsilon(target), what="epsilon")
        each = Term(epsilon=Fraction(found.upper), delta=target.each_delta, count=target.count)
        if target.delta < 1 and not self.composed(each, target.slack).upper <= _at_least(target.epsilon):
            raise target.refused(self.condition)
        return Guarantee(
            epsilon=Enclosure(found.lower, found.upper, safe_side="lower"), delta=certain(target.each_delta)
        )


def _at_least(value: Real) -> Fraction | float:
    """A number that the value is certainly not below."""
    return value if isinstance(value, Fraction) else evaluate(lambda: ball(value), what="epsilon").lower


def _advanced_or_basic(each: Term, slack: Fraction) -> Enclosure:
    advanced, plain = advanced_composition([each], slack=slack).epsilon, exact_sum([each])
    return advanced if advanced.upper <= plain.upper else plain


_COROLLARY = _Split(
    lambda target: ball(target.epsilon) / (2 * (target.count * target.logarithm()).sqrt()),
    lambda each, slack: closed_form([each], slack=slack).epsilon,
    "must be small enough that Theorem 3.4 proves Corollary 4.1, as it is up to 2.34 ln(e + epsilon/delta)",
)
_ADVANCED = _Split(
    lambda target: ball(target.epsilon) / (2 * (2 * target.count * -ball(target.slack).log()).sqrt()),
    _advanced_or_basic,
    "must be small enough that advanced composition proves it for these answers",
)


@states(KOV15, "Section 4, the Gaussian mechanism under composition")
def gaussian_variance(*, epsilon: Number, delta: Number, count: int, sensitivity: Number = 1) -> Enclosure:
    """``8 k D^2 ln(e + epsilon/delta)/epsilon^2`` for Gaussian noise.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers; each may depend on those before.
        sensitivity: D, by how much one neighbour changes each exact answer, in Euclidean norm.

    **Guarantee**: k answers with Gaussian noise of any variance of at least ``upper`` are (epsilon, delta)-DP, and
    (epsilon, delta/7)-DP for ``epsilon <= 8 L``.

    Raises:
        InvalidParameterError: When the exact delta of this variance is above the target. The paper states the theorem
            for every epsilon, but it fails for large ones, such as epsilon 83.2 at delta 1/2.

    Edge cases: as in the table of this module.
    """
    target, reach = _target(epsilon, delta, count), _reach(sensitivity)

    def squared(wanted: Ball) -> Ball:  # of m, which does not depend on k
        return wanted**2 / (8 * target.logarithm())

    def check() -> None:
        share = evaluate(lambda: ball(target.epsilon) / target.logarithm(), what="epsilon")
        if share.upper > _GAUSSIAN_RANGE and not _meets(lambda: ball(target.epsilon), target.delta, squared):
            raise target.refused("must be small enough that the theorem holds, as it is up to 8 ln(e + epsilon/delta)")

    return _variance(target, reach, check, lambda: target.count * ball(reach) ** 2 / squared(ball(target.epsilon)))


@states(KOV15, "Corollary 4.1")
def each_guarantee(*, epsilon: Number, delta: Number, count: int) -> Guarantee:
    """The corollary: ``epsilon_0^2 = epsilon^2/(4 k L)`` and ``delta_0 = delta/(2k)`` for each of k answers.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers, at least 1.

    Returns:
        The guarantee of each. The safe side of its epsilon is the lower one.

    **Guarantee**: k answers that are (epsilon.lower, delta.lower)-DP each are (epsilon, delta)-DP together.

    Raises:
        InvalidParameterError: Where Theorem 3.4 does not prove it. The paper states it for epsilon up to 0.9; it is
            proved for ``epsilon <= 2.34 L``, which includes those, and fails at epsilon 33.3, delta 0.092, k 1000.
    """
    return _COROLLARY.guarantee(_target(epsilon, delta, count, least=1))


@states(KOV15, "Section 4, Laplace noise by Corollary 4.1")
def laplace_variance(*, epsilon: Number, delta: Number, count: int, sensitivity: Number = 1) -> Enclosure:
    """``2 (D/epsilon_0)^2``, which is ``8 k D^2 L/epsilon^2``, for Laplace noise.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers.
        sensitivity: D, of each exact answer.

    **Guarantee**: k answers with Laplace noise of any variance of at least ``upper`` are (epsilon, delta)-DP.

    Raises:
        InvalidParameterError: As in `each_guarantee`.

    Edge cases: as in the table of this module.
    """
    reach = _reach(sensitivity)
    return _split_variance(_target(epsilon, delta, count), reach, _COROLLARY, laplace_noise)


@states(KOV15, "Section 4, staircase noise by Corollary 4.1")
def staircase_variance(*, epsilon: Number, delta: Number, count: int, sensitivity: Number = 1) -> Enclosure:
    """The least variance of any staircase that is epsilon_0-DP.

    With ``B = e^-epsilon_0`` it is ``D^2 ((B (1 + B)/2)^(2/3) + B)/(1 - B)^2``.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers.
        sensitivity: D, of each exact answer.

    **Guarantee**: k answers with a staircase of the epsilon of `each_guarantee` or less are (epsilon, delta)-DP, and
    the least variance of such noise is at most ``upper``.

    Raises:
        InvalidParameterError: As in `each_guarantee`.

    Edge cases: as in the table of this module.
    """
    reach = _reach(sensitivity)
    return _split_variance(_target(epsilon, delta, count), reach, _COROLLARY, staircase_noise)


@states(KOV15, "Section 4, geometric noise by Corollary 4.1")
def geometric_variance(*, epsilon: Number, delta: Number, count: int, sensitivity: Number = 1) -> Enclosure:
    """``2 B/(1 - B)^2`` with ``B = e^(-epsilon_0/D)``, for noise on the integers.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers.
        sensitivity: D, of each exact answer, a whole number.

    **Guarantee**: k answers with two-sided geometric noise of any variance of at least ``upper`` are
    (epsilon, delta)-DP.

    Raises:
        InvalidParameterError: As in `each_guarantee`, and for a sensitivity that is not whole.

    Edge cases: as in the table of this module.
    """
    reach = _whole_reach(sensitivity)
    return _split_variance(_target(epsilon, delta, count), reach, _COROLLARY, geometric_noise)


@states(KOV15, "Section 4, Gaussian noise by Corollary 4.1 and the condition for one answer")
def gaussian_variance_each(*, epsilon: Number, delta: Number, count: int, sensitivity: Number = 1) -> Enclosure:
    """``2 D^2 ln(2/delta_0)/epsilon_0^2``, which is ``8 k D^2 L ln(4k/delta)/epsilon^2``: what the theorem improves on.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers.
        sensitivity: D, of each exact answer.

    **Guarantee**: k answers with Gaussian noise of any variance of at least ``upper`` are (epsilon, delta)-DP.

    Raises:
        InvalidParameterError: As in `each_guarantee` and, for one of the answers, in `single_gaussian_variance`.

    Edge cases: as in the table of this module.
    """
    return _gaussian_by(_COROLLARY, _target(epsilon, delta, count), _reach(sensitivity))


@states(DRV10, "Theorem III.3 at the slack delta/2, solved for each mechanism")
def earlier_guarantee(*, epsilon: Number, delta: Number, count: int) -> Guarantee:
    """``epsilon_0^2 = epsilon^2/(8 k ln(2/delta))`` and ``delta_0 = delta/(2k)``: what was taken before the corollary.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers, at least 1.

    Returns:
        The guarantee of each. The safe side of its epsilon is the lower one.

    **Guarantee**: k answers that are (epsilon.lower, delta.lower)-DP each are (epsilon, delta)-DP together.

    Raises:
        InvalidParameterError: Where neither Theorem III.3 nor the plain sum proves it.
    """
    return _ADVANCED.guarantee(_target(epsilon, delta, count, least=1))


@states(DRV10, "Theorem III.3 at the slack delta/2, for Laplace noise")
def earlier_laplace_variance(*, epsilon: Number, delta: Number, count: int, sensitivity: Number = 1) -> Enclosure:
    """``16 k D^2 ln(2/delta)/epsilon^2`` for Laplace noise.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers.
        sensitivity: D, of each exact answer.

    **Guarantee**: k answers with Laplace noise of any variance of at least ``upper`` are (epsilon, delta)-DP.

    Raises:
        InvalidParameterError: As in `earlier_guarantee`.

    Edge cases: as in the table of this module.
    """
    return _split_variance(_target(epsilon, delta, count), _reach(sensitivity), _ADVANCED, laplace_noise)


@states(DRV10, "Theorem III.3 at the slack delta/2, for staircase noise")
def earlier_staircase_variance(*, epsilon: Number, delta: Number, count: int, sensitivity: Number = 1) -> Enclosure:
    """The formula of `staircase_variance` with the epsilon of `earlier_guarantee`.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers.
        sensitivity: D, of each exact answer.

    **Guarantee**: k answers with a staircase of the epsilon of `earlier_guarantee` or less are (epsilon, delta)-DP, and
    the least variance of such noise is at most ``upper``.

    Raises:
        InvalidParameterError: As in `earlier_guarantee`.

    Edge cases: as in the table of this module.
    """
    return _split_variance(_target(epsilon, delta, count), _reach(sensitivity), _ADVANCED, staircase_noise)


@states(DRV10, "Theorem III.3 at the slack delta/2, for geometric noise")
def earlier_geometric_variance(*, epsilon: Number, delta: Number, count: int, sensitivity: Number = 1) -> Enclosure:
    """The formula of `geometric_variance` with the epsilon of `earlier_guarantee`.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers.
        sensitivity: D, of each exact answer, a whole number.

    **Guarantee**: k answers with two-sided geometric noise of any variance of at least ``upper`` are
    (epsilon, delta)-DP.

    Raises:
        InvalidParameterError: As in `earlier_guarantee`, and for a sensitivity that is not whole.

    Edge cases: as in the table of this module.
    """
    return _split_variance(_target(epsilon, delta, count), _whole_reach(sensitivity), _ADVANCED, geometric_noise)


@states(DRV10, "Theorem III.3 at the slack delta/2, for Gaussian noise")
def earlier_gaussian_variance(*, epsilon: Number, delta: Number, count: int, sensitivity: Number = 1) -> Enclosure:
    """``16 k D^2 ln(2/delta) ln(4k/delta)/epsilon^2``: advanced composition and the condition for one answer.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers.
        sensitivity: D, of each exact answer.

    **Guarantee**: k answers with Gaussian noise of any variance of at least ``upper`` are (epsilon, delta)-DP.

    Raises:
        InvalidParameterError: As in `earlier_guarantee` and, for one of the answers, in `single_gaussian_variance`.

    Edge cases: as in the table of this module.
    """
    return _gaussian_by(_ADVANCED, _target(epsilon, delta, count), _reach(sensitivity))


@states(KOV15, "Section 4, the earlier condition for one Gaussian answer")
def single_gaussian_variance(*, epsilon: Number, delta: Number, count: int = 1, sensitivity: Number = 1) -> Enclosure:
    """``2 k D^2 ln(2/delta)/epsilon^2``; k answers are one with the sensitivity ``D sqrt(k)``.

    Args:
        epsilon: Of all answers together, in nats.
        delta: Of all answers together.
        count: k, how many answers.
        sensitivity: D, of each exact answer, in Euclidean norm.

    **Guarantee**: k answers with Gaussian noise of any variance of at least ``upper`` are (epsilon, delta)-DP.

    Raises:
        InvalidParameterError: When the exact delta of this variance is above the target. This never happens for
            ``epsilon <= 4 ln 2``, about 2.77; it does at epsilon 6.5 and delta 1/2.

    Edge cases: as in the table of this module.
    """
    target, reach = _target(epsilon, delta, count), _reach(sensitivity)

    def formula() -> Ball:
        return target.count * _gaussian(ball(target.epsilon), target.delta, reach)

    return _variance(target, reach, lambda: _check_one(lambda: ball(target.epsilon), target.delta, target), formula)


@states(BW18, "Theorem 1, the classical Gaussian mechanism")
def textbook_gaussian_variance(*, epsilon: Number, delta: Number, count: int = 1, sensitivity: Number = 1) -> Enclosure:
    """``2 k D^2 ln(1.25/delta)/epsilon^2``; its root is the usual ``D sqrt(2 ln(1.25/delta))/epsilon`` for one answer.

    Args:
        epsilon: Of all answers together, in nats, at most 1.
        delta: Of all answers together.
        count: k, how many answers, which are one with the sensitivity ``D sqrt(k)``.
        sensitivity: D, of each exact answer, in Euclidean norm.

    **Guarantee**: k answers with Gaussian noise of any variance of at least ``upper`` are (epsilon, delta)-DP.

    Raises:
        InvalidParameterError: When epsilon is above 1, where it is not stated: at epsilon 10 and delta 1e-5 the true
            delta is 2.27e-5.

    Edge cases: as in the table of this module.
    """
    target, reach = _target(epsilon, delta, count), _reach(sensitivity)

    def check() -> None:
        if target.delta < 1 and not evaluate(lambda: ball(target.epsilon), what="epsilon").upper <= 1:
            raise target.refused("must be at most 1 for the textbook's formula")

    def formula() -> Ball:
        return 2 * target.count * (ball(reach) / ball(target.epsilon)) ** 2 * ball(Fraction(5, 4) / target.delta).log()

    return _variance(target, reach, check, formula)


def _target(epsilon: Number, delta: Number, count: int, *, least: int = 0) -> _Target:
    return _Target(
        nonnegative_real(epsilon, field="epsilon"),
        probability(delta, field="delta"),
        _count(count, field="count", least=least),
        epsilon,
    )


def _reach(sensitivity: Number) -> Fraction:
    reach = rational(sensitivity, field="sensitivity")
    if reach < 0:
        raise refuse("sensitivity", sensitivity, "must be at least 0", "Give a number such as 1.")
    return reach


def _whole_reach(sensitivity: Number) -> Fraction:
    reach = _reach(sensitivity)
    if reach.denominator != 1:
        raise refuse("sensitivity", sensitivity, "must be a whole number for noise on the integers", "Round it up.")
    return reach


def _variance(target: _Target, reach: Fraction, check: Callable[[], object], formula: Callable[[], Ball]) -> Enclosure:
    """The formula's number after its check, or the answer at an edge."""
    if target.count == 0 or reach == 0:
        return certain(0)
    if target.epsilon == 0 or target.delta == 0:
        return Enclosure.exactly(inf)
    if target.delta < 1:
        check()
    return evaluate(formula, what="variance")


def _split_variance(
    target: _Target, reach: Fraction, split: _Split, noise: Callable[[Ball, Fraction], Ball]
) -> Enclosure:
    """The variance of noise that gives each answer its part of the epsilon."""
    return _variance(target, reach, lambda: split.guarantee(target), lambda: noise(split.epsilon(target), reach))


def _gaussian_by(split: _Split, target: _Target, reach: Fraction) -> Enclosure:
    def check() -> None:
        split.guarantee(target)
        _check_one(lambda: split.epsilon(target), target.each_delta, target)

    return _variance(target, reach, check, lambda: _gaussian(split.epsilon(target), target.each_delta, reach))


def _gaussian(epsilon: Ball, delta: Fraction, reach: Fraction) -> Ball:
    return 2 * (ball(reach) / epsilon) ** 2 * _log_two_over(delta)


def _log_two_over(delta: Fraction) -> Ball:
    return ball(2 / delta).log()


def _check_one(epsilon: Callable[[], Ball], delta: Fraction, target: _Target) -> None:
    """That the condition for one Gaussian answer holds: at ``epsilon <= 4 ln 2`` always."""

    def squared(wanted: Ball) -> Ball:
        return wanted**2 / (2 * _log_two_over(delta))

    share = evaluate(lambda: epsilon() / (4 * ball(2).log()), what="epsilon")
    if share.upper > 1 and not _meets(epsilon, delta, squared):
        raise target.refused("must be small enough that the condition for one answer holds, as it is up to 4 ln(2)")


def _meets(epsilon: Callable[[], Ball], delta: Fraction, mu_squared: Callable[[Ball], Ball]) -> bool:
    """Whether Gaussian noise of that mu has a delta of at most the given one."""

    def room() -> Ball | None:
        wanted = epsilon()
        mu = mu_squared(wanted).sqrt()
        spent = normal_above(wanted / mu - mu / 2) - wanted.exp() * normal_above(wanted / mu + mu / 2)
        left = ball(delta) - spent
        return left if sign(left) else None

    return bool(refine(room, start=128, accuracy=1, what="delta") > 0)

"""Optimal tests: who sees the answers, which data do they come from?

The worst case of an (epsilon, delta)-guarantee is four-outcome randomized response, and the worst case of a composition
is the product of those. With t = e^epsilon the laws of one release under the two hypotheses are::

    outcome            0        1                  2                  3
    first, P           delta    (1-delta)t/(1+t)   (1-delta)/(1+t)    0
    second, Q          0        (1-delta)/(1+t)    (1-delta)t/(1+t)   delta
    evidence ln(Q/P)   -inf     -epsilon           +epsilon           +inf

By the lemma of Neyman and Pearson the best tests reject the first hypothesis when the evidence is large.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar, overload

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.losses import TwoPoint, worst_case
from optcomp.mechanisms import ApproxDP, Mechanism, PureDP, RandomizedResponse, Repeated
from optcomp.mechanisms import Sequence as MechanismSequence
from optcomp.numerics.balls import Ball, ball, enclose, refine
from optcomp.numerics.survival import compare_with, log_survival
from optcomp.quantities import Enclosure, Number, Real, probability
from optcomp.tradeoff.evidence import EvidenceLaw, Units, Vector, exact_survival

__all__ = ["OptimalTest", "ResponseRun"]

_OUTCOMES = 4
_MOST_RUNS = 1 << 16
_ACCURACY = 110
_IMPOSSIBLE, _CERTAIN = Enclosure.exactly(0), Enclosure.exactly(1)


@dataclass(frozen=True)
class ResponseRun:
    """Consecutive releases whose worst case is the same randomized response.

    Args:
        epsilon: Of each release, in nats.
        delta: Of each release.
        count: How many.
    """

    epsilon: Real
    delta: Fraction
    count: int

    def allows(self, outcome: int) -> bool:
        """Whether some hypothesis gives the outcome a probability above 0."""
        return self.delta > 0 if outcome in {0, 3} else self.delta < 1


@dataclass(frozen=True)
class OptimalTest:
    """The most powerful test of a false alarm rate between two neighbouring data sets: see `OptimalTest.of`.

    Args:
        runs: The releases, in order.
        false_alarm: The probability to reject the first hypothesis where it is true; exact.
        missed_detection: The probability to keep it where the second is true; exact where e^epsilon is rational for
            every release and the numbers are not too long.
        threshold: More evidence than this rejects. A rational or a logarithm where it is one, an enclosure otherwise,
            and ``-math.inf`` where every finite evidence rejects.
        at_threshold: The probability to reject at exactly this evidence; as exact as ``missed_detection``.
    """

    runs: tuple[ResponseRun, ...]
    false_alarm: Enclosure
    missed_detection: Enclosure
    threshold: Real | Enclosure | float
    at_threshold: Enclosure
    _units: Units = field(repr=False, compare=False)
    _steps: dict[Real, Vector] = field(repr=False, compare=False)
    _border: Vector | None = field(repr=False, compare=False)

    @staticmethod
    def of(mechanism: Mechanism | Iterable[Mechanism], *, false_alarm: Number) -> OptimalTest:
        """The optimal test of a composition at a false alarm rate.

        Args:
            mechanism: One, or several in the order of the transcript: `PureDP`, `ApproxDP`, `RandomizedResponse` with
                two categories, `Repeated` and `Sequence` of such.
            false_alarm: Between 0 and 1.

        **Guarantee**: on the worst-case pair of output laws the test rejects the first law with probability
        ``false_alarm`` where it holds, and no test with at most that rate of false alarms, randomized or not, has a
        smaller rate of missed detections than this one, ``missed_detection``. So no attack on any mechanisms with these
        guarantees does better.

        Raises:
            InvalidParameterError: When something is no mechanism, or the rate no probability.
            UnsupportedError: When a mechanism is of another kind, or there are too many different evidences.
            UndecidedError: When the highest precision does not tell at which evidence the rate is used up.

        Edge cases:
            ===========================  ===========================================================
            false_alarm                  missed_detection
            ===========================  ===========================================================
            0                            ``prod (1 - delta_i)``: only outcome 3 rejects
            ``prod (1 - delta_i)``       0
            1                            0
            any, all epsilon 0           ``1 - false_alarm`` less the failures, never below 0
            any, some delta 1            0
            ===========================  ===========================================================

        Source: Kairouz, Oh, Viswanath, sections 2, 5 and 6; Neyman, Pearson 1933.

        >>> test = OptimalTest.of(PureDP(epsilon="ln(3)").repeated(2), false_alarm="1/4")
        >>> print(test.threshold, test.at_threshold, test.missed_detection)
        0 0.5 0.25
        >>> test.decide([2, 2]), test.decide([1, 1], coin="0.3"), test.decide([1, 2], coin="0.3")
        (Enclosure(1), False, True)
        """
        whole = mechanism if isinstance(mechanism, Mechanism) else MechanismSequence(parts=mechanism)
        alarm, runs = probability(false_alarm, field="false_alarm"), tuple(_runs(whole))
        units, steps = Units.of(run.epsilon for run in runs if run.epsilon != 0)
        failures = _counted((run.delta, run.count) for run in runs if run.delta > 0)
        beyond = compare_with(tuple(sorted(failures.items())), 1 - alarm)  # below 0: more than all finite evidences
        if beyond < 0 or 1 in failures:
            share = _share_of_failures(failures, alarm)
            return OptimalTest(runs, Enclosure.exactly(alarm), _IMPOSSIBLE, -math.inf, share, units, steps, None)
        counts = _counted((steps[run.epsilon], run.count) for run in runs if run.epsilon != 0)
        law = EvidenceLaw.of(units, counts)
        if beyond == 0:
            place, share, missed = len(law.vectors) - 1, _CERTAIN, _IMPOSSIBLE
        else:
            place, share, missed = law.split(alarm, failures)
        border = tuple(a - 2 * b for a, b in zip(law.total, law.vectors[place], strict=True))
        return OptimalTest(runs, Enclosure.exactly(alarm), missed, units.exact(border), share, units, steps, border)

    @property
    def length(self) -> int:
        """The number of releases, which is the length of a transcript."""
        return sum(run.count for run in self.runs)

    @overload
    def decide(self, transcript: Sequence[int]) -> Enclosure: ...
    @overload
    def decide(self, transcript: Sequence[int], *, coin: Number) -> bool: ...
    def decide(self, transcript: Sequence[int], *, coin: Number | None = None) -> Enclosure | bool:
        """Whether the test rejects the first hypothesis on an observed transcript.

        Args:
            transcript: One outcome, 0 to 3, for each release in order.
            coin: A number that was drawn uniformly from [0, 1) for this transcript alone.

        Returns:
            Without a coin the probability of rejection. With one, True to reject: the coin is below that probability.

        **Guarantee**: the evidence is compared with the threshold exactly, equality included.

        Raises:
            InvalidParameterError: When the transcript has another length, an outcome that is none of 0 to 3, or
                probability 0 under both hypotheses, or the coin is no probability.
            UndecidedError: When the coin lies inside of the enclosure of the probability.
        """
        chance = self._chance(self._outcomes(transcript))
        if coin is None:
            return chance
        return chance > probability(coin, field="coin")

    def _chance(self, balances: dict[Real, int] | float) -> Enclosure:
        """The probability of rejection, from how often outcome 2 leads outcome 1."""
        if isinstance(balances, float):
            if balances < 0:
                return self.at_threshold if self._border is None else _IMPOSSIBLE
            return _CERTAIN
        if self._border is None:
            return _CERTAIN
        lead = [-each for each in self._border]
        for epsilon, balance in balances.items():
            for place, step in enumerate(self._steps[epsilon]):
                lead[place] += balance * step
        side = self._units.sign(tuple(lead))
        return self.at_threshold if side == 0 else _CERTAIN if side > 0 else _IMPOSSIBLE

    def _outcomes(self, transcript: Sequence[int]) -> dict[Real, int] | float:
        """Leads of outcome 2 over outcome 1 by epsilon, or an infinite evidence; refuses what cannot happen."""
        try:
            given_outcomes = list(transcript)
        except TypeError:
            raise _refused(transcript, "must be a list of outcomes") from None
        if len(given_outcomes) != self.length:
            raise _refused(len(given_outcomes), f"must have one outcome for each of the {self.length} releases")
        balances: dict[Real, int] = {}
        found: set[int] = set()
        place = 0
        for run in self.runs:
            lead = 0
            for given in given_outcomes[place : place + run.count]:
                outcome = _outcome(given, place)
                if not run.allows(outcome):
                    raise _refused(outcome, f"must be possible, also at place {place}, where delta is {run.delta}")
                found.add(outcome)
                lead += (outcome == 2) - (outcome == 1)
                place += 1
            if run.epsilon != 0:
                balances[run.epsilon] = balances.get(run.epsilon, 0) + lead
        if {0, 3} <= found:
            raise _refused((0, 3), "must not have both outcomes 0 and 3: no hypothesis gives both")
        if 3 in found:
            return math.inf
        return -math.inf if 0 in found else balances


_Kind = TypeVar("_Kind", Fraction, Vector)


def _counted(pairs: Iterable[tuple[_Kind, int]]) -> dict[_Kind, int]:
    found: dict[_Kind, int] = {}
    for kind, count in pairs:
        found[kind] = found.get(kind, 0) + count
    return found


def _share_of_failures(failures: dict[Fraction, int], alarm: Fraction) -> Enclosure:
    """Which part of evidence ``-inf`` is rejected when the rate exceeds that of all finite evidences."""
    alive = exact_survival(failures)
    if alive is not None:
        return Enclosure.exactly((alarm - alive) / (1 - alive))
    events = tuple(sorted(failures.items()))

    def share() -> Ball:
        return 1 + ball(1 - alarm) / log_survival(events).expm1()

    return enclose(
        refine(share, start=128, accuracy=_ACCURACY, what="at_threshold"), least=Fraction(0), most=Fraction(1)
    )


def _outcome(given: object, place: int) -> int:
    try:
        outcome = -1 if isinstance(given, bool) else operator.index(given)  # type: ignore[arg-type]  # it may raise
    except TypeError:
        outcome = -1
    if not 0 <= outcome < _OUTCOMES:
        raise _refused(given, f"must have outcomes 0, 1, 2 and 3 only, also at place {place}")
    return outcome


def _refused(value: object, condition: str) -> InvalidParameterError:
    return InvalidParameterError(
        field="transcript", value=value, condition=condition, remedy="Give the outcomes in the order of the mechanisms."
    )


def _runs(mechanism: Mechanism) -> Iterable[ResponseRun]:
    """The releases in order; without recursion, so that any depth will do."""
    waiting, made = [(mechanism, 1)], 0
    while waiting:
        part, count = waiting.pop()
        if count == 0:
            continue
        if isinstance(part, Repeated):
            waiting.append((part.mechanism, count * part.count))
        elif isinstance(part, MechanismSequence):
            made += len(part.parts) * count
            if made > _MOST_RUNS:
                raise _unsupported(part, f"must have at most {_MOST_RUNS} parts that follow each other")
            waiting += [(each, 1) for _ in range(count) for each in reversed(part.parts)]
        else:
            yield _run(part, count)


def _run(part: Mechanism, count: int) -> ResponseRun:
    if isinstance(part, PureDP | ApproxDP | RandomizedResponse):
        pair = worst_case(part, "remove")
        if pair.loss is None:
            return ResponseRun(Fraction(0), pair.failure, count)
        if isinstance(pair.loss, TwoPoint):
            return ResponseRun(pair.loss.epsilon, pair.failure, count)
    raise _unsupported(part, "must be PureDP, ApproxDP or RandomizedResponse with two categories")


def _unsupported(value: object, condition: str) -> UnsupportedError:
    return UnsupportedError(
        field="mechanism", value=value, condition=condition, remedy="Describe it by its guarantee: ApproxDP."
    )

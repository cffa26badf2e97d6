"""The whole guarantee of a composition, as a function that can be asked from both sides."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from optcomp.composition.certificate import Certificate, ErrorSplit
from optcomp.engines import auto
from optcomp.engines.base import Adjustable, Engine
from optcomp.errors import InvalidParameterError, UndecidedError
from optcomp.losses import Composite, exceeds_failure, failure_mass, finite_target, lower, whole_delta
from optcomp.mechanisms import Mechanism
from optcomp.numerics.balls import ball, enclose, refine
from optcomp.numerics.powers import product_is_one
from optcomp.quantities import (
    Enclosure,
    Logarithm,
    Number,
    Real,
    common_step,
    count,
    positive_rational,
    probability,
    ratio,
    real,
    scaled,
)

__all__ = ["Profile"]

_DIGITS = 40
_CERTIFIED_DIGITS = 12


@dataclass(frozen=True)
class Profile:
    """The optimal guarantee of a composition: every (epsilon, delta) that it meets, and no other.

    What is assumed: each mechanism, whatever was seen before, meets the guarantee it is listed with; the parameters
    were fixed before the first answer was seen. The mechanisms themselves may be chosen adaptively.

    Args:
        mechanism: What was run.
        adjacency: The relation between neighbouring data sets that every guarantee in it refers to, where it is known.
        engine: The engine's name; None leaves the choice to the table in `optcomp.engines.auto`.
    """

    mechanism: Mechanism
    adjacency: str | None = None
    engine: str | None = None

    @cached_property
    def _composite(self) -> Composite:
        return lower(self.mechanism)

    @cached_property
    def choice(self) -> auto.Choice:
        """The engine that answers, and why it was chosen.

        Raises:
            UnsupportedError: When no engine takes this composition.
        """
        if self.engine is None:
            return auto.select(self._composite)
        return auto.build(self._composite, self.engine)

    @cached_property
    def failure(self) -> Enclosure:
        """The probability that some mechanism fails outright: below this delta no epsilon is finite."""
        return failure_mass(self._composite)

    @cached_property
    def largest_epsilon(self) -> Enclosure:
        """The sum of all epsilons: the least epsilon at ``delta = failure``."""
        exact = self._largest
        if isinstance(exact, Fraction):
            return Enclosure.exactly(exact)
        known = [(loss.epsilon, times) for loss, times in self._composite.losses]
        return enclose(
            refine(
                lambda: sum((times * ball(epsilon) for epsilon, times in known), start=ball(0)),
                start=128,
                accuracy=110,
                what="the sum of epsilons",
            )
        )

    @cached_property
    def _largest(self) -> Real | None:
        """The sum of all epsilons, exactly, where it is a rational or the logarithm of one."""
        losses = self._composite.losses
        found = common_step(loss.epsilon for loss, _ in losses) if losses else (Fraction(0), ())
        if found is None:
            return None
        step, multiples = found
        return scaled(step, Fraction(sum(n * times for n, (_, times) in zip(multiples, losses, strict=True))))

    def _beyond_every_loss(self, epsilon: Real) -> bool:
        """Whether it is exactly known that no loss exceeds this epsilon."""
        losses = [(loss.epsilon, times) for loss, times in self._composite.losses]
        if self._largest is not None:
            share = ratio(epsilon, self._largest) if losses else None
            return share is not None and share >= 1
        parts = [(loss, times) for loss, times in [*losses, (epsilon, -1)] if isinstance(loss, Logarithm)]
        if len(parts) <= len(losses):  # decimals and logarithms together are never equal to one of either kind
            return False
        return product_is_one((loss.base**loss.multiple.numerator, times) for loss, times in parts)

    def _engine(self, width: float | None) -> Engine:
        """The engine, set to the wanted width when it has one to choose."""
        engine = self.choice.engine
        return engine.with_width(width) if width is not None and isinstance(engine, Adjustable) else engine

    def delta(self, epsilon: Number, *, width: Number | None = None) -> Enclosure:
        """The least delta at an epsilon.

        Args:
            epsilon: In nats; any real number, negative ones too. It may be a logarithm, ``"ln(3)"``.
            width: The largest relative width that is acceptable; by default what the engine promises (1e-6 where no
                exact engine takes the composition).

        Returns:
            An enclosure of ``sup_S P(S) - e^epsilon Q(S)`` over the worst pair of output laws P and Q.

        **Guarantee**: ``lower <= delta(epsilon) <= upper``; the composition is (epsilon, upper)-DP when epsilon >= 0,
        and no method can prove a delta below ``lower``.

        Raises:
            InvalidParameterError: When epsilon is no finite number.
            UnsupportedError: When no engine takes this composition.
            UndecidedError: When the engine's promised width, or the wanted one, is out of reach.

        Source: Kairouz, Oh, Viswanath, Theorem 3.3 (equal mechanisms); Murtagh, Vadhan, Theorem 1.5.
        """
        point, limit = real(epsilon, field="epsilon"), _acceptable(width)
        if self.failure.lower == 1:
            return Enclosure.exactly(1)
        if self._beyond_every_loss(point):
            return self.failure
        return _narrow(whole_delta(self.failure, self._engine(limit).delta(point)).rounded(_DIGITS), limit, "delta")

    def epsilon(self, delta: Number, *, width: Number | None = None) -> Enclosure:
        """The least epsilon >= 0 at a delta.

        Args:
            delta: Between 0 and 1.
            width: The largest relative width that is acceptable, as for `delta`.

        Returns:
            An enclosure of the least epsilon; infinite when delta is below the probability that some mechanism fails.

        **Guarantee**: ``lower <= epsilon(delta) <= upper``; the composition is (upper, delta)-DP, and no method can
        prove an epsilon below ``lower``.

        Raises:
            InvalidParameterError: When delta is no probability.
            UnsupportedError: When no engine takes this composition.
            UndecidedError: When the engine's promised width, or the wanted one, is out of reach.

        Edge cases:
            ===========================  ==================
            delta                        epsilon
            ===========================  ==================
            1                            0
            below the failure mass       infinite
            equal to the failure mass    the sum of all epsilons
            at least delta(0)            0
            ===========================  ==================

        Source: Kairouz, Oh, Viswanath, Theorem 3.3 (equal mechanisms); Murtagh, Vadhan, Theorem 1.5.
        """
        wanted, limit = probability(delta, field="delta"), _acceptable(width)
        if wanted == 1:
            return Enclosure.exactly(0)
        side = exceeds_failure(self._composite, wanted)
        if side < 0:
            return Enclosure.exactly(math.inf)
        if side == 0:
            return self.largest_epsilon
        found = self._engine(limit).epsilon(finite_target(self._composite, wanted)).rounded(_DIGITS)
        return _narrow(found, limit, "epsilon")

    @property
    def considered(self) -> tuple[tuple[auto.Rule, bool], ...]:
        """Every engine's rule, and whether it takes this composition."""
        return auto.considered(self._composite)

    def certificate(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        width: Number | None = None,
        digits: int = _CERTIFIED_DIGITS,
    ) -> Certificate:
        """The answer to one question, with everything needed to check it again.

        Args:
            epsilon: Asks for the least delta at this epsilon.
            delta: Asks for the least epsilon at this delta; exactly one of the two is given.
            width: As for `delta`.
            digits: The certified interval is widened to that many significant digits, so that an engine with less
                precision can confirm it.

        Returns:
            A frozen certificate: see `optcomp.recheck`.

        **Guarantee**: the statement in it is the one that `delta` or `epsilon` makes.

        Raises:
            InvalidParameterError: When both or neither are given.
            UnsupportedError: As for `delta`.
            UndecidedError: As for `delta`.
        """
        if (epsilon is None) == (delta is None):
            raise InvalidParameterError(
                field="delta", value=delta, condition="or epsilon must be given, and not both", remedy="Give one."
            )
        asked: Literal["epsilon", "delta"] = "delta" if delta is None else "epsilon"
        point = real(epsilon if delta is None else delta, field=asked)  # type: ignore[arg-type]  # one of them is given
        answer = self.delta(point, width=width) if delta is None else self.epsilon(point, width=width)
        answer = answer.rounded(count(digits, field="digits", least=1))
        rule = self.choice.rule
        return Certificate(
            mechanism=self.mechanism,
            adjacency=self.adjacency,
            asked=asked,
            point=point,
            answer=answer,
            theorem=rule.theorem,
            engine=rule.name,
            precision=rule.precision,
            error=self.error_split(asked, point, answer),
        )

    def error_split(self, asked: Literal["epsilon", "delta"], point: Real, answer: Enclosure) -> ErrorSplit:
        """Where the width of an answer comes from."""
        target = 0.0
        if asked == "epsilon" and exceeds_failure(self._composite, Fraction(point)) > 0:  # type: ignore[arg-type]  # a delta
            target = finite_target(self._composite, Fraction(point)).relative_width  # type: ignore[arg-type]  # as above
        return ErrorSplit(failure=self.failure.relative_width, target=target, answer=answer.relative_width)


def _acceptable(width: Number | None) -> float | None:
    return None if width is None else float(positive_rational(width, field="width"))


def _narrow(found: Enclosure, limit: float | None, what: str) -> Enclosure:
    """The enclosure itself when it is as narrow as was asked."""
    if limit is not None and found.relative_width > limit:
        raise UndecidedError(
            field=what,
            value=str(found),
            condition=f"could not be enclosed to a relative width of {limit}",
            remedy="Ask for a larger width, or take this interval: it contains the truth.",
        )
    return found

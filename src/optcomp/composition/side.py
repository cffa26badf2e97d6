"""One direction of a composition: its failures, its finite losses, and the engines that answer for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from optcomp.engines import auto
from optcomp.engines.base import Adjustable, Engine
from optcomp.errors import UndecidedError
from optcomp.losses import Composite, exceeds_failure, failure_mass, finite_target, whole_delta
from optcomp.numerics.balls import ball, enclose, precision, refine
from optcomp.numerics.powers import product_is_one
from optcomp.quantities import Enclosure, Logarithm, Real, common_step, ratio, scaled

__all__ = ["Answer", "Side"]

_DIGITS = 40
_ROUGH_BITS = 64


@dataclass(frozen=True)
class Answer:
    """An enclosure, and the choice of engine behind it; None where no engine was needed."""

    value: Enclosure
    choice: auto.Choice | None


@dataclass(frozen=True)
class Side:
    """A composition whose pair of output laws has a known order.

    Args:
        composite: The failures and losses.
        engine: The engine's name; None leaves the choice to the table.
    """

    composite: Composite
    engine: str | None

    def choice(self, rigor: auto.Rigor) -> auto.Choice:
        """The engine that is asked first.

        Raises:
            UnsupportedError: When no engine takes this composition.
        """
        for choice in self._choices(rigor):
            return choice
        raise auto.refusal(self.composite, rigor=rigor)

    @cached_property
    def _built(self) -> dict[auto.Rigor, tuple[list[auto.Choice], Iterator[auto.Choice]]]:
        return {}

    def _choices(self, rigor: auto.Rigor) -> Iterator[auto.Choice]:
        """The engines that take the composition, each built once: they remember what helps with the next question."""
        if self.engine is not None:
            yield self._named
            return
        if rigor not in self._built:
            self._built[rigor] = ([], auto.choices(self.composite, rigor=rigor))
        known, rest = self._built[rigor]
        place = 0
        while True:
            if place == len(known):
                following = next(rest, None)
                if following is None:
                    return
                known.append(following)
            yield known[place]
            place += 1

    @cached_property
    def _adjusted(self) -> dict[tuple[str, float], Engine]:
        """Engines set to a wanted width: they remember, too."""
        return {}

    def __reduce__(self) -> tuple[type[Side], tuple[Composite, str | None]]:
        """A copy starts without what was remembered."""
        return Side, (self.composite, self.engine)

    @cached_property
    def _named(self) -> auto.Choice:
        return auto.build(self.composite, self.engine or "")

    @cached_property
    def failure(self) -> Enclosure:
        """The probability that some mechanism fails outright."""
        return failure_mass(self.composite)

    @cached_property
    def largest_epsilon(self) -> Enclosure:
        """The largest loss: the least epsilon at ``delta = failure``; infinite where losses have no bound."""
        exact = self._largest
        if isinstance(exact, Fraction):
            return Enclosure.exactly(exact)
        losses = self.composite.losses
        with precision(_ROUGH_BITS):
            bounded = all(loss.largest_ball().is_finite() for loss, _ in losses)
        if not bounded:
            return Enclosure.exactly(math.inf)
        return enclose(
            refine(
                lambda: sum((times * loss.largest_ball() for loss, times in losses), start=ball(0)),
                start=128,
                accuracy=110,
                what="the sum of the largest losses",
            )
        )

    @cached_property
    def _largest(self) -> Real | None:
        """The largest loss, exactly, where it is a rational or the logarithm of one."""
        losses = self.composite.losses
        known = [loss.largest for loss, _ in losses]
        values = [value for value in known if value is not None]
        if len(values) < len(known):
            return None
        found = common_step(values) if losses else (Fraction(0), ())
        if found is None:
            return None
        step, multiples = found
        return scaled(step, Fraction(sum(n * times for n, (_, times) in zip(multiples, losses, strict=True))))

    def _beyond_every_loss(self, epsilon: Real) -> bool:
        """Whether it is exactly known that no loss exceeds this epsilon."""
        losses = [(loss.largest, times) for loss, times in self.composite.losses]
        if self._largest is not None:
            share = ratio(epsilon, self._largest) if losses else None
            return share is not None and share >= 1
        if any(loss is None for loss, _ in losses):
            return False
        parts = [(loss, times) for loss, times in [*losses, (epsilon, -1)] if isinstance(loss, Logarithm)]
        if len(parts) <= len(losses):  # decimals and logarithms together are never equal to one of either kind
            return False
        return product_is_one((loss.base**loss.multiple.numerator, times) for loss, times in parts)

    def delta(self, epsilon: Real, *, width: float | None, rigor: auto.Rigor) -> Answer:
        """The least delta at an epsilon.

        **Guarantee**: ``lower <= delta <= upper``.
        """
        if self.failure.lower == 1:
            return Answer(Enclosure.exactly(1), None)
        if self._beyond_every_loss(epsilon):
            return Answer(self.failure, None)
        return self._asked(
            lambda engine: engine.delta(epsilon),
            lambda found: _narrow(whole_delta(self.failure, found).rounded(_DIGITS), width, "delta"),
            width,
            rigor,
        )

    def epsilon(self, delta: Fraction, *, width: float | None, rigor: auto.Rigor) -> Answer:
        """The least epsilon >= 0 at a delta.

        **Guarantee**: ``lower <= epsilon <= upper``.
        """
        if delta == 1:
            return Answer(Enclosure.exactly(0), None)
        side = exceeds_failure(self.composite, delta)
        if side < 0:
            return Answer(Enclosure.exactly(math.inf), None)
        if side == 0:
            return Answer(self.largest_epsilon, None)
        target = finite_target(self.composite, delta)
        return self._asked(
            lambda engine: engine.epsilon(target),
            lambda found: _narrow(found.rounded(_DIGITS), width, "epsilon"),
            width,
            rigor,
        )

    def _asked(
        self,
        question: Callable[[Engine], Enclosure],
        complete: Callable[[Enclosure], Enclosure],
        width: float | None,
        rigor: auto.Rigor,
    ) -> Answer:
        """The answer of the first engine that reaches the promised or the wanted width, failures counted in."""
        refusal: UndecidedError | None = None
        reached: Answer | None = None
        for choice in self._choices(rigor):
            if refusal is not None and not choice.rule.follows:
                continue
            engine = choice.engine
            if reached is not None and reached.value.relative_width <= (getattr(engine, "width", None) or 0.0):
                return reached  # it is as narrow as this engine would be content with
            if width is not None and isinstance(engine, Adjustable):
                engine = self._adjusted.setdefault((choice.name, width), engine.with_width(width))
            try:
                return Answer(complete(question(engine)), choice)
            except (OverflowError, ZeroDivisionError) as error:  # numbers beyond what floats hold
                refusal = refusal or _beyond_floats(error)
            except UndecidedError as error:
                refusal = refusal or error
                if width is None and isinstance(error.reached, Enclosure):
                    narrower = reached is None or error.reached.relative_width < reached.value.relative_width
                    reached = Answer(complete(error.reached), choice) if narrower else reached
        raise refusal or auto.refusal(self.composite, rigor=rigor)

    def target_width(self, delta: Fraction) -> float:
        """The relative width of what is left of delta for the finite losses."""
        if exceeds_failure(self.composite, delta) <= 0:
            return 0.0
        return finite_target(self.composite, delta).relative_width


def _beyond_floats(error: Exception) -> UndecidedError:
    return UndecidedError(
        field="parameters",
        value=str(error),
        condition="are too large or too small together for double precision",
        remedy="Ask for a nearby value, or with rigor='ball'.",
    )


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

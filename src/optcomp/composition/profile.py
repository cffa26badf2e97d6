"""The whole guarantee of a composition, as a function that can be asked from both sides."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from optcomp.composition.certificate import Certificate, ErrorSplit
from optcomp.composition.side import Answer, Side
from optcomp.engines import auto
from optcomp.errors import InvalidParameterError, OptcompError, UndecidedError, UnsupportedError
from optcomp.losses import directions, lower, mirrored
from optcomp.mechanisms import Mechanism
from optcomp.quantities import Enclosure, Number, Real, count, html_table, positive_rational, probability, real

__all__ = ["Profile"]

_CERTIFIED_DIGITS = 12
_SHOWN = ("1e-3", "1e-6", "1e-9")


@dataclass(frozen=True)
class Profile:
    """The optimal guarantee of a composition: every (epsilon, delta) that it meets, and no other.

    What is assumed: each mechanism, whatever was seen before, meets the guarantee it is listed with; the parameters
    were fixed before the first answer was seen. The mechanisms themselves may be chosen adaptively.

    Two kinds of mechanism are no optimum: promises about Renyi divergences (`ZeroConcentrated`, `RenyiCurve`) are
    converted, and two or more `Exponential` mechanisms are composed by one pair that dominates every place of their
    ranges. There the answers are those of the conversion and of that pair: ``upper`` is a guarantee, ``lower`` is not a
    limit of what could be proved otherwise.

    Args:
        mechanism: What was run.
        adjacency: The relation between neighbouring data sets that every guarantee in it refers to, where it is known.
        engine: The engine's name; None leaves the choice to the table in `optcomp.engines.auto`.
    """

    mechanism: Mechanism
    adjacency: str | None = None
    engine: str | None = None

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """The directions of which the worst counts: one, or two where a record may be added or removed.

        Raises:
            InvalidParameterError: When the answer depends on the adjacency and none is given.
            UnsupportedError: When a mechanism has no loss that is known under the adjacency.
        """
        found = directions(self.mechanism, self.adjacency)
        return tuple(Side(lower(self.mechanism, direction), self.engine) for direction in found)

    def __reduce__(self) -> tuple[type[Profile], tuple[Mechanism, str | None, str | None]]:
        """A copy starts without what was remembered."""
        return Profile, (self.mechanism, self.adjacency, self.engine)

    @cached_property
    def choice(self) -> auto.Choice:
        """The engine that answers, and why it was chosen.

        Raises:
            UnsupportedError: When no engine takes this composition.
        """
        return self.sides[0].choice("float")

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether both orders of the data sets are bounded alike: by both directions, or by symmetric losses."""
        if len(self.sides) > 1:
            return True
        losses = self.sides[0].composite.losses
        return mirrored(losses) == losses

    @cached_property
    def failure(self) -> Enclosure:
        """The probability that some mechanism fails outright: below this delta no epsilon is finite."""
        return _largest([side.failure for side in self.sides])

    @cached_property
    def largest_epsilon(self) -> Enclosure:
        """The largest loss, for pure mechanisms the sum of all epsilons: the least epsilon at ``delta = failure``."""
        return _largest([side.largest_epsilon for side in self.sides])

    def delta(self, epsilon: Number, *, width: Number | None = None, rigor: auto.Rigor = "float") -> Enclosure:
        """The least delta at an epsilon.

        Args:
            epsilon: In nats; any real number, negative ones too. It may be a logarithm, ``"ln(3)"``.
            width: The largest relative width that is acceptable; by default what the engine promises.
            rigor: ``float`` counts every rounding and assumes that elementary functions of the platform are accurate
                to a few units in the last place; ``ball`` assumes nothing, and refuses where no engine does without.

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
        point, limit, checked = real(epsilon, field="epsilon"), _acceptable(width), _rigor(rigor)
        return _largest([side.delta(point, width=limit, rigor=checked).value for side in self.sides])

    def epsilon(self, delta: Number, *, width: Number | None = None, rigor: auto.Rigor = "float") -> Enclosure:
        """The least epsilon >= 0 at a delta.

        Args:
            delta: Between 0 and 1.
            width: The largest relative width that is acceptable, as for `delta`.
            rigor: As for `delta`.

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
        wanted, limit, checked = probability(delta, field="delta"), _acceptable(width), _rigor(rigor)
        return _largest([side.epsilon(wanted, width=limit, rigor=checked).value for side in self.sides])

    @property
    def considered(self) -> tuple[tuple[auto.Rule, bool], ...]:
        """Every engine's rule, and whether it takes this composition."""
        return auto.considered(self.sides[0].composite)

    def certificate(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        width: Number | None = None,
        digits: int = _CERTIFIED_DIGITS,
        rigor: auto.Rigor | None = None,
    ) -> Certificate:
        """The answer to one question, with everything needed to check it again.

        Args:
            epsilon: Asks for the least delta at this epsilon.
            delta: Asks for the least epsilon at this delta; exactly one of the two is given.
            width: As for `delta`.
            digits: The certified interval is widened to that many significant digits, so that an engine with less
                precision can confirm it.
            rigor: As for `delta`; None takes ``ball`` where an engine reaches, else ``float``.

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
        found = self._answers(asked, point, _acceptable(width), None if rigor is None else _rigor(rigor))
        answer = _largest([each.value for each in found]).rounded(count(digits, field="digits", least=1))
        chosen = next((each.choice for each in found if each.choice is not None), None) or self.choice
        return Certificate(
            mechanism=self.mechanism,
            adjacency=self.adjacency,
            asked=asked,
            point=point,
            answer=answer,
            theorem=chosen.rule.theorem,
            engine=chosen.rule.name,
            precision=chosen.rule.precision,
            error=self.error_split(asked, point, answer),
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the least epsilon at a few deltas."""
        rows = [(delta, _shown(self, delta)) for delta in _SHOWN]
        return html_table("Optimal composition", ("delta", "least epsilon"), rows)

    def _answers(
        self, asked: Literal["epsilon", "delta"], point: Real, width: float | None, rigor: auto.Rigor | None
    ) -> list[Answer]:
        """The answers of all sides; without a rigor, in balls where that is possible."""
        if rigor is None:
            try:
                return self._answers(asked, point, width, "ball")
            except (UndecidedError, UnsupportedError):
                rigor = "float"
        if asked == "delta":
            return [side.delta(point, width=width, rigor=rigor) for side in self.sides]
        wanted = probability(point, field="delta")
        return [side.epsilon(wanted, width=width, rigor=rigor) for side in self.sides]

    def error_split(self, asked: Literal["epsilon", "delta"], point: Real, answer: Enclosure) -> ErrorSplit:
        """Where the width of an answer comes from."""
        target = 0.0
        if asked == "epsilon":
            target = max(side.target_width(Fraction(point)) for side in self.sides)  # type: ignore[arg-type]  # a delta
        return ErrorSplit(failure=self.failure.relative_width, target=target, answer=answer.relative_width)


def _shown(profile: Profile, delta: str) -> str:
    try:
        return str(profile.epsilon(delta))
    except OptcompError as error:
        return str(error)


def _largest(found: list[Enclosure]) -> Enclosure:
    """The largest of several unknown numbers."""
    return Enclosure(max(each.lower for each in found), max(each.upper for each in found))


def _rigor(value: str) -> auto.Rigor:
    for known in auto.RIGORS:
        if value == known:
            return known
    raise InvalidParameterError(
        field="rigor", value=value, condition=f"must be one of {', '.join(auto.RIGORS)}", remedy="Choose one."
    )


def _acceptable(width: Number | None) -> float | None:
    return None if width is None else float(positive_rational(width, field="width"))

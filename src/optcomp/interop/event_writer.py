"""From a mechanism to an event tree."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from typing import Any, TypeAlias

from optcomp.composition import checked_adjacency
from optcomp.errors import UnsupportedError
from optcomp.interop.event_fields import DEEPEST
from optcomp.interop.event_reader import reach
from optcomp.mechanisms import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Mechanism,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    Repeated,
    Sequence,
    ZeroConcentrated,
)
from optcomp.numerics.balls import ball, enclose
from optcomp.quantities import Logarithm, Real

__all__ = ["to_dp_event"]

_ROOT_BITS = 64
_ABOVE_ZERO = {"noise_multiplier", "sigma"}

Event: TypeAlias = Any
"""An object of one of the caller's classes."""


def to_dp_event(mechanism: Mechanism, events: object, *, adjacency: str | None = None) -> Event:
    """Write a mechanism as a tree of dp_accounting's events.

    Args:
        mechanism: What was run.
        events: Where the event classes are: the caller's module ``dp_accounting``, or its ``dp_event``.
        adjacency: The relation that the sensitivities of the mechanism refer to, as for `from_dp_event`.

    Returns:
        The root of the tree.

    **Guarantee**: the mechanism is at least as private as the event. Where every number of it is the shortest decimal
    of a float, the two are equally private, and `from_dp_event` reads the event back. Other numbers are rounded to the
    side of less privacy.

    Raises:
        UnsupportedError: For a mechanism without an event, for a number that no float comes near to, and when the
            module lacks the class, because it is too old.
        InvalidParameterError: When there is no such adjacency.
    """
    return _write(mechanism, _Pen(events=events, adjacency=checked_adjacency(adjacency)))


@dataclass(frozen=True, kw_only=True)
class _Pen:
    """Makes events of the caller's classes."""

    events: object
    adjacency: str | None
    path: str = ""
    depth: int = 0

    @property
    def reach(self) -> int:
        return reach(self.adjacency)

    def at(self, name: str) -> _Pen:
        path = f"{self.path}.{name}" if self.path else name
        below = _Pen(events=self.events, adjacency=self.adjacency, path=path, depth=self.depth + 1)
        if below.depth > DEEPEST:
            raise below.unsupported(
                f"depth {below.depth}", f"must not be nested deeper than {DEEPEST}", "Flatten the mechanism."
            )
        return below

    def maker(self, name: str) -> Callable[..., Event]:
        inner = getattr(self.events, "dp_event", None)
        found: Callable[..., Event] | None = getattr(self.events, name, getattr(inner, name, None))
        if found is None:
            raise self.unsupported(
                name, f"needs the event {name}, which this dp_accounting does not have", "Install a newer one."
            )
        return found

    def write(self, name: str, **fields: object) -> Event:
        for field, value in fields.items():
            if isinstance(value, float) and (math.isinf(value) or (value == 0 and field in _ABOVE_ZERO)):
                raise self.unsupported(value, f"needs a {field} that no float comes near to", "Use other units.")
        return self.maker(name)(**fields)

    def unsupported(self, value: object, condition: str, remedy: str) -> UnsupportedError:
        return UnsupportedError(field=self.path or "mechanism", value=value, condition=condition, remedy=remedy)


@singledispatch
def _write(mechanism: object, pen: _Pen) -> Event:
    raise pen.unsupported(mechanism, "has no event in dp_accounting", "Give its (epsilon, delta) guarantee instead.")


@_write.register
def _(mechanism: Sequence, pen: _Pen) -> Event:
    if not mechanism.parts:
        return pen.write("NoOpDpEvent")
    parts = [_write(part, pen.at(f"parts[{index}]")) for index, part in enumerate(mechanism.parts)]
    return pen.write("ComposedDpEvent", events=parts)


@_write.register
def _(mechanism: Repeated, pen: _Pen) -> Event:
    inner = _write(mechanism.mechanism, pen.at("mechanism"))
    return pen.write("SelfComposedDpEvent", event=inner, count=mechanism.count)


@_write.register
def _(mechanism: PoissonSampled, pen: _Pen) -> Event:
    if pen.adjacency == "replace_one":
        raise pen.unsupported(mechanism, "has no event for replace_one", "Use adjacency add_or_remove_one.")
    share = min(_at_least(mechanism.sampling_probability), 1.0)
    inner = _write(mechanism.mechanism, pen.at("mechanism"))
    return pen.write("PoissonSampledDpEvent", sampling_probability=share, event=inner)


@_write.register
def _(mechanism: Gaussian, pen: _Pen) -> Event:
    if mechanism.sensitivity == 0:
        return pen.write("NoOpDpEvent")
    square = mechanism.variance * (pen.reach / mechanism.sensitivity) ** 2
    return pen.write("GaussianDpEvent", noise_multiplier=_root_at_most(square))


@_write.register
def _(mechanism: Laplace, pen: _Pen) -> Event:
    if mechanism.sensitivity == 0:
        return pen.write("NoOpDpEvent")
    return pen.write("LaplaceDpEvent", noise_multiplier=_at_most(mechanism.scale * pen.reach / mechanism.sensitivity))


@_write.register
def _(mechanism: DiscreteLaplace, pen: _Pen) -> Event:
    if mechanism.scale == 0:
        return pen.write("NoOpDpEvent")
    norm = -(-mechanism.sensitivity // pen.reach)  # a whole number again, rounded up
    return pen.write("DiscreteLaplaceDpEvent", noise_parameter=_at_least(1 / mechanism.scale), sensitivity=norm)


@_write.register
def _(mechanism: DiscreteGaussian, pen: _Pen) -> Event:
    if mechanism.variance == 0:
        return pen.write("NoOpDpEvent")
    name = "DiscreteGaussianDpEvent"
    known = inspect.signature(pen.maker(name)).parameters
    extra = {"dimension": 1} if "dimension" in known else {}
    return pen.write(name, sigma=_root_at_most(mechanism.variance), sensitivity=mechanism.sensitivity, **extra)


@_write.register
def _(mechanism: RandomizedResponse, pen: _Pen) -> Event:
    noise = (1 - mechanism.probability) * Fraction(mechanism.categories, mechanism.categories - 1)
    if noise > 1:
        raise pen.unsupported(
            mechanism, "reports the truth less often than any other answer, which no event says", "Exchange answers."
        )
    if pen.adjacency not in {None, "replace_one"}:
        raise pen.unsupported(mechanism, f"has no event for {pen.adjacency}", "Use adjacency replace_one.")
    share = _at_most(noise)
    return pen.write("RandomizedResponseDpEvent", noise_parameter=share, num_buckets=mechanism.categories)


@_write.register
def _(mechanism: PureDP, pen: _Pen) -> Event:
    return pen.write("EpsilonDeltaDpEvent", epsilon=_at_least(mechanism.epsilon), delta=0.0)


@_write.register
def _(mechanism: ApproxDP, pen: _Pen) -> Event:
    delta = min(_at_least(mechanism.delta), 1.0)
    return pen.write("EpsilonDeltaDpEvent", epsilon=_at_least(mechanism.epsilon), delta=delta)


@_write.register
def _(mechanism: Exponential, pen: _Pen) -> Event:
    return pen.write("ExponentialMechanismDpEvent", epsilon=_at_least(mechanism.epsilon))


@_write.register
def _(mechanism: ZeroConcentrated, pen: _Pen) -> Event:
    return pen.write("ZCDpEvent", rho=_at_least(mechanism.rho), xi=0.0)


def _at_most(value: Fraction) -> float:
    """The largest float whose shortest decimal is at most a number of at least 0."""
    return _stepped(_nearest(value), 0.0, lambda exact: exact <= value)


def _at_least(value: Real) -> float:
    """The least float whose shortest decimal is at least a number of at least 0; a few floats above a logarithm."""
    bound = enclose(ball(value)).upper if isinstance(value, Logarithm) else value
    return _stepped(_nearest(bound), math.inf, lambda exact: exact >= bound)


def _root_at_most(square: Fraction) -> float:
    """The largest float whose shortest decimal is at most a square root."""
    scale = 1 << _ROOT_BITS
    root = Fraction(math.isqrt(square.numerator * square.denominator * scale**2), square.denominator * scale)
    return _stepped(_nearest(root), 0.0, lambda exact: exact**2 <= square)


def _nearest(value: Fraction | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _stepped(start: float, towards: float, fits: Callable[[Fraction], bool]) -> float:
    """The first float from the start on whose shortest decimal fits; infinite when none does."""
    found = start
    while not math.isinf(found) and not fits(Fraction(repr(found))):
        found = math.nextafter(found, towards)
    return found

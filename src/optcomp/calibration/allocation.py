"""What an allocation is: a finished plan with what each line got."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

from optcomp.calibration.noise_costs import NoiseError, Unit, error_of
from optcomp.calibration.targets import EpsilonDelta
from optcomp.composition import Certificate, Plan, Profile
from optcomp.errors import UndecidedError
from optcomp.mechanisms import Mechanism
from optcomp.quantities import Enclosure

__all__ = ["CRITERIA", "METHODS", "Allocation", "Line"]

METHODS = ("optimal", "proportional", "equal")
"""How a budget is split: for the least weighted error, by weight, or the same for every run."""

CRITERIA = ("variance", "magnitude")
"""What is made small: the weighted sum of variances, or of mean absolute values of the noise."""

_WIDTHS = (None, Fraction(1, 10**4), Fraction(1, 10**2))
_ALL_DIGITS = 38


@dataclass(frozen=True)
class Line:
    """One release, finished.

    Args:
        name: As asked.
        mechanism: One run.
        count: How often it is run.
        importance: Of one run's error; over all runs they add up to 1.
        locked: Whether it was given as it is, or by a wanted error.
    """

    name: str
    mechanism: Mechanism
    count: int
    importance: Fraction
    locked: bool


@dataclass(frozen=True)
class Allocation:
    """A budget, split.

    Args:
        plan: With finished mechanisms and the target. Where data are disjoint or windows slide, it is what the record
            meets that meets most; the other lines are in ``lines``.
        lines: All releases, in the order of the request.
        method: How the budget was split.
        criterion: Of the error: ``variance``, or ``magnitude`` for the mean absolute noise.
        unit: In which shares are counted: ``epsilon``, or ``rho`` with ``rho = epsilon^2/2`` for a pure mechanism.
        total: The whole in that unit.
        shares: Each line's part of the total, all its runs together. A lock without a cost in the unit, such as
            (epsilon, delta)-DP, has 0 here; it is composed all the same.
        reserve: The part of the total that is kept back, as a release of its own in the plan.
        leftover: The part that is not used: what was lost by rounding noise up, or cannot be spent.
        total_error: The errors of all runs, each times its importance.
        target: What the whole meets.
        profiles: One for each set of releases that one record may meet; the first is that of the plan.
        delta: The least delta of all of them at the target's epsilon.

    **Guarantee**: every profile meets the target; where every record meets all releases, ``sum(shares.values()) +
    reserve + leftover == 1``, exactly.
    """

    plan: Plan
    lines: tuple[Line, ...]
    method: str
    criterion: str
    unit: Unit
    total: Fraction
    shares: MappingProxyType[str, Fraction]
    reserve: Fraction
    leftover: Fraction
    total_error: float
    target: EpsilonDelta
    profiles: tuple[Profile, ...]
    delta: Enclosure
    by_method: Callable[[str], Allocation] = field(repr=False, compare=False)

    @cached_property
    def errors(self) -> dict[str, NoiseError | None]:
        """How large the noise of one run of each line is; None for a promise without noise."""
        return {line.name: error_of(line.mechanism) for line in self.lines}

    @cached_property
    def certificate(self) -> Certificate:
        """The proof for the plan: see `optcomp.recheck`. Its delta is at most the target's."""
        try:
            return self.target.certificate(self.profiles[0], "float")
        except UndecidedError as error:
            for width in _WIDTHS[1:]:
                try:
                    return self.profiles[0].certificate(
                        epsilon=self.target.epsilon, width=width, digits=_ALL_DIGITS, rigor="float"
                    )
                except UndecidedError:
                    continue
            raise error from None

    @cached_property
    def epsilon(self) -> Enclosure:
        """The least epsilon of the plan at the target's delta, as narrow as the engines reach."""
        for width in _WIDTHS:
            try:
                return self.profiles[0].epsilon(self.target.delta, width=width)
            except UndecidedError:
                if width == _WIDTHS[-1]:
                    raise
        raise AssertionError  # the loop returns or raises

    @cached_property
    def alternatives(self) -> dict[str, Allocation]:
        """The same request by each method, this one included."""
        return {name: self if name == self.method else self.by_method(name) for name in METHODS}

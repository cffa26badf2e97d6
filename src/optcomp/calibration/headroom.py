"""What a target leaves beside what is planned already."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from optcomp.calibration.calibrate import Calibration, calibrate
from optcomp.calibration.targets import EpsilonDelta
from optcomp.composition import Verdict, compose
from optcomp.errors import UndecidedError, UnsupportedError
from optcomp.mechanisms import Gaussian, Mechanism, PureDP, Sequence
from optcomp.quantities import Number, exact_text

__all__ = ["Headroom", "headroom", "how_many"]


@dataclass(frozen=True)
class Headroom:
    """How much more may run on the same data.

    Args:
        epsilon: The largest epsilon of one more pure mechanism, with both sides; None where only 0 fits.
        mu: The same for one more answer with Gaussian noise, as its sensitivity over its standard deviation.
    """

    epsilon: Calibration | None
    mu: Calibration | None


def how_many(  # noqa: PLR0913  # the target, and what it is asked about
    mechanism: Mechanism,
    *,
    epsilon: Number,
    delta: Number,
    beside: Mechanism | Iterable[Mechanism] = (),
    adjacency: str | None = None,
    rigor: str = "float",
) -> Calibration:
    """How often a mechanism may run within a target, perhaps beside others.

    Args:
        mechanism: What is repeated.
        epsilon: The target's, in nats.
        delta: The target's.
        beside: What runs on the same data as well.
        adjacency: As in `optcomp.compose`.
        rigor: As in `optcomp.calibrate`.

    Returns:
        The count as ``parameter``, and one more as ``other_side``.

    **Guarantee**: that many fit, and one more does not.

    Raises:
        UnsupportedError: When not even none fits, or any number does.

    >>> import optcomp as oc
    >>> int(how_many(oc.PureDP(epsilon="0.1"), epsilon=5, delta="1e-6").parameter)
    108
    """
    others = _listed(beside)

    def family(count: int) -> Mechanism:
        return Sequence(parts=[*others, mechanism.repeated(count)])

    return calibrate(family, epsilon=epsilon, delta=delta, adjacency=adjacency, rigor=rigor)


def headroom(
    planned: Mechanism | Iterable[Mechanism],
    *,
    epsilon: Number,
    delta: Number,
    adjacency: str | None = None,
    rigor: str = "float",
) -> Headroom:
    """What a target leaves beside planned mechanisms: one more pure mechanism, or one more Gaussian answer.

    Both are alternatives: after one of them is added, less is left of the other.

    Args:
        planned: What runs already.
        epsilon: The target's, in nats.
        delta: The target's.
        adjacency: As in `optcomp.compose`.
        rigor: As in `optcomp.calibrate`.

    **Guarantee**: with the ``parameter`` of either the whole still meets the target; with its ``other_side`` it does
    not.

    Raises:
        UnsupportedError: When the plan alone does not meet the target.
        UndecidedError: When it could not be decided whether it does.
    """
    others = _listed(planned)
    target = EpsilonDelta.of(epsilon, delta)
    alone = target.verdict(compose(others, adjacency=adjacency), "float")
    if alone is not Verdict.FITS:
        raise (UnsupportedError if alone is Verdict.OVER else UndecidedError)(
            field="plan",
            value=f"{len(others)} mechanisms",
            condition=f"must meet epsilon {exact_text(target.epsilon)} at delta {exact_text(target.delta)} by itself",
            remedy="Raise the target, or plan less.",
        )

    def with_pure(level: Fraction) -> list[Mechanism]:
        return [*others, PureDP(epsilon=level)]

    def with_gaussian(mu: Fraction) -> list[Mechanism]:
        return [*others, Gaussian(mu=mu)]

    return Headroom(
        epsilon=_largest(with_pure, target, adjacency, rigor), mu=_largest(with_gaussian, target, adjacency, rigor)
    )


def _largest(
    family: Callable[[Fraction], list[Mechanism]], target: EpsilonDelta, adjacency: str | None, rigor: str
) -> Calibration | None:
    """The largest number that fits; None where no positive one was found."""
    try:
        return calibrate(family, target=target, adjacency=adjacency, rigor=rigor)
    except UnsupportedError:
        return None


def _listed(mechanisms: Mechanism | Iterable[Mechanism]) -> list[Mechanism]:
    return [mechanisms] if isinstance(mechanisms, Mechanism) else list(mechanisms)

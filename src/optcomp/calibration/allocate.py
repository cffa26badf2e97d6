"""Splitting a target over releases, certified as a whole."""

from __future__ import annotations

from collections.abc import Iterable

from optcomp.calibration.allocation import CRITERIA, METHODS, Allocation
from optcomp.calibration.budget_request import Request
from optcomp.calibration.shares import Part
from optcomp.calibration.structure import structure_of
from optcomp.calibration.targets import EpsilonDelta
from optcomp.composition import checked_adjacency
from optcomp.errors import InvalidParameterError
from optcomp.quantities import Number, count, rational

__all__ = ["allocate"]


def allocate(  # noqa: PLR0913  # the request and its options
    shares: Iterable[Part],
    *,
    epsilon: Number,
    delta: Number,
    adjacency: str | None = None,
    reserve: Number = 0,
    method: str = "optimal",
    error: str = "variance",
    window: int | None = None,
    title: str | None = None,
    privacy_unit: str | None = None,
) -> Allocation:
    """Split a target over releases, and finish their noise.

    Args:
        shares: `Share`, `Group` (weighed together) or `Parallel` (disjoint parts of the data).
        epsilon: Of the target, in nats.
        delta: Of the target; 0 where all mechanisms are pure, and then epsilons add up.
        adjacency: As in `optcomp.compose`.
        reserve: The part of the whole that is kept back, at least 0 and below 1. It is composed with the rest as one
            more Gaussian answer, or as one more pure mechanism in a plan of pure ones.
        method: ``optimal`` for the least weighted error, ``proportional`` for budgets as the weights, ``equal`` for the
            same budget in every run.
        error: What ``optimal`` makes small: ``variance``, or ``magnitude`` for the mean absolute noise.
        window: The shares are periods in their order, and each run of that many periods must meet the target. Periods
            that are that far apart get the same.
        title: Of the plan.
        privacy_unit: Of the plan.

    Returns:
        A plan with finished mechanisms, with exact shares and a certificate.

    **Guarantee**: the composition of all that one record meets is proved to meet the target. The order of the shares
    does not change what each gets. ``optimal`` is the least error for Gaussian noise, and for pure mechanisms with
    delta 0, up to rounding; elsewhere it is the best split of the sum of rho, made as large as the target allows.

    Raises:
        InvalidParameterError: When a number, a name or a combination is wrong.
        UnsupportedError: When locks, wanted errors and floors leave nothing, or a delta of 0 is asked of noise that
            needs one.
        UndecidedError: When the engines cannot prove that the target is met.

    >>> import optcomp as oc
    >>> from optcomp.calibration.allocate import allocate
    >>> from optcomp.calibration.shares import Share
    >>> year = allocate([Share(name=name, family="laplace") for name in "abcde"], epsilon="0.25", delta=0)
    >>> year.plan.releases[0].mechanism
    Laplace(scale=Fraction(20, 1), sensitivity=Fraction(1, 1))
    """
    kept = rational(reserve, field="reserve")
    if not 0 <= kept < 1:
        raise _refused("reserve", reserve, "must be at least 0 and below 1", "Give a part of the whole such as 1/10.")
    if method not in METHODS:
        raise _refused("method", method, f"must be one of {', '.join(METHODS)}", "Choose one.")
    if error not in CRITERIA:
        raise _refused("error", error, f"must be one of {', '.join(CRITERIA)}", "Choose one.")
    known = checked_adjacency(adjacency)
    request = Request(
        structure=structure_of(
            shares, adjacency=known, window=None if window is None else count(window, field="window", least=1)
        ),
        target=EpsilonDelta.of(epsilon, delta),
        adjacency=known,
        reserve=kept,
        criterion=error,
        title=title,
        privacy_unit=privacy_unit,
    )
    return request.allocated(method)


def _refused(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)

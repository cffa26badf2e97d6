"""Mechanisms known only by the guarantee that they promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from optcomp.errors import InvalidParameterError
from optcomp.mechanisms.base import Mechanism
from optcomp.quantities import Number, Real, nonnegative_real, probability

__all__ = ["ApproxDP", "PureDP", "PureDPColumn"]


@dataclass(frozen=True, init=False)
class PureDP(Mechanism):
    """Any epsilon-DP mechanism.

    Args:
        epsilon: The guarantee in nats, at least 0; may be the logarithm of a rational, ``"ln(3)"``.
    """

    kind: ClassVar[str] = "pure_dp"
    epsilon: Real

    def __init__(self, *, epsilon: Number) -> None:
        self._set(epsilon=nonnegative_real(epsilon, field="epsilon"))

    @staticmethod
    def many(*, epsilons: Sequence[float] | npt.NDArray[np.float64]) -> PureDPColumn:
        """Very many epsilon-DP mechanisms at once, without an object for each.

        Args:
            epsilons: In nats, finite and at least 0; a float stands for its shortest decimal.
        """
        return PureDPColumn(epsilons=epsilons)


@dataclass(frozen=True, init=False, eq=False)
class PureDPColumn(Mechanism):
    """Very many epsilon-DP mechanisms: see `PureDP.many`.

    Args:
        epsilons: In nats, finite and at least 0; a float stands for its shortest decimal.
    """

    kind: ClassVar[str] = "pure_dp_column"
    epsilons: npt.NDArray[np.float64]

    def __init__(self, *, epsilons: Sequence[float] | npt.NDArray[np.float64]) -> None:
        try:
            values = np.array(epsilons, dtype=np.float64, copy=True)
        except (TypeError, ValueError):
            raise _refused_column(type(epsilons).__name__, "must be numbers in one row") from None
        if values.ndim != 1 or np.asarray(epsilons).dtype.kind == "b":
            raise _refused_column(f"shape {values.shape}", "must be numbers in one row")
        wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
        if len(wrong):
            raise _refused_column(float(values[wrong[0]]), f"must be finite and at least 0, also at place {wrong[0]}")
        values.setflags(write=False)
        self._set(epsilons=values)

    def __eq__(self, other: object) -> bool:
        """Whether the other is a column of the same epsilons in the same order."""
        return isinstance(other, PureDPColumn) and np.array_equal(self.epsilons, other.epsilons)

    def __hash__(self) -> int:
        """From all epsilons."""
        return hash(self.epsilons.tobytes())


def _refused_column(value: object, condition: str) -> InvalidParameterError:
    return InvalidParameterError(
        field="epsilons", value=value, condition=condition, remedy="Give a list or an array of epsilons."
    )


@dataclass(frozen=True, init=False)
class ApproxDP(Mechanism):
    """Any (epsilon, delta)-DP mechanism.

    Args:
        epsilon: In nats, at least 0; may be the logarithm of a rational, ``"ln(3)"``.
        delta: Between 0 and 1.
    """

    kind: ClassVar[str] = "approx_dp"
    epsilon: Real
    delta: Fraction

    def __init__(self, *, epsilon: Number, delta: Number) -> None:
        self._set(epsilon=nonnegative_real(epsilon, field="epsilon"), delta=probability(delta, field="delta"))

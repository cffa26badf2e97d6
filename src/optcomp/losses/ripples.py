"""The losses along a vertical line, in floats: which ripple belongs to which loss, and how fast each grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from optcomp.losses.additive import GaussianLoss, LaplaceLoss
from optcomp.losses.base import AtomicLoss, Loss, TwoPoint
from optcomp.losses.columns import TwoPointColumn
from optcomp.losses.discrete import DiscreteGaussianLoss
from optcomp.losses.sampled import SampledDiscreteGaussianLoss, SampledGaussianLoss, SampledLaplaceLoss
from optcomp.losses.selection import BoundedRangeLoss
from optcomp.numerics.balls import ball, ends, nearest_float, precision
from optcomp.numerics.power_sums import PowerSums
from optcomp.numerics.ripples import AtomRipple, BellRipple, ComplexRipple, NormalRipple, Ripple, TwoPointRipple
from optcomp.numerics.sampled_ripples import (
    SampledNormalRipple,
    sampled_laplace_log_growth,
    sampled_laplace_ripple,
    sampled_normal_log_growth,
)
from optcomp.quantities import Logarithm, Real, approximately, float_up

__all__ = ["Followed", "has_ripple"]

Floats = npt.NDArray[np.float64]
Complexes = npt.NDArray[np.complex128]
Losses = Sequence[tuple[Loss, int]]
_Ratio = Callable[[Floats], tuple[Complexes, Floats]]

_U = 2.0**-53
_NARROW = 0.3
_MOST_PLACES = 3000
_LIGHT = 2.0**-80  # atoms of such a share count as left out
_WIDEST = 1e5  # variance of sampled discrete noise whose values are followed one by one
_MANY = 2000  # different losses of randomized response, from which on sums of powers stand for them
_BITS = 96
_KINDS = (
    AtomicLoss,
    TwoPointColumn,
    GaussianLoss,
    LaplaceLoss,
    BoundedRangeLoss,
    SampledGaussianLoss,
    SampledLaplaceLoss,
)


def has_ripple(losses: Losses) -> bool:
    """Whether all losses can be followed along a line; any that has ``main_atoms`` can."""
    if not all(issubclass(kind, _KINDS) or hasattr(kind, "main_atoms") for kind in {type(loss) for loss, _ in losses}):
        return False
    wide = (loss.base for loss, _ in losses if type(loss) is SampledDiscreteGaussianLoss)
    return all(loss.variance <= _WIDEST for loss in wide)


class Followed:
    """Several losses, ready to be followed along lines.

    Args:
        losses: Different ones with their counts.
    """

    def __init__(self, losses: Losses) -> None:
        pairs = [(loss.epsilon, count) for loss, count in losses if type(loss) is TwoPoint]
        columns = [loss for loss, _ in losses if type(loss) is TwoPointColumn]
        epsilons = np.concatenate([np.array([_nearest(e) for e, _ in pairs]), *(each.epsilons for each in columns)])
        counts = np.concatenate([np.array([float(n) for _, n in pairs]), *(each.counts for each in columns)])
        order = np.argsort(epsilons)
        self.epsilons, self.counts = epsilons[order], counts[order]
        self.others = tuple(pair for pair in losses if type(pair[0]) not in {TwoPoint, TwoPointColumn})
        self.sums = PowerSums(self.epsilons, self.counts) if len(self.epsilons) > _MANY else None

    def pair_log_growth(self, tilt: float) -> tuple[float, float]:
        """``ln E[e^(tilt L)]`` of all losses of randomized response together, and a bound on its error."""
        if self.sums is not None and tilt + 0.5 < self.sums.reach():
            return self.sums.log_growth(tilt)
        value = float(_two_point_growth(self.epsilons, tilt) @ self.counts) if len(self.epsilons) else 0.0
        return value, (400 + len(self.epsilons)) * _U * value

    @staticmethod
    def _is_near(loss: Loss, tilt: float) -> bool:
        """Whether a sum over all places of discrete noise that a tilt reaches is short enough for a search."""
        return type(loss) is not SampledDiscreteGaussianLoss or (tilt + 1) * loss.base.sensitivity < _MOST_PLACES

    def _thinned(self, tilt: float) -> float:
        """From means of neighbouring epsilons, where their powers do not serve."""
        if self.sums is not None and tilt + 0.5 < self.sums.reach():
            return self.sums.log_growth(tilt)[0]
        return float(_two_point_growth(self._means, tilt) @ self._mean_counts)

    @cached_property
    def _blocks(self) -> npt.NDArray[np.int64]:
        return np.linspace(0, len(self.epsilons), _MANY + 1).astype(np.int64)[:-1]

    @cached_property
    def _mean_counts(self) -> Floats:
        return np.add.reduceat(self.counts, self._blocks)

    @cached_property
    def _means(self) -> Floats:
        return np.add.reduceat(self.epsilons * self.counts, self._blocks) / self._mean_counts

    def rough_log_growth(self, tilt: float, *, careful: bool = False) -> float:
        """``ln E[e^(tilt L)]`` of the sum, about; to a relative 1e-9 where care is asked for."""
        total = self.pair_log_growth(tilt)[0] if careful or len(self.epsilons) <= _MANY else self._thinned(tilt)
        for loss, count in self.others:
            if isinstance(loss, SampledGaussianLoss):
                mu, share = math.sqrt(loss.base.mu_squared), float(loss.share)
                each = sampled_normal_log_growth(mu=mu, share=share, sign=_sign(loss), tilt=tilt, careful=careful)
            elif isinstance(loss, SampledLaplaceLoss) and not careful:
                ratio, share = float(loss.base.ratio), float(loss.share)
                each = sampled_laplace_log_growth(ratio=ratio, share=share, sign=_sign(loss), tilt=tilt)
            elif isinstance(loss, DiscreteGaussianLoss) and loss.variance >= _NARROW and not careful:
                each = _bell_growth(float(loss.variance), loss.sensitivity, tilt)
            else:
                with precision(_BITS):
                    known = loss.growth(ball(tilt)).log() if self._is_near(loss, tilt) else ball(1) / 0
                    each = float_up(ends(known)[1]) if careful or not known.is_finite() else nearest_float(known)
            total += count * each
        return total

    def ripples(self, tilt: float, height: float) -> list[Ripple]:
        """One ripple for each loss; those of randomized response are one together.

        Args:
            tilt: Of the line.
            height: About how far along the line they will be asked.
        """
        found: list[Ripple] = []
        if len(self.epsilons):
            found.append(TwoPointRipple(self.epsilons, self.counts, tilt, self.sums))
        return found + [_ripple(loss, count, tilt, height) for loss, count in self.others]


def _nearest(value: Real) -> float:
    """The nearest float, to a rounding."""
    if isinstance(value, Logarithm):
        with precision(_BITS):
            return nearest_float(ball(value))
    return approximately(value)


def _bell_growth(variance: float, reach: int, tilt: float) -> float:
    """``ln M(tilt)`` of one discrete normal loss, about."""
    around = [
        2 * math.exp(-2 * math.pi**2 * m * m * variance) * (math.cos(2 * math.pi * m * tilt * reach) - 1)
        for m in (1, 2)
    ]
    return 0.5 * tilt * (tilt + 1) * reach**2 / variance + math.log1p(sum(around))


def _two_point_growth(epsilons: Floats, tilt: float) -> Floats:
    half = (tilt + 0.5) * epsilons
    far = half - 0.5 * epsilons + np.log1p(np.exp(-2 * half)) - np.log1p(np.exp(-epsilons))
    small = np.minimum(half, 5.0)
    scale = np.minimum(epsilons, 5.0)
    near = np.log1p(
        2 * np.sinh((small + scale / 2) / 2) * np.sinh(np.maximum(small - scale / 2, 0.0) / 2) / np.cosh(scale / 2)
    )
    return np.where(half < 1.0, near, far)


def _ripple(loss: Loss, count: int, tilt: float, height: float) -> Ripple:  # noqa: PLR0911  # one return a kind
    if isinstance(loss, GaussianLoss):
        return NormalRipple(float(loss.mu_squared * count), tilt)
    if isinstance(loss, DiscreteGaussianLoss) and loss.variance >= _NARROW:
        return BellRipple(float(loss.variance), loss.sensitivity, count, tilt)
    if isinstance(loss, SampledGaussianLoss):
        mu, share = math.sqrt(loss.base.mu_squared), float(loss.share)
        return SampledNormalRipple(mu=mu, share=share, sign=_sign(loss), count=count, tilt=tilt)
    if isinstance(loss, SampledLaplaceLoss):
        return sampled_laplace_ripple(
            ratio=float(loss.base.ratio),
            share=float(loss.share),
            sign=_sign(loss),
            count=count,
            tilt=tilt,
            height=height,
        )[0]
    if isinstance(loss, LaplaceLoss):
        return ComplexRipple(_laplace(float(loss.ratio), tilt), count)
    if isinstance(loss, BoundedRangeLoss):
        rate = _nearest(loss.epsilon)
        return ComplexRipple(
            _bounded_range(rate, tilt),
            count,
            lambda t: (2 * tilt + 1) / abs(complex(2 * tilt + 1, 2 * t)) / -math.expm1(-(2 * tilt + 1) * rate) * 2.02,
        )
    return _atoms(loss, count, tilt)


def _sign(loss: SampledGaussianLoss | SampledLaplaceLoss) -> int:
    return 1 if loss.direction == "remove" else -1


def _atoms(loss: Loss, count: int, tilt: float) -> AtomRipple:
    """Atoms with tilted probabilities; those of infinitely many that are left out are in the error."""
    with precision(_BITS):
        atoms = list(loss.atoms() if isinstance(loss, AtomicLoss) else loss.main_atoms())  # type: ignore[attr-defined]
        whole = loss.growth(ball(tilt))
        weighted = [(atom, atom.likely * (ball(tilt) * atom.loss).exp()) for atom in atoms]
        least = whole * ball(_LIGHT)
        weighted = [pair for pair in weighted if not pair[1] < least] or weighted[:1]
        atoms, weights = [atom for atom, _ in weighted], [weight for _, weight in weighted]
        rest = 1 - sum(weights, start=ball(0)) / whole  # with the radii of all numbers that go into it
        left = float_up(abs(Fraction(ends(abs(rest))[1]))) if rest.is_finite() else math.inf
        left = left * (1 + 1e-9) + float(len(weights)) * 1e-30
        values = np.array([nearest_float(atom.loss) for atom in atoms])
        shares = np.array([nearest_float(weight / whole) for weight in weights])
    return AtomRipple(values, shares, count, lambda t: np.full(len(t), left))


def _laplace(rate: float, tilt: float) -> _Ratio:
    """``((1 + s) e^(s r) + s e^(-(1 + s) r))/(1 + 2 s)`` over its value at the tilt."""
    back = math.exp(-(1 + 2 * tilt) * rate)
    start = ((1 + tilt) + tilt * back) / (1 + 2 * tilt)

    def ratio(heights: Floats) -> tuple[Complexes, Floats]:
        s = tilt + 1j * heights
        phase = rate * heights
        turn = np.cos(phase) + 1j * np.sin(phase)
        first, second = (1 + s) * turn, s * back * np.conj(turn)
        size = (np.abs(first) + np.abs(second)) / np.abs(1 + 2 * s) / start
        return (first + second) / (1 + 2 * s) / start, size * _U * (60 + 20 * phase + 20 * (1 + 2 * tilt) * rate * back)

    return ratio


def _bounded_range(rate: float, tilt: float) -> _Ratio:
    """``sinh((s + 1/2) r)/(2 s + 1)`` over its value at the tilt."""
    real = (tilt + 0.5) * rate
    back = math.exp(-2 * real)

    def ratio(heights: Floats) -> tuple[Complexes, Floats]:
        phase = rate * heights
        turn = np.cos(phase) + 1j * np.sin(phase)
        wave = (turn - back * np.conj(turn)) / -math.expm1(-2 * real)
        lever = (2 * tilt + 1) / (2 * tilt + 1 + 2j * heights)
        size = (1 + back) / -math.expm1(-2 * real) * np.abs(lever)
        return wave * lever, size * _U * (60 + 20 * phase + 40 * real)

    return ratio

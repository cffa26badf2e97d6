"""Delta of many losses on a lattice by inverting the transform: independent of every engine, for sums too long to list.

With ``K(s) = sum n_i ln E[e^(s L_i)]`` and losses ``+-m_i h``, the sum lies on the lattice ``total - 2h Z``, and

    delta(x) = (1 / 2 pi i) integral of e^(K(s) - s x) F(s) ds    along Re s = theta, over one period,
    F(s) = 2h e^(-s (l - x)) (1/(1 - e^(-2h s)) - e^(x - l) / (1 - e^(-2h (s+1)))),    l the least lattice point > x.

The integrand is periodic and smooth, so equal steps converge exponentially: the answer of N steps holds all lattice
points whose distance is a multiple of N in addition, weighted by ``e^-theta distance``. With N so large that this is
below 1e-30 the result is good to about 25 digits. The Gaussian decay of the integrand is used to leave out nodes; the
largest node left out is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

Groups = Sequence[tuple[int, int]]  # (multiple of the step, count)


def lattice_delta(step: Fraction, groups: Groups, x: Fraction) -> Any:
    """The finite delta at x, to about 25 digits; x must lie above the mean and below the largest loss."""
    with mpmath.workdps(60):
        return _lattice_delta(step, groups, x)


def _number(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def _lattice_delta(step: Fraction, groups: Groups, x: Fraction) -> Any:
    total = step * sum(multiple * count for multiple, count in groups)
    place = -((x - total) // (2 * step)) - 1  # the number of double steps from the largest loss down to above x
    level = total - 2 * step * place
    epsilons = [(_number(step * multiple), count) for multiple, count in groups]
    span, gap, start = _number(2 * step), _number(level - x), _number(x)

    def cumulant(s: Any) -> Any:
        return sum(count * (_ln_cosh((s + 0.5) * e) - _ln_cosh(e / 2)) for e, count in epsilons)

    def integrand(s: Any) -> Any:
        kernel = 1 / -mpmath.expm1(-span * s) - mpmath.exp(-gap) / -mpmath.expm1(-span * (s + 1))
        return mpmath.exp(cumulant(s) - s * (start + gap)) * span * kernel

    theta = _saddle(epsilons, start)
    deviation = mpmath.sqrt(sum(count * e**2 * mpmath.sech((theta + 0.5) * e) ** 2 for e, count in epsilons))
    window = max(100 / theta, 40 * deviation)
    nodes = int(mpmath.ceil(window / span))
    tau = 2 * mpmath.pi / (nodes * span)
    needed = min(nodes // 2, int(mpmath.ceil(14 / (deviation * tau))))
    total_sum, largest = mpmath.mpf(0), abs(integrand(mpmath.mpc(theta)))
    for node in range(needed + 1):
        value = integrand(mpmath.mpc(theta, tau * node))
        twice = 1 if node == 0 or 2 * node == nodes else 2
        total_sum += twice * value.real
    if needed < nodes // 2:
        assert abs(integrand(mpmath.mpc(theta, tau * (needed + 1)))) < largest * mpmath.mpf(10) ** -35
    return total_sum * tau / (2 * mpmath.pi)


def _ln_cosh(y: Any) -> Any:
    """``ln cosh y`` for Re y >= 0, without overflow."""
    return y + mpmath.log1p(mpmath.exp(-2 * y)) - mpmath.log(2)


def _saddle(epsilons: list[tuple[Any, int]], x: Any) -> Any:
    """About where ``K'(theta) = x + 1/theta``; any positive value is valid."""
    low, high = mpmath.mpf(10) ** -9, mpmath.mpf(10) ** 9
    for _ in range(120):
        middle = mpmath.sqrt(low * high)
        slope = sum(count * e * mpmath.tanh((middle + 0.5) * e) for e, count in epsilons)
        if slope < x + 1 / middle:
            low = middle
        else:
            high = middle
    return low

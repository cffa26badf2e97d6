"""The verbs: draw noise, and answer with a randomized response."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.mechanisms import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    PureDP,
    RandomizedResponse,
    Skellam,
    Staircase,
)
from optcomp.noise.bulk import coins, gaussians, laplaces, one_by_one, uniforms_below
from optcomp.noise.integers import discrete_gaussian, discrete_laplace, skellam
from optcomp.noise.responses import four_outcomes, private_category, reported_category
from optcomp.noise.source import RandomSource, source_or_system
from optcomp.noise.staircase import GridStaircase
from optcomp.noise.tables import Integers
from optcomp.numerics.balls import Ball, ball
from optcomp.quantities import Real
from optcomp.quantities import count as whole_number

__all__ = ["Noise", "Response", "draw", "draw_many", "draw_sum", "respond", "respond_many"]

Noise = DiscreteLaplace | DiscreteGaussian | Skellam | GridStaircase
"""What adds a whole number to an answer."""

Response = RandomizedResponse | PureDP | ApproxDP
"""What answers with a category or an outcome."""

_Answers = npt.NDArray[np.int64]


def draw(mechanism: Mechanism | GridStaircase, *, source: RandomSource | None = None) -> int:
    """One draw of a mechanism's noise, to be added to the exact answer.

    Args:
        mechanism: A `DiscreteLaplace`, `DiscreteGaussian`, `Skellam` or `GridStaircase`; of any scale.
        source: Where random bits come from; the operating system when it is left out.

    Returns:
        A whole number; for a `GridStaircase` in grid steps.

    **Guarantee**: given fair independent bits, the number has exactly the law that the mechanism states. No
    floating-point number takes part. How long the draw takes depends on the number drawn.

    Raises:
        UnsupportedError: For continuous noise, for mechanisms without noise of their own, and for Skellam noise of a
            variance above 20,000.
        InvalidParameterError: When the source is none.

    Edge cases:
        =========================  ===========================================
        mechanism                  draw
        =========================  ===========================================
        scale or variance 0        0
        scale 2^100                a Python int, in about the usual time
        =========================  ===========================================
    """
    return _scalar(mechanism, source_or_system(source))()


def draw_many(mechanism: Mechanism | GridStaircase, count: int, *, source: RandomSource | None = None) -> Integers:
    """Independent draws of a mechanism's noise.

    Args:
        mechanism: As for `draw`.
        count: How many draws.
        source: As for `draw`.

    Returns:
        64-bit integers, or Python ints where one does not fit.

    **Guarantee**: as for `draw`. Random words are compared with certified whole-number thresholds, and words too close
    to one are decided exactly with more bits.

    Fast for discrete Laplace noise of a scale up to 2^48 and discrete Gaussian noise of a variance up to 2^22; other
    noise is drawn one by one.
    """
    many, bits = whole_number(count, field="count"), source_or_system(source)
    if isinstance(mechanism, DiscreteLaplace):
        return laplaces(mechanism.scale, many, bits)
    if isinstance(mechanism, DiscreteGaussian):
        return gaussians(mechanism.variance, many, bits)
    return one_by_one(_scalar(mechanism, bits), many)


def draw_sum(mechanisms: Iterable[Mechanism | GridStaircase], *, source: RandomSource | None = None) -> int:
    """The sum of independent draws, one of each mechanism's noise.

    Args:
        mechanisms: As for `draw`; one that occurs several times is drawn several times.
        source: As for `draw`.
    """
    bits = source_or_system(source)
    return sum(_scalar(mechanism, bits)() for mechanism in mechanisms)


def respond(mechanism: Mechanism, truth: int, *, categories: int = 2, source: RandomSource | None = None) -> int:
    """A randomized response to one true category or bit.

    Args:
        mechanism: A `RandomizedResponse`; a `PureDP`, for the best response with its epsilon; or an `ApproxDP`, for the
            four-outcome response of a bit.
        truth: The true category, from 0 on.
        categories: How many there are, for a `PureDP` only; at least 2.
        source: As for `draw`.

    Returns:
        A category, and for an `ApproxDP` an outcome from 0 to 3: 0 and 3 betray the bit, 1 and 2 lean towards 0 and 1.

    **Guarantee**: as for `draw`. The response of a `PureDP` is (epsilon, 0)-DP, that of an `ApproxDP` (epsilon,
    delta)-DP, when neighbours differ in the truth.

    Raises:
        InvalidParameterError: When the truth is no category, or the number of categories is not the mechanism's.
        UnsupportedError: When the mechanism is no response.
    """
    bits, known = source_or_system(source), _categories(mechanism, categories)
    held = whole_number(truth, field="truth")
    if held >= known:
        raise _no_category(truth, known)
    if isinstance(mechanism, RandomizedResponse):
        return reported_category(held, mechanism.probability, known, bits)
    if isinstance(mechanism, PureDP):
        return private_category(held, mechanism.epsilon, known, bits)
    if isinstance(mechanism, ApproxDP):
        return four_outcomes(held, mechanism.epsilon, mechanism.delta, bits)
    raise _no_response(mechanism)


def respond_many(
    mechanism: Mechanism,
    truths: Sequence[int] | npt.NDArray[np.integer],
    *,
    categories: int = 2,
    source: RandomSource | None = None,
) -> _Answers:
    """Independent randomized responses, one to each truth.

    Args:
        mechanism: As for `respond`.
        truths: The true categories, one for each person.
        categories: As for `respond`.
        source: As for `draw`.

    **Guarantee**: as for `respond`.
    """
    bits, known = source_or_system(source), _categories(mechanism, categories)
    held = _truths(truths, known)
    if isinstance(mechanism, RandomizedResponse):
        return _reported(held, lambda: ball(mechanism.probability), known, bits)
    if isinstance(mechanism, PureDP):
        return _reported(held, partial(_honesty, mechanism.epsilon, known), known, bits)
    if isinstance(mechanism, ApproxDP):
        leaning = 1 + _reported(held, partial(_honesty, mechanism.epsilon, 2), 2, bits)
        betrayed = coins(lambda: ball(mechanism.delta), len(held), bits)
        return np.where(betrayed, 3 * held, leaning)
    raise _no_response(mechanism)


def _reported(held: _Answers, honesty: Callable[[], Ball], categories: int, bits: RandomSource) -> _Answers:
    """The truths, each with that probability, else one of the other categories, each equally likely."""
    honest = coins(honesty, len(held), bits)
    others = uniforms_below(categories - 1, len(held), bits).astype(np.int64)
    return np.where(honest, held, others + (others >= held))


def _honesty(epsilon: Real, categories: int) -> Ball:
    """``t/(t + k - 1)`` for ``t = e^epsilon``."""
    return 1 / (1 + (categories - 1) * (-ball(epsilon)).exp())


def _truths(truths: object, categories: int) -> _Answers:
    values = np.asarray(truths)
    if values.size == 0 and values.ndim == 1:
        return np.zeros(0, dtype=np.int64)
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise InvalidParameterError(
            field="truths", value=truths, condition="must be whole numbers in one row", remedy="Give a list of ints."
        )
    if int(values.min()) < 0 or int(values.max()) >= categories:
        raise _no_category(int(values.min() if values.min() < 0 else values.max()), categories)
    return values.astype(np.int64)


def _categories(mechanism: Mechanism, categories: object) -> int:
    given = whole_number(categories, field="categories", least=2)
    known = given
    if isinstance(mechanism, RandomizedResponse):
        known = mechanism.categories
    elif isinstance(mechanism, ApproxDP):
        known = 2
    if given not in {2, known}:
        raise InvalidParameterError(
            field="categories",
            value=categories,
            condition=f"must be the mechanism's own, which is {known}",
            remedy="Leave it out.",
        )
    return known


def _scalar(mechanism: object, source: RandomSource) -> Callable[[], int]:
    """The sampler of one number."""
    if isinstance(mechanism, DiscreteLaplace):
        return partial(discrete_laplace, mechanism.scale, source)
    if isinstance(mechanism, DiscreteGaussian):
        return partial(discrete_gaussian, mechanism.variance, source)
    if isinstance(mechanism, Skellam):
        return partial(skellam, mechanism.variance, source)
    if isinstance(mechanism, GridStaircase):
        return partial(mechanism.draw, source)
    raise _no_noise(mechanism)


_REMEDIES: dict[type, str] = {
    Laplace: "Use DiscreteLaplace: samples of continuous noise, rounded to floats, betray the answer.",
    Gaussian: "Use DiscreteGaussian: samples of continuous noise, rounded to floats, betray the answer.",
    Staircase: "Put it on a grid with GridStaircase.of(mechanism, step=...).",
    RandomizedResponse: "Use respond(mechanism, truth).",
    PureDP: "Use respond(mechanism, truth), or a DiscreteLaplace for a number.",
    ApproxDP: "Use respond(mechanism, bit), or a DiscreteGaussian for a number.",
}


def _no_noise(mechanism: object) -> UnsupportedError:
    return UnsupportedError(
        field="mechanism",
        value=mechanism,
        condition="must add whole-number noise of its own",
        remedy=_REMEDIES.get(type(mechanism), "Draw for each of its parts, such as a DiscreteLaplace."),
    )


def _no_response(mechanism: object) -> UnsupportedError:
    return UnsupportedError(
        field="mechanism",
        value=mechanism,
        condition="must be a response",
        remedy="Give a RandomizedResponse, a PureDP or an ApproxDP; for noise use draw.",
    )


def _no_category(truth: object, categories: int) -> InvalidParameterError:
    return InvalidParameterError(
        field="truth",
        value=truth,
        condition=f"must be a category from 0 to {categories - 1}",
        remedy="Number the categories from 0 on.",
    )

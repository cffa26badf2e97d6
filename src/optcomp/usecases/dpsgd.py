"""What does a training run with noisy gradients guarantee?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from optcomp.composition import compose
from optcomp.errors import InvalidParameterError
from optcomp.mechanisms import Gaussian, PoissonSampled
from optcomp.quantities import Enclosure, Number, count, exact_text, probability, rational
from optcomp.usecases.assumptions import assumption_of
from optcomp.usecases.engine import answered, checked_rigor

__all__ = ["DpsgdAnswer", "DpsgdRequest", "account_dpsgd"]


@dataclass(frozen=True, kw_only=True)
class DpsgdRequest:
    """A training run. Numbers may be text, which is exact.

    Args:
        examples: How many examples the training data have.
        batch: The mean number of examples in a batch, at most ``examples``.
        noise_multiplier: The standard deviation of the noise over the norm that each gradient is clipped to.
        delta: The delta to find the least epsilon at.
        epochs: How often the data are gone through, whole or not; or
        steps: The number of steps itself; exactly one of the two is given.
        adjacency: The relation between neighbouring data sets.
        width: The largest acceptable relative width of the answer.
        rigor: ``float`` or ``ball``; see `optcomp.Profile.delta`.
    """

    examples: int
    batch: int
    noise_multiplier: Number
    delta: Number
    epochs: Number | None = None
    steps: int | None = None
    adjacency: str = "add_or_remove_one"
    width: Number | None = None
    rigor: str | None = None


@dataclass(frozen=True, kw_only=True)
class DpsgdAnswer:
    """What the run guarantees.

    Args:
        epsilon: The least epsilon of the whole run at ``delta``.
        delta: That delta.
        sampling_probability: The chance of each example to be in a batch: ``batch/examples``.
        steps: The number of steps.
        steps_from: How that number came about.
        noise_multiplier: As in the request, exactly.
        adjacency: The relation between neighbouring data sets.
        assumption: How batches are assumed to be drawn, and which direction counts.
        engine: Which engine answered.
        reason: Why that engine.
    """

    epsilon: Enclosure
    delta: Fraction
    sampling_probability: Fraction
    steps: int
    steps_from: str
    noise_multiplier: Fraction
    adjacency: str
    assumption: str
    engine: str
    reason: str


def account_dpsgd(request: DpsgdRequest) -> DpsgdAnswer:
    """The least epsilon of a training run by DP-SGD.

    In each step a batch is drawn by Poisson sampling: each example is in it by a coin of its own. Each gradient in the
    batch is clipped to a norm C, their sum gets Gaussian noise of standard deviation ``noise_multiplier C``.

    Args:
        request: The run.

    **Guarantee**: ``answer.epsilon.lower <= least epsilon <= answer.epsilon.upper`` for the run as described.

    Raises:
        InvalidParameterError: When a number is wrong, the batch is larger than the data, or both or neither of
            ``epochs`` and ``steps`` are given.
        UnsupportedError: When no engine answers, or the adjacency is ``replace_one``.
        UndecidedError: When the wanted width is out of reach.

    Edge cases:
        ==================  ================================
        request             epsilon
        ==================  ================================
        0 steps             0
        batch = examples    that of the Gaussian mechanism
        ==================  ================================
    """
    share = _share(request)
    steps, steps_from = _steps(request, share)
    delta = probability(request.delta, field="delta")
    noise = rational(request.noise_multiplier, field="noise_multiplier")
    step = PoissonSampled(mechanism=Gaussian(noise_multiplier=noise), sampling_probability=share)
    rigor = checked_rigor(request.rigor)
    profile = compose(step.repeated(steps), adjacency=request.adjacency)
    found = answered(profile, "epsilon", delta, width=request.width, rigor=rigor)
    return DpsgdAnswer(
        epsilon=found.value,
        delta=delta,
        sampling_probability=share,
        steps=steps,
        steps_from=steps_from,
        noise_multiplier=noise,
        adjacency=request.adjacency,
        assumption=assumption_of(step, request.adjacency) or "",
        engine=found.engine,
        reason=found.reason,
    )


def _share(request: DpsgdRequest) -> Fraction:
    examples = count(request.examples, field="examples", least=1)
    batch = count(request.batch, field="batch", least=1)
    if batch > examples:
        raise InvalidParameterError(
            field="batch",
            value=batch,
            condition=f"must be at most the number of examples, {examples}",
            remedy="Check both numbers: they may stand in the wrong order.",
        )
    return Fraction(batch, examples)


def _steps(request: DpsgdRequest, share: Fraction) -> tuple[int, str]:
    if (request.epochs is None) == (request.steps is None):
        raise InvalidParameterError(
            field="epochs",
            value=request.epochs,
            condition="or steps must be given, and not both",
            remedy="Give one: epochs=2, or steps=480.",
        )
    if request.steps is not None:
        return count(request.steps, field="steps"), "as given"
    epochs = rational(request.epochs, field="epochs")  # type: ignore[arg-type]  # one of the two is given
    if epochs < 0:
        raise InvalidParameterError(
            field="epochs", value=request.epochs, condition="must be at least 0", remedy="Give a number such as 2."
        )
    exact = epochs / share
    steps = math.ceil(exact)
    rounded = "" if exact == steps else ", rounded up"
    return steps, f"{exact_text(epochs)} epochs x {request.examples} examples / {request.batch} in a batch{rounded}"

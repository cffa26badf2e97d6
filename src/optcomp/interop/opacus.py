"""An accountant for the training library Opacus, which is never imported here.

Opacus asks six methods of an accountant, and keeps a list of what was done, ``history``. Its own accountants assume
that every step adds Gaussian noise to a Poisson sample, and that neighbouring data sets differ by one record that is
there or not. So does this one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any, Protocol

from optcomp.composition import Profile, compose
from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.mechanisms import ApproxDP, Gaussian, PoissonSampled, Repeated
from optcomp.quantities import Number, count, probability, rational

__all__ = ["ADJACENCY", "NAME", "OpacusAccountant", "register"]

NAME = "optcomp"
"""The name that Opacus knows this accountant by."""

ADJACENCY = "add_or_remove_one"
"""The relation between neighbouring data sets that Opacus assumes."""

Step = tuple[float, float, int]
"""Noise multiplier, sample rate, number of steps."""


class _Optimizer(Protocol):
    @property
    def noise_multiplier(self) -> float: ...
    @property
    def accumulated_iterations(self) -> int: ...


class OpacusAccountant:
    """Proven epsilons for training with Opacus.

    What is assumed: every step adds Gaussian noise to a sum of clipped gradients over a Poisson sample, with fresh
    coins for each step; neighbouring data sets differ by one record that is there or not (``add_or_remove_one``). A
    loader that only shuffles does not fit this, although Opacus lets it pass with ``poisson_sampling=False``.

    ``history`` is the list of (noise multiplier, sample rate, steps) that Opacus's own accountants keep, and may be
    assigned: ``accountant.history = other.history`` takes over from any of them.

    >>> accountant = OpacusAccountant()
    >>> accountant.step(noise_multiplier=1.1, sample_rate=0.01)
    >>> accountant.step(noise_multiplier=1.1, sample_rate=0.01)
    >>> accountant.history, len(accountant)
    ([(1.1, 0.01, 2)], 2)
    """

    def __init__(self) -> None:
        self.history: list[Step] = []

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Remember one step.

        Args:
            noise_multiplier: The standard deviation of the noise over the clipping norm, at least 0.
            sample_rate: The chance of each record to be in the batch.

        Raises:
            InvalidParameterError: When one of them is out of range.
        """
        if self.history and tuple(self.history[-1][:2]) == (noise_multiplier, sample_rate):
            self.history[-1] = (noise_multiplier, sample_rate, self.history[-1][2] + 1)
        else:
            _mechanism((noise_multiplier, sample_rate, 1), place=len(self.history))
            self.history.append((noise_multiplier, sample_rate, 1))

    @property
    def profile(self) -> Profile:
        """The whole guarantee of the history, as a curve with both bounds.

        Raises:
            InvalidParameterError: When the history is not in its form.
        """
        steps = [_mechanism(each, place=place) for place, each in enumerate(self.history)]
        return compose(steps, adjacency=ADJACENCY)

    def get_epsilon(self, delta: Number, *args: object, poisson: bool = True, **kwargs: object) -> float:
        """The least epsilon at a delta, rounded up.

        Args:
            delta: Between 0 and 1.
            *args: Ignored: what other accountants are tuned with.
            poisson: Whether batches were Poisson samples. Nothing is known here of others.
            **kwargs: Ignored, as ``args``. The answer is no coarser for it.

        Returns:
            Epsilon in nats; infinite where a step had no noise.

        **Guarantee**: the steps of the history are (the result, ``delta``)-DP for ``add_or_remove_one``.

        Raises:
            InvalidParameterError: When delta is no probability, or the history is not in its form.
            UnsupportedError: When ``poisson`` is false.
            UndecidedError: As for `Profile.epsilon`.
        """
        del args, kwargs
        if not poisson:
            raise UnsupportedError(
                field="poisson",
                value=poisson,
                condition="must be true: batches of a fixed size are not Poisson samples",
                remedy="Train with poisson_sampling=True.",
            )
        return float(self.profile.epsilon(delta))

    def __len__(self) -> int:
        """The number of steps taken; Opacus's own accountants count the entries of the history."""
        return sum(steps for _, _, steps in self.history)

    @classmethod
    def mechanism(cls) -> str:
        """The name that Opacus knows this accountant by."""
        return NAME

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[_Optimizer], None]:
        """What Opacus's optimizer calls after each step.

        Args:
            sample_rate: The chance of each record to be in one batch; batches that are accumulated add up.
        """

        def hook(optim: _Optimizer) -> None:
            self.step(noise_multiplier=optim.noise_multiplier, sample_rate=sample_rate * optim.accumulated_iterations)

        return hook

    def state_dict(self, destination: MutableMapping[str, Any] | None = None) -> MutableMapping[str, Any]:
        """The history and the name of this accountant, in the form of Opacus's checkpoints.

        Args:
            destination: Where to put them; by default a new dictionary.
        """
        into: MutableMapping[str, Any] = OrderedDict() if destination is None else destination
        into["history"] = [tuple(each) for each in self.history]
        into["mechanism"] = self.mechanism()
        return into

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Replace the history by the one of a checkpoint.

        Raises:
            InvalidParameterError: When it is empty, lacks a key, is of another accountant, or its history is not in
                its form; the history is then as before.
        """
        if not state_dict:
            raise _refused("state_dict", state_dict, "must not be empty", "Give what state_dict returned.")
        for key in ("history", "mechanism"):
            if key not in state_dict:
                raise _refused(key, None, "is missing", "Give what state_dict returned.")
        if state_dict["mechanism"] != self.mechanism():
            raise _refused(
                "mechanism",
                state_dict["mechanism"],
                f"must be {self.mechanism()}",
                "To take over from another accountant, assign its history.",
            )
        listed = state_dict["history"]
        if isinstance(listed, str) or not isinstance(listed, Iterable):
            raise _refused("history", listed, "must be a list of steps", "Give what state_dict returned.")
        steps = list(listed)
        for place, each in enumerate(steps):
            _mechanism(each, place=place)
        self.history = [(each[0], each[1], each[2]) for each in steps]


class _Registry(Protocol):
    def register_accountant(self, mechanism: str, accountant: Any, force: bool = ...) -> None: ...  # noqa: ANN401, FBT001  # theirs


def register(registry: _Registry) -> None:
    """Let ``PrivacyEngine(accountant="optcomp")`` find this accountant.

    Args:
        registry: The caller's module ``opacus.accountants``.

    Doing it twice does no harm.
    """
    base = getattr(registry, "IAccountant", None)
    if base is not None:
        base.register(OpacusAccountant)
    registry.register_accountant(NAME, OpacusAccountant, force=True)


def _mechanism(step: object, *, place: int) -> Repeated:
    """One entry of the history; a step without noise is one that keeps nothing private."""
    where = f"history[{place}]"
    if not isinstance(step, tuple | list) or len(step) != 3:
        raise _refused(where, step, "must be (noise multiplier, sample rate, steps)", "Write (1.1, 0.01, 1000).")
    noise = rational(step[0], field=f"{where}.noise_multiplier")
    if noise < 0:
        raise _refused(f"{where}.noise_multiplier", step[0], "must be at least 0", "Give a number such as 1.1.")
    share = probability(step[1], field=f"{where}.sample_rate")
    times = count(step[2], field=f"{where}.steps")
    if noise == 0:
        return ApproxDP(epsilon=0, delta=1).repeated(times if share else 0)
    return PoissonSampled(mechanism=Gaussian(standard_deviation=noise), sampling_probability=share).repeated(times)


def _refused(field: str, value: object, condition: str, remedy: str) -> InvalidParameterError:
    return InvalidParameterError(field=field, value=value, condition=condition, remedy=remedy)

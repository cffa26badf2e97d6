"""An accountant with the methods of dp_accounting's `PrivacyAccountant`, and with proven answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from optcomp.composition import Profile, checked_adjacency, compose
from optcomp.errors import InvalidParameterError, UnsupportedError
from optcomp.interop.event_reader import from_dp_event
from optcomp.mechanisms import Mechanism, Repeated, Sequence, mechanism_from_json, mechanism_to_json
from optcomp.quantities import Enclosure, Number
from optcomp.quantities import count as whole_number

__all__ = ["Accountant"]

_VERSION = 1
_KEYS = ("version", "adjacency", "mechanisms")


class Accountant:
    """Remembers what was run, and answers for the whole.

    Equal mechanisms are kept once with their count. Asking changes nothing. The parameters of what is composed must be
    fixed beforehand: this is no privacy filter that may be asked in order to choose the next parameters.

    Args:
        adjacency: The relation between neighbouring data sets, one of `optcomp.composition.ADJACENCIES`. Events are
            read for it, see `optcomp.interop.from_dp_event`; mechanisms must carry their sensitivity in it.

    Raises:
        InvalidParameterError: When there is no such relation.

    >>> accountant = Accountant(adjacency="add_or_remove_one")
    >>> import optcomp
    >>> for _ in range(100):
    ...     _ = accountant.compose(optcomp.PureDP(epsilon="0.1"))
    >>> accountant.count, len(accountant.groups)
    (100, 1)
    >>> print(accountant.epsilon(delta="1e-6"))
    [4.7745675881079861, 4.7745675881079862]
    """

    def __init__(self, *, adjacency: str) -> None:
        known = checked_adjacency(adjacency)
        if known is None:
            raise InvalidParameterError(
                field="adjacency", value=adjacency, condition="must be given", remedy="Write add_or_remove_one."
            )
        self._adjacency = known
        self._counts: dict[Mechanism, int] = {}
        self._profile: Profile | None = None

    def __repr__(self) -> str:
        """The relation and the size of what is remembered."""
        return f"Accountant(adjacency={self._adjacency!r}, count={self.count}, groups={len(self._counts)})"

    @property
    def adjacency(self) -> str:
        """The relation between neighbouring data sets."""
        return self._adjacency

    @property
    def count(self) -> int:
        """How many events were composed; those that do nothing are not counted."""
        return sum(self._counts.values())

    @property
    def groups(self) -> tuple[tuple[Mechanism, int], ...]:
        """Every different mechanism with its count, in the order in which they first came."""
        return tuple(self._counts.items())

    @property
    def ledger(self) -> Mechanism:
        """All that was composed, as one mechanism, with a `Repeated` for each group of more than one."""
        parts = [made if times == 1 else made.repeated(times) for made, times in self._counts.items()]
        return parts[0] if len(parts) == 1 else Sequence(parts=parts)

    @property
    def profile(self) -> Profile:
        """The whole guarantee, with all that a profile can be asked."""
        if self._profile is None:
            self._profile = compose(self.ledger, adjacency=self._adjacency)
        return self._profile

    def compose(self, event: object, count: int = 1) -> Self:
        """Add an event or a mechanism.

        Args:
            event: One of dp_accounting's events, or a mechanism.
            count: How often it was run, at least 0.

        Returns:
            This accountant, so that calls can be chained.

        Raises:
            UnsupportedError: As for `from_dp_event`; the accountant is then as before.
            InvalidParameterError: As for `from_dp_event`, and when the count is no whole number.
        """
        self._add(self._read(event), whole_number(count, field="count"))
        return self

    def supports(self, event: object) -> bool:
        """Whether `compose` takes this event, and its own guarantee can be computed.

        Edge cases:
            An event with an impossible attribute, such as a negative noise multiplier, is not supported.
        """
        try:
            return compose(self._read(event), adjacency=self._adjacency).choice is not None
        except (InvalidParameterError, UnsupportedError):
            return False

    def epsilon(self, delta: Number) -> Enclosure:
        """The least epsilon at a delta: see `Profile.epsilon`."""
        return self.profile.epsilon(delta)

    def delta(self, epsilon: Number) -> Enclosure:
        """The least delta at an epsilon: see `Profile.delta`."""
        return self.profile.delta(epsilon)

    def get_epsilon(self, target_delta: Number) -> float:
        """The least epsilon at a delta, rounded up.

        **Guarantee**: what was composed is (the result, ``target_delta``)-DP.

        Raises:
            InvalidParameterError: As for `Profile.epsilon`.
            UnsupportedError: As for `Profile.epsilon`.
            UndecidedError: As for `Profile.epsilon`.
        """
        return float(self.epsilon(target_delta))

    def get_delta(self, target_epsilon: Number) -> float:
        """The least delta at an epsilon, rounded up.

        **Guarantee**: what was composed is (``target_epsilon``, the result)-DP.

        Raises:
            InvalidParameterError: As for `Profile.delta`.
            UnsupportedError: As for `Profile.delta`.
            UndecidedError: As for `Profile.delta`.
        """
        return float(self.delta(target_epsilon))

    def merge(self, other: Accountant) -> Self:
        """Add all that another accountant remembers.

        Returns:
            This accountant; the other one is unchanged.

        Raises:
            InvalidParameterError: When the other is no accountant, or is for another adjacency.
        """
        if not isinstance(other, Accountant):
            raise InvalidParameterError(
                field="other", value=other, condition="must be an Accountant", remedy="Use compose for an event."
            )
        if other.adjacency != self._adjacency:
            raise InvalidParameterError(
                field="adjacency",
                value=other.adjacency,
                condition=f"must be {self._adjacency} in both accountants",
                remedy="Guarantees for different relations do not add up.",
            )
        for mechanism, times in other.groups:
            self._add(mechanism, times)
        return self

    def state(self) -> dict[str, object]:
        """All that is remembered, as a JSON object with every number as exact text."""
        return {
            "version": _VERSION,
            "adjacency": self._adjacency,
            "mechanisms": [mechanism_to_json(made.repeated(times)) for made, times in self._counts.items()],
        }

    @classmethod
    def from_state(cls, obj: object) -> Self:
        """The accountant that `state` described.

        Raises:
            InvalidParameterError: For an unknown version, for an unknown or missing key, and for a mechanism that
                cannot be read; the field is the path to it, such as ``mechanisms[2].epsilon``.
        """
        version, adjacency, listed = _checked_state(obj)
        if isinstance(version, bool) or version != _VERSION:
            raise InvalidParameterError(
                field="version", value=version, condition=f"must be {_VERSION}", remedy="Use a newer optcomp."
            )
        if not isinstance(listed, list):
            raise InvalidParameterError(
                field="mechanisms", value=listed, condition="must be a list", remedy="Give what state returned."
            )
        made = cls(adjacency=adjacency)  # type: ignore[arg-type]  # checked there
        for place, each in enumerate(listed):
            try:
                made._add(mechanism_from_json(each), 1)
            except InvalidParameterError as error:
                path = f"mechanisms[{place}]"
                raise InvalidParameterError(
                    field=path if error.field == "mechanism" else f"{path}.{error.field}",
                    value=error.value,
                    condition=error.condition,
                    remedy=error.remedy,
                ) from None
        return made

    def _read(self, event: object) -> Mechanism:
        return event if isinstance(event, Mechanism) else from_dp_event(event, adjacency=self._adjacency)

    def _add(self, mechanism: Mechanism, times: int) -> None:
        inner, runs = (
            (mechanism.mechanism, mechanism.count * times) if isinstance(mechanism, Repeated) else (mechanism, times)
        )
        if runs == 0 or (isinstance(inner, Sequence) and not inner.parts):
            return
        self._counts[inner] = self._counts.get(inner, 0) + runs
        self._profile = None


def _checked_state(obj: object) -> tuple[object, object, object]:
    if not isinstance(obj, Mapping):
        raise InvalidParameterError(
            field="state", value=obj, condition="must be an object", remedy="Give what Accountant.state returned."
        )
    for key in (*obj, *_KEYS):
        if key not in _KEYS or key not in obj:
            raise InvalidParameterError(
                field=str(key),
                value=obj.get(key),
                condition="is missing" if key in _KEYS else "is not a key of a state",
                remedy=f"A state has exactly {', '.join(_KEYS)}.",
            )
    return obj["version"], obj["adjacency"], obj["mechanisms"]

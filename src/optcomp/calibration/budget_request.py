"""One request for a split: its locks, its unit, and how it is finished by each method."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from types import MappingProxyType

from optcomp.calibration.allocation import Allocation, Line
from optcomp.calibration.calibrate import calibrate
from optcomp.calibration.filling import fill, least_of, most_of
from optcomp.calibration.filling_curves import Place
from optcomp.calibration.noise_costs import (
    MEAN_OF_NORMAL,
    Unit,
    average_error,
    cost_of,
    locked_by_error,
    noise_for,
    root_up,
    to_unit,
)
from optcomp.calibration.shares import PURE_FAMILIES, Share
from optcomp.calibration.structure import Leaf, Structure
from optcomp.calibration.targets import EpsilonDelta
from optcomp.calibration.whole_size import Judge, largest_size
from optcomp.composition import Plan, Profile, Release, compose
from optcomp.errors import UndecidedError, UnsupportedError
from optcomp.mechanisms import Gaussian, Mechanism, Repeated
from optcomp.quantities import approximately, exact_text, float_up, floor_to_digits

__all__ = ["Request"]

_RATE_DIGITS = 15
_LEAST_DIGITS = 12

_Key = frozenset[tuple[Mechanism, int]]
"""What is run how often, without names and order."""


@dataclass(frozen=True)
class Request:
    """One question, whatever the method."""

    structure: Structure
    target: EpsilonDelta
    adjacency: str | None
    reserve: Fraction
    criterion: str
    title: str | None
    privacy_unit: str | None

    @cached_property
    def locks(self) -> dict[str, Mechanism]:
        """What is finished already."""
        found: dict[str, Mechanism] = {}
        for leaf in self.structure.leaves:
            lock = leaf.share.lock or locked_by_error(leaf.share)
            if lock is not None:
                found[leaf.share.name] = lock
        return found

    @cached_property
    def is_pure(self) -> bool:
        """Whether every mechanism is pure."""
        return all(
            leaf.share.family in PURE_FAMILIES
            if leaf.share.name not in self.locks
            else cost_of(self.locks[leaf.share.name], "epsilon") is not None
            for leaf in self.structure.leaves
        )

    @cached_property
    def is_gaussian(self) -> bool:
        """Whether every mechanism is Gaussian, so that the whole is one."""
        return all(
            leaf.share.family == "gaussian" if leaf.share.lock is None else _is_gaussian(leaf.share.lock)
            for leaf in self.structure.leaves
        )

    @cached_property
    def unit(self) -> Unit:
        """The common unit."""
        if self.target.delta > 0:
            return "rho"
        if self.is_pure:
            return "epsilon"
        raise UnsupportedError(
            field="delta",
            value=0,
            condition="is out of reach: some of the noise can reveal any amount, if rarely",
            remedy="Allow a delta such as 1e-9, or use laplace and discrete_laplace.",
        )

    @cached_property
    def judge(self) -> Judge:
        """What is proved at the target."""
        return Judge(self.target)

    @property
    def power(self) -> Fraction:
        """The p of errors ``c/budget^p``."""
        found = Fraction(2) if self.unit == "epsilon" else Fraction(1)
        return found / 2 if self.criterion == "magnitude" else found

    def place(self, method: str, leaf: Leaf) -> Place:
        """How a release takes its budget."""
        share = leaf.share
        if share.name in self.locks:
            cost = cost_of(self.locks[share.name], self.unit) or Fraction(0)
            return Place(Fraction(1), share.count, cost, cost)
        return Place(
            rate=self._rate(method, leaf),
            times=share.count,
            floor=to_unit(share.family, share.floor or Fraction(0), self.unit),
            cap=None if share.cap is None else to_unit(share.family, share.cap, self.unit),
        )

    def _rate(self, method: str, leaf: Leaf) -> Fraction:
        if method == "equal":
            return Fraction(1)
        if method == "proportional":
            return leaf.portion
        factor = leaf.importance * self._error_at_one(leaf.share)
        return floor_to_digits(Fraction(float(factor) ** (1 / (float(self.power) + 1))), _RATE_DIGITS)

    def _error_at_one(self, share: Share) -> Fraction:
        """The error for a budget of 1 in the unit; at other budgets it is this over ``budget^power``."""
        reach = share.sensitivity
        if self.criterion == "variance":
            if self.unit == "epsilon":
                return 2 * reach**2
            return reach**2 if share.family in PURE_FAMILIES else reach**2 / 2
        if self.unit == "epsilon":
            return reach
        mean = root_up(Fraction(1, 2)) * reach
        return mean if share.family in PURE_FAMILIES else mean * MEAN_OF_NORMAL

    def allocated(self, method: str) -> Allocation:
        """The answer by one method."""
        places = _remembered(partial(self.place, method))
        split = _Split(self, places, self.power if method == "optimal" else None, exact=method != "optimal")
        total = self._total(split)
        return self._finished(method, split, total)

    def _total(self, split: _Split) -> Fraction:
        """The whole in the common unit."""
        if self.unit == "epsilon":
            return self.rational_epsilon
        if not split.is_free and not self.is_gaussian:
            return split.least
        start = self._gaussian_total
        if self.is_gaussian:
            return start if split.is_free else max(start, split.least)
        return largest_size(
            lambda size: list(split.composed(split.mechanisms(size)).values()),
            self.judge,
            start=start,
            least=split.least,
            most=split.most,
        )

    @cached_property
    def rational_epsilon(self) -> Fraction:
        """The target's epsilon, or a decimal a little below it where it is a logarithm."""
        epsilon = self.target.epsilon
        if isinstance(epsilon, Fraction):
            return epsilon
        return floor_to_digits(Fraction(math.nextafter(approximately(epsilon) * (1 - 1e-14), 0)), _LEAST_DIGITS)

    @cached_property
    def _gaussian_total(self) -> Fraction:
        """The largest rho of one Gaussian answer at the target, proved."""
        return calibrate(lambda rho: Gaussian(rho=rho), target=self.target).parameter

    def _finished(self, method: str, split: _Split, total: Fraction) -> Allocation:
        made = split.mechanisms(total)
        profiles = split.composed(made)
        worst, found = self.judge.worst(list(profiles.values()))
        if found.upper > self.target.delta:
            raise (UnsupportedError if found.lower > self.target.delta else UndecidedError)(
                field="target",
                value=f"epsilon {exact_text(self.target.epsilon)}, delta {exact_text(self.target.delta)}",
                condition="is not proved to be met by what is locked and wanted",
                remedy="Raise the target, or lock less.",
            )
        lines = tuple(
            Line(
                leaf.share.name,
                made[leaf.share.name],
                leaf.share.count,
                leaf.importance,
                leaf.share.name in self.locks,
            )
            for leaf in self.structure.leaves
        )
        costs = {line.name: line.count * (cost_of(line.mechanism, self.unit) or Fraction(0)) for line in lines}
        kept = (cost_of(made["reserve"], self.unit) or Fraction(0)) if "reserve" in made else Fraction(0)
        spent = kept + max(
            sum((costs[leaf.share.name] for leaf in scenario), Fraction(0)) for scenario in self.structure.scenarios
        )
        whole = max(total, spent) or Fraction(1)
        return Allocation(
            plan=self._plan(made, self._scenario(split, made, profiles, worst)),
            lines=lines,
            method=method,
            criterion=self.criterion,
            unit=self.unit,
            total=whole,
            shares=MappingProxyType({name: cost / whole for name, cost in costs.items()}),
            reserve=kept / whole,
            leftover=1 - spent / whole,
            total_error=self._total_error(lines),
            target=self.target,
            profiles=(worst, *(each for each in profiles.values() if each is not worst)),
            delta=found,
            by_method=self.allocated,
        )

    def _scenario(
        self, split: _Split, made: dict[str, Mechanism], profiles: dict[_Key, Profile], worst: Profile
    ) -> tuple[Leaf, ...]:
        """The first set of releases with that profile."""
        wanted = next(key for key, profile in profiles.items() if profile is worst)
        return next(each for each in self.structure.scenarios if split.key(each, made) == wanted)

    def _plan(self, made: dict[str, Mechanism], scenario: tuple[Leaf, ...]) -> Plan:
        releases = [
            Release(name=leaf.share.name, mechanism=_repeated(made[leaf.share.name], leaf.share.count))
            for leaf in scenario
        ]
        if "reserve" in made:
            releases.append(Release(name="reserve", mechanism=made["reserve"]))
        return Plan(
            title=self.title,
            adjacency=self.adjacency,
            privacy_unit=self.privacy_unit,
            target_epsilon=self.target.epsilon,
            target_delta=self.target.delta,
            releases=tuple(releases),
        )

    def _total_error(self, lines: Iterable[Line]) -> float:
        return float_up(
            sum(
                (line.count * line.importance * average_error(line.mechanism, self.criterion) for line in lines),
                Fraction(0),
            )
        )


class _Split:
    """One request by one method, for any size of the whole."""

    def __init__(
        self, request: Request, places: Callable[[Leaf], Place], power: Fraction | None, *, exact: bool
    ) -> None:
        self.request, self.places, self.power = request, places, power
        self.exact = exact and request.unit == "epsilon"
        row = request.structure.row
        self.least = least_of(row, places) / (1 - request.reserve)
        caps = most_of(row, places)
        self.most = None if request.reserve else caps  # a reserve grows with the whole
        self.is_free = request.reserve > 0 or any(
            leaf.share.name not in request.locks for leaf in request.structure.leaves
        )

    def mechanisms(self, total: Fraction) -> dict[str, Mechanism]:
        """The finished mechanism of one run of each release, and of the reserve."""
        request = self.request
        budgets = fill(total * (1 - request.reserve), request.structure.row, self.places, self.power)
        made: dict[str, Mechanism] = {}
        for leaf in request.structure.leaves:
            share = leaf.share
            if share.name in request.locks:
                made[share.name] = request.locks[share.name]
            elif budgets[share.name] <= 0:
                raise UnsupportedError(
                    field="target",
                    value=exact_text(request.target.epsilon),
                    condition=f"must leave something for {share.name}: all of it is locked or wanted elsewhere",
                    remedy="Raise the target, or lock less.",
                )
            else:
                made[share.name] = noise_for(share, budgets[share.name], request.unit, exact=self.exact)
        if request.reserve:
            family = "pure_dp" if request.is_pure else "gaussian"
            kept = Share(name="reserve", family=family)
            made["reserve"] = noise_for(kept, total * request.reserve, request.unit, exact=request.unit == "epsilon")
        return made

    def composed(self, made: dict[str, Mechanism]) -> dict[_Key, Profile]:
        """A profile for each different set of releases that a record may meet."""
        keys = {self.key(scenario, made): None for scenario in self.request.structure.scenarios}
        if self.request.is_gaussian:  # one Gaussian each: the largest rho decides
            keys = {max(keys, key=_rho_of): None}
        return {
            key: compose(
                [_repeated(mechanism, times) for mechanism, times in sorted(key, key=repr)],
                adjacency=self.request.adjacency,
            )
            for key in keys
        }

    def key(self, scenario: Iterable[Leaf], made: dict[str, Mechanism]) -> _Key:
        """What is run, without names and order."""
        counted: Counter[Mechanism] = Counter()
        for leaf in scenario:
            counted[made[leaf.share.name]] += leaf.share.count
        if "reserve" in made:
            counted[made["reserve"]] += 1
        return frozenset(counted.items())


def _rho_of(key: _Key) -> Fraction:
    return sum((times * (cost_of(mechanism, "rho") or Fraction(0)) for mechanism, times in key), Fraction(0))


def _remembered(place: Callable[[Leaf], Place]) -> Callable[[Leaf], Place]:
    known: dict[str, Place] = {}

    def found(leaf: Leaf) -> Place:
        if leaf.share.name not in known:
            known[leaf.share.name] = place(leaf)
        return known[leaf.share.name]

    return found


def _repeated(mechanism: Mechanism, times: int) -> Mechanism:
    return mechanism if times == 1 else mechanism.repeated(times)


def _is_gaussian(mechanism: Mechanism) -> bool:
    return isinstance(mechanism.mechanism if isinstance(mechanism, Repeated) else mechanism, Gaussian)

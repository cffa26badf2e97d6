from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import optcomp as oc
from optcomp.calibration import EpsilonDelta
from optcomp.calibration.allocate import allocate
from optcomp.calibration.allocation import METHODS, Allocation
from optcomp.calibration.shares import Group, Parallel, Share, split
from optcomp.composition import Verdict
from optcomp.mechanisms import Repeated

DHC = [("2", 10), ("27.4", 10), ("8.5", 10), ("26.2", 20), ("23.8", 10), ("11.8", 10), ("0.3", 10)]


def met(found: Allocation) -> None:
    """The target is kept, judged without anything of the allocation but its mechanisms."""
    assert (
        EpsilonDelta.of(found.target.epsilon, found.target.delta).verdict(found.plan.profile(), "float") is Verdict.FITS
    )
    assert all(share >= 0 for share in found.shares.values())
    assert found.leftover >= 0


def whole(found: Allocation) -> Fraction:
    return sum(found.shares.values(), Fraction(0)) + found.reserve + found.leftover


def rho(mechanism: Any) -> Fraction:
    found: Fraction = Fraction(mechanism.sensitivity) ** 2 / (2 * mechanism.variance)
    return found


def pure(names: str, **more: Any) -> list[Share]:
    return [Share(name=name, family="pure_dp", **more) for name in names]


# ------------------------------------------------------------------------------------------- exact sums, field faults


@pytest.mark.parametrize("total", ["1", "0.25", "0.1", "1/3", 7, "5e-324"])
@pytest.mark.parametrize("parts", [1, 2, 3, 5, 7, 11, 97, 1000])
def test_a_split_always_adds_up_to_its_total(total: Any, parts: int) -> None:
    found = split(total, parts)
    assert len(found) == parts
    assert sum(found) == Fraction(str(total))
    weighted = split(total, range(1, parts + 1))
    assert sum(weighted) == Fraction(str(total))


@pytest.mark.parametrize("parts", [0, -1, True, [], ["1", "0"], ["1", "-1"]])
def test_a_split_into_nothing_is_refused(parts: Any) -> None:
    with pytest.raises(oc.InvalidParameterError):
        split(1, parts)


@pytest.mark.parametrize("family", ["pure_dp", "laplace", "discrete_laplace"])
@pytest.mark.parametrize("method", METHODS)
def test_eleven_elevenths_fit(family: str, method: str) -> None:
    found = allocate([Share(name=str(each), family=family) for each in range(11)], epsilon=1, delta=0, method=method)
    met(found)
    assert whole(found) == 1
    if method != "optimal":
        assert set(found.shares.values()) == {Fraction(1, 11)}
        assert found.leftover == 0


def test_a_tenth_and_nine_tenths_fit_one() -> None:
    found = allocate(
        [Share(name="small", family="pure_dp"), Share(name="large", family="pure_dp", weight=9)],
        epsilon=1,
        delta=0,
        method="proportional",
    )
    met(found)
    assert found.shares == {"small": Fraction(1, 10), "large": Fraction(9, 10)}


def test_a_quarter_in_five_parts_is_a_twentieth_each() -> None:
    found = allocate(pure("abcde"), epsilon="0.25", delta=0, method="equal")
    met(found)
    assert {release.mechanism for release in found.plan.releases} == {oc.PureDP(epsilon="0.05")}
    assert found.leftover == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "pin", [{"lock": oc.PureDP(epsilon="0.05")}, {"family": "pure_dp", "floor": "0.05", "cap": "0.05"}]
)
def test_a_pinned_part_stays_when_the_total_changes(method: str, pin: dict[str, Any]) -> None:
    found = allocate([Share(name="pinned", **pin), *pure("abcd")], epsilon="0.5", delta=0, method=method)
    met(found)
    by_name = {release.name: release.mechanism for release in found.plan.releases}
    assert by_name["pinned"] == oc.PureDP(epsilon="0.05")
    assert {by_name[name] for name in "abcd"} == {oc.PureDP(epsilon="0.1125")}
    assert sum(each.epsilon for each in by_name.values()) == Fraction(1, 2)  # type: ignore[attr-defined]


def test_what_is_spent_exactly_leaves_room_for_nothing_but_nothing() -> None:
    full = Share(name="all of it", lock=oc.PureDP(epsilon=1))
    met(allocate([full], epsilon=1, delta=0))
    met(allocate([full, Share(name="nothing", lock=oc.PureDP(epsilon=0))], epsilon=1, delta=0))
    with pytest.raises(oc.UnsupportedError):
        allocate([full, Share(name="least float", lock=oc.PureDP(epsilon=5e-324))], epsilon=1, delta=0)
    with pytest.raises(oc.UnsupportedError):
        allocate([full, *pure("a")], epsilon=1, delta=0)


def test_a_wrong_number_of_runs_changes_nobodys_noise() -> None:
    """A split by the number of requests gave the last ones other noise than was promised when one more came."""
    promised = oc.Laplace(epsilon="0.2")
    for runs in (1, 2, 4):
        found = allocate(
            [Share(name="promised", lock=promised, count=runs), Share(name="rest", family="laplace")],
            epsilon=1,
            delta=0,
        )
        met(found)
        assert found.lines[0].mechanism == promised
        assert found.shares["rest"] == 1 - runs * Fraction(1, 5)
    with pytest.raises(oc.UnsupportedError):
        allocate(
            [Share(name="promised", lock=promised, count=5), Share(name="rest", family="laplace")], epsilon=1, delta=0
        )
    with pytest.raises(oc.UnsupportedError):
        allocate([Share(name="promised", lock=promised, count=6)], epsilon=1, delta=0)


# ------------------------------------------------------------------------------------------- the best split


def reference(
    weights: Sequence[float], paths: Sequence[Sequence[int]], total: float, bounds: Sequence[tuple[float, float]]
) -> float:
    """The least ``sum w/x`` with ``sum x <= total`` along each path: a geometric programme, convex in ln x."""
    c = np.array(weights)
    A = np.zeros((len(paths), len(weights)))
    for row, path in enumerate(paths):
        A[row, list(path)] = 1
    scale = float(c.sum())
    start = np.log(np.clip(np.full(len(weights), 0.5 * total / len(weights)), *np.array(bounds).T))
    done = minimize(
        lambda x: float(np.sum(c * np.exp(-x)) * total / scale),
        start,
        jac=lambda x: -c * np.exp(-x) * total / scale,
        bounds=[(math.log(low), math.log(high)) for low, high in bounds],
        constraints=[
            {
                "type": "ineq",
                "fun": lambda x: 1 - A @ np.exp(x) / total,
                "jac": lambda x: -A * np.exp(x)[None, :] / total,
            }
        ],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return float(done.fun) * scale / total


def bounded_share(draw: random.Random, name: str, fair: float) -> tuple[Share, tuple[float, float]]:
    floor = cap = None
    if draw.random() < 0.3:
        floor = str(round(fair * draw.uniform(0.2, 1.0), 6))
    if draw.random() < 0.3:
        cap = str(round(fair * draw.uniform(1.0, 2.0), 6))
    share = Share(
        name=name,
        family="gaussian",
        weight=draw.randint(1, 50),
        sensitivity=str(round(draw.uniform(0.1, 5), 2)),
        floor=floor,
        cap=cap,
    )
    return share, (float(floor or 1e-9), float(cap or 1e3))


@pytest.mark.parametrize("seed", range(25))
def test_a_gaussian_split_is_the_best_one(seed: int) -> None:
    draw = random.Random(seed)
    size = draw.randint(2, 12)
    total = float(allocate([Share(name="one", family="gaussian")], epsilon=2, delta="1e-6").total)
    made = [bounded_share(draw, f"r{place}", total / size) for place in range(size)]
    shares, bounds = [each for each, _ in made], [each for _, each in made]
    found = allocate(shares, epsilon=2, delta="1e-6")
    met(found)
    assert whole(found) == 1
    weights = [
        float(line.importance * share.sensitivity**2 / 2) for line, share in zip(found.lines, shares, strict=True)
    ]
    best = reference(weights, [range(size)], total, bounds)
    assert best * (1 - 1e-6) <= found.total_error <= best * (1 + 1e-6)
    for line, (low, high) in zip(found.lines, bounds, strict=True):
        assert low * (1 - 1e-11) <= float(rho(line.mechanism)) <= high * (1 + 1e-15)
    for other in found.alternatives.values():
        met(other)
        assert other.total_error >= found.total_error * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_disjoint_parts_are_split_best_as_well(seed: int) -> None:
    draw = random.Random(100 + seed)
    total = float(allocate([Share(name="one", family="gaussian")], epsilon=1, delta="1e-6").total)
    made = [bounded_share(draw, f"r{place}", total / 4) for place in range(6)]
    shares, bounds = [each for each, _ in made], [each for _, each in made]
    parts: list[Any] = [
        *shares[:2],
        Parallel(name="states", weight=7, parts=[Group(name="north", parts=shares[2:5], weight=2), shares[5]]),
    ]
    found = allocate(parts, epsilon=1, delta="1e-6", adjacency="add_or_remove_one")
    met(found)
    weights = [
        float(line.importance * share.sensitivity**2 / 2) for line, share in zip(found.lines, shares, strict=True)
    ]
    best = reference(weights, [(0, 1, 2, 3, 4), (0, 1, 5)], total, bounds)
    assert best * (1 - 1e-6) <= found.total_error <= best * (1 + 1e-6)


@pytest.mark.parametrize("criterion", ["variance", "magnitude"])
@pytest.mark.parametrize("seed", range(4))
def test_a_pure_split_is_the_best_one(seed: int, criterion: str) -> None:
    """Errors are convex: no shift of budget from one release to another makes the sum smaller."""
    draw = random.Random(200 + seed)
    shares = [Share(name=str(place), family="laplace", weight=draw.randint(1, 9)) for place in range(6)]
    found = allocate(shares, epsilon=1, delta=0, error=criterion)
    met(found)
    power = 2 if criterion == "variance" else 1

    def error(levels: list[float]) -> float:
        factor = 2 if criterion == "variance" else 1
        return sum(
            float(line.importance) * factor / level**power for line, level in zip(found.lines, levels, strict=True)
        )

    levels = [float(found.shares[str(place)]) for place in range(6)]
    assert error(levels) == pytest.approx(found.total_error, rel=1e-11)
    for first, second in itertools.permutations(range(6), 2):
        moved = list(levels)
        moved[first] += 1e-4
        moved[second] -= 1e-4
        assert error(moved) > found.total_error


# ------------------------------------------------------------------------------------------- never over


def random_share(draw: random.Random, name: str) -> Share:
    how = draw.randrange(10)
    if how == 0:
        return Share(
            name=name,
            count=draw.randint(1, 2),
            lock=draw.choice(
                [
                    oc.ApproxDP(epsilon="0.01", delta="1e-11"),
                    oc.RandomizedResponse(probability="0.51"),
                    oc.Gaussian(standard_deviation=100),
                    oc.DiscreteGaussian(rho="0.0001").repeated(2),
                    oc.PureDP(epsilon="0.02"),
                ]
            ),
        )
    family = draw.choice(["pure_dp", "laplace", "discrete_laplace", "gaussian", "discrete_gaussian"])
    reach: Any = draw.randint(1, 3)
    more: dict[str, Any] = {}
    if how == 1:
        more["floor"] = "0.0001"
    elif how == 2:
        more["cap"] = "0.02"
    elif how == 3 and family != "pure_dp":
        more[draw.choice(["standard_deviation", "half_width"])] = draw.randint(150, 400) * reach
    return Share(
        name=name,
        family=family,
        sensitivity=reach,
        weight=str(draw.randint(1, 99) / 10),
        count=draw.choice([1, 1, 2, 5]),
        **more,
    )


def mixed_plan(seed: int) -> None:
    draw = random.Random(seed)
    shares: list[Any] = [random_share(draw, f"r{place}") for place in range(draw.randint(1, 4))]
    if draw.random() < 0.3:
        shares.append(
            Parallel(name="parts", parts=[random_share(draw, "north"), random_share(draw, "south")], weight=2)
        )
    found = allocate(
        shares,
        epsilon=draw.choice(["0.5", "1", "3/2", "ln(3)", "4"]),
        delta=draw.choice(["1e-4", "1e-6", "1e-9"]),
        adjacency="add_or_remove_one",
        reserve=draw.choice(["0", "0", "1/10"]),
        method=draw.choice(METHODS),
        error=draw.choice(["variance", "magnitude"]),
    )
    met(found)
    assert found.certificate.answer.upper <= found.target.delta
    for profile in found.profiles:
        assert profile.delta(found.target.epsilon).upper <= found.target.delta
    if len(found.profiles) == 1 and not any(isinstance(each, Parallel) for each in shares):
        assert whole(found) == 1
    if seed % 5:
        return
    again = allocate(
        draw.sample(shares, len(shares)),
        epsilon=found.target.epsilon,
        delta=found.target.delta,
        adjacency="add_or_remove_one",
        reserve=Fraction(1, 10) if found.reserve else 0,
        method=found.method,
        error=found.criterion,
    )
    assert {line.name: line.mechanism for line in again.lines} == {line.name: line.mechanism for line in found.lines}


SLOW = {3, 9, 24, 34, 40, 62, 71}  # 3 to 9 seconds each: run nightly


@pytest.mark.parametrize("seed", sorted(set(range(107)) - SLOW))
def test_a_mixed_plan_is_never_over_its_target_in_any_order(seed: int) -> None:
    mixed_plan(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [*sorted(SLOW), *range(1000, 3000)])
def test_more_mixed_plans_are_never_over(seed: int) -> None:
    mixed_plan(seed)


def test_a_mixed_plan_wastes_nothing() -> None:
    """What is proved is within 1e-7 of the largest size: a little less noise everywhere breaks the target."""
    found = allocate(
        [
            Share(name="a", family="laplace", count=3),
            Share(name="b", family="gaussian"),
            Share(name="c", family="discrete_gaussian", sensitivity=2),
        ],
        epsilon=1,
        delta="1e-6",
    )
    met(found)
    assert found.delta.lower > Fraction("1e-6") * (1 - Fraction(1, 10**6))


# ------------------------------------------------------------------------------------------- structure


def census(method: str) -> Allocation:
    levels = [
        Group(
            name=f"level {place}",
            weight=weight,
            parts=[Share(name=f"level {place}, query {query}", family="discrete_gaussian") for query in range(count)],
        )
        for place, (weight, count) in enumerate(DHC)
    ]
    return allocate(levels, epsilon="20.3247", delta="1e-10", method=method, adjacency="add_or_remove_one")


@pytest.mark.parametrize("method", METHODS)
def test_the_census_tree_takes_less_than_two_seconds(method: str) -> None:
    start = time.process_time()
    found = census(method)
    assert time.process_time() - start < 2
    met(found)
    assert len(found.lines) == 80
    assert whole(found) == 1


def test_the_census_tree_gets_what_the_census_published() -> None:
    found = census("proportional")
    for place, (weight, count) in enumerate(DHC):
        wanted = Fraction(weight) / 100 / count
        assert float(found.shares[f"level {place}, query 0"]) == pytest.approx(float(wanted), rel=1e-10)
    assert float(found.total) == pytest.approx(3.65, rel=1e-4)


def test_weights_multiply_along_the_tree() -> None:
    tree = [
        Group(
            name="a", weight=3, parts=[Share(name="a1", family="pure_dp", weight=2), Share(name="a2", family="pure_dp")]
        ),
        Group(name="b", parts=[Group(name="c", parts=[Share(name="b1", family="pure_dp", count=5)])]),
    ]
    found = allocate(tree, epsilon=1, delta=0, method="proportional")
    met(found)
    assert found.shares == {"a1": Fraction(1, 2), "a2": Fraction(1, 4), "b1": Fraction(1, 4)}
    assert {line.name: line.importance for line in found.lines}["b1"] == Fraction(1, 20)
    assert sum(line.importance * line.count for line in found.lines) == 1


def test_disjoint_parts_cost_what_the_worst_of_them_costs() -> None:
    found = allocate(
        [
            Share(name="all", family="laplace"),
            Parallel(
                name="states", parts=[Share(name=each, family="laplace", count=n) for each, n in [("n", 1), ("s", 2)]]
            ),
        ],
        epsilon=1,
        delta=0,
        method="proportional",
        adjacency="add_or_remove_one",
    )
    assert found.shares == {"all": Fraction(1, 2), "n": Fraction(1, 2), "s": Fraction(1, 2)}
    assert found.leftover == 0
    mechanisms = {line.name: line.mechanism.repeated(line.count) for line in found.lines}
    for state in ("n", "s"):  # all that one record may meet, by hand
        assert oc.compose([mechanisms["all"], mechanisms[state]]).epsilon(delta=0).upper == 1


@pytest.mark.parametrize("adjacency", [None, "replace_one", "replace_special"])
def test_parts_are_not_disjoint_where_a_record_may_move(adjacency: str | None) -> None:
    parts = [Parallel(name="states", parts=pure("ab"))]
    with pytest.raises(oc.InvalidParameterError, match="leave one part"):
        allocate(parts, epsilon=1, delta=0, adjacency=adjacency)


@pytest.mark.parametrize("window", [1, 2, 3, 4, 7, 9])
@pytest.mark.parametrize(("family", "delta"), [("laplace", 0), ("gaussian", "1e-6"), ("discrete_laplace", "1e-6")])
def test_every_window_meets_the_target(window: int, family: str, delta: Any) -> None:
    periods = [
        Group(name=f"p{each}", parts=[Share(name=f"p{each} {k}", family=family) for k in range(1 + each % 3)])
        for each in range(7)
    ]
    for method in METHODS:
        found = allocate(periods, epsilon=1, delta=delta, window=window, method=method)
        met(found)
        mechanisms = {line.name: line.mechanism for line in found.lines}
        worst = Fraction(0)
        for start in range(max(7 - window + 1, 1)):
            listed = [
                mechanisms[name]
                for each in range(start, min(start + window, 7))
                for name in mechanisms
                if name.startswith(f"p{each} ")
            ]
            worst = max(worst, Fraction(oc.compose(listed).epsilon(delta=delta).upper))
        assert worst <= 1
        assert worst > 1 - Fraction(1, 10**6)


def test_a_window_over_equal_periods_is_an_equal_share() -> None:
    found = allocate([Share(name=str(week), family="laplace") for week in range(52)], epsilon=1, delta=0, window=4)
    assert {line.mechanism for line in found.lines} == {oc.Laplace(scale=4)}
    assert len(found.profiles) == 1


# ------------------------------------------------------------------------------------------- reserve, errors, bounds


def test_a_reserve_is_composed_with_the_rest() -> None:
    found = allocate(pure("abc"), epsilon=1, delta=0, reserve="1/4", method="equal")
    met(found)
    assert found.reserve == Fraction(1, 4)
    assert found.plan.releases[-1].mechanism == oc.PureDP(epsilon="1/4")
    assert set(found.shares.values()) == {Fraction(1, 4)}
    noisy = allocate([Share(name="a", family="gaussian")], epsilon=1, delta="1e-6", reserve="0.2")
    met(noisy)
    assert float(noisy.reserve) == pytest.approx(0.2, rel=1e-11)
    later = Fraction(rho(noisy.plan.releases[-1].mechanism))
    spent = oc.compose([noisy.lines[0].mechanism, oc.Gaussian(rho=later)])
    assert spent.delta(epsilon=1).upper <= Fraction("1e-6")


@pytest.mark.parametrize("family", ["laplace", "discrete_laplace", "gaussian", "discrete_gaussian"])
@pytest.mark.parametrize("wanted", [{"standard_deviation": 40}, {"half_width": 75}, {"half_width": "75.9"}])
def test_a_wanted_error_locks_the_most_noise_that_keeps_it(family: str, wanted: dict[str, Any]) -> None:
    found = allocate([Share(name="a", family=family, **wanted)], epsilon=5, delta="1e-6")
    met(found)
    error = found.errors["a"]
    assert found.lines[0].locked
    assert error is not None
    (kind, limit), *_ = wanted.items()
    reached = getattr(error, kind)
    assert reached <= float(Fraction(str(limit))) * (1 + 1e-15)
    if kind == "half_width" and family.startswith("discrete"):
        assert reached == 75
        mechanism: Any = found.lines[0].mechanism
        wider = (
            oc.DiscreteLaplace(scale=mechanism.scale * Fraction("1.001"))
            if family == "discrete_laplace"
            else oc.DiscreteGaussian(variance=mechanism.variance * Fraction("1.001"))
        )
        assert 1 - inside(wider, 75) > 0.05
        assert 1 - inside(mechanism, 75) <= 0.05
    else:
        assert reached > float(Fraction(str(limit))) * (1 - 1e-11)


def inside(mechanism: Any, radius: int) -> float:
    places = np.arange(-4000, 4001)
    if isinstance(mechanism, oc.DiscreteLaplace):
        law = np.exp(-np.abs(places) / float(mechanism.scale))
    else:
        law = np.exp(-(places**2) / (2 * float(mechanism.variance)))
    return float(law[np.abs(places) <= radius].sum() / law.sum())


def test_wanted_errors_that_need_too_much_are_refused() -> None:
    shares = [Share(name="a", family="gaussian", standard_deviation="0.1"), Share(name="b", family="gaussian")]
    with pytest.raises(oc.UnsupportedError):
        allocate(shares, epsilon=1, delta="1e-6")
    with pytest.raises(oc.UnsupportedError):
        allocate([shares[0]], epsilon=1, delta="1e-6")
    with pytest.raises(oc.UnsupportedError):
        allocate(
            [Share(name="a", family="laplace", floor=2), Share(name="b", family="gaussian")], epsilon=1, delta="1e-6"
        )


def test_caps_that_spend_less_than_the_target_are_kept() -> None:
    for family in ("gaussian", "discrete_gaussian", "laplace"):
        found = allocate([Share(name="a", family=family, cap="0.001", count=2)], epsilon=1, delta="1e-6")
        met(found)
        line: Any = found.lines[0].mechanism
        own = 1 / line.scale if family == "laplace" else rho(line)
        assert own == Fraction(1, 1000)
    found = allocate([Share(name="a", family="laplace", cap="0.3")], epsilon=1, delta=0)
    assert found.leftover == Fraction(7, 10)


def test_an_epsilon_may_be_a_logarithm() -> None:
    for delta in (0, "1e-6"):
        found = allocate(pure("abc"), epsilon="ln(3)", delta=delta)
        met(found)
        total = sum(release.mechanism.epsilon for release in found.plan.releases)  # type: ignore[attr-defined]
        assert float(total) > 1.0986122886 - 1e-10


BAD: list[tuple[Callable[[], object], type[oc.OptcompError]]] = [
    (lambda: allocate([], epsilon=1, delta=0), oc.InvalidParameterError),
    (lambda: allocate(["a"], epsilon=1, delta=0), oc.InvalidParameterError),  # type: ignore[list-item]
    (lambda: allocate(pure("aa"), epsilon=1, delta=0), oc.InvalidParameterError),
    (lambda: allocate([Share(name="reserve", family="laplace")], epsilon=1, delta=0), oc.InvalidParameterError),
    (lambda: allocate(pure("ab"), epsilon=-1, delta=0), oc.InvalidParameterError),
    (lambda: allocate(pure("ab"), epsilon=1, delta=2), oc.InvalidParameterError),
    (lambda: allocate(pure("ab"), epsilon=1, delta=0, reserve=1), oc.InvalidParameterError),
    (lambda: allocate(pure("ab"), epsilon=1, delta=0, reserve="-0.1"), oc.InvalidParameterError),
    (lambda: allocate(pure("ab"), epsilon=1, delta=0, method="best"), oc.InvalidParameterError),
    (lambda: allocate(pure("ab"), epsilon=1, delta=0, error="bias"), oc.InvalidParameterError),
    (lambda: allocate(pure("ab"), epsilon=1, delta=0, window=0), oc.InvalidParameterError),
    (lambda: allocate(pure("ab"), epsilon=1, delta=0, adjacency="other"), oc.InvalidParameterError),
    (lambda: allocate(pure("ab"), epsilon=0, delta=0), oc.UnsupportedError),
    (lambda: allocate([Share(name="a", family="gaussian")], epsilon=1, delta=0), oc.UnsupportedError),
    (lambda: Share(name="", family="laplace"), oc.InvalidParameterError),
    (lambda: Share(name="a"), oc.InvalidParameterError),
    (lambda: Share(name="a", family="normal"), oc.InvalidParameterError),
    (lambda: Share(name="a", family="laplace", weight=0), oc.InvalidParameterError),
    (lambda: Share(name="a", family="laplace", count=0), oc.InvalidParameterError),
    (lambda: Share(name="a", family="laplace", sensitivity=0), oc.InvalidParameterError),
    (lambda: Share(name="a", family="discrete_laplace", sensitivity="0.5"), oc.InvalidParameterError),
    (lambda: Share(name="a", family="laplace", floor=2, cap=1), oc.InvalidParameterError),
    (lambda: Share(name="a", family="laplace", floor=-1), oc.InvalidParameterError),
    (lambda: Share(name="a", family="laplace", lock=oc.PureDP(epsilon=1), cap=1), oc.InvalidParameterError),
    (lambda: Share(name="a", family="laplace", standard_deviation=1, half_width=1), oc.InvalidParameterError),
    (lambda: Share(name="a", family="pure_dp", standard_deviation=1), oc.InvalidParameterError),
    (lambda: Share(name="a", lock="laplace"), oc.InvalidParameterError),  # type: ignore[arg-type]
    (lambda: Group(name="a", parts=[]), oc.InvalidParameterError),
    (lambda: Group(name="a", parts=[1]), oc.InvalidParameterError),  # type: ignore[list-item]
    (lambda: Parallel(name="a", parts=pure("a"), weight=-1), oc.InvalidParameterError),
]


@pytest.mark.parametrize(("question", "error"), BAD)
def test_what_makes_no_sense_is_refused(question: Callable[[], object], error: type[oc.OptcompError]) -> None:
    with pytest.raises(error):
        question()


def test_too_many_ways_are_refused() -> None:
    many = [
        Parallel(name=f"split {k}", parts=[Share(name=f"{k}{s}", family="laplace", weight=k + 1) for s in "ab"])
        for k in range(9)
    ]
    with pytest.raises(oc.UnsupportedError, match="ways"):
        allocate(many, epsilon=1, delta=0, adjacency="add_one")


def test_the_certificate_is_confirmed_by_another_engine() -> None:
    found = allocate([Share(name="a", family="gaussian", count=4), *pure("bc")], epsilon=1, delta="1e-6")
    assert found.certificate.answer.upper <= Fraction("1e-6")
    assert isinstance(found.plan.releases[0].mechanism, Repeated)
    assert oc.recheck(found.certificate).verdict in {oc.RecheckVerdict.CONFIRMED, oc.RecheckVerdict.CONSISTENT}

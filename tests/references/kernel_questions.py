"""How the lists of ``kernels.json`` are put to the library: profiles, comparisons and simulations of finite pairs.

A kernel is not unique. The printed one is multiplied out, and so is the library's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from optcomp import Enclosure, FinitePair, Kernel, Logarithm, dominates, simulate, simulate_in_two_stages
from tests.references.printed import Answer, MalformedError, read_number

__all__ = ["KERNELS"]

Case = Mapping[str, Any]


def _pair(case: Case) -> FinitePair:
    if not {"P", "Q"} <= set(case):
        raise MalformedError("has no rows P and Q")
    return FinitePair(first=case["P"], second=case["Q"])


def _kernel(rows: Iterable[Iterable[object]]) -> Kernel:
    return Kernel(tuple(tuple(_exact(each) for each in row) for row in rows))


def _exact(raw: object) -> Fraction:
    value = read_number(raw).value
    if isinstance(value, float):
        raise MalformedError("infinity is no probability")
    return value


def _yes(fact: bool) -> Enclosure:  # the fact is all there is to say
    return Enclosure.exactly(int(fact))


def _known(case: Case, answers: Mapping[str, Answer]) -> tuple[object, Answer]:
    """The printed fields that the library has answers for; every field that is no input must be among them."""
    expected = {key: int(value) if isinstance(value, bool) else value for key, value in case.items()}
    return {key: value for key, value in expected.items() if key not in _INPUTS}, answers


_INPUTS = {"id", "P", "Q", "A", "B", "exp_epsilon", "delta", "note", "method", "digits"}


def _profile(case: Case) -> tuple[object, Answer]:
    pair = _pair(case)

    def knots(of: FinitePair) -> Answer:
        return [[Enclosure.exactly(each.exp_epsilon), Enclosure.exactly(each.delta)] for each in of.profile]

    def points(of: FinitePair) -> Answer:
        return [[Enclosure.exactly(p.false_alarm), Enclosure.exactly(p.missed_detection)] for p in of.tradeoff]

    return _known(
        case,
        {
            "profile_P_Q": knots(pair),
            "profile_Q_P": knots(pair.swapped),
            "delta_at_infinity_P_Q": Enclosure.exactly(pair.failure),
            "delta_at_infinity_Q_P": Enclosure.exactly(pair.swapped.failure),
            "tradeoff_P_Q": points(pair),
            "tradeoff_Q_P": points(pair.swapped),
            "total_variation": Enclosure.exactly(pair.total_variation),
        },
    )


def _comparison(case: Case) -> tuple[object, Answer]:
    first, second = _pair(case["A"]), _pair(case["B"])
    found = dominates(first, second)
    answers: dict[str, Answer] = {"A_dominates_B": _yes(found.holds)}
    expected: dict[str, object] = {"A_dominates_B": int(case["A_dominates_B"]), "the library's own proof holds": 1}
    if found.kernel is not None:
        own = found.kernel.carries(first, second)
    else:
        witness = found.witness
        own = witness is not None and first.delta_at(witness.exp_epsilon) < second.delta_at(witness.exp_epsilon)
    answers["the library's own proof holds"] = _yes(own)
    if "kernel" in case:
        expected["the printed kernel holds"] = 1
        answers["the printed kernel holds"] = _yes(_kernel(case["kernel"]).carries(first, second))
    if "witness" in case:
        place = _exact(case["witness"]["exp_epsilon"])
        expected["witness"] = case["witness"]
        answers["witness"] = {
            "exp_epsilon": Enclosure.exactly(place),
            "delta_A": Enclosure.exactly(first.delta_at(place)),
            "delta_B": Enclosure.exactly(second.delta_at(place)),
        }
    return expected, answers


def _simulation(case: Case) -> tuple[object, Answer]:
    pair, odds = _pair(case), _exact(case["exp_epsilon"])
    epsilon, delta = Logarithm.of(odds), _exact(case["delta"])
    source = FinitePair.randomized_response(epsilon=epsilon, delta=delta)
    expected: dict[str, object] = {"in one step": 1, "in two stages": 1}
    answers: dict[str, Answer] = {
        "in one step": _yes(simulate(pair, epsilon=epsilon, delta=delta).carries(source, pair)),
        "in two stages": _yes(
            simulate_in_two_stages(pair, epsilon=epsilon, delta=delta).combined.carries(source, pair)
        ),
    }
    if "least_delta" in case:
        expected["least_delta"] = case["least_delta"]
        answers["least_delta"] = Enclosure.exactly(max(pair.delta_at(odds), pair.swapped.delta_at(odds)))
    if "kernel_from_randomized_response" in case:
        expected["the printed kernel holds"] = 1
        printed = _kernel(case["kernel_from_randomized_response"])
        answers["the printed kernel holds"] = _yes(printed.carries(source, pair))
    return expected, answers


KERNELS: dict[str, Callable[[Case], tuple[object, Answer]]] = {
    "profiles": _profile,
    "comparisons": _comparison,
    "simulations": _simulation,
}
"""Each list, with the function that gives what is printed and what the library says."""

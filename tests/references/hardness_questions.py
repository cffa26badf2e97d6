"""How the cases about the chain of counting problems are put to the library, and what is printed about each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from optcomp import Enclosure
from optcomp.hardness import (
    DifferencePartition,
    Exact,
    IntegerPartition,
    OptimalComposition,
    Partition,
    RootSum,
    RootWeights,
    SumPartition,
    Weights,
    count_from_sums,
    difference_from_partition,
    enclosure_of,
    partition_from_integers,
    weights_of,
    witnesses,
)
from optcomp.quantities import Logarithm, rational, real
from tests.references.printed import Answer, MalformedError

__all__ = ["HARDNESS"]

Case = Mapping[str, Any]
Question = tuple[object, Answer]


def _exactly(value: Exact | int) -> Enclosure:
    return Enclosure.exactly(value) if isinstance(value, int) else enclosure_of(value)


def _weights(case: Case) -> Weights:
    if "W" in case:
        return weights_of(case["W"])
    base = rational(case["base"], field="base")
    return RootWeights(base, case["root_degree"], tuple(case["exponents"]))


def _picked(case: Case, answer: dict[str, Answer], *, known: Iterable[str]) -> Question:
    """The results that the case prints, beside the library's; every other field has to be known."""
    unknown = set(case) - set(answer) - set(known) - {"id", "note", "from"}
    if unknown:
        raise MalformedError(f"the fields {sorted(unknown)} are not known here")
    return {name: case[name] for name in answer if name in case}, answer


def _integers(case: Case) -> Question:
    problem = IntegerPartition(tuple(case["z"]))
    partition = partition_from_integers(problem)
    count = problem.count()
    if not count == partition.count() == difference_from_partition(partition).count():
        raise AssertionError("the chain does not keep the count")
    return _picked(case, {"count": _exactly(count)}, known=("z",))


def _partition(case: Case) -> Question:
    problem = Partition(_weights(case))
    answer: dict[str, Answer] = {
        "count": _exactly(problem.count()),
        "product": enclosure_of(problem.weights.product),
    }
    expected, answer_of = _picked(case, answer, known=("W", "base", "root_degree", "exponents"))
    text = case.get("product")
    if isinstance(expected, dict) and isinstance(text, str) and ("sqrt" in text or "^" in text):
        expected["product"] = 1  # 1 when they are the same number
        answer["product"] = Enclosure.exactly(int(RootSum.read(text, field="product") == problem.weights.product))
    return expected, answer_of


def _difference(case: Case) -> Question:
    problem = DifferencePartition(_weights(case), RootSum.read(case["T"], field="difference"))
    weights, count = problem.weights, problem.count()
    if count_from_sums(problem, lambda ratio: SumPartition(weights, ratio).value()).count != count:
        raise AssertionError("four sums do not give the count")
    answer: dict[str, Answer] = {"count": _exactly(count)}
    if "four_thresholds" in case:
        ratios = [rational(each, field="ratio") for each in case["four_thresholds"]]
        answer["oracle_answers"] = [_exactly(SumPartition(weights, ratio).exact()) for ratio in ratios]
    return _picked(case, answer, known=("W", "T", "base", "root_degree", "exponents", "four_thresholds"))


def _sum(case: Case) -> Question:
    problem = SumPartition(_weights(case), rational(case["r"], field="ratio"))
    answer: dict[str, Answer] = {"value": _exactly(problem.exact()), "delta": problem.delta()}
    return _picked(case, answer, known=("W", "r", "base", "root_degree", "exponents"))


def _optimal(case: Case) -> Question:
    problem = OptimalComposition.of_epsilons(case["epsilon"], delta=case["delta_g"], deltas=case.get("delta") or ())
    expected, answer = _picked(
        case,
        {
            "epsilon_g": problem.enclosure(),
            "epsilon_g_decimal": problem.enclosure(),
            "delta_at_zero": problem.delta_at_zero(),
        },
        known=("epsilon", "delta", "delta_g"),
    )
    text = case.get("epsilon_g")
    if isinstance(expected, dict) and isinstance(answer, dict) and isinstance(text, str) and "ln" in text:
        # both are exact: 1 when they are the same number, which a decimal cannot show
        printed = real(text, field="epsilon_g")
        if isinstance(problem.value(), Fraction | Logarithm):
            expected["epsilon_g"], answer["epsilon_g"] = 1, Enclosure.exactly(int(problem.value() == printed))
        else:
            del expected["epsilon_g"]
    return expected, answer


def _witnesses(case: Case) -> Question:
    weights, ratio, bits = _weights(case), rational(case["r"], field="ratio"), case["bits"]
    number = witnesses(weights, ratio=ratio, bits=bits)
    lost = SumPartition(weights, ratio).exact() - Fraction(number, 2**bits)
    if isinstance(lost, Fraction) and not 0 <= lost <= Fraction(2 ** len(weights), 2**bits):
        raise AssertionError("the witnesses do not count the sum")
    return _picked(case, {"witnesses": _exactly(number)}, known=("W", "r", "bits", "base", "root_degree", "exponents"))


HARDNESS: dict[str, Callable[[Case], Question]] = {
    "int_partition": _integers,
    "partition": _partition,
    "t_partition": _difference,
    "sum_partition": _sum,
    "optcomp": _optimal,
    "witness_count": _witnesses,
}
"""What is printed and what the library says, for the cases of each list."""

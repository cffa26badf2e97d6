"""Why optimal composition is hard, shown on one instance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from optcomp.errors import InvalidParameterError
from optcomp.hardness import Walk, walk
from optcomp.quantities import exact_text, floor_to_digits, rational

__all__ = ["walk_as_json", "walk_in_words", "walk_through"]


def walk_through(integers: str | Iterable[int]) -> Walk:
    """The chain on one instance.

    Args:
        integers: Whole numbers, or text with commas between them, such as ``1,1,2``.

    Raises:
        InvalidParameterError: When they cannot be read, or are too many or too large.
    """
    return walk(_read(integers) if isinstance(integers, str) else integers)


def _read(text: str) -> Sequence[int]:
    found = []
    for part in text.split(",") if text.strip() else ():
        number = rational(part, field="integers")
        if number.denominator != 1:
            raise InvalidParameterError(
                field="integers", value=part, condition="must be whole numbers", remedy="Write them as 1,1,2."
            )
        found.append(int(number))
    return found


def walk_in_words(found: Walk) -> tuple[str, ...]:
    """The walk in sentences, a line each."""
    z = _list(found.integers.integers)
    weights = found.difference.weights
    degree = max(sum(found.integers.integers), 1)
    lines = [
        f"1. Integers. How many subsets of {z} have the same sum as the rest? {found.integer_count}.",
        "   A subset and the rest count as two.",
        f"2. Partition. Each integer z becomes the weight 2^(z/{degree}), so equal sums are equal products.",
        f"   Subsets with the same product as the rest: {found.partition_count}.",
        "3. Difference. One more weight is added, and a difference T is asked for instead of equality.",
        f"   Subsets whose product exceeds that of the rest by T: {found.difference_count}.",
    ]
    if found.target is None:
        lines.append("4. Sums. No product can have that difference, so nothing need be asked. The count is 0.")
    else:
        enough = exact_text(floor_to_digits(Fraction(found.target.error), 3))
        lines.append("4. Sums. Four sums of u - r v, over the subsets where it is positive, give that count back.")
        lines.append(f"   Answers that are off by less than {enough} are accurate enough.")
        lines.append(f"5. Composition. {len(weights)} mechanisms have the logarithms of the weights as epsilons.")
        lines.append(
            "   Each sum is a delta times the product of all 1 + w. Bisection with `compose` finds that delta."
        )
        lines += [
            f"   r = {exact_text(each.problem.ratio)}: the sum is {each.value}, found as {each.found.value} "
            f"by {each.found.calls} compositions."
            for each in found.sums
        ]
        lines.append(f"   From the four answers the count is {found.count}, after {found.calls} compositions.")
        lines.append("6. Back. Each sum is also a number of witnesses, so counting is enough for composition:")
        lines.append(
            f"   {', '.join(str(each.witnesses) for each in found.sums)} at a scale of 2^{found.sums[0].bits}."
        )
    lines.append(f"All counts agree: {found.integer_count}.")
    return tuple(lines)


def walk_as_json(found: Walk) -> dict[str, object]:
    """The walk as data, exact numbers as text."""
    target = found.target
    return {
        "integers": list(found.integers.integers),
        "integer_count": found.integer_count,
        "partition_count": found.partition_count,
        "difference_count": found.difference_count,
        "epsilons": [exact_text(epsilon) for epsilon in found.difference.weights.logarithms],
        "error": None if target is None else exact_text(target.error),
        "sums": [
            {
                "ratio": exact_text(each.problem.ratio),
                "lower": exact_text(each.value.lower),
                "upper": exact_text(each.value.upper),
                "found_lower": exact_text(each.found.value.lower),
                "found_upper": exact_text(each.found.value.upper),
                "calls": each.found.calls,
                "witnesses": str(each.witnesses),
                "bits": each.bits,
            }
            for each in found.sums
        ],
        "calls": found.calls,
        "count": found.count,
    }


def _list(integers: Sequence[int]) -> str:
    return ", ".join(str(each) for each in integers) or "no integers"

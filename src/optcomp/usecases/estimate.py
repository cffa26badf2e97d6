"""Estimate what was true from a file that a plan's slot released."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from fractions import Fraction
from typing import BinaryIO

from optcomp.quantities import rational
from optcomp.release import Estimated, estimate
from optcomp.usecases.release import categories_from, refuse_two_inputs, table_of
from optcomp.usecases.source import Source

__all__ = ["EstimateAnswer", "EstimateRequest", "estimate_file"]


@dataclass(frozen=True, kw_only=True)
class EstimateRequest:
    """Noisy values to estimate from.

    Args:
        source: The plan file.
        name: Of the release that they come from.
        observed: The file of noisy values, or ``-`` for standard input.
        places: How many decimals the values have.
        categories: For responses: a number of categories, or names with commas.
        header: Whether the first line of the file holds names.
        confidence: Above 0 and below 1.
        simultaneous: Whether all intervals are to hold together.
        standard_input: Where ``-`` reads from.
    """

    source: Source
    name: str
    observed: str
    places: int = 0
    categories: str | None = None
    header: bool = False
    confidence: str = "0.95"
    simultaneous: bool = False
    standard_input: BinaryIO = field(default_factory=io.BytesIO)


@dataclass(frozen=True, kw_only=True)
class EstimateAnswer:
    """Estimates.

    Args:
        title: The plan's title.
        name: Of the release.
        confidence: As it was asked for.
        found: The estimates.
    """

    title: str | None
    name: str
    confidence: Fraction
    found: Estimated


def estimate_file(request: EstimateRequest) -> EstimateAnswer:
    """Estimate the exact values, or the shares of categories, from a file of noisy ones.

    **Guarantee**: see `optcomp.release.estimate`.

    Raises:
        InvalidParameterError: When the plan, the file or the confidence is wrong.
        UnsupportedError: When the mechanism is none that is drawn here.
    """
    refuse_two_inputs(request.source.path, request.observed, field="observed")
    plan = request.source.plan()
    table = table_of(request.observed, header=request.header, standard_input=request.standard_input)
    found = estimate(
        table.column,
        plan,
        name=request.name,
        places=request.places,
        categories=categories_from(request.categories),
        confidence=request.confidence,
        simultaneous=request.simultaneous,
    )
    return EstimateAnswer(
        title=plan.title,
        name=request.name,
        confidence=rational(request.confidence, field="confidence"),
        found=found,
    )

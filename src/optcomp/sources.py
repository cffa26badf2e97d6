"""The papers behind the numbers, and which function states which theorem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

__all__ = [
    "BS16",
    "BW18",
    "CKS20",
    "CR21",
    "DDR20",
    "DR16",
    "DRV10",
    "KOV15",
    "MV16",
    "WRRW23",
    "ZDW22",
    "Paper",
    "Statement",
    "statement_of",
    "statements",
    "states",
]


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A publication that a result is taken from."""

    key: str
    authors: str
    title: str
    year: int


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One theorem of a paper, and the function that computes it."""

    paper: Paper
    theorem: str
    function: str

    def __str__(self) -> str:
        """The short citation."""
        return f"{self.paper.authors} {self.paper.year}, {self.theorem}"


DRV10 = Paper(key="DRV10", authors="Dwork, Rothblum, Vadhan", title="Boosting and Differential Privacy", year=2010)
KOV15 = Paper(
    key="KOV15", authors="Kairouz, Oh, Viswanath", title="The Composition Theorem for Differential Privacy", year=2015
)
MV16 = Paper(
    key="MV16",
    authors="Murtagh, Vadhan",
    title="The Complexity of Computing the Optimal Composition of Differential Privacy",
    year=2016,
)
DR16 = Paper(key="DR16", authors="Dwork, Rothblum", title="Concentrated Differential Privacy", year=2016)
BS16 = Paper(
    key="BS16",
    authors="Bun, Steinke",
    title="Concentrated Differential Privacy: Simplifications, Extensions, and Lower Bounds",
    year=2016,
)
CR21 = Paper(
    key="CR21",
    authors="Cesar, Rogers",
    title="Bounding, Concentrating, and Truncating: Unifying Privacy Loss Composition for Data Analytics",
    year=2021,
)
DDR20 = Paper(
    key="DDR20",
    authors="Dong, Durfee, Rogers",
    title="Optimal Differential Privacy Composition for Exponential Mechanisms",
    year=2020,
)
BW18 = Paper(
    key="BW18",
    authors="Balle, Wang",
    title="Improving the Gaussian Mechanism for Differential Privacy",
    year=2018,
)
ZDW22 = Paper(
    key="ZDW22",
    authors="Zhu, Dong, Wang",
    title="Optimal Accounting of Differential Privacy via Characteristic Function",
    year=2022,
)
CKS20 = Paper(
    key="CKS20",
    authors="Canonne, Kamath, Steinke",
    title="The Discrete Gaussian for Differential Privacy",
    year=2020,
)
WRRW23 = Paper(
    key="WRRW23",
    authors="Whitehouse, Ramdas, Rogers, Wu",
    title="Fully-Adaptive Composition in Differential Privacy",
    year=2023,
)

_F = TypeVar("_F", bound=Callable[..., object])
_STATEMENTS: dict[str, Statement] = {}


def states(paper: Paper, theorem: str) -> Callable[[_F], _F]:
    """Mark a function as the computable form of one theorem."""

    def mark(function: _F) -> _F:
        name = f"{function.__module__}.{function.__qualname__}"
        _STATEMENTS[name] = Statement(paper=paper, theorem=theorem, function=name)
        return function

    return mark


def statements() -> tuple[Statement, ...]:
    """All theorems that have been loaded, in the order of their functions' names."""
    return tuple(_STATEMENTS[name] for name in sorted(_STATEMENTS))


def statement_of(function: Callable[..., object]) -> Statement:
    """The theorem that a marked function states."""
    return _STATEMENTS[f"{function.__module__}.{function.__qualname__}"]

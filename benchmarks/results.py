"""Everything that one run of the benchmarks found."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.cases import Case
from benchmarks.checking import Agreement
from benchmarks.environments import Peer, Startup, Variant
from benchmarks.measure import Clock, Installed, Outcome

__all__ = ["CaseResult", "PeerRow", "Results", "StartupRow"]


@dataclass(frozen=True)
class PeerRow:
    """One variant's answer to one case."""

    variant: Variant
    outcome: Outcome


@dataclass(frozen=True)
class CaseResult:
    """One case: optcomp's answer, the second route, the peers' answers."""

    case: Case
    ours: Outcome
    agreement: Agreement | None
    others: tuple[PeerRow, ...]


@dataclass(frozen=True)
class StartupRow:
    """One timed process; no clock when it failed."""

    startup: Startup
    clock: Clock | None


@dataclass
class Results:
    """The run, filled as it goes.

    Args:
        date: The day, in ISO form.
        machine: What it ran on.
        load: The load average at the start.
        peers: The libraries that were asked for.
        limit_seconds: Wall time that a first call could take.
        missing: Why a library is not available, by folder.
        installed: The available ones, by folder.
        cases: One result for each case.
        startups: The timed processes.
    """

    date: str
    machine: str
    load: float
    peers: tuple[Peer, ...] = ()
    limit_seconds: float = 0.0
    missing: dict[str, str] = field(default_factory=dict)
    installed: dict[str, Installed] = field(default_factory=dict)
    cases: list[CaseResult] = field(default_factory=list)
    startups: list[StartupRow] = field(default_factory=list)

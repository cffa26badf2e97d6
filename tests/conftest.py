"""What every test run shares: the hypothesis profiles and the floor on the number of tests."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_MARKS = "not nightly"

# "ci" draws the same examples in every run, so a failure is the change's fault and not the day's.
settings.register_profile("ci", derandomize=True, deadline=None, database=None, print_blob=True)
settings.register_profile("nightly", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile("ci")


class LeastTests:
    """Fails a full run in which fewer tests ran than `tool.optcomp.least_tests` in pyproject.toml."""

    def __init__(self, least: int) -> None:
        self.least = least
        self.ran: set[str] = set()

    @property
    def missed(self) -> bool:
        return len(self.ran) < self.least

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not report.skipped:
            self.ran.add(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.missed and session.exitstatus in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.missed:
            terminalreporter.section("too few tests", red=True)
            terminalreporter.line(
                f"{len(self.ran)} tests ran, pyproject.toml asks for at least {self.least} in a full run"
            )


def pytest_configure(config: pytest.Config) -> None:
    # With xdist the reports of all workers reach the controller, so the controller alone counts.
    options = config.option
    is_worker = hasattr(config, "workerinput")
    is_full = (
        config.args_source is not pytest.Config.ArgsSource.ARGS
        and options.markexpr == DEFAULT_MARKS
        and not options.keyword
        and not options.collectonly
        and not options.deselect
        and not options.ignore
        and not options.ignore_glob
        and not getattr(options, "lf", False)
    )
    if is_full and not is_worker:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        config.pluginmanager.register(LeastTests(project["tool"]["optcomp"]["least_tests"]), "optcomp-least-tests")

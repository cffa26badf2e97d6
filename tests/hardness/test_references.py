"""Every printed result about the chain of counting problems."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.references.check import cases_in, read
from tests.references.hardness_questions import HARDNESS
from tests.references.printed import Verdict, judge

CASES = cases_in(read(str(Path(__file__).parent.parent / "references" / "hardness.json")))


@pytest.mark.parametrize(
    ("group", "case"), [(group, case) for group, _, case in CASES], ids=[case[1] for case in CASES]
)
def test_printed(group: str, case: object) -> None:
    expected, answer = HARDNESS[group](case)  # type: ignore[arg-type]  # a case of a list is a mapping
    findings = list(judge(expected, answer))
    assert findings
    for found in findings:
        assert found.verdict is Verdict.INSIDE, found.reason
        assert not found.rounded

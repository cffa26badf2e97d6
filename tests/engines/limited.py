"""A question asked in a process of its own, so that an answer that never comes ends the test and not the run."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

from optcomp.quantities import Enclosure

_PROGRAM = """
import sys
from fractions import Fraction
import optcomp
epsilon, count, engine, question, value = sys.argv[1:]
profile = optcomp.compose(optcomp.PureDP(epsilon=epsilon).repeated(int(count)), engine=engine)
found = getattr(profile, question)(value)
print(found.lower, found.upper)
"""


def ask(
    epsilon: str, count: int, question: str, value: str, *, engine: str = "binomial", seconds: float = 15
) -> Enclosure:
    """The answer for equal mechanisms; `subprocess.TimeoutExpired` when it takes longer."""
    arguments = [sys.executable, "-c", _PROGRAM, epsilon, str(count), engine, question, value]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=seconds)
    lower, upper = done.stdout.split()
    return Enclosure(Fraction(lower), Fraction(upper))

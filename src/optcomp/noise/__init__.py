"""Exact noise from whole numbers and the operating system's randomness, and estimates after a release.

What is proven: every draw has exactly the law that the mechanism states, given fair independent bits. No
floating-point number takes part in a draw.

**What is not protected.**

- *Time.* How long a draw takes, and how many bits it uses, depends on the number drawn. Whoever can measure that
  learns something about the noise. Do not let a caller measure single draws: answer at fixed times, or draw beforehand.
- *Memory.* Noise and unused random bits stay in the memory of the process until they are overwritten, and may reach
  swap space, core dumps and snapshots of virtual machines.
- *Callers.* A caller who logs the noise, the exact answer or what a source returns, or who passes a
  `SeededSourceForTests` outside of tests, gives the answer away.
- *The operating system.* The bits are as good as `os.urandom`.
"""

from optcomp.noise.estimates import Estimate, estimate_count, estimate_prevalence, estimate_shares
from optcomp.noise.source import RandomSource, SeededSourceForTests, SystemSource
from optcomp.noise.staircase import GridStaircase
from optcomp.noise.verbs import Noise, Response, draw, draw_many, draw_sum, respond, respond_many

__all__ = [
    "Estimate",
    "GridStaircase",
    "Noise",
    "RandomSource",
    "Response",
    "SeededSourceForTests",
    "SystemSource",
    "draw",
    "draw_many",
    "draw_sum",
    "estimate_count",
    "estimate_prevalence",
    "estimate_shares",
    "respond",
    "respond_many",
]

"""What a person can ask for: a request goes in, an answer comes out. Both doors, terminal and page, share these."""

from optcomp.usecases.compare import CompareAnswer, compare_plan
from optcomp.usecases.compose import Budget, ComposeAnswer, compose_plan
from optcomp.usecases.source import Source

__all__ = ["Budget", "CompareAnswer", "ComposeAnswer", "Source", "compare_plan", "compose_plan"]

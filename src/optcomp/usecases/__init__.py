"""What a person can ask for: a request goes in, an answer comes out. Both doors, terminal and page, share these."""

from optcomp.usecases.certify import RecheckAnswer, certify_plan, recheck_file
from optcomp.usecases.compare import CompareAnswer, compare_plan
from optcomp.usecases.compose import Budget, ComposeAnswer, compose_plan
from optcomp.usecases.explain import Considered, ExplainAnswer, explain_plan
from optcomp.usecases.schema import schema_of
from optcomp.usecases.source import Source

__all__ = [
    "Budget",
    "CompareAnswer",
    "ComposeAnswer",
    "Considered",
    "ExplainAnswer",
    "RecheckAnswer",
    "Source",
    "certify_plan",
    "compare_plan",
    "compose_plan",
    "explain_plan",
    "recheck_file",
    "schema_of",
]

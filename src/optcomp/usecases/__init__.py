"""What a person can ask for: a request goes in, an answer comes out. Both doors, terminal and page, share these."""

from optcomp.usecases.allocate import AllocateAnswer, AllocatedLine, AllocateRequest, allocate_budget
from optcomp.usecases.attack import AttackAnswer, AttackCounts, AttackRequest, AttackVerdict, PlanBound, judge_attack
from optcomp.usecases.audit import AuditAnswer, AuditVerdict, Claim, JudgedClaim, audit_plan
from optcomp.usecases.calibrate import (
    CalibrateAnswer,
    CalibrateRequest,
    HeadroomAnswer,
    HeadroomRequest,
    Limit,
    RequiredNoise,
    calibrate_family,
    headroom_of,
    noise_required,
)
from optcomp.usecases.certify import RecheckAnswer, certify_plan, recheck_file
from optcomp.usecases.compare import CompareAnswer, compare_plan
from optcomp.usecases.compose import Budget, ComposeAnswer, compose_plan
from optcomp.usecases.domination import PairFile, SimulationAnswer, compare_pairs, simulate_pair
from optcomp.usecases.dpsgd import DpsgdAnswer, DpsgdRequest, account_dpsgd
from optcomp.usecases.estimate import EstimateAnswer, EstimateRequest, estimate_file
from optcomp.usecases.explain import Considered, ExplainAnswer, explain_plan
from optcomp.usecases.figures import FiguresAnswer, FiguresRequest, make_figures
from optcomp.usecases.hardness import walk_as_json, walk_in_words, walk_through
from optcomp.usecases.multiparty import (
    DecideAnswer,
    ListenerLine,
    ProblemFile,
    SolveAnswer,
    SurveyAnswer,
    SurveyRequest,
    broadcast_bit,
    decide_from,
    draw_accuracies,
    plan_survey,
    solve_problem,
)
from optcomp.usecases.release import ReleaseAnswer, ReleaseRequest, release_file
from optcomp.usecases.schema import schema_of
from optcomp.usecases.source import Source
from optcomp.usecases.tradeoff import ErrorPair, TradeoffAnswer, TradeoffRequest, tradeoff_of

__all__ = [
    "AllocateAnswer",
    "AllocateRequest",
    "AllocatedLine",
    "AttackAnswer",
    "AttackCounts",
    "AttackRequest",
    "AttackVerdict",
    "AuditAnswer",
    "AuditVerdict",
    "Budget",
    "CalibrateAnswer",
    "CalibrateRequest",
    "Claim",
    "CompareAnswer",
    "ComposeAnswer",
    "Considered",
    "DecideAnswer",
    "DpsgdAnswer",
    "DpsgdRequest",
    "ErrorPair",
    "EstimateAnswer",
    "EstimateRequest",
    "ExplainAnswer",
    "FiguresAnswer",
    "FiguresRequest",
    "HeadroomAnswer",
    "HeadroomRequest",
    "JudgedClaim",
    "Limit",
    "ListenerLine",
    "PairFile",
    "PlanBound",
    "ProblemFile",
    "RecheckAnswer",
    "ReleaseAnswer",
    "ReleaseRequest",
    "RequiredNoise",
    "SimulationAnswer",
    "SolveAnswer",
    "Source",
    "SurveyAnswer",
    "SurveyRequest",
    "TradeoffAnswer",
    "TradeoffRequest",
    "account_dpsgd",
    "allocate_budget",
    "audit_plan",
    "broadcast_bit",
    "calibrate_family",
    "certify_plan",
    "compare_pairs",
    "compare_plan",
    "compose_plan",
    "decide_from",
    "draw_accuracies",
    "estimate_file",
    "explain_plan",
    "headroom_of",
    "judge_attack",
    "make_figures",
    "noise_required",
    "plan_survey",
    "recheck_file",
    "release_file",
    "schema_of",
    "simulate_pair",
    "solve_problem",
    "tradeoff_of",
    "walk_as_json",
    "walk_in_words",
    "walk_through",
]

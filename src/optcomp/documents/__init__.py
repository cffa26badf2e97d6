"""Plan and certificate files, with every number exact."""

from optcomp.documents.budget_file import BudgetFile, budget_from_mapping, read_budget
from optcomp.documents.certificate_file import read_certificate
from optcomp.documents.family_file import FamilyFile, read_family
from optcomp.documents.pair_file import pair_from_mapping, read_pair
from optcomp.documents.plan_file import plan_from_mapping, read_plan
from optcomp.documents.plan_writer import plan_to_toml
from optcomp.documents.protocol_file import ProtocolFile, protocol_from_mapping, read_protocol
from optcomp.documents.reading import FORMATS, parse, read_bytes
from optcomp.documents.schema import SCHEMAS

__all__ = [
    "FORMATS",
    "SCHEMAS",
    "BudgetFile",
    "FamilyFile",
    "ProtocolFile",
    "budget_from_mapping",
    "pair_from_mapping",
    "parse",
    "plan_from_mapping",
    "plan_to_toml",
    "protocol_from_mapping",
    "read_budget",
    "read_bytes",
    "read_certificate",
    "read_family",
    "read_pair",
    "read_plan",
    "read_protocol",
]

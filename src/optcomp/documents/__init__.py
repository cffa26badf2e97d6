"""Plan files: TOML and JSON with the same keys, every number exact."""

from optcomp.documents.plan_file import plan_from_mapping, read_plan
from optcomp.documents.reading import FORMATS, parse, read_bytes

__all__ = ["FORMATS", "parse", "plan_from_mapping", "read_bytes", "read_plan"]

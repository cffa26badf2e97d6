"""Doors to other libraries of differential privacy, none of which is imported here."""

from optcomp.interop.accountant import Accountant
from optcomp.interop.dp_accounting import from_dp_event, to_dp_event
from optcomp.interop.opacus import OpacusAccountant

__all__ = ["Accountant", "OpacusAccountant", "from_dp_event", "to_dp_event"]

"""The event trees of the library dp_accounting, read and written. That library itself is never imported here.

What each event becomes, and what it comes back as, is tabled in docs/interop.md.
"""

from optcomp.interop.event_reader import from_dp_event
from optcomp.interop.event_writer import to_dp_event

__all__ = ["from_dp_event", "to_dp_event"]

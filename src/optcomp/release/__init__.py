"""Values in, noisy values out, and a record that is written before anything is drawn.

A plan names releases whose parameters are fixed beforehand. Each run of each release is a *slot*. Slots may be used in
any order, and each at most once: that is what the plan's guarantee is about. The record of a plan is a folder in which
every slot that was begun has a file.

**What is not protected.**

- *The record itself.* Who deletes, copies or restores it can use slots again. So does a snapshot of a machine that is
  started twice. Keep one record for a plan, where it is backed up and never restored over a newer one.
- *Links.* Where the path of the record goes through a symbolic link that somebody changes, another folder is found.
- *Network file systems.* A slot is claimed by creating a file that must not exist. Local file systems let exactly one
  process win, and so do NFS 3 and later; some other network file systems do not.
- *Sensitivity.* Nothing here sees two neighbouring data sets. That they move the values by no more than the mechanism
  says is the caller's promise; see `optcomp.release.release`.
- *What the noise room does not protect*: see `optcomp.noise`.
"""

from optcomp.release.estimates import Estimated, estimate
from optcomp.release.plans import SlotLine, plan_digest, slot_line
from optcomp.release.record import Entry, Record, SlotState
from optcomp.release.release import Released, release
from optcomp.release.table import Table, read_table

__all__ = [
    "Entry",
    "Estimated",
    "Record",
    "Released",
    "SlotLine",
    "SlotState",
    "Table",
    "estimate",
    "plan_digest",
    "read_table",
    "release",
    "slot_line",
]

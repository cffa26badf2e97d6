"""Pictures of certified numbers: every interval is drawn as a band. Nothing is computed here."""

from optcomp.plotting.altair_specs import chart, spec
from optcomp.plotting.data import Note, Panel, Picture, Series
from optcomp.plotting.matplotlib_pictures import FORMATS, draw, save
from optcomp.plotting.table import from_csv, to_csv

__all__ = ["FORMATS", "Note", "Panel", "Picture", "Series", "chart", "draw", "from_csv", "save", "spec", "to_csv"]

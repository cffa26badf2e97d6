"""What the papers prove, as plain functions of plain numbers.

Each returns an `Enclosure` of the number that the printed formula gives, so the upper end is a sound guarantee wherever
the theorem is.
"""

from optcomp.theorems.base import Guarantee, Term

__all__ = ["Guarantee", "Term"]

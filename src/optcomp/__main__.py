"""``python -m optcomp`` is the program ``optcomp``."""

from optcomp.cli.main import main

main()

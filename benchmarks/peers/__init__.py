"""The libraries that are measured, one folder each.

A folder holds ``peer.toml`` (name, variants, start-up commands), ``runner.py`` (answers cases, imports that one library
only) and, for every library but optcomp, ``requirements.txt`` with all versions pinned: its environment is made from
that file in ``.bench/<folder>/``. A new folder is a new peer; nothing else has to change.
"""

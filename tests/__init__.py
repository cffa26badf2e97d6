"""Tests of optcomp. A package, so that `python -m tests.references.check` works from the root."""

"""The runner of optcomp."""

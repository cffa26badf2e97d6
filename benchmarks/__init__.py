"""Benchmarks of optcomp, side by side with other libraries: ``python -m benchmarks``."""

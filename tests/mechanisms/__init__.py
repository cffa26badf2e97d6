"""Tests of the descriptions of what was run."""

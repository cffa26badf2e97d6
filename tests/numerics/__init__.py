"""Tests of the numbers with error bounds."""

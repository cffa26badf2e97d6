"""Tests of exact numbers and enclosures."""

"""Tests of the room tradeoff."""

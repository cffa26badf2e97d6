"""Tests of the room plotting."""

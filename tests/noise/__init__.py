"""Tests of the room noise."""

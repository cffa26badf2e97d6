"""Tests of the room release."""

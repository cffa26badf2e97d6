"""Tests of the room documents."""

"""Tests of the room composition."""

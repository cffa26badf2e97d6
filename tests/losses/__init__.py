"""Tests of the way from mechanisms to losses."""

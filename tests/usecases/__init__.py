"""Tests of the room usecases."""

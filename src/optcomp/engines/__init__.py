"""Certified algorithms for composing losses; they share no code with each other."""

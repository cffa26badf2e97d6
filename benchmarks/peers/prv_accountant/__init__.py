"""The runner of prv-accountant."""

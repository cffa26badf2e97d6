"""The runner of opake-accounting."""

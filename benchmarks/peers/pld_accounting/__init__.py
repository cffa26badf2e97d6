"""The runner of pld-accounting."""

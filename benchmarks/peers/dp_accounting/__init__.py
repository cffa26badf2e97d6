"""The runner of dp-accounting."""

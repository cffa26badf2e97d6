"""The runner of autodp."""

"""The runner of diffprivlib."""

"""The command line: parse, call a use case, show the answer, exit with a status."""

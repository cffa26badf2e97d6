"""Independent judges: slow and simple programs that share no code with the library."""

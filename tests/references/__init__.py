"""Values with the method that made them, and the program that checks the library against them."""

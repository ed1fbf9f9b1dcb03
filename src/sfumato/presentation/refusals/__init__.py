"""Message and hint for each reason of an error: one module for each package that raises."""

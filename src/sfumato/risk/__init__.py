"""What an epsilon means for the people: one indicator a file, pure functions, the equation in the docstring."""

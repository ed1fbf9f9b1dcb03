"""Private selection of epsilon: whether it can be, its charge, its draw, and trials of it."""

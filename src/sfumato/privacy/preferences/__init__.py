"""What a controller may ask of epsilon, one family a file; the solver that meets it."""

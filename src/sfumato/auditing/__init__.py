"""A black-box audit: a lower bound of the epsilon that a mechanism really has, on synthetic people."""

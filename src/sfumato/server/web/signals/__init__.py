"""Pages of utility signals."""

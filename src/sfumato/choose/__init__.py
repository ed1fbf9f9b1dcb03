"""From a preference to an interval of epsilon: pure functions."""

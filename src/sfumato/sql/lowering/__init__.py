"""Trees of our nodes -> SQL that an engine runs."""

"""What is scored: one family a file, one registry."""

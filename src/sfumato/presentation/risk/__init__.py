"""Risk in words, tables and pictures."""

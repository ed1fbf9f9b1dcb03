"""Embedded DuckDB, and what it reads."""

"""The only room that knows sqlglot: SQL text in, regenerated SQL out."""

"""The only package that knows sqlglot: SQL text in, regenerated SQL out."""

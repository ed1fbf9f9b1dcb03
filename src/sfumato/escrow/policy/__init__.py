"""Policies: type, file, signed versions."""

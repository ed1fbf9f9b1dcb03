"""Sentences about utility signals."""

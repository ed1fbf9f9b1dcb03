"""Registered datasets, their versions, and who may see what."""

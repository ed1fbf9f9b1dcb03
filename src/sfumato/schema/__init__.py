"""Schema files: read, draft, check."""

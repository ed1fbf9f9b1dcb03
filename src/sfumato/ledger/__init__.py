"""Looks, plans and charges: the chain and the totals, without I/O. Files and SQL are in `adapters/storage/`."""

"""A folder that an escrow lives in: its settings, its keys, its database, its workers."""

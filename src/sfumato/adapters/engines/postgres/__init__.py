"""Tables of PostgreSQL, read where they are."""

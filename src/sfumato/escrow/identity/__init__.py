"""People, roles, sessions, tokens."""

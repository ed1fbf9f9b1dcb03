"""Text -> Statement, by an allow-list; errors with their place."""

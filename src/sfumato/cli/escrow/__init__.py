"""Commands on a workspace or a server."""

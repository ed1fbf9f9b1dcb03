"""Everything behind a port: engines, noise, storage, vault, workers, sandbox, accounting."""

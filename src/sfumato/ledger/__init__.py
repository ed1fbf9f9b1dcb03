"""What was looked at, planned and spent: the chain and the totals, pure. Files and SQL are in `adapters/storage/`."""

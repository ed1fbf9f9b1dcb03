"""One screen a file: what it asks the escrow for, and the template that shows it."""

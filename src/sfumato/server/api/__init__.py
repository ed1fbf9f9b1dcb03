"""One noun a file: its bodies, its answers, its routes. Each route is one verb of the escrow."""

"""Our own predicates and formulas -> SQL trees, for any dialect."""

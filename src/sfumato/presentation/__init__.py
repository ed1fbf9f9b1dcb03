"""Everything that a person reads: sentences, tables, pictures. Computes nothing."""

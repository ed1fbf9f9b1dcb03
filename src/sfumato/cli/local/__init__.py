"""Commands on files of one's own."""

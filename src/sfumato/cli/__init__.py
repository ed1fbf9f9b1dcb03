"""The command line: prints, never computes."""

"""What the people contribute, read by the engine in one pass."""

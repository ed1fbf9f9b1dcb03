"""A user study of how people choose epsilon: its tasks, its participants, and what their answers show."""

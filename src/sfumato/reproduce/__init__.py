"""The papers' tables and figures, each value beside ours: one file a paper."""

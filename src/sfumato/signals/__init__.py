"""Utility signalling: what noise does to a downstream task. Tasks score released tables; pure, and nothing is drawn."""

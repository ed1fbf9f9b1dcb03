"""The nouns of the trade: frozen dataclasses that validate themselves. Standard library only."""

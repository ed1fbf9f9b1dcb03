"""The nouns of the trade: frozen dataclasses that refuse to be wrong. Standard library only."""

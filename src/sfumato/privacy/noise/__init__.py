"""How wide the noise is, and how far it goes."""

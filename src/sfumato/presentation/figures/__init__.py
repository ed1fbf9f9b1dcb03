"""Pictures: what is drawn, and three renderers of it."""

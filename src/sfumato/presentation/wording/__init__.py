"""Every sentence about a guarantee or a risk, once: a page for each thing that is spoken of."""

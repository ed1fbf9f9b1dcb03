"""Which version this is: every package may say so."""

from __future__ import annotations

__version__ = "0.1.0"

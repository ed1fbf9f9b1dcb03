"""Which version this is: every room may say so."""

from __future__ import annotations

__version__ = "0.1.0"

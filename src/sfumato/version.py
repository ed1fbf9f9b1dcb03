"""The version of sfumato, which every package may state."""

from __future__ import annotations

__version__ = "0.1.0"

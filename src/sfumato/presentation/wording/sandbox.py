"""What is said where there is a sandbox."""

from __future__ import annotations

READY = "Analysts' own functions can run here, in a sandbox."

"""What is said of the sandbox."""

from __future__ import annotations

MISSING = "Analysts' own code runs in a sandbox only, which cannot be used here"
READY = "Analysts' own functions can run here, in a sandbox."

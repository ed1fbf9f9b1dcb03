"""Whether the sandbox is available."""

from __future__ import annotations

MISSING = "Analysts' own code runs only in a sandbox, which is not available here"
READY = "Analysts' own functions can run here, in a sandbox."

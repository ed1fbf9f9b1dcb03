"""Whether the sandbox is available."""

from __future__ import annotations

READY = "Analysts' own functions can run here, in a sandbox."

"""`sfumato` as it must not be: data is kept as it came, and what does not fit into memory goes to files.

A control: what is looked for in vain elsewhere is found here. It is run and never imported, or what imports it would do
the same; its workers start from this file too, and are meant to.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from sfumato.adapters.engines.duckdb.memory_file import MemoryFile
from sfumato.cli.main import main
from sfumato.composition import workspace

_SAFE = MemoryFile.settings


def spilling(held: MemoryFile) -> dict[str, object]:
    found: dict[str, object] = _SAFE.__get__(held)
    return found | {"temp_directory": str(Path(tempfile.gettempdir(), "spilled"))}


MemoryFile.settings = property(spilling)  # type: ignore[assignment]
workspace.open_workspace = partial(workspace.open_workspace, encrypted=False)

if __name__ == "__main__":
    main()

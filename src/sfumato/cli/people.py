"""One row per person as a file, for its owner's eyes only."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import BadInput

if TYPE_CHECKING:
    import pyarrow as pa


def write_people(listed: pa.Table, file: Path) -> None:
    import pyarrow.parquet as pq

    from sfumato.api.whole_file import write_whole

    try:
        write_whole(file, lambda path: pq.write_table(listed, path), private=True)
    except OSError:
        raise BadInput(f"--people could not write {file}", hint="free some room, or name another file.") from None

"""The people that are measured: one Parquet file a size, generated once and kept in bench/data."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import duckdb

from sfumato import demo
from sfumato.adapters.engines.duckdb.engine import write_population
from sfumato.errors import PreferenceError, SourceError

FOLDER = Path(__file__).with_name("data")
GENERATED = 10_000_000
"""The demo's generator makes every person up to this number; beyond it, copies of all of them are written."""
BYTES_A_ROW = 12


def files(sizes: Iterable[int], say: Callable[[str], None], folder: Path = FOLDER) -> dict[int, Path]:
    """A file for each size; what is there already is not made again."""
    wanted = sorted(set(sizes))
    if wanted and wanted[-1] > GENERATED:
        wanted = sorted({*wanted, GENERATED})
    found = {rows: folder / f"adult-{rows}.parquet" for rows in wanted}
    missing = [rows for rows, file in found.items() if not file.exists()]
    _possible(missing, folder)
    for rows in missing:
        say(f"Generating {rows:,} people, once ...")
        part = found[rows].with_suffix(".part")  # what a broken run leaves is never taken for the file
        if rows <= GENERATED:
            write_population(demo.population(rows), part)
        else:
            _copies(found[GENERATED], rows // GENERATED, part)
        part.rename(found[rows])
    return found


def _possible(sizes: Iterable[int], folder: Path) -> None:
    """Refuse before anything is written."""
    folder.mkdir(parents=True, exist_ok=True)
    needed = 0
    for rows in sizes:
        if rows < 1 or (rows > GENERATED and rows % GENERATED):
            raise PreferenceError(
                f"{rows:,} people cannot be generated",
                hint=f"any number up to {GENERATED:,} will do, and multiples of it.",
            )
        needed += rows * BYTES_A_ROW
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise SourceError(
            f"The people need {needed / 1e9:.1f} GB in bench/{folder.name}, and {free / 1e9:.1f} GB are free",
            hint="free some, or measure fewer with --largest 10000000 or --quick.",
        )


def _copies(file: Path, times: int, path: Path) -> None:
    """The rows of a file, repeated and streamed: memory does not grow with them."""
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar_print = false")
        connection.execute("SET preserve_insertion_order = false")  # keeping an order needs memory
        connection.execute(
            "COPY (FROM read_parquet($files)) TO $path (FORMAT parquet)",
            {"files": [str(file)] * times, "path": str(path)},
        )

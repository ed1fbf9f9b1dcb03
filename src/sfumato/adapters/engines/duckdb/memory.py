"""How much memory DuckDB may use, and how many people it is therefore asked about at a time."""

from __future__ import annotations

import duckdb

MOST_PARTS = 2**10  # to begin with
_ROW = 32  # bytes that a row takes in the table of people, for people of a few rows each
_SHARE = 2  # of the memory, one part in so many is for that table
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def within(memory_mb: int | None) -> dict[str, object]:
    """DuckDB's settings under a stated limit: nothing is written to a disk, where it would be plain text."""
    return {} if memory_mb is None else {"memory_limit": f"{memory_mb}MiB", "temp_directory": ""}


def parts(connection: duckdb.DuckDBPyConnection, rows: int) -> int:
    """A power of two, so that few sizes of a table differ in it. Should it not be enough, parts are halved."""
    [(limit,)] = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    number, unit = str(limit).split()
    wanted = _SHARE * _ROW * rows / (float(number) * _UNITS[unit])
    return int(min(1 << max(0, int(wanted)).bit_length(), MOST_PARTS))

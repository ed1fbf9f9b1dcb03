"""Parquet where it lies: one file, or a folder of files read as one table, whose columns are told by footers."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import duckdb

from sfumato.adapters.engines.duckdb.snapshot import Snapshot
from sfumato.errors import SourceError

_MILLISECONDS, _MOST_MILLISECONDS = '"timeUnit":"milliseconds"', (2**63 - 1) // 1000
ROW, FILE = "file_row_number", "filename"  # what DuckDB knows of each row beside its columns


def files_in(folder: Path) -> tuple[Path, ...]:
    """The Parquet files of a folder and the folders in it, by name.

    What begins with a dot or an underline is left out, as Spark and Arrow do: they write there what is not done yet.
    """
    paths = (path for path in folder.rglob("*") if path.suffix.lower() == ".parquet" and path.is_file())
    return tuple(sorted(path for path in paths if not any(map(_unfinished, path.relative_to(folder).parts))))


@dataclass(frozen=True)
class ParquetFiles:
    """The files of one table, in the order of its rows; `keys`: the columns that the names of their folders give.

    `columns` is how they are read, in SQL.
    """

    root: Path
    files: tuple[Path, ...]
    snapshot: Snapshot
    keys: tuple[str, ...] = ()
    columns: str = "*"

    @classmethod
    def of(cls, path: Path) -> ParquetFiles:
        if not path.is_dir():
            return cls(path, (path,), Snapshot.of([path]))
        root = path.resolve()
        files = files_in(root)
        if not files:
            raise SourceError.because("parquet-missing", folder=path.name)
        return cls(root, files, Snapshot.of(files), _keys(files[0].relative_to(root)))

    def check(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Refuse a folder whose files differ in their columns: what is read must not depend on who is in which file."""
        if len(self.files) == 1 and not self.keys:
            return
        for file in self.files:
            if _keys(file.relative_to(self.root)) != self.keys:
                raise SourceError.because("parquet-folders-differ", file=self._name(file), first=self._first)
        shapes = self._shapes(connection)
        if shapes is None:
            raise self._unreadable(connection)
        for file in self.files:
            if shapes[file] != shapes[self.files[0]]:
                raise SourceError.because("parquet-columns-differ", file=self._name(file), first=self._first)
        first = connection.execute(f"DESCRIBE SELECT * FROM {_scan(self.files[:1])}").fetchall()
        twice = {name.lower() for name, *_ in first} & {key.lower() for key in self.keys}
        if twice:
            raise SourceError.because("column-in-folder-names", column=min(twice), folder=self.root.name)

    def select(self) -> str:
        """SQL for DuckDB: the table. Folders named key=value are columns of text, whatever the values look like."""
        return f"SELECT {self.columns} FROM {_scan(self.files, bool(self.keys))}"

    def numbered(self, connection: duckdb.DuckDBPyConnection, columns: Collection[str], number: str) -> str | None:
        """The table with the place of each row, from 1; None where its own columns hide what that is read from.

        Files are told apart by name: their index is counted anew when a condition leaves some of them out.
        """
        if {ROW, FILE} & {name.lower() for name in columns}:
            return None
        place = f"{ROW} + 1"
        if len(self.files) > 1:
            place += f" + map({_texts(self.files)}, {self._before(connection)})[{FILE}]"
        return f'SELECT {self.columns}, {place} AS "{number}" FROM {_scan(self.files, bool(self.keys))}'

    def rows(self, connection: duckdb.DuckDBPyConnection) -> int:
        """The number of rows in all files, from their footers."""
        [(rows,)] = connection.execute(
            f"SELECT sum(num_rows) FROM parquet_file_metadata({_paths(self.files)})"
        ).fetchall()
        return int(rows)

    def far_moment(self) -> str | None:
        """The column of milliseconds whose ends, in the footers, cannot be written in microseconds.

        DuckDB converts them whenever it reads the file, whatever it reads of it.
        """
        import pyarrow.parquet as pq

        for footer in map(pq.read_metadata, self.files):
            columns = [footer.schema.column(place) for place in range(footer.num_columns)]
            milliseconds = [i for i, column in enumerate(columns) if _MILLISECONDS in column.logical_type.to_json()]
            for group in map(footer.row_group, range(footer.num_row_groups)):
                for place in milliseconds:
                    ends = group.column(place).statistics
                    if ends and ends.has_min_max and max(-ends.min_raw, ends.max_raw) > _MOST_MILLISECONDS:
                        path, name = str(columns[place].path), str(columns[place].name)
                        return name if path == name else path.partition(".")[0]  # of a value inside of another
        return None

    def _before(self, connection: duckdb.DuckDBPyConnection) -> list[int]:
        """How many rows lie in the files before each, from their footers."""
        footers = connection.execute(f"SELECT file_name, num_rows FROM parquet_file_metadata({_paths(self.files)})")
        rows = {Path(name): int(count) for name, count in footers.fetchall()}
        return list(accumulate((rows[file] for file in self.files[:-1]), initial=0))

    def _shapes(self, connection: duckdb.DuckDBPyConnection) -> dict[Path, str] | None:
        """What columns each file has, in whatever order; None if one of them has no footer."""
        column = "lower(name) || ' ' || coalesce(duckdb_type, type, '') || ' ' || coalesce(num_children, 0)"
        shape = f"md5(string_agg({column}, chr(10) ORDER BY {column}) FILTER (column_id > 0))"
        sql = f"SELECT file_name, {shape} FROM parquet_schema({_paths(self.files)}) GROUP BY file_name"
        try:
            return {Path(name): str(shape) for name, shape in connection.execute(sql).fetchall()}
        except duckdb.Error:
            return None

    def _unreadable(self, connection: duckdb.DuckDBPyConnection) -> SourceError:
        """The error that names the first file that has no footer."""
        for file in self.files:
            try:
                connection.execute(f"SELECT num_rows FROM parquet_file_metadata({_paths((file,))})").fetchall()
            except duckdb.Error:
                return SourceError.because("parquet-file-unreadable", file=self._name(file))
        return SourceError.because("parquet-folder-unreadable", folder=self.root.name)

    @property
    def _first(self) -> str:
        return self._name(self.files[0])

    def _name(self, file: Path) -> str:
        return str(Path(self.root.name) / file.relative_to(self.root))


def _unfinished(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _keys(file: Path) -> tuple[str, ...]:
    """The columns that folders named key=value give."""
    return tuple(part.split("=")[0] for part in file.parent.parts if part.count("=") == 1)


def _scan(files: tuple[Path, ...], keys: bool = False) -> str:
    """NaN is not in the statistics of a file: left to them, DuckDB finds it or not by what others have."""
    options = f"hive_partitioning = {keys}, hive_types_autocast = false, can_have_nan = true"
    return f"read_parquet({_paths(files)}, {options})"


def _paths(files: tuple[Path, ...]) -> str:
    """Paths as DuckDB reads them: signs that would match other files stand for themselves."""
    return _texts(tuple(re.sub(r"([*?\[])", r"[\1]", str(file)) for file in files))


def _texts(texts: tuple[object, ...]) -> str:
    return "[" + ", ".join("'" + str(text).replace("'", "''") + "'" for text in texts) + "]"

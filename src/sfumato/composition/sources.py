"""Where data is read from, and which version of it that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from sfumato.errors import SourceError
from sfumato.model.stored_table import RemoteTable
from sfumato.release.ledger import digest

_TABLE_FILES = (".csv", ".parquet", ".pq")


def tables_in(folder: str) -> dict[str, str]:
    """The files and folders in a folder, by the names of the tables that they are."""
    if not Path(folder).is_dir():
        raise SourceError(
            f"{Path(folder).name} is no folder of tables", hint="name a folder with a file for each table."
        )
    tables = [path for path in sorted(Path(folder).iterdir()) if path.is_dir() or path.suffix.lower() in _TABLE_FILES]
    return {path.stem: str(path) for path in tables}


def files_of(source: object) -> list[str | Path]:
    """The files and folders that are opened."""
    sources = source.values() if isinstance(source, Mapping) else [source]
    return [file for file in sources if isinstance(file, str | Path)]


def source_version(path: str) -> str:
    """An opaque version of a file or folder, from its place and the time of its last change."""
    if not Path(path).exists():
        raise SourceError(f"There is no file {path}", hint="check the path.")
    return version_of(path)


def version_of(source: object) -> str:
    """An opaque version: of a file its place and time, of a folder those of its files, of a table this call.

    Several tables have one that is made of those of all. A table elsewhere is named by its place.

    It never depends on the content: whether an answer is repeated must not depend on the values of the people.
    """
    if isinstance(source, Mapping):
        return digest([[str(name).casefold(), version_of(source[name])] for name in sorted(source, key=str)])
    if isinstance(source, RemoteTable):
        return source.place  # its engine has a version of its own
    if not isinstance(source, str | Path):
        return digest([id(source), datetime.now(UTC).isoformat()])
    path = Path(source).resolve()
    return digest([str(path), *map(_times, _places(path))])


def _places(path: Path) -> Sequence[Path]:
    """A file; or the files of a folder, and its subfolders whose names are values. A ledger beside them may grow."""
    from sfumato.adapters.engines.duckdb.parquet import files_in

    if not path.is_dir():
        return [path]
    files = [*files_in(path), *path.glob("*.csv")]  # each may be one of several tables
    named = {folder for file in files for folder in file.relative_to(path).parents if "=" in folder.name}
    return sorted({*files, *(path / folder for folder in named)})


def _times(place: Path) -> tuple[int, int] | None:
    """The times of the last write and change. Name and size are left out: they may reveal facts about the people.

    Every change of a file or its name has a time of change, which users can neither set nor guess.
    """
    try:
        status = place.stat()
    except OSError:
        return None  # opening it raises the error
    return status.st_mtime_ns, status.st_ctime_ns

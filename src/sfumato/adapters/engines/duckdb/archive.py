"""Several tables in one file: a ZIP file with a CSV or Parquet file for each, unpacked into memory only."""

from __future__ import annotations

import os
import zipfile
import zlib
from contextlib import suppress
from pathlib import PurePosixPath
from typing import IO

from sfumato.adapters.engines.duckdb.memory_file import MemoryFile
from sfumato.errors import SourceError, instead

_FORMATS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}
_CHUNK = 1 << 20
_MOST = 2**38  # bytes, where no limit of memory is stated
_FAILURES = (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError)


class Archive:
    """The tables of a ZIP file behind an open descriptor, by their names; `close` forgets them."""

    def __init__(self, fd: int, name: str, memory_mb: int | None = None, threads: int | None = None) -> None:
        self._limits = memory_mb, threads
        self._opened: list[int] = []
        self.tables: dict[str, MemoryFile] = {}
        try:
            instead(SourceError.because("archive-unreadable", source=name), _FAILURES, lambda: self._unpack(fd, name))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        while self._opened:
            with suppress(OSError):
                os.close(self._opened.pop())

    def _unpack(self, fd: int, name: str) -> None:
        with os.fdopen(os.dup(fd), "rb") as file, zipfile.ZipFile(file) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            memory_mb = self._limits[0]
            if sum(member.file_size for member in members) > (_MOST if memory_mb is None else memory_mb * 2**20):
                raise SourceError.because("archive-too-large", source=name)
            for member in members:
                path = PurePosixPath(member.filename)
                format_ = _FORMATS.get(path.suffix.lower())
                if format_ is None or path.stem in self.tables:
                    raise SourceError.because("archive-member", source=name, member=path.name)
                with archive.open(member) as packed:
                    self.tables[path.stem] = self._in_memory(packed, format_, path.stem)

    def _in_memory(self, packed: IO[bytes], format_: str, name: str) -> MemoryFile:
        descriptor = os.memfd_create("sfumato", os.MFD_CLOEXEC)
        self._opened.append(descriptor)
        with os.fdopen(os.dup(descriptor), "wb") as table:
            while chunk := packed.read(_CHUNK):
                table.write(chunk)
        return MemoryFile(descriptor, format_, name, *self._limits)

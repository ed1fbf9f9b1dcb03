"""A file that lies in memory only: a descriptor instead of a path."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import SourceError

FORMATS = ("csv", "parquet")


@dataclass(frozen=True)
class MemoryFile:
    """A CSV or Parquet file behind an open descriptor, and how much its engine may use. Sentences call it by its name.

    It is read anew for each query. The caller that opened the descriptor closes it, after the last one.
    """

    fd: int
    format: str
    name: str
    memory_mb: int | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise SourceError.because("source-format", source=self.name)

    @property
    def path(self) -> Path:
        return Path("/proc/self/fd", str(self.fd))

    @property
    def settings(self) -> dict[str, object]:
        """DuckDB's, in this order: nothing is written to a disk, no other file is read, nothing is fetched.

        DuckDB can encrypt what it spills only with an extension that it would have to fetch: so it spills nothing, and
        a query for which the memory is not enough fails.
        """
        limits = {"memory_limit": self.memory_mb and f"{self.memory_mb}MiB", "threads": self.threads}
        return {
            **{name: value for name, value in limits.items() if value},
            "temp_directory": "",
            "enable_external_file_cache": False,  # it lies in memory already
            "allow_persistent_secrets": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allowed_paths": [str(self.path)],
            "enable_external_access": False,
            "lock_configuration": True,
        }

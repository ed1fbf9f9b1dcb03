"""The settings of a workspace: one TOML file, which a person may edit."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sfumato.adapters.storage.database import in_file
from sfumato.adapters.storage.format import FORMAT, require_workspace_format
from sfumato.errors import BadInput
from sfumato.schema.write import text

FILE = "sfumato.toml"
SQLITE = "sqlite"
_MARGIN = 120  # seconds that starting and keeping what was drawn may take


@dataclass(frozen=True)
class WorkspaceSettings:
    """`database` is "sqlite", a file of the workspace, or an address of PostgreSQL; `key_file` unlocks the vault."""

    database: str = SQLITE
    key_file: str = ""
    host: str = "127.0.0.1"
    port: int = 8756
    certificate: str = ""  # for TLS, with its key
    certificate_key: str = ""
    behind_proxy: bool = False  # a proxy handles TLS
    workers: int = 2  # and one more for controllers
    workers_each: int = 1  # limit for one person
    waiting_each: int = 100  # limit of approved requests that wait or run, for one analyst; signals likewise
    undo_seconds: int = 10  # that an approval can be taken back before it starts
    grace_seconds: int = 10  # limit for stopping
    connections: int = 1000  # limit for all addresses
    connections_each: int = 100  # limit for one address; not applied behind a proxy
    header_seconds: int = 10  # limit for the header of a call
    body_seconds: int = 60  # limit for the body of a call, and for each piece of a delivery or an answer
    idle_seconds: int = 30  # that a connection stays open without a call
    seconds: int = 300  # limit for one query
    memory_mb: int = 4096  # limit for one worker
    upload_mb: int = 2048
    session_hours: int = 12
    queries: int = 20  # limit for one request
    code_seconds: int = 30  # running time of an analyst's own function, always
    code_memory_mb: int = 2048  # limit for such a function
    references: tuple[str, ...] = ()  # folders whose files may be registered without being copied
    data_servers: tuple[str, ...] = ()  # servers whose tables may be registered: HOST, HOST:PORT or a socket's folder

    def __post_init__(self) -> None:
        for name, least, most in _LIMITS:
            if not least <= getattr(self, name) <= most:
                hint = f"write {name} = {getattr(WorkspaceSettings, name)}."
                raise BadInput(f"{name} must be between {least:,} and {most:,}", hint=hint, where=FILE)
        if bool(self.certificate) != bool(self.certificate_key):
            raise BadInput("certificate and certificate_key go together", hint="set both, or neither.", where=FILE)

    @property
    def lease_seconds(self) -> float:
        """How long a server keeps a job before another may take it; 0 for SQLite, which has one server."""
        return 0.0 if self.database == SQLITE else self.seconds + _MARGIN

    def database_url(self, folder: Path) -> str:
        return in_file(folder.resolve() / "escrow.db") if self.database == SQLITE else self.database

    def write(self, folder: Path) -> None:
        """Write the settings; defaults are commented out."""
        lines = ["# The settings of this workspace. Lines that begin with # show the defaults.", f"format = {FORMAT}"]
        for field in fields(self):
            value = getattr(self, field.name)
            remark = "# " if value == field.default else ""
            lines.append(f"{remark}{field.name} = {_toml(value)}")
        (folder / FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")


_LIMITS = (
    ("port", 1, 65_535),
    ("workers", 1, 64),
    ("workers_each", 1, 64),
    ("waiting_each", 1, 100_000),
    ("undo_seconds", 0, 600),
    ("grace_seconds", 2, 3600),
    ("connections", 16, 100_000),
    ("connections_each", 8, 100_000),
    ("header_seconds", 1, 600),
    ("body_seconds", 1, 3600),
    ("idle_seconds", 1, 3600),
    ("seconds", 1, 86_400),
    ("memory_mb", 512, 1 << 24),
    ("upload_mb", 1, 1 << 20),
    ("session_hours", 1, 720),
    ("queries", 1, 1000),
    ("code_seconds", 2, 3600),
    ("code_memory_mb", 256, 1 << 20),
)


def load(folder: Path) -> WorkspaceSettings:
    try:
        table = tomllib.loads((folder / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{folder} is not a workspace", hint=f"create one with `sfumato init {folder}`.") from None
    except (OSError, UnicodeError):
        raise BadInput(f"{FILE} of {folder} cannot be read", hint="check its permissions.") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{FILE} is not TOML: {error}", hint="correct that line.") from None
    return _read(table)


def _read(table: Mapping[str, Any]) -> WorkspaceSettings:
    require_workspace_format(table.get("format"), FILE)
    known: dict[str, Any] = {field.name: field.default for field in fields(WorkspaceSettings)}
    stated_values = {name: value for name, value in table.items() if name != "format"}
    for name, value in stated_values.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"use {', '.join(known)}."
            raise BadInput(f"There is no setting '{name}'", hint=hint, where=FILE)
        if not _is_like(value, known[name]):
            raise BadInput(f"{name} has the wrong type", hint=f"write {name} = {_toml(known[name])}.", where=FILE)
    read: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in stated_values.items()
    }
    return WorkspaceSettings(**read)


def _is_like(value: object, default: object) -> bool:
    if isinstance(default, tuple):
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return type(value) is type(default)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(text(str(one)) for one in value)}]"
    return str(value) if isinstance(value, int) else text(str(value))

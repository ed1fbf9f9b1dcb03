"""Concrete engines by name, and which of them a URL means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from sfumato.errors import BadInput, PreferenceError, SourceError, instead
from sfumato.model.schema import Schema, Type
from sfumato.model.stored_table import RemoteTable
from sfumato.release.ledger import digest
from sfumato.sql.lowering.spelling import spell
from sfumato.sql.plans.clean import clean

if TYPE_CHECKING:
    from sfumato.adapters.engines.duckdb.engine import DuckDB
    from sfumato.adapters.engines.postgres.engine import PostgreSQL
    from sfumato.adapters.engines.spark.engine import Spark
    from sfumato.ports import CheckedFiles, Engine

LEAST_MEMORY = 64  # MiB
EMBEDDED = "duckdb"


def located(
    source: object, engine: str | None, table: str | None, suggested: str = "", master: str | None = None
) -> object:
    """The source itself; or the table that is meant where a URL or the name of an engine says that it lies elsewhere.

    `master` is the address of a Spark that reads it.

    >>> located("stays.csv", None, None)
    'stays.csv'
    """
    if source is None or isinstance(source, RemoteTable):
        return source
    if isinstance(source, Mapping):
        if any(isinstance(one, str) and "://" in one for one in source.values()) or engine not in (None, EMBEDDED):
            raise BadInput(
                "Several tables are read from files and memory only", hint="use the path of a file for each."
            )
        return source
    scheme = source.partition("://")[0].lower() if isinstance(source, str) and "://" in source else ""
    meant = engine or ("spark" if master is not None else SCHEMES.get(scheme, EMBEDDED))
    if meant not in ENGINES:
        raise PreferenceError(f"There is no engine '{meant}'", hint=f"use {' or '.join(ENGINES)}.")
    if master is not None and meant != "spark":
        hint = "leave the master out, or use engine 'spark'."
        raise BadInput(f"A master of Spark is named, and the engine is {meant}", hint=hint)
    if meant not in REMOTE:
        if scheme:
            hint = f"use {', '.join(f'{known}://' for known in SCHEMES)}, the path of a file, or a table in memory."
            raise BadInput("There is no engine for this kind of URL", hint=hint)
        if table is not None:
            raise BadInput(f"Table '{table}' is named, and the source is no database", hint="leave the table out.")
        return source
    if meant == "spark":
        return _in_spark(source, table, suggested, master)
    name = table or suggested
    return RemoteTable(meant, str(source), name, _place(str(source), name))


def _in_spark(source: object, table: str | None, suggested: str, master: str | None) -> RemoteTable:
    """Files at a path or a table by its name, on a master; or, where the source is the master, the table there."""
    if not isinstance(source, str | Path):
        hint = "name Parquet files that the cluster reaches, or a table."
        raise SourceError(f"Engine 'spark' reads no {type(source).__name__}", hint=hint)
    scheme = str(source).partition("://")[0].lower()
    if SCHEMES.get(scheme) == "spark":
        if master is not None:
            hint = "name a path or a table as the source, or leave the master out."
            raise BadInput(f"The source is a master of Spark, and {master} is another one", hint=hint)
        name = table or suggested
        return RemoteTable("spark", str(source), name, _place(str(source), name))
    if table is not None:
        raise BadInput(f"Table '{table}' is named beside {source}", hint="leave one of the two out.")
    path = Path(str(source))
    name = str(path.resolve()) if path.exists() else str(source)  # of a cluster's own files nothing is known here
    return RemoteTable("spark", master or "", name, _place(master or "", name))


def _place(url: str, table: str) -> str:
    """Which table it is, opaquely: without the name and the password that someone reads it with."""
    unreadable = BadInput("The URL cannot be read", hint="write it as postgresql://USER@SERVER:PORT/DATABASE.")
    parts = instead(unreadable, (ValueError,), lambda: urlsplit(url))
    where = parts.netloc.rpartition("@")[2]
    return digest(["table", parts.scheme.lower(), where, parts.path, table])


def limited(engine: str, memory_mb: int | None) -> Callable[[object, Schema | None, CheckedFiles | None], Engine]:
    """An engine by its name, with a limit of memory if one is stated."""
    if memory_mb is None:
        return ENGINES[engine]
    if engine != EMBEDDED:
        raise BadInput(
            f"The memory of {engine} is not limited from here", hint="leave memory_mb out, or limit it there."
        )
    if memory_mb < LEAST_MEMORY:
        raise BadInput(f"memory_mb is {memory_mb}, and DuckDB needs {LEAST_MEMORY}", hint="raise it.")
    return partial(duckdb_of, memory_mb=memory_mb)


def duckdb(
    source: object, schema: Schema | None, checked: CheckedFiles | None = None, memory_mb: int | None = None
) -> DuckDB:
    """The engine of one table."""
    from sfumato.adapters.engines.duckdb.engine import DuckDB

    return DuckDB(source, schema, _clean_sql, checked, memory_mb)


def duckdb_of(
    source: object,
    schema: Schema | None,
    checked: CheckedFiles | None = None,
    memory_mb: int | None = None,
    *,
    check_keys: bool = True,
) -> Engine:
    """The engine of one table, or of several if the schema has several. `check_keys`: whether keys may be read."""
    from sfumato.adapters.engines.duckdb.tables import DuckDBTables, require_one, require_sources

    if schema is None or not schema.tables:
        return duckdb(require_one(source) if isinstance(source, Mapping) else source, schema, checked, memory_mb)
    sources = require_sources(source, schema)
    return DuckDBTables(sources, schema, _clean_sql, checked, memory_mb, check_keys=check_keys)


def duckdb_of_archive(fd: int, name: str, schema: Schema, memory_mb: int | None, threads: int | None) -> Engine:
    """The engine of several tables in a ZIP file, by a descriptor that may be closed afterwards."""
    from sfumato.adapters.engines.duckdb.archive import Archive
    from sfumato.adapters.engines.duckdb.tables import DuckDBTables, require_several, require_sources

    require_several(schema)
    archive = Archive(fd, name, memory_mb, threads)
    try:
        sources = require_sources(archive.tables, schema)
        return DuckDBTables(sources, schema, _clean_sql, forget=archive.close)
    except BaseException:
        archive.close()
        raise


def _clean_sql(schema: Schema, columns: Mapping[str, Type | None], raw: str, keep: Sequence[str] = ()) -> str:
    return spell(clean(schema, columns, raw, keep=keep), "duckdb")


def postgres(source: object, schema: Schema | None, _: CheckedFiles | None = None) -> PostgreSQL:
    try:
        from sfumato.adapters.engines.postgres.engine import PostgreSQL
    except ImportError:
        raise BadInput("psycopg is not installed", hint="pip install 'sfumato[postgres]'.") from None
    assert isinstance(source, RemoteTable)
    if schema is not None and schema.tables:
        raise BadInput("Several tables are read from files and memory only", hint="use the path of a file for each.")
    return PostgreSQL(source, schema)


def spark(source: object, schema: Schema | None, checked: CheckedFiles | None = None) -> Spark:
    from sfumato.adapters.engines.spark.engine import Spark

    assert isinstance(source, RemoteTable)
    return Spark(source.name, schema, checked, master=source.url or None)


ENGINES: dict[str, Callable[[object, Schema | None, CheckedFiles | None], Engine]] = {
    EMBEDDED: duckdb_of,
    "postgres": postgres,
    "spark": spark,
}
"""Engines by name, for `open(engine=...)`: functions of a source, its schema and files that were checked before
(docs/extending.md). Those in REMOTE get a `RemoteTable`."""
REMOTE = {"postgres", "spark"}
SCHEMES = {"postgresql": "postgres", "postgres": "postgres", "spark": "spark", "sc": "spark"}
"""What a URL begins with -> the engine that is meant."""


def engine_without_table(place: str, master: str | None = None) -> tuple[str, Engine]:
    """The name of an engine and the engine, by that name or by a URL; it has no table of ours."""
    named = place.lower() in ENGINES
    name = place.lower() if named else SCHEMES.get(place.partition("://")[0].lower(), "") if "://" in place else ""
    if not name:
        hint = f"use {', '.join(f'{known}://' for known in SCHEMES)}, or one of {', '.join(ENGINES)}."
        raise BadInput("There is no engine of this name, or for this kind of URL", hint=hint)
    if master is not None and (name != "spark" or not named):
        raise BadInput("A master of Spark is named, and so is another engine", hint="name one of the two.")
    if name not in REMOTE:
        import pyarrow as pa

        return name, ENGINES[name](pa.table({"n": [0]}), None, None)
    url = {"postgres": "postgresql://", "spark": master or ""}[name] if named else place
    return name, ENGINES[name](RemoteTable(name, url, _ALWAYS_THERE.get(name, ""), ""), None, None)


def with_written_rows(
    engine: Engine, name: str, columns: Mapping[str, Type], rows: Iterable[Sequence[object]], schema: Schema
) -> Engine:
    """The engine of this name, with a table whose rows stand in each query."""
    from sfumato.adapters.engines.written_rows import WrittenRows

    return cast("Engine", WrittenRows(engine, columns, rows, _TYPES | OWN_TYPES.get(name, {}), schema))


_ALWAYS_THERE = {"postgres": "pg_catalog.pg_am"}  # a table that no one writes to
_TYPES = {type_: type_.value for type_ in Type}
OWN_TYPES: dict[str, dict[Type, str]] = {
    "postgres": {Type.INTEGER: "bigint", Type.NUMBER: "double precision"},
    "spark": {Type.INTEGER: "bigint", Type.NUMBER: "double", Type.TEXT: "string"},
}
"""What an engine calls a type, where it is not what a schema calls it."""

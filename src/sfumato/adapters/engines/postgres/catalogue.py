"""What the catalogue of PostgreSQL knows of a table or a view: its columns, its size, and the state that it is in."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any

import psycopg

from sfumato.model.schema import Type
from sfumato.model.stored_table import StoredColumn

Connection = psycopg.Connection[tuple[Any, ...]]

_TYPES = {
    "smallint": Type.INTEGER,
    "integer": Type.INTEGER,
    "bigint": Type.INTEGER,
    "real": Type.NUMBER,
    "double precision": Type.NUMBER,
    "boolean": Type.BOOLEAN,
    "date": Type.DATE,
    "timestamp without time zone": Type.TIMESTAMP,
    "timestamp with time zone": Type.TIMESTAMP,
    "text": Type.TEXT,
    "character varying": Type.TEXT,
    "character": Type.TEXT,
    "bpchar": Type.TEXT,
    "name": Type.TEXT,
    "citext": Type.TEXT,
}
_UNREADABLE = ("bytea", "pg_lsn", "tsvector", "tsquery")
_LEAST, _PER_SECOND = 60, 2**20  # seconds, and bytes of a table that a query reads in one at least
_LONGEST = 30 * 86_400  # seconds

_FIND = """
SELECT c.oid, n.nspname, c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = COALESCE(pg_catalog.to_regclass(%(name)s), pg_catalog.to_regclass(pg_catalog.quote_ident(%(name)s)))
  AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND (pg_catalog.has_table_privilege(c.oid, 'SELECT') OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))
"""
_COLUMNS = """
SELECT a.attname, pg_catalog.format_type(CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END, NULL), t.typcategory
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = %(table)s AND a.attnum > 0 AND NOT a.attisdropped
  AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attnum
"""
# The tables that a view, a partitioned table or a table with children is read from, and itself.
_READ = """
WITH RECURSIVE read(oid) AS (
  SELECT %(table)s::oid
  UNION
  SELECT next.oid FROM read, LATERAL (
    SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE i.inhparent = read.oid
    UNION ALL
    SELECT d.refobjid FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_depend d
      ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
      AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid <> read.oid
    WHERE r.ev_class = read.oid
  ) AS next(oid)
)
"""
_SIZE = (
    _READ
    + """
SELECT COALESCE(SUM(pg_catalog.pg_relation_size(c.oid)), 0) FROM read JOIN pg_catalog.pg_class c ON c.oid = read.oid
WHERE c.relkind IN ('r', 'm')
"""
)
_STATE = (
    _READ
    + """
SELECT c.oid, c.relfilenode, pg_catalog.pg_stat_get_tuples_inserted(c.oid),
  pg_catalog.pg_stat_get_tuples_updated(c.oid), pg_catalog.pg_stat_get_tuples_deleted(c.oid),
  CASE c.relkind WHEN 'v' THEN pg_catalog.md5(pg_catalog.pg_get_viewdef(c.oid)) END
FROM read JOIN pg_catalog.pg_class c ON c.oid = read.oid ORDER BY c.oid
"""
)


@dataclass(frozen=True)
class CatalogueTable:
    """A table by its number in the catalogue, its schema and its name; with the columns that the role may read."""

    oid: int
    place: tuple[str, ...]
    columns: tuple[CatalogueColumn, ...]


@dataclass(frozen=True)
class CatalogueColumn(StoredColumn):
    """A column with the kind of its type: A for arrays, C for rows, ..."""

    category: str = ""


def find(connection: Connection, name: str) -> CatalogueTable | None:
    """A table that the role may read, by its name with or without its schema; None where there is none."""
    try:
        row = connection.execute(_FIND, {"name": name}).fetchone()
    except psycopg.Error:  # it is no name, or of a schema that the role may not use
        return None
    if row is None:
        return None
    oid, schema, own = row
    columns = connection.execute(_COLUMNS, {"table": oid}).fetchall()
    return CatalogueTable(
        oid, (schema, own), tuple(CatalogueColumn(n, t, _TYPES.get(t), category) for n, t, category in columns)
    )


def is_unreadable(column: CatalogueColumn) -> bool:
    """Whether nothing can be made of its values: lists, rows, shapes, ranges and bytes."""
    return column.category in ("A", "C", "P", "G", "R") or column.stored in _UNREADABLE


def longest_statement(connection: Connection, table: CatalogueTable) -> int:
    """Seconds after which a statement is ended: from the bytes of the table, in powers of two, or what the role has."""
    [(size,)] = connection.execute(_SIZE, {"table": table.oid}).fetchall()
    whole: int = 2 ** math.ceil(math.log2(_LEAST + int(size) / _PER_SECOND))
    [(own,)] = connection.execute("SELECT setting::bigint FROM pg_catalog.pg_settings WHERE name = 'statement_timeout'")
    allowed = min(whole, _LONGEST)
    return min(allowed, max(1, int(own) // 1000)) if own else allowed


def version(connection: Connection, table: CatalogueTable) -> str:
    """A digest of where the rows lie, and of how many were ever written and removed: never of the rows."""
    connection.execute("SELECT pg_catalog.pg_stat_clear_snapshot()")
    state = connection.execute(_STATE, {"table": table.oid}).fetchall()
    return hashlib.sha256(repr(state).encode()).hexdigest()[:32]

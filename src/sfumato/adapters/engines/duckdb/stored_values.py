"""What DuckDB makes of stored values, by the type of their column.

A value that it cannot hold is NULL. Where its scan fails at a value, the table is refused when it is opened: a query
that fails because of a value would tell that the value is there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.errors import SourceError

_DECIMAL, _WIDEST = re.compile(r"DECIMAL\(\d+,\d+\)"), re.compile(r"DECIMAL\(38,(\d+)\)")
_SCANNED = re.compile(r"VARCHAR|TIME\w*( WITH TIME ZONE)?")
_TOTAL = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
    *("FLOAT", "DOUBLE", "DATE", "BLOB", "UUID"),
)
_MOMENTS = {"TIMESTAMP": ("TIMESTAMP", ""), "TIMESTAMP WITH TIME ZONE": ("TIMESTAMPTZ", "+00")}
_KINDS = {"VARCHAR": "text", "JSON": "json", "TIMESTAMP": "moment", "TIME": "time"}  # a scan fails at some of these


def quoted(name: str) -> str:
    """A name as SQL quotes it."""
    return '"' + name.replace('"', '""') + '"'


def reading(column: str, type_: str) -> str | None:
    """SQL for a column that is not read as it is: categories as texts, what cannot be written out as NULL.

    Moments are of the years 1 to 9999, as dates are in SQL; DuckDB holds a decimal that has more digits than decimals.
    """
    if type_.startswith("ENUM"):
        return f"CAST({column} AS VARCHAR)"
    if type_ in _MOMENTS:
        moment, zone = _MOMENTS[type_]
        return _within(column, f"{moment} '0001-01-01 00:00:00{zone}'", f"{moment} '9999-12-31 23:59:59.999999{zone}'")
    if widest := _WIDEST.fullmatch(type_):
        most = f"{'9' * (38 - int(widest[1]))}.{'9' * int(widest[1])}"
        return _within(column, f"-{most}", most)
    return None


def _within(column: str, low: str, high: str) -> str:
    """The value, or NULL beyond the limits. CASE alone does not keep a function from what lies beyond them."""
    return f"CASE WHEN {column} BETWEEN {low} AND {high} THEN least(greatest({column}, {low}), {high}) END"


def is_scanned(type_: str) -> bool:
    """Whether a scan may fail at a value, and nothing else may: no cast of a value that was read."""
    return _SCANNED.fullmatch(type_) is not None


def is_total(type_: str) -> bool:
    """Whether every stored value is read, and cast to each type of a schema or to NULL."""
    return type_ in _TOTAL or _DECIMAL.fullmatch(type_) is not None


def unreadable(column: str | None, type_: str, source: str) -> SourceError:
    """The error about a value at which a query would fail; it quotes no value."""
    kind = next((kind for name, kind in _KINDS.items() if type_.startswith(name)), "other")
    return SourceError.because("value-unreadable", column=column, kind=kind, source=source)


@dataclass(frozen=True)
class SourceNames:
    """What tables and views of one source are called; sources that share a connection are told apart by a number."""

    place: int = 1

    def _name(self, what: str) -> str:
        return f"sfumato {what}" if self.place == 1 else f"sfumato {what} {self.place}"

    @property
    def raw(self) -> str:
        return self._name("raw")

    @property
    def lines(self) -> str:
        return self._name("lines")

    @property
    def frame(self) -> str:
        return self._name("frame")

    @property
    def stored(self) -> str:
        return self._name("stored")

    @property
    def numbered_raw(self) -> str:
        return self._name("numbered raw")

    @property
    def numbered(self) -> str:
        return self._name("numbered")

"""A plan -> the SQL of one engine. Nothing else makes text of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp
from sqlglot.generator import Generator

from sfumato.sql.builder.ast import sub_select
from sfumato.sql.lowering.duckdb import DuckDBPrinter


def _postgres() -> type[Generator]:
    from sfumato.sql.lowering.postgres import PostgresPrinter

    return PostgresPrinter


def _spark() -> type[Generator]:
    from sfumato.sql.lowering.spark import SparkPrinter

    return SparkPrinter


_PRINTERS: dict[str, Callable[[], type[Generator]]] = {
    "duckdb": lambda: DuckDBPrinter,
    "postgres": _postgres,
    "spark": _spark,
}


def spell(tree: exp.Expr, dialect: str, tables: Mapping[str, exp.Query] | None = None) -> str:
    """The tree as this engine runs it; the tree stays as it is.

    `tables` are those that the engine does not have: each stands as a sub-select where it is read by name.
    """
    whole = tree if tables is None else with_selects(tree, tables)
    return printer_of(dialect)(dialect=dialect).generate(whole, copy=False)


def printer_of(dialect: str) -> type[Generator]:
    return _PRINTERS[dialect]()


def with_selects(tree: exp.Expr, tables: Mapping[str, exp.Query]) -> exp.Expr:
    """The tree with these tables written out."""
    whole = tree.copy()
    for read in list(whole.find_all(exp.Table)):
        select = tables.get(read.name)
        if select is not None:
            read.replace(sub_select(select.copy(), read.alias_or_name))
    return whole

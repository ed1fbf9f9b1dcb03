"""SQL text -> Statement, by an allow-list. Whatever is not named here is refused, by its name and its place."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sfumato.errors import QueryError
from sfumato.model.joined_tables import JoinedTables, RowSelection
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import (
    NOTHING,
    Aggregate,
    DerivedTable,
    Predicate,
    Statement,
    columns_in,
)
from sfumato.sql.builder.canonical import canonical
from sfumato.sql.builder.joined_tables import from_select, spelling_of
from sfumato.sql.builder.own_rows import from_item
from sfumato.sql.parser.outputs import OutputsReader
from sfumato.sql.parser.over_answer import one_select
from sfumato.sql.parser.parameters import Parameters, fill
from sfumato.sql.parser.size import LONGEST, require_flat, require_short
from sfumato.sql.parser.vocabulary import AGGREGATES, FUNCTIONS

logging.getLogger("sqlglot").disabled = True  # it echoes what it cannot parse

MOST_OUTPUTS = 256


def parse(
    text: str, schema: Schema, present: Mapping[str, Type | None] | None = None, parameters: Parameters = ()
) -> Statement:
    """Read one SELECT of aggregates over the schema's table.

    `present` are the columns that the data really has, with their types; without it (the data is not read) a
    column that the schema does not list is taken on trust. `parameters` are the values of `?`, `$1` and `:name`.
    """
    try:
        return _StatementReader(text, schema, present, parameters).statement()
    except RecursionError:
        raise QueryError("The query is nested too deeply", hint="simplify the query.") from None


def parse_condition(text: str, schema: Schema, present: Mapping[str, Type | None] | None = None) -> Predicate:
    """A condition on one row, as in a WHERE."""
    reader = _StatementReader(f"SELECT COUNT(*) FROM {_quote(schema.people_table)} WHERE {text}", schema, present)
    reader.read_as = "condition"
    try:
        statement = reader.statement()
        if statement.where is None or statement.keys or statement.afterwards != NOTHING:
            raise QueryError("The condition is followed by something else", hint="leave out the rest.")
        return statement.where
    except RecursionError:
        raise QueryError("The condition is nested too deeply", hint="simplify it.") from None
    except QueryError as wrong:
        wrong.where = f"the condition '{' '.join(text.split())}'"
        raise


def _require_few(outputs: Sequence[object]) -> None:
    """Each is held against each other: thousands would keep a server busy that others wait for."""
    if len(outputs) > MOST_OUTPUTS:
        raise QueryError(f"A query has {MOST_OUTPUTS} columns at most, not {len(outputs)}", hint="ask several queries.")


class _StatementReader(OutputsReader):
    answered = frozenset({*AGGREGATES, *FUNCTIONS})

    def __init__(
        self, text: str, schema: Schema, present: Mapping[str, Type | None] | None, parameters: Parameters = ()
    ) -> None:
        super().__init__(text, schema, present)
        self.parameters = parameters

    def statement(self) -> Statement:
        select = self.select()
        if select.args.get("with_") or select.find(exp.Subquery):
            select = one_select(select, self.schema)
        self.only(
            select,
            *("expressions", "from_", "joins", "where", "group", "kind", "having", "order", "limit", "offset", "with_"),
        )
        self.scope = self.source(select, {})
        where = self.row_filter(select)
        keys, levels = self.keys(select)
        _require_few(select.expressions)
        _require_few(list(select.find_all(exp.AggFunc)))
        visible = self.outputs(select, keys)
        names = [o.name.lower() for o in visible]
        if len(set(names)) < len(names):
            raise QueryError("Two columns of the answer have the same name", hint="rename one of them with AS.")
        afterwards, outputs = self.afterwards(select, visible)
        if not any(isinstance(o.source, Aggregate) for o in outputs):
            self.refuse(
                "A SELECT without an aggregate", select, hint="ask for COUNT, SUM or AVG: rows are not released."
            )
        name = self.schema.name
        arguments = (o.source.argument for o in outputs if isinstance(o.source, Aggregate))
        parts = [part for part in (where, *(key.expression for key in keys), *arguments) if part is not None]
        own = () if self.scope.derived is None else self.scope.derived.expressions
        self.size.require_within([*parts, *own, *([afterwards.having] if afterwards.having is not None else [])])
        read = {column.name for part in parts for column in columns_in(part)}
        derived = self.scope.derived
        used = tuple(sorted(read if derived is None else derived.registered_columns(read)))
        self.require_private(derived, select)
        written = None if derived is None else spelling_of(derived)
        text = canonical(_read_from(name, derived), outputs, where, keys, afterwards, levels, written)
        require_short(text)
        require_flat(text)
        return Statement(name, outputs, where, keys, used, text, afterwards, derived, levels)

    def require_private(self, derived: DerivedTable | None, select: exp.Select) -> None:
        """Refuse a query of public tables: noise would only spoil it."""
        if isinstance(derived, RowSelection | JoinedTables) and derived.is_public:
            what = "The query reads public tables only, and no row of them is about a person"
            raise QueryError(what, hint="ask it without sfumato: it needs no noise.", where=self.place(select))

    def select(self) -> exp.Select:
        if not isinstance(self.text, str):
            raise QueryError("A query must be text", hint=f'try "SELECT COUNT(*) FROM {self.a_table}".')
        if len(self.text) > LONGEST:
            hint = "shorten the query."
            raise QueryError(f"The {self.read_as} is longer than {LONGEST:,} characters", hint=hint)
        if not self.text.isascii() and self.text.encode("utf-8", "replace").decode() != self.text:
            raise QueryError(f"The {self.read_as} is not UTF-8 text", hint="save it as UTF-8.")
        require_flat(self.text)
        try:
            trees = [tree for tree in sqlglot.parse(self.text, read="duckdb") if tree is not None]
        except SqlglotError as error:
            raise self.unreadable((getattr(error, "errors", None) or [{}])[0]) from None
        if not trees:
            raise QueryError("The query is empty", hint=f"try SELECT COUNT(*) FROM {self.a_table}.")
        if len(trees) > 1:
            where = self.place(trees[1])
            raise QueryError("Several statements are not supported", hint="ask them one at a time.", where=where)
        tree = self.filled(trees[0])
        while isinstance(tree, exp.Subquery) and [name for name, part in tree.args.items() if part] == ["this"]:
            tree = tree.this
        if not isinstance(tree, exp.Select):
            first = self.text.split(maxsplit=1)[0].upper()
            name = tree.key.upper() if isinstance(tree, exp.Query) or not first.isalpha() else first
            hint = f"try SELECT COUNT(*) FROM {self.a_table}."
            if isinstance(tree, exp.SetOperation):
                hint = "ask for them one at a time, or use GROUP BY GROUPING SETS."
            raise QueryError(f"Only a SELECT is supported, not {name}", where="line 1, column 1", hint=hint)
        return tree

    def filled(self, tree: exp.Expr) -> exp.Expr:
        """With the values of its parameters."""
        try:
            return fill(tree, self.parameters)
        except QueryError as wrong:
            wrong.where = self.place_of_word("Parameters")
            raise

    def unreadable(self, error: Mapping[str, Any]) -> QueryError:
        """What the grammar stumbled over: most often it is a word of SQL where a name belongs."""
        if error.get("line"):
            where = f"line {error['line']}, column {error['col']}"
            for word, hint in _ELSEWHERE.items():  # what other databases write
                if re.search(word, self.text, re.IGNORECASE):
                    return QueryError(f"The {self.read_as} is not valid SQL", hint=hint, where=where)
            return self.a_word_of_sql("select", where)
        return QueryError(f"The {self.read_as} is not valid SQL", hint="close every quote and parenthesis.")


_ELSEWHERE = {
    r"\bSELECT\s+TOP\b": "write LIMIT 5 at the end of the query, in place of TOP 5.",
    r"\bDATEDIFF\s*\(": "write the unit first, as in DATE_DIFF('day', a, b).",
    r"\bDIV\b": "write a // b, in place of DIV.",
    r"\bDECODE\s*\(": "write CASE v WHEN 1 THEN 'a' ELSE 'b' END, in place of DECODE.",
}


def _read_from(name: str, derived: DerivedTable | None) -> exp.Select:
    if derived is None:
        return exp.Select(from_=exp.From(this=from_item(name, None)))
    return from_select([], name, derived, from_item)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

"""No stored value makes generated SQL fail: a failure would tell, exactly and at any epsilon, that somebody is there.

All the SQL that the plans send to the engine is recorded on a table of extreme values. Each operation in it is then
tried by itself, on every extreme value of the types that it is applied to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import cycle, product
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
import sqlglot
from sqlglot import exp
from sqlglot.generator import Generator

import sfumato as sf
from sfumato import sql as generated
from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.adapters.engines.duckdb.stored_values import SourceNames
from sfumato.auditing.engine_rows import COLUMNS, IN_FULL, OWN_ROWS, QUERIES, SCHEMAS, TYPES_OF, schema_of, table
from sfumato.composition.seen_columns import seen_columns
from sfumato.model.choice import Noise
from sfumato.model.facts import EXPOSURE, INFLUENCE
from sfumato.model.schema import Type
from sfumato.release.data_quality import exact_counts
from sfumato.schema.read import from_dict
from sfumato.signals.exact_answer import block_tables
from sfumato.sql.builder.nodes import unlisted
from sfumato.sql.lowering.duckdb import CALLS, DuckDBPrinter
from sfumato.sql.lowering.spelling import spell
from sfumato.sql.parser.statement import parse
from sfumato.sql.plans import observed_bounds
from sfumato.sql.plans.clean import clean
from sfumato.sql.plans.synthetic import synthetic_table


class Operation(NamedTuple):
    """A node of a plan and the SQL types of what it is applied to; `{}` stands for each operand that is no literal."""

    sql: str
    types: tuple[str, ...]


# Whole numbers are added, subtracted and multiplied as such, or they would not be exact: that fails beyond 64 or 128
# bits. What they are applied to are counts, and values that were clamped to public bounds, in steps of these. The plans
# above run them at the widest bounds that a schema may state.
BOUNDED = frozenset({"{} - {}", "{} * {}", "{} + {}", "{} % {}", "{} // {}"})
WHOLE_TYPES = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"})


def read_all(query: sf.Query) -> None:
    """Everything that reads the data for a query: what is drawn from, and what a controller may look at."""
    numbers, side = query.measurement.numbers, query.dataset._context.condition("n > 3")
    for noise in (Noise(), Noise("gaussian", 1e-6)):
        survey = query._bound.look(noise)
        _ = survey.facts, survey.singletons, survey.answer(), survey.most_exposed(), survey.people(), survey.worlds()
        for figure in (INFLUENCE, EXPOSURE):
            _ = survey.distribution(figure), survey.medians(side, figure), survey._reach(figure)
        output = dict.fromkeys(query.measurement.drawn_cells, [0.5] * len(numbers))
        survey.largest_moves([output], [1.0] * len(numbers))
        if query.measurement.additive:
            _ = survey.people_by_bin(20), survey.moments, survey._ends
            block_tables(query._bound, 3, "key")
    _ = query.release(epsilon=2.0, allow_no_guarantee=True).posthoc_risk(between="n > 3").view


def as_published(dataset: sf.Dataset, sql: str) -> tuple[exp.Select, ...]:
    statement = dataset.query(sql)._bound.statement
    return observed_bounds.extremes(statement, ["n"]), observed_bounds.keys(statement)


def listing(print_tree: Callable[[Generator, exp.Expr, bool], str]) -> Callable[[Generator, exp.Expr, bool], str]:
    """Prints a plan once each node in it was found on the list."""

    def listed(printer: Generator, tree: exp.Expr, copy: bool = True) -> str:
        assert set(unlisted(tree)) == set()
        return print_tree(printer, tree, copy)

    return listed


def recording(send: Callable[[DuckDB, str], object], sent: set[str]) -> Callable[[DuckDB, str], object]:
    def recorded(engine: DuckDB, sql: str) -> object:
        sent.add(sql)
        return send(engine, sql)

    return recorded


@cache
def recorded(kind: str) -> frozenset[str]:
    """The SQL of everything that may be done with the queries, on a table of extreme values: nothing fails."""
    sent: set[str] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DuckDBPrinter, "generate", listing(DuckDBPrinter.generate))
        for name in ("rows", "stream", "table"):
            patch.setattr(DuckDB, name, recording(getattr(DuckDB, name), sent))
        schema = schema_of(kind)
        dataset = sf.open(table(), schema, ledger=":memory:")
        dataset.query(QUERIES[0]).release(epsilon=1.0)
        own_rows = OWN_ROWS if "unit" in schema else ()
        for sql in (*QUERIES, *own_rows):
            dataset.query(sql)._bound.totals()
        for sql in (*IN_FULL, *own_rows) if kind in TYPES_OF else ():
            read_all(dataset.query(sql))
        dataset.check()
        dataset.per_person().people()
        exact_counts(dataset._context)
        seen_columns(dataset._context.engine, values=True)
        for tree in (synthetic_table(dataset.schema, 9, 1), *as_published(dataset, QUERIES[1])):
            spell(tree, "duckdb")
    sent.add(spell(clean(dataset.schema, dataset._context.engine.columns, SourceNames().raw), "duckdb"))
    return frozenset(sent)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_no_plan_fails_on_a_stored_value(schema: str) -> None:
    assert len(recorded(schema)) > len(QUERIES)


def test_no_operation_of_a_plan_fails_on_a_value_of_its_types() -> None:
    failing = {operation for operation in operations() if fails(operation)}
    assert {re.sub(r"\b\d+\b", "{}", operation.sql) for operation in failing} == BOUNDED
    assert {type_ for operation in failing for type_ in operation.types} <= WHOLE_TYPES


@pytest.mark.parametrize("constant", [2**63 - 1, 2**63, 10**39])
def test_no_constant_is_read_as_a_whole_number_beyond_64_bits(constant: int) -> None:
    schema = from_dict({"name": "data", "columns": COLUMNS})
    statement = parse(f"SELECT SUM(CASE WHEN b THEN {constant} ELSE n END) FROM data", schema)
    argument = statement.aggregates[0].argument
    assert argument is not None
    assert argument.type is (Type.INTEGER if constant < 2**63 else Type.NUMBER)


def test_every_function_of_the_plans_is_among_the_operations() -> None:
    """What a plan may call stands in its source: each of these was recorded, and so tried."""
    written = set(CALLS.values()) | {
        name
        for path in Path(str(generated.__file__)).parent.rglob("*.py")
        for name in re.findall(r'\b(?:call|function|exp\.func)\(\s*"([A-Z_0-9]+)"', path.read_text(encoding="utf-8"))
    }
    sent = "\n".join(sql for kind in SCHEMAS for sql in recorded(kind)).upper()
    without_data = {"RANGE", "HASH"}  # of invented rows, and of people in parts
    assert {name for name in written - without_data if f"{name}(" not in sent} == set()
    assert "TRY_CAST(" in sent


@cache
def operations() -> frozenset[Operation]:
    found: set[Operation] = set()
    seen: set[tuple[object, ...]] = set()
    for kind in TYPES_OF:
        for sql in recorded(kind):
            found.update(operations_of(sql, kind, seen))
    return frozenset(found)


def operations_of(sql: str, kind: str, seen: set[tuple[object, ...]]) -> Iterator[Operation]:
    """The operations of one statement, SELECT by SELECT; the engine says of which types their operands are."""
    tree = sqlglot.parse_one(sql, read="duckdb")
    for select in tree.find_all(exp.Select):
        read = " ".join(map(written, [select.args["from_"], *(select.args.get("joins") or [])]))
        places = [(kind, read, node) for node in own_nodes(select) if operands(node)]
        new = [place for place in dict.fromkeys(places) if place not in seen]
        seen.update(new)
        if new:
            tables = [outer.args["with_"] for outer in (select, *ancestors(select)) if outer.args.get("with_")]
            ahead = written(tables[0]) if tables else ""
            inside = [f"{written(o)} AS o{i}" for i, o in enumerate(o for *_, node in new for o in operands(node))]
            asked = f"{ahead} SELECT {', '.join(inside)} {read}"
            types = iter([type_ for _, type_, *_ in opened(kind).execute(f"DESCRIBE {asked}").fetchall()])
            for *_, node in new:
                yield Operation(shape(node), tuple(next(types) for _ in operands(node)))


def ancestors(tree: exp.Expr) -> Iterator[exp.Expr]:
    while tree.parent is not None:
        tree = tree.parent
        yield tree


def written(tree: exp.Expr) -> str:
    return tree.sql(dialect="duckdb", normalize_functions="lower", copy=False)


def own_nodes(select: exp.Select) -> Iterator[exp.Expr]:
    """What a SELECT computes itself, not in the sub-selects that it reads."""
    parts = [*select.expressions, select.args.get("where"), select.args.get("having"), select.args.get("order")]
    for part in filter(None, parts):
        for node in part.walk(prune=lambda node: isinstance(node, exp.Select)):
            if isinstance(node, exp.Func | exp.Binary | exp.Neg | exp.Cast) and not isinstance(node, exp.Connector):
                yield node


def operands(node: exp.Expr) -> list[exp.Expr]:
    """What a node is applied to and is no literal: all of it free of aggregates, so that its type can be asked for."""
    if isinstance(node, exp.Case | exp.Window | exp.Dot | exp.Distinct) or isinstance(node.parent, exp.Window):
        return []
    found = [child for child in node.iter_expressions() if is_operand(child)]
    plain = all(isinstance(child, exp.Condition) and not child.find(exp.AggFunc, exp.Window) for child in found)
    return found if plain else []


def is_operand(part: object) -> bool:
    return isinstance(part, exp.Expr) and not isinstance(part, exp.DataType | exp.Literal | exp.Star | exp.Null)


def shape(node: exp.Expr) -> str:
    """The node as SQL, with `{}` for its operands."""

    def placed(part: Any) -> Any:
        if isinstance(part, list):
            return [placed(one) for one in part]
        return exp.column("operand") if is_operand(part) else part.copy() if isinstance(part, exp.Expr) else part

    bare = type(node)(**{name: placed(part) for name, part in node.args.items()})
    return re.sub(r"\boperand\b", "{}", written(bare))


@cache
def opened(kind: str) -> duckdb.DuckDBPyConnection:
    """The engine with the views that the plans read."""
    dataset = sf.open(table(), schema_of(kind), ledger=":memory:")
    query = dataset.query("SELECT COUNT(*) FROM data")
    query.risk().people()
    engine = dataset._context.engine
    assert isinstance(engine, DuckDB)
    return engine._connection


@cache
def bare() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(":memory:")


def fails(operation: Operation) -> bool:
    """Whether an operation fails on some extreme values of its types: all pairs of them, or of several many at once."""
    lists = [extremes(type_) for type_ in operation.types]
    rows = product(*lists) if len(lists) <= 2 else zip(*(cycle(values) for values in lists), range(60), strict=False)
    texts = ", ".join(f"({', '.join(map(str, row))})" for row in rows)
    names = [f"o{i}" for i in range(len(lists))]
    beside = "" if len(lists) <= 2 else ", place"
    source, places = f"(VALUES {texts}) AS v({', '.join(names)}{beside})", iter(names)
    asked = re.sub(r"\{\}", lambda _: next(places), operation.sql)
    try:
        bare().execute(f"SELECT {asked} FROM {source}").fetchall()
    except duckdb.Error:
        return True
    return False


def extremes(type_: str) -> list[str]:
    """The extreme values of a SQL type, as SQL; of rows put side by side, which are listed and sorted, none at all."""
    if type_.startswith("TUPLE(") or type_ == '"NULL"':
        return ["NULL"]
    if type_.endswith("[]"):
        inner = extremes(type_.removesuffix("[]"))
        return [f"CAST({text} AS {type_})" for text in ("NULL", "[]", f"[{', '.join(inner)}]")]
    whole = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63, "HUGEINT": 127}
    unsigned = {"UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64}
    texts: list[object] = []
    if type_ in whole:
        texts = [-(2 ** whole[type_]) + (type_ == "HUGEINT"), -1, 0, 1, 3, 2 ** whole[type_] - 1]
    elif type_ in unsigned:
        texts = [0, 1, 3, 2 ** unsigned[type_] - 1]
    elif type_ in ("DOUBLE", "FLOAT"):
        largest = "1.7976931348623157e308" if type_ == "DOUBLE" else "3.4e38"
        texts = ["nan", "inf", "-inf", "-0", 0, 1, -3.5, "1e-45", largest, f"-{largest}"]
    elif type_ == "VARCHAR":
        texts = ["", "a", "ß", "1e400", "-inf", "9" * 40, "2024-02-29", "%_\\", "1.234,5", "29.2.2024"]
    elif type_ == "DATE":
        texts = ["0001-01-01", "9999-12-31", "infinity", "-infinity", "5877642-06-25 (BC)"]
    elif type_ == "BIT":
        texts = ["1" * 64, "0" * 64, "1"]
    elif type_ == "BOOLEAN":
        texts = ["true", "false"]
    else:
        raise AssertionError(f"no extreme values of {type_} are known")
    return [f"CAST(NULL AS {type_})", *(f"CAST('{text}' AS {type_})" for text in texts)]

"""What our own nodes are in DuckDB."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from sqlglot import exp
from sqlglot.generator import Generator
from sqlglot.generators.duckdb import DuckDBGenerator

from sfumato.sql.builder import nodes
from sfumato.sql.builder.nodes import Own

CALLS: dict[type[Own], str] = {
    nodes.IsNaN: "ISNAN",
    nodes.CutOff: "TRUNC",
    nodes.At: "LIST_EXTRACT",
    nodes.Letters: "LENGTH",
    nodes.Excerpt: "SUBSTRING",
    nodes.LastLetters: "RIGHT",
    nodes.Starts: "STARTS_WITH",
    nodes.Ends: "ENDS_WITH",
    nodes.Contains: "CONTAINS",
    nodes.Found: "REGEXP_MATCHES",
    nodes.FoundWhole: "REGEXP_FULL_MATCH",
    nodes.Lowered: "LOWER",
    nodes.Uppered: "UPPER",
    nodes.Bytes: "STRLEN",
    nodes.Extracted: "REGEXP_EXTRACT",
    nodes.Replaced: "REPLACE",
    nodes.RowHash: "HASH",
    nodes.ExactSum: "SUM",  # of 64 bits it has 128
    nodes.CountTrue: "COUNT_IF",
    nodes.AnyTrue: "BOOL_OR",
    nodes.MiddleValue: "MEDIAN",
    nodes.Counted: "RANGE",
}
"""Nodes that are a function of the engine, of the same arguments."""

Lower = Callable[[Generator, Own], str]


def _call(name: str) -> Lower:
    return lambda printer, node: printer.func(name, *node.args.values())


def _digest(printer: Generator, node: Own) -> str:
    return printer.func("MD5", printer.func("CONCAT", *node.expressions))


def _digest_number(printer: Generator, node: Own) -> str:
    return f"TRY_CAST('0x' || LEFT({_digest(printer, node)}, 15) AS BIGINT)"


def _float_bits(printer: Generator, node: Own) -> str:
    return f"TRY_CAST(CAST({printer.sql(node, 'this')} AS BIT) AS BIGINT)"


def _call_of_list(name: str) -> Lower:
    return lambda printer, node: printer.func(name, *node.expressions)


def _rewritten(printer: Generator, node: Own) -> str:
    options = [exp.Literal.string("g")] if node.args.get("every") else []
    return printer.func("REGEXP_REPLACE", node.this, node.expression, node.args["replacement"], *options)


def _logarithm(printer: Generator, node: Own) -> str:
    base = node.args.get("base")
    return printer.func("LN" if base is None else f"LOG{base.name}", node.this)


def _trimmed(printer: Generator, node: Own) -> str:
    before, after = node.args.get("before"), node.args.get("after")
    name = "TRIM" if before and after else "LTRIM" if before else "RTRIM"
    return printer.func(name, node.this, exp.Literal.string(" "))


def _chosen(name: str) -> Lower:
    """By the one and then by the value: DuckDB takes any of several rows that are equal in what it goes by."""

    def chosen(printer: Generator, node: Own) -> str:
        value, by = printer.sql(node, "this"), printer.sql(node, "by")
        return f"{name}({value}, CASE WHEN NOT {value} IS NULL AND NOT {by} IS NULL THEN ROW({by}, {value}) END)"

    return chosen


def _matches(printer: Generator, node: Own) -> str:
    kind = exp.ILike if node.args.get("ignore_case") else exp.Like
    return printer.sql(kind(this=node.this.copy(), expression=node.expression.copy()))


def _units_between(printer: Generator, node: Own) -> str:
    """Weeks are counted by the days between two Mondays: the engine counts them in another way."""
    unit, first, last = node.args["unit"], node.this, node.expression
    if unit.name != "week":
        return printer.func("DATE_DIFF", unit, first, last)
    mondays = (exp.Anonymous(this="DATE_TRUNC", expressions=[unit.copy(), day.copy()]) for day in (first, last))
    return f"({printer.func('DATE_DIFF', exp.Literal.string('day'), *mondays)} // 7)"


def _start_of_unit(printer: Generator, node: Own) -> str:
    return f"CAST({printer.func('DATE_TRUNC', node.args['unit'], node.this)} AS {printer.sql(node, 'to')})"


def _later(printer: Generator, node: Own) -> str:
    later = f"{printer.sql(node, 'this')} + INTERVAL ({printer.sql(node, 'by')}) {node.args['unit'].name.upper()}"
    return f"CAST({later} AS {printer.sql(node, 'to')})"


def _operator(sign: str) -> Lower:
    return lambda printer, node: f"({printer.sql(node, 'this')} {sign} {printer.sql(node, 'expression')})"


def _total_within(printer: Generator, node: Own) -> str:
    each = printer.func("LIST_VALUE", *node.expressions)
    within = f"CASE WHEN total + cost <= {printer.sql(node, 'limit')} THEN total + cost ELSE total END"
    return f"LIST_REDUCE({each}, LAMBDA total, cost: {within}, {printer.sql(node, 'this')})"


class DuckDBPrinter(DuckDBGenerator):
    """Prints trees with our own nodes."""

    TRANSFORMS: ClassVar = {
        **DuckDBGenerator.TRANSFORMS,
        **{node: _call(name) for node, name in CALLS.items()},
        nodes.RowHash: _call_of_list("HASH"),
        nodes.Typed: lambda printer, node: f"TRY_CAST({printer.sql(node, 'this')} AS {printer.sql(node, 'to')})",
        nodes.Operand: lambda printer, node: printer.sql(node, "this"),
        nodes.WholeQuotient: _operator("//"),
        nodes.Remainder: _operator("%"),
        nodes.Linked: _operator("||"),
        nodes.Joined: _call_of_list("CONCAT"),
        nodes.Logarithm: _logarithm,
        nodes.Trimmed: _trimmed,
        nodes.Matches: _matches,
        nodes.Rewritten: _rewritten,
        nodes.Digest: _digest,
        nodes.DigestNumber: _digest_number,
        nodes.FloatBits: _float_bits,
        nodes.Stored: lambda printer, node: printer.sql(node, "this"),  # views read columns so already
        nodes.DatePart: lambda printer, node: printer.func("DATE_PART", node.args["unit"], node.this),
        nodes.StartOfUnit: _start_of_unit,
        nodes.UnitsBetween: _units_between,
        nodes.Later: _later,
        nodes.TotalWithin: _total_within,
        nodes.TwoSmallest: lambda printer, node: printer.func("MIN", node.this, exp.Literal.number(2)),
        nodes.TwoLargest: lambda printer, node: printer.func("MAX", node.this, exp.Literal.number(2)),
        nodes.LowerMiddle: lambda printer, node: printer.func("QUANTILE_DISC", node.this, exp.Literal.number("0.5")),
        nodes.FirstOf: _chosen("ARG_MIN"),
        nodes.LastOf: _chosen("ARG_MAX"),
        nodes.SortedRows: lambda printer, node: f"LIST_SORT(LIST({printer.func('ROW', *node.expressions)}))",
    }

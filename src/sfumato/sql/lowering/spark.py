"""What our own nodes are in Spark, with ANSI on and the time zone UTC.

Under ANSI whatever does not fit is an error, which would tell that someone has such a value: FLOOR of a large float,
CAST, an element beyond the end of a list. None of these is printed without a guard.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.generator import Generator
from sqlglot.generators.spark import SparkGenerator

from sfumato.sql.builder import nodes
from sfumato.sql.builder.nodes import Own
from sfumato.sql.lowering import patterns
from sfumato.sql.lowering.kinds import OF_TYPES, Kinds, ValueKind

CALLS: dict[type[Own], str] = {
    nodes.IsNaN: "ISNAN",
    nodes.Letters: "CHAR_LENGTH",
    nodes.Excerpt: "SUBSTRING",
    nodes.LastLetters: "RIGHT",
    nodes.Starts: "STARTSWITH",
    nodes.Ends: "ENDSWITH",
    nodes.Contains: "CONTAINS",
    nodes.Lowered: "LOWER",
    nodes.Uppered: "UPPER",
    nodes.Bytes: "OCTET_LENGTH",
    nodes.Replaced: "REPLACE",
    nodes.CountTrue: "COUNT_IF",
    nodes.AnyTrue: "BOOL_OR",
    nodes.MiddleValue: "MEDIAN",
}
"""Nodes that are a function of the engine, of the same arguments."""

_PARTS = {"week": "WEEKOFYEAR", "doy": "DAYOFYEAR"}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "week": 7}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 7 * 86_400}
_FURTHEST = {"MONTH": 20_000 * 12, "DAY": 20_000 * 366, "SECOND": 20_000 * 366 * 86_400}  # from any year out of all
BEFORE_ALL = "0001-12-31 (BC)"
_WHOLE = 2**52  # from here on every float is whole

_LIMB = 2**22 - 1
_SPACE = r"[ \t\n\x0B\f\r]{0,20}"
_NUMBER = (
    rf"^{_SPACE}((?i)[+-]?(?:[0-9]+[.]?[0-9]*(?:e[+-]?[0-9]+)?|[.][0-9]+(?:e[+-]?[0-9]+)?|inf|infinity|nan)){_SPACE}\z"
)
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]{1,6})?)?(?:Z|[+-][0-9]{2}(?::[0-9]{2})?)?"
_CALENDAR = "(?!0000)[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}"
_DAY = rf"^ {{0,20}}({_CALENDAR})(?:[T ]{_CLOCK})? {{0,20}}\z"
_TIME = rf"^({_CALENDAR}(?:[T ]{_CLOCK})?)\z"
"""What is read as a number, a day and a time."""
_KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), ValueKind.WHOLE),
    **dict.fromkeys(("float", "double"), ValueKind.REAL),
    "boolean": ValueKind.TRUTH,
    "date": ValueKind.DAY,
    **dict.fromkeys(("timestamp", "timestamp_ntz"), ValueKind.TIME),
}
NESTED = ("array", "map", "struct", "binary", "variant", "interval", "void", "geometry", "geography", "time")
"""What the names of types begin with that have no text."""
_WIDEST = {ValueKind.WHOLE: "BIGINT", ValueKind.REAL: "DOUBLE", ValueKind.TEXT: "STRING", ValueKind.TRUTH: "BOOLEAN"}
_FIRST_AND_LAST = {
    ValueKind.DAY: ("DATE", "DATE'0001-01-01'", "DATE'+10000-01-01'"),
    ValueKind.TIME: ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ'0001-01-01'", "TIMESTAMP_NTZ'+10000-01-01'"),
}

Lower = Callable[[Generator, Own], str]


def _call(name: str) -> Lower:
    return lambda printer, node: printer.func(name, *node.args.values())


def _text(printer: Generator, text: str) -> str:
    return printer.sql(exp.Literal.string(text))


def _joined(printer: Generator, node: Own) -> str:
    return printer.func("CONCAT_WS", exp.Literal.string(""), *node.expressions)


def _digest(printer: Generator, node: Own) -> str:
    return f"MD5(ENCODE({_joined(printer, node)}, 'UTF-8'))"


def _float_bits(printer: Generator, node: Own) -> str:
    """Java is asked for them, and takes no NULL."""
    value = printer.sql(node, "this")
    bits = f"REFLECT('java.lang.Double', 'doubleToLongBits', COALESCE(CAST({value} AS DOUBLE), 0D))"
    return f"CASE WHEN NOT {value} IS NULL THEN CAST({bits} AS BIGINT) END"


def _logarithm(printer: Generator, node: Own) -> str:
    base = node.args.get("base")
    return printer.func("LN" if base is None else f"LOG{base.name}", node.this)


def _trimmed(printer: Generator, node: Own) -> str:
    before, after = node.args.get("before"), node.args.get("after")
    side = "BOTH" if before and after else "LEADING" if before else "TRAILING"
    return f"TRIM({side} ' ' FROM {printer.sql(node, 'this')})"


def _cut_off(printer: Generator, node: Own) -> str:
    value = printer.sql(node, "this")
    return f"(SIGN({value}) * {_down('FLOOR', f'ABS({value})')})"


def _down(name: str, value: str) -> str:
    """FLOOR and CEIL give 64 bits, and fail beyond them."""
    return f"CASE WHEN ABS({value}) < {_WHOLE} THEN CAST({name}({value}) AS DOUBLE) ELSE {value} END"


def _to_whole(name: str) -> Callable[[Generator, exp.Expr], str]:
    return lambda printer, node: _down(name, f"CAST({printer.sql(node, 'this')} AS DOUBLE)")


def _whole_quotient(printer: Generator, node: Own) -> str:
    """The division is of a multiple, so it is exact."""
    divided, by = (f"CAST({printer.sql(node, side)} AS DECIMAL(38, 0))" for side in ("this", "expression"))
    return f"CAST((({divided} - {divided} % {by}) / {by}) AS DECIMAL(38, 0))"


def _at(printer: Generator, node: Own) -> str:
    return f"TRY_ELEMENT_AT({printer.sql(node, 'this')}, CAST({printer.sql(node, 'expression')} AS INT))"


def _operator(sign: str) -> Lower:
    return lambda printer, node: f"({printer.sql(node, 'this')} {sign} {printer.sql(node, 'expression')})"


# Values as other types


def _typed(printer: Generator, node: Own) -> str:
    """NULL where it does not fit: of a text by what is written, of a float by its size."""
    value, to, kind = printer.sql(node, "this"), printer.sql(node, "to"), _kind(printer, node.this)
    wanted = OF_TYPES.get(node.args["to"].this)
    if kind is ValueKind.TEXT:
        return _read(printer, value, wanted, to)
    if kind is ValueKind.REAL and wanted is ValueKind.WHOLE:  # a cast takes 2**63 for the largest number that there is
        return f"TRY_CAST(CASE WHEN {value} < 9223372036854775808D THEN {value} END AS {to})"
    if kind is ValueKind.REAL and wanted is ValueKind.TEXT:
        return f"CAST({value} AS STRING)"
    return f"TRY_CAST({value} AS {to})"


def _read(printer: Generator, text: str, wanted: ValueKind | None, to: str) -> str:
    """A text of a grammar that is the same in every engine; others read more, each something else."""

    def written(pattern: str, group: int = 1) -> str:
        return f"REGEXP_EXTRACT({text}, {_text(printer, pattern)}, {group})"

    match wanted:
        case ValueKind.REAL | ValueKind.WIDE:
            return f"TRY_CAST({written(_NUMBER)} AS {to})"
        case ValueKind.WHOLE:
            return f"TRY_CAST(TRY_CAST({written(_NUMBER)} AS DECIMAL(38, 6)) AS {to})"
        case ValueKind.DAY:
            return f"TRY_CAST(REPLACE({written(_DAY)}, '/', '-') AS {to})"
        case ValueKind.TIME:
            return f"CAST(TRY_CAST(REPLACE({written(_TIME)}, '/', '-') AS TIMESTAMP) AS {to})"
        case ValueKind.TRUTH:
            cases = ((("true", "t", "yes", "y", "1"), "TRUE"), (("false", "f", "no", "n", "0"), "FALSE"))
            whens = (f"WHEN LOWER({text}) IN ({', '.join(map(repr, words))}) THEN {truth}" for words, truth in cases)
            return f"CASE {' '.join(whens)} END"
    return text


def _stored(printer: Generator, node: Own) -> str:
    """Widened, so that nothing of it overflows; days and times outside the years 1 to 9999 are missing."""
    value, type_ = printer.sql(node, "this"), node.args["stored"].name
    kind = stored_kind(type_)
    if kind in _FIRST_AND_LAST:
        to, first, last = _FIRST_AND_LAST[kind]
        moment = f"CAST({value} AS {to})"
        return f"CASE WHEN {moment} >= {first} AND {moment} < {last} THEN {moment} END"
    if kind is ValueKind.TEXT and "collate" in type_:
        return f"COLLATE({value}, 'UTF8_BINARY')"
    if kind is ValueKind.TEXT and type_.startswith(NESTED):
        return "CAST(NULL AS STRING)"
    return f"CAST({value} AS {_WIDEST[kind]})"


def stored_kind(type_: str) -> ValueKind:
    """What a type of Spark is read as; what nothing is compared with, as its text."""
    return _KINDS.get(type_, ValueKind.TEXT)


def _kind(printer: Generator, node: exp.Expr) -> ValueKind | None:
    assert isinstance(printer, SparkPrinter)
    return printer.kinds(node)


# Patterns


def _search(*, whole: bool) -> Lower:
    def search(printer: Generator, node: Own) -> str:
        pattern = patterns.of_re2(node.expression.name, whole=whole)
        return f"({printer.sql(node, 'this')} RLIKE {_text(printer, pattern)})"

    return search


def _matches(printer: Generator, node: Own) -> str:
    value, like = printer.sql(node, "this"), node.expression.name
    if node.args.get("ignore_case"):
        value, like = printer.sql(nodes.Lowered(this=node.this.copy())), like.lower()
    return f"({value} RLIKE {_text(printer, patterns.of_like(like))})"


def _extracted(printer: Generator, node: Own) -> str:
    pattern = _text(printer, patterns.of_re2(node.expression.name, ours=True))
    return f"REGEXP_EXTRACT({printer.sql(node, 'this')}, {pattern}, 0)"


def _rewritten(printer: Generator, node: Own) -> str:
    """Java writes a group as $1. A pattern that is not for every match is for all of a text."""
    pattern = patterns.of_re2(node.expression.name, ours=True)
    by = re.sub(r"\\([0-9])", r"$\1", node.args["replacement"].name)
    return f"REGEXP_REPLACE({printer.sql(node, 'this')}, {_text(printer, pattern)}, {_text(printer, by)})"


# Days and times


def _date_part(printer: Generator, node: Own) -> str:
    value, unit = printer.sql(node, "this"), node.args["unit"].name
    match unit:
        case "dow":
            part = f"(DAYOFWEEK({value}) - 1)"
        case "isodow":
            part = f"(WEEKDAY({value}) + 1)"
        case _:
            part = f"{_PARTS.get(unit, unit.upper())}({value})"
    return f"CAST({part} AS BIGINT)"


def _truncated(unit: str, value: str) -> str:
    return f"DATE_TRUNC('{unit.upper()}', {value})"


def _start_of_unit(printer: Generator, node: Own) -> str:
    return f"CAST({_truncated(node.args['unit'].name, printer.sql(node, 'this'))} AS {printer.sql(node, 'to')})"


def _units_between(printer: Generator, node: Own) -> str:
    unit, ends = node.args["unit"].name, [printer.sql(node, side) for side in ("this", "expression")]
    if unit in _MONTHS:
        first, last = (f"FLOOR((YEAR({end}) * 12 + MONTH({end}) - 1) / {_MONTHS[unit]})" for end in ends)
        return f"CAST({last} - {first} AS BIGINT)"
    first, last = (f"UNIX_SECONDS({_truncated(unit, end)})" for end in ends)
    return f"CAST(({last} - {first}) DIV {_SECONDS[unit]} AS BIGINT)"


def _later(printer: Generator, node: Own) -> str:
    unit, by = node.args["unit"].name, int(printer.sql(node, "by"))
    if unit in _MONTHS:
        step, interval = _MONTHS[unit], "MONTH"
    else:
        step, interval = (_SECONDS[unit], "SECOND") if unit in ("hour", "minute", "second") else (_DAYS[unit], "DAY")
    furthest = _FURTHEST[interval]
    by = max(-furthest, min(by * step, furthest))
    return f"CAST({printer.sql(node, 'this')} + INTERVAL '{by}' {interval} AS {printer.sql(node, 'to')})"


# Aggregates


def _sum(printer: Generator, node: exp.Expr) -> str:
    """A sum of 64 bits has 64 bits here, and fails beyond them."""
    if _kind(printer, node.this) is ValueKind.REAL:
        return f"SUM({printer.sql(node, 'this')})"
    return _exact_sum(printer, node)


def _exact_sum(printer: Generator, node: exp.Expr) -> str:
    """Of 64 bits by three limbs, which no table is long enough to overflow, as decimals are slow; of others as these.

    A float times a decimal is a float.
    """
    value, kind = printer.sql(node, "this"), _kind(printer, node.this)
    if kind is not ValueKind.WHOLE:
        return f"SUM({value} * 1BD)"
    high, middle, low = f"SHIFTRIGHT({value}, 44)", f"SHIFTRIGHT({value}, 22) & {_LIMB}", f"{value} & {_LIMB}"
    wide = (f"CAST(SUM({limb}) AS DECIMAL(38, 0))" for limb in (high, middle, low))
    return f"({next(wide)} * {2**44} + {next(wide)} * {2**22} + {next(wide)})"


def _divided(printer: Generator, node: exp.Expr) -> str:
    """A division of floats in any case: decimals are divided to six digits."""
    divided = printer.sql(node, "this")
    real = ValueKind.REAL in (_kind(printer, node.this), _kind(printer, node.expression))
    return f"{divided if real else f'CAST({divided} AS DOUBLE)'} / {printer.sql(node, 'expression')}"


def _two(name: str) -> Lower:
    def two(printer: Generator, node: Own) -> str:
        value = printer.sql(node, "this")
        return f"{name}({value}, {value}, 2)"

    return two


def _chosen(name: str) -> Lower:
    """By the one and then by the value."""

    def chosen(printer: Generator, node: Own) -> str:
        return f"{_pair(name, printer, node)}.value"

    return chosen


def _pair(name: str, printer: Generator, node: exp.Expr) -> str:
    value, by = printer.sql(node, "this"), printer.sql(node, "by")
    there = f"NOT {value} IS NULL AND NOT {by} IS NULL"
    return f"{name}(CASE WHEN {there} THEN NAMED_STRUCT('by', {by}, 'value', {value}) END)"


def _sorted_rows(printer: Generator, node: Own) -> str:
    return f"SORT_ARRAY(COLLECT_LIST(STRUCT({printer.expressions(node, flat=True)})))"


def _lower_middle(printer: Generator, node: Own) -> str:
    return f"PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY {printer.sql(node, 'this')})"


class SparkPrinter(SparkGenerator):
    """Prints trees with our own nodes."""

    TYPE_MAPPING: ClassVar = {
        **SparkGenerator.TYPE_MAPPING,
        exp.DType.TIMESTAMP: "TIMESTAMP_NTZ",  # no zone of a machine comes into it
        exp.DType.INT128: "DECIMAL(38, 0)",
    }
    TRANSFORMS: ClassVar = {
        **SparkGenerator.TRANSFORMS,
        **{node: _call(name) for node, name in CALLS.items()},
        exp.Floor: _to_whole("FLOOR"),
        exp.Ceil: _to_whole("CEIL"),
        exp.Sum: _sum,
        exp.Div: _divided,
        nodes.Typed: _typed,
        nodes.Operand: lambda printer, node: printer.sql(node, "this"),
        nodes.Stored: _stored,
        nodes.FloatBits: _float_bits,
        nodes.DigestNumber: lambda printer, node: f"CAST(CONV(LEFT({_digest(printer, node)}, 15), 16, 10) AS BIGINT)",
        nodes.CutOff: _cut_off,
        nodes.WholeQuotient: _whole_quotient,
        nodes.Remainder: _operator("%"),
        nodes.At: _at,
        nodes.Linked: _operator("||"),
        nodes.Joined: _joined,
        nodes.Logarithm: _logarithm,
        nodes.Trimmed: _trimmed,
        nodes.Matches: _matches,
        nodes.Found: _search(whole=False),
        nodes.FoundWhole: _search(whole=True),
        nodes.Extracted: _extracted,
        nodes.Rewritten: _rewritten,
        nodes.Digest: _digest,
        nodes.RowHash: lambda printer, node: f"({printer.func('XXHASH64', *node.expressions)} & {2**63 - 1})",
        nodes.DatePart: _date_part,
        nodes.StartOfUnit: _start_of_unit,
        nodes.UnitsBetween: _units_between,
        nodes.Later: _later,
        nodes.ExactSum: _exact_sum,
        nodes.TwoSmallest: _two("MIN_BY"),
        nodes.TwoLargest: _two("MAX_BY"),
        nodes.LowerMiddle: _lower_middle,
        nodes.FirstOf: _chosen("MIN"),
        nodes.LastOf: _chosen("MAX"),
        nodes.SortedRows: _sorted_rows,
        nodes.Counted: lambda printer, node: f"(SELECT id AS `range` FROM RANGE({printer.sql(node, 'this')}))",
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.kinds = Kinds(stored_kind)

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
        """The day before the first one is written in the year 0."""
        if expression.this.name == BEFORE_ALL and isinstance(expression.this, exp.Literal):
            return f"CAST('0000-12-31' AS {self.sql(expression, 'to')})"
        return super().cast_sql(expression, safe_prefix)

    def window_sql(self, expression: exp.Window) -> str:
        """Places need an order, even if it says nothing. Of what is more than one call, the call is over the window."""
        inner, over = expression.this, expression.copy()
        if isinstance(inner, exp.RowNumber) and not over.args.get("order"):
            over.set("order", exp.Order(expressions=[exp.Ordered(this=exp.Null())]))
        if isinstance(inner, exp.Sum | nodes.ExactSum):
            over.set("this", exp.Var(this=f"SUM({self.sql(inner, 'this')} * 1BD)"))
        if isinstance(inner, nodes.FirstOf | nodes.LastOf):
            over.set("this", exp.Var(this=_pair("MIN" if isinstance(inner, nodes.FirstOf) else "MAX", self, inner)))
            return f"({super().window_sql(over)}).value"
        return super().window_sql(over)

    def cte_sql(self, expression: exp.CTE) -> str:
        """An exchange that occurs twice is run once, without being told."""
        expression.set("materialized", None)
        return super().cte_sql(expression)

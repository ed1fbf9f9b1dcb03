"""What our own nodes are in PostgreSQL 12 and later, where the shared ones differ too: a total function each.

Four habits of PostgreSQL are kept out. It raises an error where a cast does not fit, and where a product of floats is
too large or too small. A number with a point is a NUMERIC. Texts are compared by a collation. Whole numbers are
divided as such. So every cast is guarded by a grammar or a range; texts are of the collation "C"; products that may be
too small are guarded; literals and divisions say that they are of floats.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import ClassVar

from sqlglot import exp
from sqlglot.generator import Generator
from sqlglot.generators.postgres import PostgresGenerator

from sfumato.sql.builder import nodes
from sfumato.sql.builder.nodes import Own
from sfumato.sql.lowering.posix import pattern

Lower = Callable[[Generator, Own], str]

LONGEST_NAME = 63  # bytes of an identifier; what follows would be cut off
_FLOAT = "DOUBLE PRECISION"
_SMALL, _LARGE = "1e-150", "1e150"  # beyond these, a square leaves what a float can hold
_BLANKS = r"[ \t\n\v\f\r]*"
_NUMBER = rf"^{_BLANKS}[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{{1,3}})?{_BLANKS}$"
_INFINITE = rf"^{_BLANKS}([+-]?)(inf|infinity){_BLANKS}$"
_LONGEST_NUMBER = 1000  # characters
_LEAP = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"
_DAYS = (
    "(0?[13578]|1[02])-(0?[1-9]|[12][0-9]|3[01])",
    "(0?[469]|11)-(0?[1-9]|[12][0-9]|30)",
    "0?2-(0?[1-9]|1[0-9]|2[0-8])",
)
_DAY = rf"(?!0000)([0-9]{{4}}-({'|'.join(_DAYS)})|{_LEAP}-0?2-29)"
_TIME = r"([01]?[0-9]|2[0-3]):[0-5]?[0-9](:[0-5]?[0-9](\.[0-9]+)?)?"
_ZONE = r"( ?UTC|Z|[+-][0-9]{2}(:?[0-9]{2})?)?"
_FIRST_DAY, _DAY_AFTER = "0001-01-01", "10000-01-01"
_WHOLE = {"INT": 31, "BIGINT": 63}
_WHOLE_TYPES = ("smallint", "integer", "bigint")
_MONTHS = {"year": 12, "quarter": 3, "month": 1}
_SECONDS = {"week": 7 * 86_400, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
_MOST_YEARS = 10_000


def _text(sql: str) -> str:
    """A text that is compared byte by byte."""
    return f'({sql} COLLATE "C")'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# Types


def _stored(printer: Generator, node: Own) -> str:
    """A column as it lies there. Numbers beyond 1e150 are infinite, and none but 0 is nearer to 0 than 1e-150."""
    value, type_ = printer.sql(node, "this"), node.args["stored"].name
    if type_ in _WHOLE_TYPES:
        return f"CAST({value} AS BIGINT)"
    if type_ in ("double precision", "real"):
        return _in_range(f"CAST({value} AS {_FLOAT})" if type_ == "real" else value)
    if type_ == "boolean":
        return value
    if type_ == "date":
        return _in_years(value, "DATE")
    if type_ == "timestamp without time zone":
        return _in_years(value, "TIMESTAMP")
    if type_ == "timestamp with time zone":
        return _in_years(f"({value} AT TIME ZONE 'UTC')", "TIMESTAMP")
    return _text(f"CAST({value} AS TEXT)")


def _in_range(value: str) -> str:
    small, large = (f"CAST('{end}' AS {_FLOAT})" for end in (_SMALL, _LARGE))
    is_in = f"ABS({value}) < {large} AND (ABS({value}) >= {small} OR {value} = 0)"
    is_nan = f"{value} = CAST('NaN' AS {_FLOAT})"
    return f"CASE WHEN {is_in} THEN {value} WHEN {is_nan} THEN NULL ELSE {_at_the_end(value)} END"


def _at_the_end(value: str) -> str:
    """What stands for a number that is too small or too large."""
    low, small, minus, high = (f"CAST('{end}' AS {_FLOAT})" for end in (f"-{_SMALL}", _SMALL, "-Infinity", "Infinity"))
    return (
        f"CASE WHEN ABS({value}) < 1 THEN CASE WHEN {value} < 0 THEN {low} ELSE {small} END "
        f"WHEN {value} < 0 THEN {minus} WHEN {value} > 0 THEN {high} END"
    )


def _in_years(value: str, type_: str) -> str:
    low, high = (f"CAST('{day}' AS {type_})" for day in (_FIRST_DAY, _DAY_AFTER))
    return f"CASE WHEN {value} >= {low} AND {value} < {high} THEN {value} END"


def _typed(printer: Generator, node: Own) -> str:
    value, to = printer.sql(node, "this"), node.args["to"].this.value
    source = node.args.get("source")
    if to == "TEXT":
        return _text(f"CAST({value} AS TEXT)")
    if source is not None and source.name == "text":
        return _from_text(value, to)
    return _from_value(node.this, value, to, "" if source is None else source.name)


def _from_value(tree: exp.Expr, value: str, to: str, source: str) -> str:
    if to == "INT128":
        return f"CAST({value} AS NUMERIC)"
    if to in _WHOLE:
        if source == "boolean":
            return f"CAST(CAST({value} AS INTEGER) AS {_type(to)})"
        if source in ("date", "timestamp"):
            return f"CAST(NULL AS {_type(to)})"
        if _is_within(tree, 2 ** _WHOLE[to]):
            return f"CAST({value} AS {_type(to)})"
        most = 2 ** _WHOLE[to]
        return f"CASE WHEN {value} >= -{most} AND {value} < {most} THEN CAST({value} AS {_type(to)}) END"
    if to == "DOUBLE":
        if source == "boolean":
            return f"CAST(CAST({value} AS INTEGER) AS {_FLOAT})"
        return f"CAST(NULL AS {_FLOAT})" if source in ("date", "timestamp") else f"CAST({value} AS {_FLOAT})"
    if to == "BOOLEAN":
        return f"({value} <> 0)" if source in ("integer", "number") else f"CAST({value} AS BOOLEAN)"
    if to in ("DATE", "TIMESTAMP"):
        return f"CAST({value} AS {to})" if source in ("date", "timestamp", "") else f"CAST(NULL AS {to})"
    raise ValueError(f"nothing is read as {to}")


def _from_text(value: str, to: str) -> str:
    """By a public grammar. What does not fit is NULL."""
    matches = f"({value} ~ {_quoted(_NUMBER)} AND LENGTH({value}) <= {_LONGEST_NUMBER})"
    number = f"CAST({value} AS NUMERIC)"
    if to in _WHOLE:
        most = 2 ** _WHOLE[to]
        fits = f"ROUND({number}) BETWEEN -{most} AND {most - 1}"
        return f"CASE WHEN {matches} THEN CASE WHEN {fits} THEN CAST({number} AS {_type(to)}) END END"
    if to == "DOUBLE":
        size = f"ABS({number})"
        infinite = f"CAST(CASE WHEN {value} LIKE '%-%' THEN '-Infinity' ELSE 'Infinity' END AS {_FLOAT})"
        inner = (
            f"CASE WHEN {size} = 0 OR {size} BETWEEN {_SMALL} AND {_LARGE} THEN CAST({value} AS {_FLOAT}) "
            f"ELSE {_at_the_end(number)} END"
        )
        return f"CASE WHEN {matches} THEN {inner} WHEN {value} ~* {_quoted(_INFINITE)} THEN {infinite} END"
    if to == "BOOLEAN":
        yes, no = "('true', 't', '1', 'yes', 'y')", "('false', 'f', '0', 'no', 'n')"
        return f"CASE WHEN LOWER({value}) IN {yes} THEN TRUE WHEN LOWER({value}) IN {no} THEN FALSE END"
    plain = f"BTRIM({value})"
    if to == "DATE":
        is_day = f"{plain} ~ {_quoted(rf'^{_DAY}([ T]{_TIME}{_ZONE})?$')}"
        return f"CASE WHEN {is_day} THEN CAST(SUBSTRING({plain} FROM '^[0-9]+-[0-9]+-[0-9]+') AS DATE) END"
    is_moment = f"{plain} ~ {_quoted(rf'^{_DAY}([ T]{_TIME}{_ZONE})?$')}"
    without_zone = rf"REGEXP_REPLACE({plain}, '( ?UTC|Z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)$', '')"
    moment = f"CASE WHEN {plain} ~ ':' THEN {without_zone} ELSE {plain} END"
    return f"CASE WHEN {is_moment} THEN CAST({moment} AS TIMESTAMP) END"


def _type(name: str) -> str:
    return {"INT": "INTEGER", "DOUBLE": _FLOAT}.get(name, name)


def _is_within(tree: exp.Expr, most: int) -> bool:
    """Whether a number is kept between two constants that fit."""
    if not isinstance(tree, exp.Least) or len(tree.expressions) != 1 or not isinstance(tree.this, exp.Greatest):
        return False
    ends = [tree.expressions[0], *tree.this.expressions]
    return len(ends) == 2 and all(_constant(end) is not None and abs(_constant(end) or 0) < most for end in ends)


def _constant(tree: exp.Expr) -> float | None:
    if isinstance(tree, exp.Neg):
        inner = _constant(tree.this)
        return None if inner is None else -inner
    return float(tree.name) if isinstance(tree, exp.Literal) and not tree.is_string else None


# Numbers


def _literal(_: Generator, tree: exp.Literal) -> str:
    """What has a point or an exponent is a float; a text is one of the collation that we compare by."""
    if tree.is_string:
        return _quoted(tree.name) if isinstance(tree.parent, exp.Cast) else _text(_quoted(tree.name))
    return tree.name if tree.name.isdigit() else f"CAST('{tree.name}' AS {_FLOAT})"


def _division(printer: Generator, tree: exp.Div) -> str:
    return f"CAST({printer.sql(tree, 'this')} AS {_FLOAT}) / {printer.sql(tree, 'expression')}"


def _product(printer: Generator, tree: exp.Mul) -> str:
    """A product with itself is 0 where it is too small for a float, which would be an error here."""
    left, right = printer.sql(tree, "this"), printer.sql(tree, "expression")
    if isinstance(tree.expression, exp.Literal) or right not in left:
        return f"{left} * {right}"
    return f"CASE WHEN ABS({right}) < CAST('1e-145' AS {_FLOAT}) THEN {right} * 0 ELSE {left} * {right} END"


def _operand(printer: Generator, node: Own) -> str:
    """Beyond 1e150 it is missing, and below 1e-150 it is 0: two of them multiply or divide without an error."""
    low, high, little = (f"CAST('{end}' AS {_FLOAT})" for end in (f"-{_LARGE}", _LARGE, "1e-134"))
    value = f"(({printer.sql(node, 'this')} + {little}) - {little})"
    return f"NULLIF(NULLIF(LEAST(GREATEST({value}, {low}), {high}), {low}), {high})"


def _power(printer: Generator, tree: exp.Pow) -> str:
    """A result that is too small is 0."""
    base, exponent = printer.sql(tree, "this"), printer.sql(tree, "expression")
    literal = tree.expression.this if isinstance(tree.expression, exp.Cast) else tree.expression
    power = _constant(literal)
    if not power:
        return f"POWER({base}, {exponent})"
    end = 10.0 ** max(min(-300 / power, 300.0), -300.0)
    beyond = f"ABS({base}) < " if power > 0 else f"ABS({base}) > "
    end_sql = f"CAST('{end!r}' AS {_FLOAT})"
    return f"CASE WHEN {beyond}{end_sql} THEN CAST(0 AS {_FLOAT}) ELSE POWER({base}, {exponent}) END"


def _whole_quotient(printer: Generator, node: Own) -> str:
    return f"DIV(CAST({printer.sql(node, 'this')} AS NUMERIC), CAST({printer.sql(node, 'expression')} AS NUMERIC))"


def _remainder(printer: Generator, node: Own) -> str:
    """The remainder of decimals in decimal; a float stands for the shortest decimal that reads as it."""
    left, right = (f"CAST(CAST({printer.sql(node, side)} AS TEXT) AS NUMERIC)" for side in ("this", "expression"))
    return f"MOD({left}, {right})"


def _logarithm(printer: Generator, node: Own) -> str:
    base, value = node.args.get("base"), f"CAST({printer.sql(node, 'this')} AS {_FLOAT})"
    if base is None:
        return f"LN({value})"
    return f"LOG({value})" if base.name == "10" else f"(LN({value}) / LN(CAST({base.name} AS {_FLOAT})))"


def _float_bits(printer: Generator, node: Own) -> str:
    value = f"CAST({printer.sql(node, 'this')} AS {_FLOAT})"
    return f"CAST(CAST('x' || ENCODE(FLOAT8SEND({value}), 'hex') AS BIT(64)) AS BIGINT)"


# Texts


def _call(name: str) -> Lower:
    return lambda printer, node: printer.func(name, *(part for part in node.args.values() if part is not None))


def _text_of(name: str) -> Lower:
    lower = _call(name)
    return lambda printer, node: _text(lower(printer, node))


def _excerpt(printer: Generator, node: Own) -> str:
    text, start, length = (printer.sql(node, part) for part in ("this", "start", "length"))
    return _text(f"SUBSTRING({text} FROM {start}{f' FOR {length}' if length else ''})")


def _trimmed(printer: Generator, node: Own) -> str:
    before, after = node.args.get("before"), node.args.get("after")
    name = "BTRIM" if before and after else "LTRIM" if before else "RTRIM"
    return _text(f"{name}({printer.sql(node, 'this')}, ' ')")


def _joined(printer: Generator, node: Own) -> str:
    return _text(printer.func("CONCAT", *node.expressions))


def _ends(printer: Generator, node: Own) -> str:
    text, end = printer.sql(node, "this"), printer.sql(node, "expression")
    return f"(RIGHT({text}, LENGTH({end})) = {end})"


def _contains(printer: Generator, node: Own) -> str:
    return f"(STRPOS({printer.sql(node, 'this')}, {printer.sql(node, 'expression')}) > 0)"


def _matches(printer: Generator, node: Own) -> str:
    like = "ILIKE" if node.args.get("ignore_case") else "LIKE"
    return f"({printer.sql(node, 'this')} {like} {printer.sql(node, 'expression')} ESCAPE '')"


def _regular(tree: exp.Expr, *, whole: bool = False, group: bool = False) -> str:
    written = pattern(tree.name)
    return _quoted(f"^(?:{written})$" if whole else f"({written})" if group else written)


def _matched_partly(printer: Generator, node: Own) -> str:
    return f"({printer.sql(node, 'this')} ~ {_regular(node.expression)})"


def _matched_in_full(printer: Generator, node: Own) -> str:
    return f"({printer.sql(node, 'this')} ~ {_regular(node.expression, whole=True)})"


def _extracted(printer: Generator, node: Own) -> str:
    text = printer.sql(node, "this")
    return _text(f"COALESCE(SUBSTRING({text} FROM {_regular(node.expression, group=True)}), LEFT({text}, 0))")


def _rewritten(printer: Generator, node: Own) -> str:
    by = _quoted(node.args["replacement"].name)
    every = ", 'g'" if node.args.get("every") else ""
    return _text(f"REGEXP_REPLACE({printer.sql(node, 'this')}, {_regular(node.expression)}, {by}{every})")


def _digest(printer: Generator, node: Own) -> str:
    return _text(f"MD5({printer.func('CONCAT', *node.expressions)})")


def _digest_number(printer: Generator, node: Own) -> str:
    return f"CAST(CAST('x' || LEFT({_digest(printer, node)}, 15) AS BIT(60)) AS BIGINT)"


def _only_embedded(_: Generator, node: Own) -> str:
    raise ValueError(f"{type(node).__name__} is for an embedded engine alone")


# Days and times


def _moment(printer: Generator, node: Own, part: str = "this") -> str:
    return f"CAST({printer.sql(node, part)} AS TIMESTAMP)"


def _date_part(printer: Generator, node: Own) -> str:
    return f"CAST(TRUNC(EXTRACT({node.args['unit'].name.upper()} FROM {_moment(printer, node)})) AS BIGINT)"


def _start_of_unit(printer: Generator, node: Own) -> str:
    start = f"DATE_TRUNC('{node.args['unit'].name}', {_moment(printer, node)})"
    return f"CAST({start} AS {printer.sql(node, 'to')})"


def _units_between(printer: Generator, node: Own) -> str:
    unit = node.args["unit"].name
    first, last = _moment(printer, node), _moment(printer, node, "expression")
    if unit in _MONTHS:
        month = "(EXTRACT(YEAR FROM {0}) * 12 + EXTRACT(MONTH FROM {0}) - 1)"
        counts = [f"FLOOR({month.format(moment)} / {_MONTHS[unit]})" for moment in (first, last)]
    else:
        start = f"EXTRACT(EPOCH FROM DATE_TRUNC('{unit}', {{0}}))"
        counts = [f"({start.format(moment)} / {_SECONDS[unit]})" for moment in (first, last)]
    return f"CAST({counts[1]} - {counts[0]} AS BIGINT)"


def _later(printer: Generator, node: Own) -> str:
    """What would lie outside the years 1 to 9999 is not computed."""
    unit, by, to = node.args["unit"].name, int(printer.sql(node, "by")), printer.sql(node, "to")
    years = abs(by) * _MONTHS[unit] / 12 if unit in _MONTHS else abs(by) * _SECONDS[unit] / (365 * 86_400)
    if years > _MOST_YEARS:
        return f"CAST(NULL AS {to})"
    step = f"INTERVAL '{abs(by) * _MONTHS[unit]} months'" if unit in _MONTHS else _seconds(abs(by) * _SECONDS[unit])
    moment = _moment(printer, node)
    first = f"CAST('{_FIRST_DAY}' AS TIMESTAMP)"
    if by >= 0:
        return f"CAST({moment} + {step} AS {to})"
    return f"CASE WHEN {moment} >= {first} + {step} - INTERVAL '2 months' THEN CAST({moment} - {step} AS {to}) END"


def _seconds(count: int) -> str:
    days, rest = divmod(count, 86_400)
    return f"INTERVAL '{days} days {rest} seconds'"


# Aggregates


def _array(printer: Generator, node: Own, order: str) -> str:
    value = printer.sql(node, "this")
    return f"(ARRAY_AGG({value} ORDER BY {value}{order}) FILTER (WHERE NOT {value} IS NULL))[1:2]"


def _chosen(order: str) -> Lower:
    def chosen(printer: Generator, node: Own) -> str:
        value, by = printer.sql(node, "this"), printer.sql(node, "by")
        there = f"NOT {value} IS NULL AND NOT {by} IS NULL"
        return f"(ARRAY_AGG({value} ORDER BY {by}{order}, {value}{order}) FILTER (WHERE {there}))[1]"

    return chosen


def _middle(name: str, type_: str = "") -> Lower:
    def middle(printer: Generator, node: Own) -> str:
        value = printer.sql(node, "this")
        return f"{name}(0.5) WITHIN GROUP (ORDER BY {f'CAST({value} AS {type_})' if type_ else value})"

    return middle


def _sorted_rows(printer: Generator, node: Own) -> str:
    parts = ", ".join(printer.sql(part) for part in node.expressions)
    return f"JSONB_AGG(JSONB_BUILD_ARRAY({parts}) ORDER BY {parts})"


def _identifier(_: Generator, tree: exp.Identifier) -> str:
    """A name that PostgreSQL would cut off ends with a digest of itself instead."""
    name = tree.name
    if len(name.encode()) > LONGEST_NAME:
        name = name.encode()[:30].decode("utf-8", "ignore") + hashlib.sha256(name.encode()).hexdigest()[:30]
    return '"' + name.replace('"', '""') + '"'


def _cast(printer: Generator, tree: exp.Cast) -> str:
    if tree.to.this.value == "TEXT":
        return _text(f"CAST({printer.sql(tree, 'this')} AS TEXT)")
    if isinstance(tree.this, exp.Literal) and tree.this.is_string:
        written = tree.this.name.replace(" (BC)", " BC")
        return f"CAST({_quoted(written)} AS {printer.sql(tree, 'to')})"
    return f"CAST({printer.sql(tree, 'this')} AS {printer.sql(tree, 'to')})"


def _data_type(_: Generator, tree: exp.DataType) -> str:
    name = str(tree.this.value)
    return {"DOUBLE": _FLOAT, "INT128": "NUMERIC", "INT": "INTEGER"}.get(name, name)


class PostgresPrinter(PostgresGenerator):
    """Prints trees with our own nodes."""

    TRANSFORMS: ClassVar = {
        **PostgresGenerator.TRANSFORMS,
        exp.Literal: _literal,
        exp.Div: _division,
        exp.Mul: _product,
        exp.Pow: _power,
        exp.Identifier: _identifier,
        exp.Cast: _cast,
        exp.DataType: _data_type,
        nodes.Stored: _stored,
        nodes.Typed: _typed,
        nodes.Operand: _operand,
        nodes.IsNaN: lambda printer, node: f"({printer.sql(node, 'this')} = CAST('NaN' AS {_FLOAT}))",
        nodes.WholeQuotient: _whole_quotient,
        nodes.Remainder: _remainder,
        nodes.CutOff: _call("TRUNC"),
        nodes.Logarithm: _logarithm,
        nodes.FloatBits: _float_bits,
        nodes.At: lambda printer, node: f"({printer.sql(node, 'this')})[{printer.sql(node, 'expression')}]",
        nodes.Lowered: _text_of("LOWER"),
        nodes.Uppered: _text_of("UPPER"),
        nodes.Bytes: _call("OCTET_LENGTH"),
        nodes.Letters: _call("LENGTH"),
        nodes.Excerpt: _excerpt,
        nodes.LastLetters: _text_of("RIGHT"),
        nodes.Trimmed: _trimmed,
        nodes.Joined: _joined,
        nodes.Linked: lambda printer, node: f"({printer.sql(node, 'this')} || {printer.sql(node, 'expression')})",
        nodes.Starts: _call("STARTS_WITH"),
        nodes.Ends: _ends,
        nodes.Contains: _contains,
        nodes.Found: _matched_partly,
        nodes.FoundWhole: _matched_in_full,
        nodes.Matches: _matches,
        nodes.Extracted: _extracted,
        nodes.Rewritten: _rewritten,
        nodes.Replaced: _text_of("REPLACE"),
        nodes.Digest: _digest,
        nodes.DigestNumber: _digest_number,
        nodes.RowHash: _only_embedded,
        nodes.DatePart: _date_part,
        nodes.StartOfUnit: _start_of_unit,
        nodes.UnitsBetween: _units_between,
        nodes.Later: _later,
        nodes.ExactSum: _call("SUM"),  # of 64 bits it is a NUMERIC
        nodes.CountTrue: lambda printer, node: f"COUNT(CASE WHEN {printer.sql(node, 'this')} THEN 1 END)",
        nodes.AnyTrue: _call("BOOL_OR"),
        nodes.TwoSmallest: lambda printer, node: _array(printer, node, ""),
        nodes.TwoLargest: lambda printer, node: _array(printer, node, " DESC"),
        nodes.MiddleValue: _middle("PERCENTILE_CONT", _FLOAT),
        nodes.LowerMiddle: _middle("PERCENTILE_DISC"),
        nodes.FirstOf: _chosen(""),
        nodes.LastOf: _chosen(" DESC"),
        nodes.SortedRows: _sorted_rows,
        nodes.Counted: _only_embedded,
    }

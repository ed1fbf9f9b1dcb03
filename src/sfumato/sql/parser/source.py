"""The text of a query and the places in it: unsupported parts are refused by name and place."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import NoReturn

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.sql.parser.pairs import is_pair
from sfumato.sql.parser.size import LONGEST_PATTERN, LONGEST_TEXT, MOST_WILDCARDS

_CLAUSES = {
    "catalog": "A table name with two qualifiers", "distinct": "SELECT DISTINCT", "having": "HAVING",
    "into": "INTO", "joins": "JOIN", "laterals": "LATERAL", "limit": "LIMIT", "locks": "FOR UPDATE",
    "offset": "OFFSET", "order": "ORDER BY", "pivots": "PIVOT", "qualify": "QUALIFY", "sample": "SAMPLE",
    "windows": "WINDOW", "with_": "WITH", "group": "GROUP BY", "limit_options": "LIMIT by a percentage",
    "direction": "FETCH", "recursive": "WITH RECURSIVE", "except_": "* EXCLUDE", "replace": "* REPLACE",
    "rename": "* RENAME", "count": "An aggregate of several columns", "expressions": "An aggregate of several columns",
    "symmetric": "BETWEEN SYMMETRIC", "rollup": "WITH ROLLUP", "cube": "WITH CUBE",
}  # fmt: skip
_CLAUSE_HINTS = {
    "SAMPLE": "leave it out: noise protects people, and an answer follows from the rows and from recorded noise alone.",
    "QUALIFY": "use it in a sub-select, with a window that is PARTITION BY the column of people.",
    "WINDOW": "write the window after OVER.",
    "BETWEEN SYMMETRIC": "write the smaller end first.",
    "JOIN": "ask of one table.",
    "LATERAL": "ask of one table.",
    "SELECT DISTINCT": "use GROUP BY, as in SELECT ward, COUNT(*) ... GROUP BY ward.",
    "An aggregate of several columns": "aggregate one column, or a computation with several.",
    "FETCH": "use LIMIT.",
    "WITH ROLLUP": "write GROUP BY ROLLUP(...).",
    "WITH CUBE": "write GROUP BY CUBE(...).",
    "LIMIT by a percentage": "write the number of rows.",
    "* EXCLUDE": "name the columns.",
    "* REPLACE": "name the columns.",
}
_SUB_SELECT = (
    "Sub-selects inside an expression",
    "ask for it by itself, and write the value here; a total of all groups is SUM(COUNT(*)) OVER ().",
)
_VALUE = "A comparison as a value", "write CASE WHEN ... THEN ... ELSE ... END."
_NAMES: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Window: (
        "Windows over the rows of several people",
        "use GROUP BY, with ROLLUP or SUM(COUNT(*)) OVER () for totals, or a sub-select with OVER "
        "(PARTITION BY the column of people): "
        "otherwise one person could change every row.",
    ),
    exp.Interval: (
        "INTERVAL in this place",
        "add it to a date, as in d + INTERVAL 7 DAY, or compare days, as in b - a > 7.",
    ),
    exp.Bracket: ("Square brackets", "use SUBSTR(t, 1, 3)."),
    exp.Collate: ("COLLATE", "use LOWER(t)."),
    **dict.fromkeys((exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor), ("Operations on bits", "use % and //.")),
    exp.Subquery: _SUB_SELECT,
    exp.Select: _SUB_SELECT,
    exp.Exists: _SUB_SELECT,
    **dict.fromkeys((exp.Any, exp.All), ("A comparison with ANY or ALL", "list the values, as in v IN (30, 40).")),
    exp.Star: ("SELECT *", "ask for aggregates: rows are not released."),
    exp.Literal: ("A constant by itself", "ask for an aggregate, or compare it with a value."),
    exp.Boolean: ("A constant by itself", "ask for an aggregate, or compare it with a value."),
    exp.Null: ("NULL by itself", "use IS NULL or IS NOT NULL."),
    exp.Case: ("CASE in this place", "use it inside an aggregate or a condition."),
    exp.Tuple: ("Several columns in parentheses", "name one column."),
    exp.SimilarTo: ("SIMILAR TO", "use LIKE, or REGEXP_FULL_MATCH(t, '...')."),
    exp.RegexpLike: (
        "The operator ~",
        "write REGEXP_MATCHES(t, '...') for a part of a text, or REGEXP_FULL_MATCH for all of it: databases differ.",
    ),
    exp.Glob: ("GLOB", "use LIKE."),
    exp.Escape: ("LIKE with ESCAPE", "leave ESCAPE out."),
    exp.Values: ("VALUES", "read the table itself."),
    exp.Table: ("A table in parentheses", "leave the parentheses out."),
    exp.Rollup: ("ROLLUP", "write it in the GROUP BY."),
    exp.Cube: ("CUBE", "write it in the GROUP BY."),
    exp.GroupingSets: ("GROUPING SETS", "write it in the GROUP BY."),
    exp.Order: ("ORDER BY inside an aggregate", "leave it out: the order of rows does not matter here."),
    exp.NullSafeEQ: _VALUE,
    exp.NullSafeNEQ: _VALUE,
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE), _VALUE),
    **dict.fromkeys((exp.Between, exp.In, exp.Is, exp.Like, exp.ILike, exp.Not, exp.And, exp.Or), _VALUE),
}
_NO_RANDOM = "leave it out: an answer follows from the rows and from recorded noise alone, so that it can be checked."
_NO_TIME = "write the day itself, as in DATE '2026-11-18': the same query must ask the same again."
_REMEDIES = {
    **dict.fromkeys(("RANDOM", "RAND", "UUID", "GEN_RANDOM_UUID", "SETSEED"), _NO_RANDOM),
    **dict.fromkeys(
        ("NOW", "TODAY", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "GETDATE", "SYSDATE"),
        _NO_TIME,
    ),
    "LOG": "write LN(v), LOG10(v) or LOG2(v): databases differ in the base of LOG.",
    **dict.fromkeys(
        ("STRING_AGG", "LISTAGG", "GROUP_CONCAT", "LIST", "ARRAY_AGG"),
        "count them, as in SELECT v, COUNT(*) ... GROUP BY v: the values of single people are not released.",
    ),
    **dict.fromkeys(
        ("ANY_VALUE", "ARBITRARY"),
        "use MIN(v) of each person's rows in a sub-select, or SELECT v, COUNT(*) ... GROUP BY v.",
    ),
    "MODE": "write SELECT v, COUNT(*) ... GROUP BY v ORDER BY COUNT(*) DESC LIMIT 1.",
    **dict.fromkeys(("APPROX_COUNT_DISTINCT", "APPROX_DISTINCT"), "use COUNT(DISTINCT v)."),
    **dict.fromkeys(("MEAN", "AVERAGE"), "use AVG(v)."),
    "PERCENTILE": "use QUANTILE_CONT(v, 0.9).",
    **dict.fromkeys(("GEOMEAN", "GEOMETRIC_MEAN", "PRODUCT"), "use EXP(AVG(LN(GREATEST(v, 1))))."),
    **dict.fromkeys(
        ("SKEWNESS", "KURTOSIS"), "use AVG(POWER(v - 40, 3)), with a number that does not follow from the data for 40."
    ),
    "ENTROPY": "ask for COUNT(*) by group, and compute it from the answer.",
    "HISTOGRAM": "group by FLOOR(v / 10), or by WIDTH_BUCKET(v, 0, 100, 10).",
    **dict.fromkeys(
        ("BOOL_OR", "BOOL_AND", "LOGICAL_OR", "LOGICAL_AND", "EVERY"),
        "use COUNT_IF(c): whether any row meets it would tell of one person.",
    ),
    **dict.fromkeys(
        ("STRPOS", "POSITION", "INSTR", "LOCATE"), "use CONTAINS(t, 'a'), STARTS_WITH(t, 'a') or REGEXP_MATCHES."
    ),
    "PREFIX": "use STARTS_WITH(t, 'a').",
    "SUFFIX": "use ENDS_WITH(t, 'a').",
    **dict.fromkeys(
        ("SPLIT_PART", "REGEXP_EXTRACT", "SPLIT"), "use CASE WHEN REGEXP_MATCHES(t, '^a') THEN 'a' ELSE 'other' END."
    ),
    "REGEXP_REPLACE": "use REPLACE(t, '-', ' ').",
    "CONCAT_WS": "use CONCAT(t, '-', v).",
    **dict.fromkeys(("LPAD", "RPAD"), "use RIGHT('000' || v, 3)."),
    "ISNULL": "write v IS NULL, or COALESCE(v, 0) for a value in its place.",
    "SAFE_DIVIDE": "write a / b: a division by 0 gives no value.",
    **dict.fromkeys(("TIME_BUCKET", "DATE_BIN"), "use DATE_TRUNC('week', d), or FLOOR((d - DATE '2026-01-01') / 10)."),
    **dict.fromkeys(("INITCAP", "REVERSE"), "use LOWER(t) or UPPER(t)."),
    "ISNAN": "use v IS NULL: what is no number counts as missing.",
    **dict.fromkeys(("TO_CHAR", "DATE_FORMAT", "FORMAT_DATE"), "use STRFTIME(d, '%Y-%m')."),
    **dict.fromkeys(("DATEADD", "ADD_MONTHS"), "use d + INTERVAL 3 MONTH."),
    **dict.fromkeys(("DATE_SUB", "AGE", "DATESUB"), "use DATE_DIFF('day', a, b), or d - INTERVAL 3 MONTH."),
    **dict.fromkeys(
        ("EPOCH", "EPOCH_MS", "UNIX_TIMESTAMP"), "use DATE_DIFF('second', TIMESTAMP '1970-01-01 00:00:00', t)."
    ),
    **dict.fromkeys(("MAKE_DATE", "MAKE_TIMESTAMP", "TO_DATE"), "write the day itself, as in DATE '2026-11-18'."),
    "TIMEZONE": "use t AT TIME ZONE 'Europe/Amsterdam'.",
    "LIST_CONTAINS": "use IN (...).",
    **dict.fromkeys(("FORMAT", "PRINTF"), "use ROUND(v, 1)."),
    "COLUMNS": "name the columns.",
}
_AGGREGATE = "An aggregate in this place", "use aggregates only in SELECT, HAVING and ORDER BY."
_NEAR = 200  # characters before an argument among which the name of its function is looked for
_SIGN = re.compile(r"[$?@]|(?<!:):(?!:)")  # of a parameter; a cast has two colons
_HEAD = re.compile(" (?:inside|with|of|in|as) ")
_BARE_SELECT = re.compile(r"\bselect(?=\s*(?:[),;]|$))", re.IGNORECASE)
_FUNCTION = re.compile(r"(\w+)\s*\(\s*(?:DISTINCT\s+)?$", re.IGNORECASE)


class Text:
    """One query, as it was written."""

    read_as = "query"  # what sentences call it

    answered: frozenset[str] = frozenset()  # the names of functions and aggregates that are

    def __init__(self, text: str) -> None:
        self.text = text

    def only(self, node: exp.Expr, *allowed: str) -> None:
        """Refuse a node that carries anything beyond what we read."""
        for name, part in node.args.items():
            if part and name not in allowed:
                what = _CLAUSES.get(name, f"{name.strip('_').upper()} in {self.name_of(node)[0]}")
                place = part[0] if isinstance(part, list) else part if isinstance(part, exp.Expr) else node
                self.refuse(what, place, _CLAUSE_HINTS.get(what, ""))

    def refuse(self, what: str, node: object, hint: str = "") -> NoReturn:
        where = (self.place(node) if isinstance(node, exp.Expr) else "") or self.place_of_word(
            what.split(maxsplit=1)[0].removesuffix("()")
        )
        verb = "are" if _HEAD.split(what, maxsplit=1)[0].endswith("s") else "is"
        raise QueryError(f"{what} {verb} not supported", hint=hint, where=where)

    def refuse_node(self, node: exp.Expr, hint: str = "") -> NoReturn:
        """Refuse a node by its own name."""
        if isinstance(node, exp.Select) and not node.expressions:
            bare = _BARE_SELECT.search(self.text)
            raise self.a_word_of_sql("select", self.line_and_column(bare.start()) if bare else "")
        name, remedy = self.name_of(node)
        self.refuse(name, node, remedy or hint)

    def a_word_of_sql(self, word: str, where: str) -> QueryError:
        hint = f'check the text before this place; put a name that is also a keyword of SQL in quotes, as in "{word}".'
        return QueryError(f"The {self.read_as} is not valid SQL", where=where, hint=hint)

    def name_of(self, node: exp.Expr) -> tuple[str, str]:
        """The name of an unsupported part, as the text has it where it can be found, and a remedy."""
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
            return _NAMES[exp.Star]
        if isinstance(node, exp.IgnoreNulls | exp.RespectNulls):
            return self.name_of(node.this)
        if type(node) in _NAMES:
            return _NAMES[type(node)]
        if isinstance(node, exp.Func):
            written = self.function_name(node)
            aggregate = is_pair(node) or (written in self.answered and isinstance(node, exp.AggFunc))
            return _AGGREGATE if aggregate else (f"{written}()", self.remedy(written, node))
        return node.key.upper(), ""

    def remedy(self, written: str, node: exp.Func) -> str:
        """What to write in place of a function."""
        if written in _REMEDIES or written in self.answered or isinstance(node, exp.AggFunc):
            return _REMEDIES.get(written, "")
        near = get_close_matches(written, sorted(self.answered), 2, 0.75)
        others = "another function of docs/sql.md"
        return f"use {', '.join(near)} or {others}." if near else f"use {others}."

    def function_name(self, node: exp.Func) -> str:
        """The name of a function as it was written."""
        start, end = node.meta.get("start"), node.meta.get("end")
        if start is not None and end is not None:
            return self.text[start : end + 1].upper()
        before = self.before(node)
        return before[1] if before else node.sql_name()

    def before(self, node: exp.Func) -> tuple[int, str] | None:
        """The name before the parenthesis that a function's first argument stands in, where that is its name."""
        start = _start(node)
        if start is None:
            return None
        near = max(0, start - _NEAR)
        function = _FUNCTION.search(self.text[near:start])
        if function is None or (function[1].upper() in self.answered and function[1].upper() not in node.sql_names()):
            return None
        return near + function.start(), function[1].upper()

    def short_text(self, literal: exp.Literal) -> str:
        """A text constant, refused where a row that it is computed for would cost more than others."""
        text = str(literal.this)
        if len(text) > LONGEST_TEXT:
            what = f"A text has {len(text):,} characters, and the limit is {LONGEST_TEXT:,}"
            raise QueryError(what, where=self.place(literal), hint="compare with a shorter text.")
        return text

    def short_pattern(self, literal: exp.Literal) -> str:
        """The pattern of a LIKE, refused for the same reason."""
        pattern, where = str(literal.this), self.place(literal)
        if len(pattern) > LONGEST_PATTERN:
            what = f"A LIKE pattern has {len(pattern):,} characters, and the limit is {LONGEST_PATTERN:,}"
            raise QueryError(what, where=where, hint="use a shorter pattern.")
        if (wildcards := pattern.count("%")) > MOST_WILDCARDS:
            what = f"A LIKE pattern has {wildcards:,} wildcards %, and the limit is {MOST_WILDCARDS}"
            raise QueryError(what, where=where, hint="use fewer wildcards.")
        return pattern

    def place(self, node: exp.Expr) -> str:
        """Line and column of the first character of a node that remembers where it stood."""
        if isinstance(node, exp.Func) and "start" not in node.meta:
            named = self.before(node)
            if named is not None:
                return self.line_and_column(named[0])
        start = _start(node)
        return "" if start is None else self.line_and_column(start)

    def place_of_word(self, word: str) -> str:
        """The same for what remembers nothing: where its first word stands; of parameters, their sign."""
        match = re.search(
            r"[$?@]|(?<!:):(?!:)" if word == "Parameters" else rf"\b{re.escape(word)}", self.text, re.IGNORECASE
        )
        return self.line_and_column(match.start()) if match else ""

    def line_and_column(self, start: int) -> str:
        before = self.text[:start]
        return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"


def _start(node: exp.Expr) -> int | None:
    return min((n.meta["start"] for n in node.walk() if "start" in n.meta), default=None)

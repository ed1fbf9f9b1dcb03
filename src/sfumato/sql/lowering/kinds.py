"""What kind of value an expression of a plan is, for engines that must know it: they cast a text in another way than a
float, and add up whole numbers in another way too.

A column is followed to what it is computed from, in the sub-selects and the tables ahead of a plan. None: not known,
and a printer takes the longer way that is right for every kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum

from sqlglot import exp

from sfumato.sql.builder import nodes


class ValueKind(StrEnum):
    WHOLE = "64 bits"
    WIDE = "more than 64 bits"
    REAL = "a float"
    TEXT = "a text"
    TRUTH = "true or false"
    DAY = "a day"
    TIME = "a time"


OF_TYPES = {
    **dict.fromkeys((exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT), ValueKind.WHOLE),
    exp.DType.INT128: ValueKind.WIDE,
    exp.DType.DOUBLE: ValueKind.REAL,
    exp.DType.TEXT: ValueKind.TEXT,
    exp.DType.BOOLEAN: ValueKind.TRUTH,
    exp.DType.DATE: ValueKind.DAY,
    exp.DType.TIMESTAMP: ValueKind.TIME,
}
_ALWAYS: dict[ValueKind, tuple[type[exp.Expr], ...]] = {
    ValueKind.WHOLE: (
        exp.Count, exp.RowNumber, exp.Rank, exp.DenseRank, nodes.CountTrue, nodes.DatePart, nodes.UnitsBetween,
        nodes.Letters, nodes.Bytes, nodes.RowHash, nodes.DigestNumber, nodes.FloatBits,
    ),
    ValueKind.WIDE: (nodes.ExactSum, nodes.WholeQuotient),
    ValueKind.REAL: (
        exp.Div, exp.Floor, exp.Ceil, exp.Sqrt, exp.Exp, exp.Pow, exp.Sign, nodes.CutOff, nodes.Logarithm,
        nodes.MiddleValue, nodes.Operand,
    ),
    ValueKind.TEXT: (
        nodes.Lowered, nodes.Uppered, nodes.Excerpt, nodes.LastLetters, nodes.Trimmed, nodes.Joined, nodes.Linked,
        nodes.Extracted, nodes.Rewritten, nodes.Replaced, nodes.Digest,
    ),
    ValueKind.TRUTH: (
        exp.Boolean, exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE,
        exp.Between, nodes.IsNaN, nodes.Starts, nodes.Ends, nodes.Contains, nodes.Found, nodes.FoundWhole,
        nodes.Matches, nodes.AnyTrue,
    ),
}  # fmt: skip
_KIND_OF = {node: kind for kind, of_it in _ALWAYS.items() for node in of_it}
_OF_FIRST = (
    exp.Paren, exp.Neg, exp.Abs, exp.Min, exp.Max, exp.Lag, exp.Lead, exp.Window, exp.Alias, exp.Nullif, nodes.At,
    nodes.TwoSmallest, nodes.TwoLargest, nodes.LowerMiddle, nodes.FirstOf, nodes.LastOf,
)  # fmt: skip
_OF_BOTH = (exp.Add, exp.Sub, exp.Mul, exp.Mod, nodes.Remainder)

Stored = Callable[[str], ValueKind | None]


class Kinds:
    """Says what the expressions of one plan are; `stored` says it of the engine's own types."""

    def __init__(self, stored: Stored) -> None:
        self._stored, self._known = stored, dict[int, ValueKind | None]()

    def __call__(self, node: exp.Expr | None) -> ValueKind | None:
        if node is None:
            return None
        if id(node) not in self._known:
            self._known[id(node)] = self._kind(node)
        return self._known[id(node)]

    def _kind(self, node: exp.Expr) -> ValueKind | None:
        always = _KIND_OF.get(type(node))
        if always is not None:
            return always
        match node:
            case exp.Column():
                return self._of_column(node)
            case exp.Literal():
                return ValueKind.TEXT if node.is_string else ValueKind.WHOLE if node.name.isdigit() else ValueKind.REAL
            case exp.Cast() | nodes.Typed() | nodes.StartOfUnit() | nodes.Later():
                return OF_TYPES.get(node.args["to"].this)
            case exp.Sum():
                summed = self(node.this)
                return ValueKind.WIDE if summed is ValueKind.WHOLE else summed
            case exp.Case():
                results = [*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")]
                return _common(map(self, results))
            case exp.Coalesce() | exp.Greatest() | exp.Least():
                return _common(map(self, (node.this, *node.expressions)))
            case exp.Array():
                return _common(map(self, node.expressions))
            case nodes.Stored():
                return self._stored(node.args["stored"].name)
            case _ if isinstance(node, _OF_FIRST):
                return self(node.this)
            case _ if isinstance(node, _OF_BOTH):
                return _common((self(node.this), self(node.expression)))
        return None

    def _of_column(self, node: exp.Column) -> ValueKind | None:
        select = node.find_ancestor(exp.Select)
        for source in () if select is None else _sources(select):
            if not node.table or node.table == source.alias_or_name:
                for tree in _outputs(source, node.name):
                    return self(tree)
        return None


def _common(kinds: Iterable[ValueKind | None]) -> ValueKind | None:
    """Of values of several kinds; NULL is of any."""
    known = {kind for kind in kinds if kind is not None}
    for larger in (ValueKind.REAL, ValueKind.WIDE):
        if larger in known and known <= {ValueKind.REAL, ValueKind.WIDE, ValueKind.WHOLE}:
            return larger
    return known.pop() if len(known) == 1 else None


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    first = select.args.get("from_")
    if first is not None:
        yield first.this
    yield from (join.this for join in select.args.get("joins") or [])


def _outputs(source: exp.Expr, name: str) -> Iterator[exp.Expr]:
    """What a column of this name is computed from, of the sources of a SELECT."""
    match source:
        case exp.Table():
            ahead = _ahead(source)
            if ahead is not None:
                yield from _outputs(ahead, name)
        case exp.Subquery() | exp.CTE():
            yield from _outputs(source.this, name)
        case exp.Union():
            yield from _outputs(source.this, name)
        case exp.Values():
            names = [column.name for column in source.args["alias"].args.get("columns") or []]
            if name in names:
                yield source.expressions[0].expressions[names.index(name)]
        case exp.Select():
            for part in source.expressions:
                if isinstance(part, exp.Star):
                    for inner in _sources(source):
                        yield from _outputs(inner, name)
                elif part.alias_or_name == name:
                    yield part.this if isinstance(part, exp.Alias) else part


def _ahead(read: exp.Table) -> exp.Expr | None:
    """The table of this name that stands ahead of a plan around it."""
    around = read.parent
    while around is not None:
        tables = around.args.get("with_")
        for cte in tables.expressions if tables is not None else []:
            if cte.alias_or_name == read.name and cte is not around:
                return cte  # type: ignore[no-any-return]
        around = around.parent
    return None

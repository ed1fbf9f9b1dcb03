"""Our own predicates as trees of the nodes that plans are made of. SQL is never put together from strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from operator import eq

from sqlglot import exp

from sfumato.model.calendar import FUNCTIONS
from sfumato.model.functions import LONGEST_READ
from sfumato.model.possible_cells import WHOLE
from sfumato.model.schema import OURS, Category, Type
from sfumato.model.statement import (
    All,
    AnyOf,
    Arithmetic,
    Call,
    Case,
    ColumnRef,
    Compare,
    Condition,
    Constant,
    Membership,
    Missing,
    Not,
    Pattern,
    Predicate,
    Scalar,
    Truth,
)
from sfumato.sql.builder import nodes
from sfumato.sql.builder.dates import date_tree
from sfumato.sql.builder.functions import call
from sfumato.sql.builder.values import SQL_TYPES, cast, double, function, number, value

LARGEST_STORED = 10**150  # of a number, for engines whose floats overflow with an error
FEW_LISTED = 100  # values that a condition lists one by one
COMPARE: dict[str, type[exp.Binary]] = {
    "=": exp.EQ, "<>": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE,
}  # fmt: skip
COMPUTE: dict[str, type[exp.Binary]] = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div}


def table(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def ours(*words: str) -> str:
    """A name of our own beside the names that users gave."""
    return OURS + " ".join(words)


def column(name: str, of: str | None = None) -> exp.Column:
    return exp.column(name, table=of, quoted=True)


def alias(tree: exp.Expr, name: str) -> exp.Expr:
    return exp.alias_(tree, name, quoted=True, copy=False)


def both(*conditions: exp.Expr) -> exp.Expr:
    return exp.and_(*conditions, copy=False)


def select_from(
    parts: Iterable[exp.Expr], source: str | exp.Query, *, where: Iterable[exp.Expr] = (), by: Iterable[str] = ()
) -> exp.Select:
    """SELECT parts FROM source WHERE all of these GROUP BY columns: built in place, nothing is copied."""
    read = table(source) if isinstance(source, str) else sub_select(source)
    select = exp.Select(expressions=list(parts), from_=exp.From(this=read))
    conditions, group = list(where), [column(name) for name in by]
    if conditions:
        select.set("where", exp.Where(this=both(*conditions)))
    if group:
        select.set("group", exp.Group(expressions=group))
    return select


def sub_select(select: exp.Query, name: str | None = None) -> exp.Subquery:
    called = exp.to_identifier(name or ours("selected"), quoted=True)
    return exp.Subquery(this=select, alias=exp.TableAlias(this=called))


def join_with(
    select: exp.Select, other: exp.Table | exp.Subquery | exp.Values, on: Iterable[exp.Expr], kind: str = "INNER"
) -> exp.Select:
    """With another table beside it; nothing to join on joins everything.

    SEMI and ANTI keep the rows that have a match there, or have none.
    """
    met = both(*(list(on) or [exp.true()]))
    named = {"LEFT": {"side": kind}, "SEMI": {"kind": kind}, "ANTI": {"kind": kind}}
    select.append("joins", exp.Join(this=other, on=met, **named.get(kind, {})))
    return select


def values_table(name: str, columns: Sequence[str], rows: Iterable[Sequence[exp.Expr]]) -> exp.Values:
    """A table that is written out: VALUES, with a name for it and for each column."""
    called = [exp.to_identifier(column, quoted=True) for column in columns]
    named = exp.TableAlias(this=exp.to_identifier(name, quoted=True), columns=called)
    return exp.Values(expressions=[exp.Tuple(expressions=list(row)) for row in rows], alias=named)


def order_by(select: exp.Select, *names: str) -> exp.Select:
    """With its rows in the order of these columns; NULL comes last."""
    select.set("order", exp.Order(expressions=[exp.Ordered(this=column(name), nulls_first=False) for name in names]))
    return select


def same_columns(names: Iterable[str], one: str, other: str) -> list[exp.Expr]:
    """Whether two tables agree in each of these columns."""
    return [exp.EQ(this=column(name, one), expression=column(name, other)) for name in names]


def with_tables(select: exp.Select, tables: Iterable[tuple[str, exp.Select, bool | None]]) -> exp.Select:
    """With named tables ahead of it: name, select, and whether an engine is to keep it (None: as it likes)."""
    ctes = [
        exp.CTE(this=tree, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)), materialized=kept)
        for name, tree, kept in tables
    ]
    select.set("with_", exp.With(expressions=ctes))
    return select


def scalar(part: Scalar, leaf: Callable[[ColumnRef], exp.Expr] | None = None) -> exp.Expr:
    """A scalar; `leaf` says how the columns in it are read, but for those in the conditions of a CASE."""

    def inner(part: Scalar) -> exp.Expr:
        return scalar(part, leaf)

    def operand(part: Scalar) -> exp.Expr:
        """A number as a float; what was computed may be too large or too small to compute with."""
        tree = double(inner(part))
        return tree if _is_moderate(part) else nodes.Operand(this=tree)

    match part:
        case ColumnRef(name):
            return column(name) if leaf is None else leaf(part)
        case Constant(None, type_):
            return cast(exp.Null(), SQL_TYPES[type_])
        case Constant(constant):
            return value(constant)
        case Call(name, arguments) if name in FUNCTIONS:
            operands = arguments[2:] if name == "DATE_ADD" else arguments[1:]
            return date_tree(name, arguments, list(map(inner, operands)))
        case Call():
            return call(part, inner, short_text)
        case Condition(met):
            return exp.Paren(this=predicate(met))
        case Case(branches, otherwise):
            ifs = [exp.If(this=predicate(met), true=inner(result)) for met, result in branches]
            return exp.Paren(this=exp.Case(ifs=ifs, default=inner(otherwise)))
        case Arithmetic("/", left, right):
            divisor = function("NULLIF", operand(right), number(0))
            return exp.Paren(this=exp.Div(this=operand(left), expression=divisor))
        case Arithmetic(operator, left, right):
            tree = COMPUTE[operator](this=operand(left), expression=operand(right))
            return exp.Paren(this=tree)
    raise ValueError(f"{part.words} is computed from the answer, not by an engine")


def _is_moderate(part: Scalar) -> bool:
    """Whether it is stored, or a constant, with which no stored number gives one beyond what floats hold."""
    if isinstance(part, Constant) and isinstance(part.value, Fraction) and part.value:
        return Fraction(1, LARGEST_STORED) <= abs(part.value) <= LARGEST_STORED
    return isinstance(part, ColumnRef | Constant)


def short_text(text: Scalar) -> exp.Expr:
    """A text of which every character is read; a stored one that is so long that it takes its own time is missing."""

    def short(leaf: ColumnRef) -> exp.Expr:
        if leaf.type not in (Type.TEXT, None):
            return column(leaf.name)
        size = nodes.Bytes(this=column(leaf.name))
        within = exp.If(this=exp.LTE(this=size, expression=number(LONGEST_READ)), true=column(leaf.name))
        return exp.Paren(this=exp.Case(ifs=[within]))

    return scalar(text, short)


def predicate(part: Predicate) -> exp.Expr:
    """A predicate, parenthesised wherever it is combined."""
    match part:
        case Compare(operator, left, right):
            return COMPARE[operator](this=scalar(left), expression=scalar(right))
        case Membership(operand, members):
            return exp.In(this=scalar(operand), expressions=[value(m.value) for m in members])
        case Missing(operand):
            return exp.Is(this=scalar(operand), expression=exp.Null())
        case Pattern(operand, pattern, ignore_case):
            like = exp.Literal.string(pattern)
            return nodes.Matches(this=short_text(operand), expression=like, ignore_case=ignore_case)
        case Truth(operand):
            return scalar(operand)
        case Not(negated):
            return exp.Not(this=exp.Paren(this=predicate(negated)))
        case All(parts):
            return both(*map(predicate, parts))
        case AnyOf(parts):
            return exp.or_(*map(predicate, parts), copy=False)


def is_among(tree: exp.Expr, values: Sequence[Category]) -> exp.Expr:
    """Whether it is one of the values: of many whole numbers that lie evenly, by the first and the last of them."""
    between = _evenly(values)
    if between is None:
        return exp.In(this=tree, expressions=[value(c) for c in values])
    inside = exp.Between(this=tree, low=number(between[0]), high=number(between[-1]))
    if between.step == 1:
        return inside
    above = exp.Sub(this=double(tree.copy()), expression=double(number(between[0])))  # floats do not overflow
    rest = nodes.Remainder(this=exp.Paren(this=above), expression=double(number(between.step)))
    return both(inside, exp.EQ(this=rest, expression=number(0)))


def _evenly(values: Sequence[Category]) -> range | None:
    """Whole numbers from the first to the last in even steps, where there are many; floats hold them all."""
    if len(values) <= FEW_LISTED:
        return None
    first, second, last = values[0], values[1], values[-1]
    if not (isinstance(first, int) and isinstance(second, int) and isinstance(last, int)) or second <= first:
        return None
    if max(-first, last) > WHOLE:
        return None
    evenly = range(first, last + 1, second - first)
    return evenly if len(evenly) == len(values) and all(map(eq, evenly, values)) else None

"""Our own predicates as SQL trees. SQL is never put together from strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from fractions import Fraction

from sqlglot import exp
from sqlglot.tokens import Tokenizer

from sfumato.model.schema import OURS, Category, Type
from sfumato.model.statement import (
    NOTHING,
    Afterwards,
    Aggregate,
    AggregateKind,
    All,
    AnyOf,
    Arithmetic,
    Call,
    Case,
    ColumnRef,
    Compare,
    Constant,
    Membership,
    Missing,
    Not,
    Output,
    Pattern,
    Predicate,
    Scalar,
    Truth,
)

LONGEST_MATCHED = 10_000  # bytes of a stored text that LIKE, LOWER and UPPER read; a longer one is missing to them
COMPARE: dict[str, type[exp.Binary]] = {
    "=": exp.EQ, "<>": exp.NEQ, "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE,
}  # fmt: skip
_PLAIN = re.compile("[a-z_][a-z0-9_]*", re.IGNORECASE)
COMPUTE: dict[str, type[exp.Binary]] = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul, "/": exp.Div}


def table(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def ours(*words: str) -> str:
    """A name of our own beside the names that users gave."""
    return OURS + " ".join(words)


def column(name: str, of: str | None = None) -> exp.Column:
    return exp.column(name, table=of, quoted=True)


def number(value: Fraction | float | int) -> exp.Expr:
    """A number literal; anything but a whole one is written with an exponent, or engines read a DECIMAL."""
    exact = Fraction(value)
    if exact.denominator == 1 and abs(exact) < 2**63:
        return exp.Literal.number(str(exact))
    text = repr(float(exact))
    literal = exp.Literal.number((text if "e" in text else f"{text}e0").removeprefix("-"))
    return exp.Neg(this=literal) if exact < 0 else literal


def value(constant: bool | Fraction | str | date | int | None) -> exp.Expr:
    if constant is None:
        return exp.Null()
    if isinstance(constant, bool):
        return exp.Boolean(this=constant)
    if isinstance(constant, date):
        return cast(exp.Literal.string(constant.isoformat()), "DATE")
    if isinstance(constant, str):
        return exp.Literal.string(constant)
    return number(constant)


def cast(tree: exp.Expr, to: str) -> exp.Expr:
    """A cast that cannot fail: of a constant, of NULL, or of a column to the type that it has or a wider one."""
    return exp.Cast(this=tree, to=exp.DataType.build(to))


def double(tree: exp.Expr) -> exp.Expr:
    """A number as a float: no number of an engine is too large for one."""
    return cast(tree, "DOUBLE")


def as_whole(tree: exp.Expr, to: str = "BIGINT") -> exp.Expr:
    """A number as a whole number, NULL where it does not fit: an error would tell that someone has such a value."""
    return exp.TryCast(this=tree, to=exp.DataType.build(to))


def function(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.func(name, *arguments, copy=False)


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

    match part:
        case ColumnRef(name):
            return column(name) if leaf is None else leaf(part)
        case Constant(None, type_):
            return cast(exp.Null(), SQL_TYPES[type_])
        case Constant(constant):
            return value(constant)
        case Call("ABS", (operand,)) if operand.type is Type.INTEGER:
            return function("ABS", as_whole(inner(operand), "INT128"))  # that of -2**63 does not fit into 64 bits
        case Call("LOWER" | "UPPER" as name, (text,)):
            return function(name, short_text(text))
        case Call(name, arguments):
            return function(name, *map(inner, arguments))
        case Case(branches, otherwise):
            ifs = [exp.If(this=predicate(met), true=inner(result)) for met, result in branches]
            return exp.Paren(this=exp.Case(ifs=ifs, default=inner(otherwise)))
        case Arithmetic("/", left, right):
            divisor = function("NULLIF", double(inner(right)), number(0))
            return exp.Paren(this=exp.Div(this=double(inner(left)), expression=divisor))
        case Arithmetic(operator, left, right):
            tree = COMPUTE[operator](this=double(inner(left)), expression=double(inner(right)))
            return exp.Paren(this=tree)


def short_text(text: Scalar) -> exp.Expr:
    """A text of which every character is read: a stored one that is so long that it would take its own time is missing.

    NULLIF of itself where it is too long: the one spelling leaves that out.
    """

    def short(leaf: ColumnRef) -> exp.Expr:
        size = exp.Anonymous(this="STRLEN", expressions=[column(leaf.name)])
        too_long = exp.If(this=exp.GT(this=size, expression=number(LONGEST_MATCHED)), true=column(leaf.name))
        return function("NULLIF", column(leaf.name), exp.Case(ifs=[too_long]))

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
            kind = exp.ILike if ignore_case else exp.Like
            return kind(this=short_text(operand), expression=exp.Literal.string(pattern))
        case Truth(operand):
            return scalar(operand)
        case Not(negated):
            return exp.Not(this=exp.Paren(this=predicate(negated)))
        case All(parts):
            return both(*map(predicate, parts))
        case AnyOf(parts):
            return exp.or_(*map(predicate, parts), copy=False)


def is_listed(tree: exp.Expr, categories: Sequence[Category]) -> exp.Expr:
    return exp.In(this=tree, expressions=[value(c) for c in categories])


def aggregate(part: Aggregate) -> exp.Expr:
    """An aggregate as we spell it."""
    argument = exp.Star() if part.argument is None else scalar(part.argument)
    if part.kind is AggregateKind.COUNT_DISTINCT:
        return exp.func("COUNT", exp.Distinct(expressions=[argument]))
    if part.at is None:
        return exp.Anonymous(this=part.kind.value, expressions=[argument])
    if part.kind is AggregateKind.QUANTILE_CONT and part.at == Fraction(1, 2):
        return exp.func("MEDIAN", argument)
    return exp.Anonymous(this=part.kind.value, expressions=[argument, exp.Literal.number(f"{float(part.at):g}")])


def canonical(
    name: str,
    outputs: Sequence[Output],
    where: Predicate | None,
    keys: Sequence[ColumnRef],
    afterwards: Afterwards = NOTHING,
) -> str:
    """The statement as we read it, in one spelling: what is hashed, recorded and shown. It is never run."""
    sources = {o.name: o.source for o in outputs if not o.visible or o.name == default_name(o.source)}
    select = exp.select(*(_output_tree(o) for o in outputs if o.visible)).from_(table(name))
    if where is not None:
        select = select.where(predicate(where))
    select = select.group_by(*(column(k.name) for k in keys))
    if afterwards.having is not None:
        select = select.having(_with_sources(predicate(afterwards.having), sources))
    for by in afterwards.order:
        tree = exp.Ordered(this=_with_sources(column(by.output), sources), desc=by.descending, nulls_first=False)
        select = select.order_by(tree)
    if afterwards.limit is not None:
        select = select.limit(afterwards.limit)
    if afterwards.offset:
        select = select.offset(afterwards.offset)
    return _plainly(select).sql(dialect="duckdb")


def _with_sources(tree: exp.Expr, sources: Mapping[str, ColumnRef | Aggregate]) -> exp.Expr:
    """With the aggregates themselves where an output is not shown, or is called by what it is."""
    return tree.transform(
        lambda node: _source(sources[node.name]) if isinstance(node, exp.Column) and node.name in sources else node
    )


def _source(source: ColumnRef | Aggregate) -> exp.Expr:
    return column(source.name) if isinstance(source, ColumnRef) else aggregate(source)


def default_name(source: ColumnRef | Aggregate) -> str:
    """What a column of the answer is called when no one names it.

    >>> default_name(Aggregate(AggregateKind.QUANTILE_CONT, ColumnRef("age", Type.INTEGER), Fraction(1, 2)))
    'median(age)'
    """
    if isinstance(source, ColumnRef):
        return source.name
    return _plainly(aggregate(source)).sql(dialect="duckdb", normalize_functions="lower")


def _output_tree(output: Output) -> exp.Expr:
    tree = _source(output.source)
    return tree if output.name == default_name(output.source) else exp.alias_(tree, output.name, quoted=True)


def _plainly(tree: exp.Expr) -> exp.Expr:
    """Without the quotes that a name does not need, and without what only an engine needs to be told."""
    for kinds in ((exp.Cast, exp.Nullif), (exp.Paren,)):  # what is cast keeps its parentheses
        for node in reversed(list(tree.find_all(*kinds))):
            if _is_implicit(node):
                node.replace(node.this)
    for identifier in tree.find_all(exp.Identifier):
        plain = _PLAIN.fullmatch(identifier.name) and identifier.name.upper() not in Tokenizer.KEYWORDS
        identifier.set("quoted", not plain)
    return tree


def _binds(node: exp.Expr | None) -> int:
    """How tightly arithmetic holds together; what comes from the left at least as tightly needs no parentheses."""
    return 2 if isinstance(node, exp.Mul | exp.Div) else 1 if isinstance(node, exp.Add | exp.Sub) else 0


def _is_implicit(node: exp.Expr) -> bool:
    if isinstance(node, exp.Cast):
        return node.to.is_type("double", "int128") or isinstance(node.this, exp.Null)
    if isinstance(node, exp.Paren):
        if isinstance(node.parent, tuple(COMPUTE.values())):
            return node.arg_key == "this" and _binds(node.this) >= _binds(node.parent)
        return isinstance(node.parent, exp.Func | exp.Distinct) and not isinstance(node.parent, exp.Connector)
    return isinstance(node, exp.Nullif)


SQL_TYPES = {
    Type.INTEGER: "BIGINT",
    Type.NUMBER: "DOUBLE",
    Type.TEXT: "TEXT",
    Type.BOOLEAN: "BOOLEAN",
    Type.DATE: "DATE",
}

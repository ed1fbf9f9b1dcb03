"""The one spelling of a statement: what is hashed, recorded and shown. It is never run, so it has no guards in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Protocol

from sqlglot import exp
from sqlglot.tokens import Tokenizer

from sfumato.model.calendar import FUNCTIONS
from sfumato.model.levels import Level
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
    Condition,
    Constant,
    Grouping,
    Key,
    Membership,
    Missing,
    Not,
    Output,
    PairStatistic,
    Pattern,
    Predicate,
    Scalar,
    Source,
    SumOverGroups,
    Truth,
    columns_in,
)
from sfumato.sql.builder.ast import COMPARE, COMPUTE, both, column
from sfumato.sql.builder.values import cast, value

_SIGNS: dict[str, type[exp.Binary]] = {"%": exp.Mod, "//": exp.IntDiv, "||": exp.DPipe}
_PLAIN = re.compile("[a-z_][a-z0-9_]*", re.IGNORECASE)


class AsWritten(Protocol):
    """How the columns of what a statement reads are written."""

    def tree(self, tree: exp.Expr) -> exp.Expr: ...

    def text(self, name: str) -> str: ...


def canonical(
    read: exp.Select,
    outputs: Sequence[Output],
    where: Predicate | None,
    keys: Sequence[Key],
    afterwards: Afterwards = NOTHING,
    levels: Sequence[Level] = (),
    written: AsWritten | None = None,
) -> str:
    """The statement as we understand it; `read` has what stands after FROM."""

    def spelled(tree: exp.Expr) -> exp.Expr:
        return tree if written is None else written.tree(tree)

    def is_plain(output: Output) -> bool:
        tree = sources[output.name]
        if isinstance(tree, exp.Column) and tree.table:
            return tree.name == output.name
        name = default_name(output.source, outputs)
        return output.name == (name if written is None else written.text(name))

    sources = {o.name: spelled(_source(o.source, outputs)) for o in outputs}
    plain = {o.name for o in outputs if not o.visible or is_plain(o)}
    unnamed = {name: tree for name, tree in sources.items() if name in plain}
    visible = [(o.name, sources[o.name].copy()) for o in outputs if o.visible]
    named = (tree if name in plain else exp.alias_(tree, name, quoted=True) for name, tree in visible)
    select = read.select(*named)
    if where is not None:
        select = select.where(spelled(predicate(where)))
    select = select.group_by(*map(spelled, _grouped_by(keys, levels)))
    if afterwards.having is not None:
        select = select.having(_with_sources(predicate(afterwards.having), unnamed))
    for by in afterwards.order:
        tree = _with_sources(column(by.output), unnamed)
        select = select.order_by(exp.Ordered(this=tree, desc=by.descending, nulls_first=by.nulls_first))
    if afterwards.limit is not None:
        select = select.limit(afterwards.limit)
    if afterwards.offset:
        select = select.offset(afterwards.offset)
    return _plainly(select).sql(dialect="duckdb")


def default_name(source: Source, outputs: Sequence[Output] = ()) -> str:
    """What a column of the answer is called when no one names it; a computed one is so by the outputs that it reads.

    >>> from sfumato.model.schema import Type
    >>> default_name(Aggregate(AggregateKind.QUANTILE_CONT, ColumnRef("age", Type.INTEGER), Fraction(1, 2)))
    'median(age)'
    """
    return source.name if isinstance(source, Key) else plain_sql(_source(source, outputs))


def key_of(expression: Scalar) -> Key:
    """A group key under the name that it has when no one names it."""
    name = expression.name if isinstance(expression, ColumnRef) else plain_sql(scalar(expression))
    return Key(name, expression)


# Its parts


def _grouped_by(keys: Sequence[Key], levels: Sequence[Level]) -> list[exp.Expr]:
    """ROLLUP and CUBE where the levels are theirs, in the order of the keys; GROUPING SETS for any others."""
    trees = [scalar(key.expression) for key in keys]
    if not levels:
        return trees
    every = range(len(keys))
    if list(levels) == [tuple(every[:many]) for many in range(len(keys), -1, -1)]:
        return [exp.Rollup(expressions=trees)]
    if set(levels) == {level for many in range(len(keys) + 1) for level in combinations(every, many)}:
        return [exp.Cube(expressions=trees)]
    sets = [exp.Tuple(expressions=[trees[key].copy() for key in level]) for level in levels]
    return [exp.GroupingSets(expressions=sets)]


def _with_sources(tree: exp.Expr, sources: Mapping[str, exp.Expr]) -> exp.Expr:
    """With the aggregates themselves where an output is not shown, or is called by what it is."""
    return tree.transform(
        lambda node: sources[node.name].copy() if isinstance(node, exp.Column) and node.name in sources else node
    )


def _source(source: Source, outputs: Sequence[Output]) -> exp.Expr:
    """What an output is; in a computed one, what the outputs are that it reads."""
    if isinstance(source, Key):
        return scalar(source.expression)
    if isinstance(source, Aggregate):
        return _aggregate(source)
    if isinstance(source, Grouping):
        return exp.Anonymous(this="GROUPING", expressions=[scalar(key.expression) for key in source.keys])
    read = {column.name for column in columns_in(source.expression)}
    others = {o.name: _source(o.source, outputs) for o in outputs if o.name in read and o.source is not source}
    return _with_sources(scalar(source.expression), others)


def _aggregate(part: Aggregate) -> exp.Expr:
    argument = exp.Star() if part.argument is None else scalar(part.argument)
    if part.kind is AggregateKind.COUNT_DISTINCT:
        return exp.func("COUNT", exp.Distinct(expressions=[argument]))
    if part.at is None:
        return exp.Anonymous(this=part.kind.value, expressions=[argument])
    if part.kind is AggregateKind.QUANTILE_CONT and part.at == Fraction(1, 2):
        return exp.func("MEDIAN", argument)
    return exp.Anonymous(this=part.kind.value, expressions=[argument, exp.Literal.number(f"{float(part.at):g}")])


def scalar(part: Scalar) -> exp.Expr:
    match part:
        case ColumnRef(name):
            return column(name)
        case Constant(constant):
            return value(constant)
        case Call("DATE_ADD", (Constant(str(unit)), Constant(by), moment)):
            step = exp.Interval(this=exp.Literal.string(str(by)), unit=exp.Var(this=unit.upper()))
            return exp.Paren(this=exp.Add(this=scalar(moment), expression=step))
        case Call("TO_DATE" | "TO_TIMESTAMP" as name, (_, moment)):
            return cast(scalar(moment), name.removeprefix("TO_"))
        case Call(name, arguments) if name in FUNCTIONS:
            return exp.Anonymous(this=name, expressions=list(map(scalar, arguments)))
        case Call(name, (left, right)) if name in _SIGNS:
            return exp.Paren(this=_SIGNS[name](this=scalar(left), expression=scalar(right)))
        case Call(name, arguments):
            return exp.Anonymous(this=name, expressions=[scalar(argument) for argument in arguments])
        case PairStatistic(kind, first, second):
            return exp.Anonymous(this=kind.value, expressions=[scalar(first), scalar(second)])
        case SumOverGroups(of, within):
            return exp.Window(this=exp.Sum(this=scalar(of)), partition_by=list(map(scalar, within)))
        case Condition(met):
            return exp.Paren(this=predicate(met))
        case Case(branches, otherwise):
            ifs = [exp.If(this=predicate(met), true=scalar(result)) for met, result in branches]
            return exp.Paren(this=exp.Case(ifs=ifs, default=scalar(otherwise)))
        case Arithmetic(operator, left, right):
            return exp.Paren(this=COMPUTE[operator](this=scalar(left), expression=scalar(right)))


def predicate(part: Predicate) -> exp.Expr:
    match part:
        case Compare(operator, left, right):
            return COMPARE[operator](this=scalar(left), expression=scalar(right))
        case Membership(operand, members):
            return exp.In(this=scalar(operand), expressions=[value(m.value) for m in members])
        case Missing(operand):
            return exp.Is(this=scalar(operand), expression=exp.Null())
        case Pattern(operand, pattern, ignore_case):
            kind = exp.ILike if ignore_case else exp.Like
            return kind(this=scalar(operand), expression=exp.Literal.string(pattern))
        case Truth(operand):
            return scalar(operand)
        case Not(negated):
            return exp.Not(this=exp.Paren(this=predicate(negated)))
        case All(parts):
            return both(*map(predicate, parts))
        case AnyOf(parts):
            return exp.or_(*map(predicate, parts), copy=False)


# Its text


def plain_sql(tree: exp.Expr) -> str:
    bare = tree.this if isinstance(tree, exp.Paren) else tree
    return _plainly(bare).sql(dialect="duckdb", normalize_functions="lower")


def _plainly(tree: exp.Expr) -> exp.Expr:
    """Without the quotes and parentheses that are not needed."""
    for node in reversed(list(tree.find_all(exp.Paren))):
        if _is_implicit(node):
            node.replace(node.this)
    for identifier in tree.find_all(exp.Identifier):
        plain = _PLAIN.fullmatch(identifier.name) and identifier.name.upper() not in Tokenizer.KEYWORDS
        identifier.set("quoted", not plain)
    return tree


def _is_implicit(paren: exp.Paren) -> bool:
    if isinstance(paren.parent, tuple(COMPUTE.values())):
        return paren.arg_key == "this" and _binds(paren.this) >= _binds(paren.parent)
    around = exp.Alias | exp.Group | exp.Select | exp.Ordered | exp.Func | exp.Distinct
    return isinstance(paren.parent, around) and not isinstance(paren.parent, exp.Connector)


def _binds(node: exp.Expr | None) -> int:
    """How tightly arithmetic holds together; what comes from the left at least as tightly needs no parentheses."""
    return 2 if isinstance(node, exp.Mul | exp.Div) else 1 if isinstance(node, exp.Add | exp.Sub) else 0

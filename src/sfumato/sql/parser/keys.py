"""GROUP BY: the keys by which an answer is grouped."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.levels import Level
from sfumato.model.statement import Grouping, Key, columns_in
from sfumato.sql.builder.canonical import key_of
from sfumato.sql.parser.aggregates import is_aggregate
from sfumato.sql.parser.own_conditions import OwnConditions

MOST_LEVELS = 64  # a CUBE of six keys
GROUPINGS = (exp.Grouping, exp.GroupingId)
FROM_1 = "check the position; columns of the answer count from 1."


class GroupKeys(OwnConditions):
    """Reads GROUP BY."""

    grouped_in: exp.Select

    def keys(self, select: exp.Select) -> tuple[tuple[Key, ...], tuple[Level, ...]]:
        """The keys, and the levels of ROLLUP, CUBE and GROUPING SETS where there is more than one."""
        self.grouped_in = select
        group = select.args.get("group")
        if group is None:
            return (), ()
        self.only(group, "expressions", "all")
        if group.args.get("all"):
            parts = [expression.unalias() for expression in select.expressions]
            plain = [part for part in parts if not any(map(_is_of_answer, part.walk())) and part.find(exp.Column)]
            return tuple(dict.fromkeys(self.key(part, select) for part in plain)), ()
        sets: list[tuple[Key, ...]] = [()]
        for expression in group.expressions:
            more = self.grouping_sets(expression, select)
            self.require_few_levels(len(sets) * len(more), expression)
            sets = [tuple(dict.fromkeys((*one, *other))) for one in sets for other in more]
        keys = tuple(dict.fromkeys(key for one in sets for key in one))
        by_size = sorted((tuple(sorted(map(keys.index, one))) for one in sets), key=lambda one: (-len(one), one))
        levels = tuple(by_size)  # their order says nothing: one spelling for all
        if len(set(levels)) < len(levels):
            self.refuse("The same grouping set twice", group.expressions[-1], hint="write each set once.")
        return keys, levels if len(levels) > 1 else ()

    def grouping_sets(self, expression: exp.Expr, select: exp.Select) -> list[tuple[Key, ...]]:
        """One element of a GROUP BY as grouping sets: of a column, the one set of it."""
        match expression:
            case exp.Paren():
                return self.grouping_sets(expression.this, select)
            case exp.Tuple():
                return [tuple(key for part in expression.expressions for key in self.one_set(part, select))]
            case exp.Rollup():
                parts = [self.one_set(part, select) for part in expression.expressions]
                return [_joined(parts[:many]) for many in range(len(parts), -1, -1)]
            case exp.Cube():
                parts = [self.one_set(part, select) for part in expression.expressions]
                self.require_few_levels(2 ** min(len(parts), MOST_LEVELS), expression)
                sizes = range(len(parts), -1, -1)
                return [_joined(some) for many in sizes for some in combinations(parts, many)]
            case exp.GroupingSets():
                return [one for part in expression.expressions for one in self.grouping_sets(part, select)]
        return [(self.key(expression, select),)]

    def one_set(self, expression: exp.Expr, select: exp.Select) -> tuple[Key, ...]:
        """A column, or several in parentheses, within a ROLLUP, a CUBE or a set."""
        return self.grouping_sets(expression, select)[0]

    def grouping(self, node: exp.Expr, keys: Sequence[Key]) -> Grouping:
        """GROUPING(a, b), of group keys."""
        self.only(node, "expressions")
        named = tuple(self.key(part, self.grouped_in) for part in node.expressions)
        if not named or any(key not in keys for key in named):
            self.refuse("GROUPING() of anything but group keys", node, hint="name columns of the GROUP BY.")
        return Grouping(named)

    def require_few_levels(self, levels: int, node: exp.Expr) -> None:
        if levels > MOST_LEVELS:
            what = f"GROUP BY has more than {MOST_LEVELS} grouping sets"
            raise QueryError(what, where=self.place(node), hint="group by fewer keys.")

    def key(self, expression: exp.Expr, select: exp.Select) -> Key:
        if isinstance(expression, exp.Literal) and expression.is_int:
            position, where = int(expression.this), self.place(expression)
            if not 1 <= position <= len(select.expressions):
                raise QueryError(f"GROUP BY {position} is not a column", where=where, hint=FROM_1)
            expression = select.expressions[position - 1].unalias()
            if any(map(is_aggregate, expression.walk())):
                hint = "group by the position of a column."
                raise QueryError(f"GROUP BY {position} is an aggregate", where=where, hint=hint)
        key = self.shallow_scalar(self.alias_target(expression, select))
        if next(columns_in(key), None) is None:
            self.refuse("GROUP BY a constant", expression, hint="leave it out.")
        return key_of(key)

    def alias_target(self, expression: exp.Expr, select: exp.Select) -> exp.Expr:
        """In GROUP BY a name that the table does not have may be one that the SELECT gives."""
        name = expression.name.lower() if isinstance(expression, exp.Column) and not expression.table else ""
        if not name or self.known(name, self.scope, trust=False) is not None:
            return expression
        return next((e.unalias() for e in select.expressions if e.alias.lower() == name), expression)


def _is_of_answer(node: exp.Expr) -> bool:
    return is_aggregate(node) or isinstance(node, GROUPINGS)


def _joined(parts: Sequence[tuple[Key, ...]]) -> tuple[Key, ...]:
    return tuple(dict.fromkeys(key for part in parts for key in part))

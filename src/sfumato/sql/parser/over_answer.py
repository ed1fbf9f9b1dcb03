"""A SELECT over the answer of another one, without aggregates of its own, as one SELECT: its WHERE becomes a HAVING.

`WITH m AS (SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward) SELECT ward FROM m WHERE n > 20` asks what
`SELECT ward FROM stays GROUP BY ward HAVING COUNT(*) > 20` asks. It reads nothing but the noisy answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from sfumato.model.schema import Schema

_OF_OTHERS = ("group", "having", "distinct", "qualify", "joins", "laterals", "windows", "sample", "pivots")
_AT_THE_END = ("order", "limit", "offset")


def one_select(select: exp.Select, schema: Schema) -> exp.Select:
    """The same question as one SELECT, where it is asked in two; else as it is."""
    inner = _answered(select, schema)
    return select if inner is None else _merged(select, inner, schema)


def _answered(select: exp.Select, schema: Schema) -> exp.Select | None:
    """The SELECT of aggregates whose answer this one reads, if it does nothing else."""
    if any(select.args.get(clause) for clause in _OF_OTHERS) or _aggregates(select):
        return None
    inner = _read_by(select)
    inner = None if inner is None else one_select(inner, schema)
    if inner is None or not (inner.args.get("group") or _aggregates(inner)):
        return None
    if any(e.find(exp.Window) for e in inner.expressions):
        return None
    ends = any(inner.args.get(clause) for clause in ("limit", "offset"))
    sums = any(e.find(exp.Window) for e in select.expressions)  # over what LIMIT leaves
    if ends and (sums or any(select.args.get(clause) for clause in ("where", *_AT_THE_END))):
        return None
    group = inner.args.get("group")
    people = (schema.unit.column or "").lower()
    keys = [] if group is None else [k.name.lower() for k in group.expressions if isinstance(k, exp.Column)]
    people_columns = [
        e for e in inner.expressions if isinstance(e.unalias(), exp.Column) and e.unalias().name.lower() == people
    ]
    is_named = all(e.alias_or_name or isinstance(e, exp.Star) for e in inner.expressions)
    if people and (people in keys or people_columns):
        return None  # a row for each person
    return inner if is_named and not any(isinstance(e, exp.Star) for e in inner.expressions) else None


def _read_by(select: exp.Select) -> exp.Select | None:
    """The SELECT that one reads: a sub-select, or the last table of its WITH; with the tables that this may read."""
    from_, with_ = select.args.get("from_"), select.args.get("with_")
    read, tables = None if from_ is None else from_.this, [] if with_ is None else with_.expressions
    inner: exp.Expr | None = None
    if isinstance(read, exp.Subquery):
        inner = read.this
    elif isinstance(read, exp.Table) and tables and not read.args.get("db"):
        inner = tables[-1].this if tables[-1].alias.lower() == read.name.lower() else None
        tables = tables[:-1]
    if not isinstance(inner, exp.Select):
        return None
    inner = inner.copy()
    inside = inner.args["with_"].expressions if inner.args.get("with_") else []
    every = [*(table.copy() for table in tables), *inside]
    inner.set("with_", exp.With(expressions=every) if every else None)
    return inner


def _merged(select: exp.Select, inner: exp.Select, schema: Schema) -> exp.Select:
    named = {e.alias_or_name.lower(): e.unalias() for e in inner.expressions}
    merged = inner.copy()
    merged.set("expressions", _outputs(select, inner, named))
    group = inner.args.get("group")
    if group is not None:
        merged.set("group", _resolved_keys(group, inner, named, schema))
    conditions = [inner.args["having"].this] if inner.args.get("having") else []
    conditions += [select.args["where"].this] if select.args.get("where") else []
    if conditions:
        by_name = {**named, **_visible_names(merged, named)}
        wheres = [exp.Paren(this=_in_place(condition, by_name)) for condition in conditions]
        merged.set("having", exp.Having(this=exp.and_(*wheres, copy=False)))
    own = {e.alias.lower() for e in select.expressions if e.alias}
    if select.args.get("order"):
        merged.set("order", _in_place(select.args["order"], {k: v for k, v in named.items() if k not in own}))
    elif inner.args.get("order"):
        merged.set("order", _in_place(inner.args["order"], named))
    for clause in ("limit", "offset"):
        if select.args.get(clause):
            merged.set(clause, select.args[clause].copy())
    return merged


def _visible_names(merged: exp.Select, named: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    """Those names that the answer has, too: a HAVING may use them."""
    answer = {e.alias.lower(): e for e in merged.expressions if e.alias}
    same = {name: answer[name] for name, meant in named.items() if name in answer and answer[name].unalias() == meant}
    return {name: exp.column(output.alias, quoted=True) for name, output in same.items()}


def _outputs(select: exp.Select, inner: exp.Select, named: Mapping[str, exp.Expr]) -> list[exp.Expr]:
    outputs: list[exp.Expr] = []
    for expression in select.expressions:
        if isinstance(expression, exp.Star):
            outputs += [output.copy() for output in inner.expressions]
            continue
        whole = expression.unalias()
        if isinstance(whole, exp.Column) and whole.name.lower() in named:
            name = expression.alias or whole.name
            outputs.append(exp.alias_(named[whole.name.lower()].copy(), name, quoted=True))
            continue
        outputs.append(_in_place(expression, named))
    return outputs


def _resolved_keys(group: exp.Group, inner: exp.Select, named: Mapping[str, exp.Expr], schema: Schema) -> exp.Group:
    """What it groups by, without the positions and names of a SELECT that is no longer there."""
    if group.args.get("all"):
        plain = [e.unalias().copy() for e in inner.expressions if not _aggregates(e)]
        return exp.Group(expressions=plain)

    def resolved(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Literal) and node.is_int and 1 <= int(node.this) <= len(inner.expressions):
            output: exp.Expr = inner.expressions[int(node.this) - 1]
            return output.unalias().copy()
        if isinstance(node, exp.Column) and schema.column(node.name) is None and node.name.lower() in named:
            return named[node.name.lower()].copy()
        return node

    def within(key: exp.Expr) -> exp.Expr:
        """Inside ROLLUP and the like, a number is no position."""
        return key.transform(lambda node: resolved(node) if isinstance(node, exp.Column) else node)

    levels = (exp.Rollup, exp.Cube, exp.GroupingSets)
    keys = [within(key) if isinstance(key, levels) else resolved(key.copy()) for key in group.expressions]
    return exp.Group(expressions=keys)


def _in_place(tree: exp.Expr, named: Mapping[str, exp.Expr]) -> exp.Expr:
    """With what the names of the inner SELECT stand for."""

    def meant(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and node.name.lower() in named:
            meaning = named[node.name.lower()].copy()
            return meaning if isinstance(meaning, exp.Column | exp.Func) else exp.Paren(this=meaning)
        return node

    return tree.copy().transform(meant)


def _aggregates(node: exp.Expr) -> bool:
    """Whether it has an aggregate or a window of its own: not inside a sub-select."""
    parts = [node]
    if isinstance(node, exp.Select):
        parts = [*node.expressions, *(node.args[name] for name in ("where", *_AT_THE_END) if node.args.get(name))]
    kinds = (exp.AggFunc, exp.Window, exp.Filter, exp.WithinGroup, exp.Subquery, exp.Exists)
    return any(isinstance(inner, kinds) and not _is_of_sum(inner) for part in parts for inner in part.walk())


def _is_of_sum(node: exp.Expr) -> bool:
    """Whether it is of SUM(n) OVER (), a sum over the groups of the answer that is read."""
    window = node if isinstance(node, exp.Window) else node.parent
    if not isinstance(window, exp.Window) or not isinstance(window.this, exp.Sum):
        return False
    return node in (window, window.this) and isinstance(window.this.this, exp.Column)

"""Parameters: values that are given beside a query, and put into the tree that was read from its text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from sqlglot import exp

from sfumato.errors import QueryError

ParameterValue = bool | int | float | str | date
Parameters = Mapping[str, ParameterValue] | Sequence[ParameterValue]

_GIVE = "give a value for each parameter, and no others."


def fill(tree: exp.Expr, parameters: Parameters) -> exp.Expr:
    """The tree with a constant in place of each `?`, `$1`, `:name` and `$name`; every value must be used.

    >>> import sqlglot
    >>> tree = sqlglot.parse_one("SELECT COUNT(*) FROM stays WHERE days > $least AND ward = :ward", read="duckdb")
    >>> fill(tree, {"least": 3, "ward": "O'Hare"}).sql("duckdb")
    "SELECT COUNT(*) FROM stays WHERE days > 3 AND ward = 'O''Hare'"
    """
    values = _values(parameters)
    places = list(tree.find_all(exp.Placeholder, exp.Parameter, bfs=False))
    if any(not name for name in map(_name, places)) and tree.find(exp.With):
        raise QueryError("The order of ? is not clear in a query with WITH", hint="write $1, $2, or names.")
    if not places and not values:
        return tree
    used: set[str] = set()
    for name, place in zip(_numbered(places), places, strict=True):
        if name not in values:
            raise QueryError(f"The parameter {name} has no value", hint=_GIVE)
        used.add(name)
        place.replace(_constant(name, values[name]))
    unused = [name for name in values if name not in used]
    if unused:
        raise QueryError(f"The query has no parameter {unused[0]}", hint=_GIVE)
    return tree


def _values(parameters: Parameters) -> dict[str, ParameterValue]:
    if isinstance(parameters, Mapping):
        return {str(name): value for name, value in parameters.items()}
    if isinstance(parameters, str):
        raise QueryError("Parameters are a list of values, or values by name", hint="use a list or a dictionary.")
    return {str(i): value for i, value in enumerate(parameters, 1)}


def _numbered(places: Sequence[exp.Expr]) -> Iterator[str]:
    """The name of each; every ? is the next number."""
    position = 0
    for place in places:
        name = _name(place)
        position += not name
        yield name or str(position)


def _name(place: exp.Expr) -> str:
    inner = place.this
    return inner.name if isinstance(inner, exp.Expr) else str(inner or "")


def _constant(name: str, value: object) -> exp.Expr:
    """A constant as the text of a query has it: no value is ever put into that text."""
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, date):
        return exp.Cast(this=exp.Literal.string(value.isoformat()), to=exp.DataType.build("DATE"))
    if not isinstance(value, int | float) or not math.isfinite(value):
        hint = "use a text, a finite number, true or false, or a date."
        raise QueryError(f"The value of the parameter {name} is not supported", hint=hint)
    literal = exp.Literal.number(repr(abs(value)))
    return exp.Neg(this=literal) if value < 0 else literal

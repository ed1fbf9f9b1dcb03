"""A schema file (TOML) -> Schema. Whatever is wrong in it is said with its place."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from sfumato.errors import SchemaError
from sfumato.model.dataset import Bounds, Category, Column, Relation, Schema, Type

_TABLE = ("name", "unit", "max_rows", "relation", "null_values", "people_at_least", "rule", "columns")
_COLUMN = ("type", "bounds", "categories", "step", "keys")
_LARGEST_WHOLE = 2**62
_LARGEST, _CLOSEST = 1e100, 1e-100  # beyond, squares of numbers leave what a float can hold


def load(path: str | Path) -> Schema:
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeError:
        raise SchemaError(f"{path} is not UTF-8 text", hint="save it as UTF-8.") from None
    except (OSError, ValueError):
        raise SchemaError(
            f"There is no schema file {path}", hint="draft one with `sfumato schema draft DATA`."
        ) from None
    try:
        return from_dict(tomllib.loads(text), origin=file.name)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"{file.name} is not TOML: {error}") from None
    except ValueError:
        raise SchemaError(f"{file.name} is not TOML: a number is too long") from None
    except RecursionError:
        raise SchemaError(f"{file.name} is not TOML: it is nested too deeply") from None


def from_dict(stated: Mapping[str, Any], origin: str = "the schema") -> Schema:
    """The same from a mapping, for those who state their schema in Python."""
    return _Reader(origin).schema(stated)


class _Reader:
    def __init__(self, origin: str) -> None:
        self.origin = origin

    def schema(self, stated: Mapping[str, Any]) -> Schema:
        self.only(stated, _TABLE, "")
        name = stated.get("name")
        if not isinstance(name, str) or not name:
            self.wrong("The table has no name", hint='add name = "adult", the name that SQL uses.')
        if any(n.lower().startswith("sfumato ") for n in (name, *stated.get("columns", ()))):
            self.wrong("Names that start with 'sfumato ' are ours", hint="rename it.")
        if stated.get("unit", "row") != "row" or stated.get("max_rows", 1) != 1:
            self.wrong('Only unit = "row" is answered: one row is one person', where="unit")
        if stated.get("relation", "add-remove") != "add-remove":
            self.wrong('Only relation = "add-remove" is answered', where="relation")
        columns = stated.get("columns", {})
        if not isinstance(columns, Mapping):
            self.wrong("Columns are stated as [columns.NAME] tables", where="columns")
        read = tuple(self.column(column, facts) for column, facts in columns.items())
        if len({c.name.lower() for c in read}) < len(read):
            self.wrong("Two columns differ only in upper and lower case", where="columns")
        return Schema(
            name=name,
            columns=read,
            relation=Relation.ADD_REMOVE,
            null_values=self.texts(stated.get("null_values", []), "null_values"),
            people_at_least=self.people(stated.get("people_at_least")),
            rule=self.rule(stated.get("rule")),
            origin=self.origin,
        )

    def column(self, name: str, stated: Any) -> Column:
        where = f"[columns.{name}]"
        if not isinstance(stated, Mapping):
            self.wrong(f"Column '{name}' is not a table", hint=f"write {where} on a line of its own.")
        self.only(stated, _COLUMN, where)
        if "keys" in stated:
            self.wrong("Private keys are not answered", hint="list the public categories.", where=where)
        categories = self.categories(stated["categories"], where) if "categories" in stated else None
        type_ = self.type(stated.get("type", _type_of(categories)), where)
        if categories is not None and any(_type_of((c,)) != type_ for c in categories):
            self.wrong(f"Categories must be of type {type_}", where=where)
        bounds = self.bounds(stated["bounds"], type_, where) if "bounds" in stated else None
        return Column(name, type_, bounds, categories)

    def type(self, stated: Any, where: str) -> Type:
        try:
            return Type(stated)
        except ValueError:
            self.wrong(f"There is no type {stated!r}", hint=f"use one of {', '.join(Type)}.", where=where)

    def bounds(self, stated: Any, type_: Type, where: str) -> Bounds:
        if not type_.numeric:
            self.wrong(f"Bounds are for numbers, and this column is {type_}", where=where)
        if not isinstance(stated, list | tuple) or len(stated) != 2 or not all(map(_is_number, stated)):
            self.wrong("Bounds are two numbers", hint="write bounds = [lowest, highest].", where=where)
        if not all(abs(bound) <= _LARGEST for bound in stated):
            self.wrong("Bounds must be finite", hint="state the lowest and highest value that can occur.", where=where)
        if type_ is Type.INTEGER and any(b != int(b) or abs(b) > _LARGEST_WHOLE for b in stated):
            self.wrong("Bounds of an integer column are whole numbers below 2^62", where=where)
        lower, upper = (Fraction(str(bound)) for bound in stated)
        if upper - lower < _CLOSEST and lower < upper:
            self.wrong("The bounds are too close together", hint="state them in a smaller unit.", where=where)
        if lower >= upper:
            self.wrong("The lower bound must be below the upper", hint="write bounds = [lowest, highest].", where=where)
        return Bounds(lower, upper)

    def categories(self, stated: Any, where: str) -> tuple[Category, ...]:
        if not isinstance(stated, list) or not stated or not all(isinstance(c, str | int) for c in stated):
            self.wrong("Categories are a list of texts or whole numbers", where=where)
        if len(set(stated)) < len(stated):
            self.wrong("A category is listed twice", where=where)
        return tuple(stated)

    def texts(self, stated: Any, where: str) -> tuple[str, ...]:
        if not isinstance(stated, list) or not all(isinstance(text, str) for text in stated):
            self.wrong("A list of texts is needed", hint='write null_values = ["?"].', where=where)
        return tuple(stated)

    def people(self, stated: Any) -> Any:
        if stated is not None and (isinstance(stated, bool) or not isinstance(stated, int) or stated < 0):
            self.wrong("people_at_least is a whole number", where="people_at_least")
        return stated

    def rule(self, stated: Any) -> Any:
        if stated is not None and not isinstance(stated, Mapping):
            self.wrong("[rule] is a table", hint="write [rule], then gap = 1.2 and worst_case = true.", where="rule")
        return stated

    def only(self, stated: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
        for name in stated:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"did you mean '{close[0]}'?" if close else f"it knows {', '.join(known)}."
                self.wrong(f"The schema does not know '{name}'", hint=hint, where=where)

    def wrong(self, message: str, *, hint: str = "", where: str = "") -> NoReturn:
        raise SchemaError(message, hint=hint, where=f"{where} in {self.origin}" if where else self.origin)


def _type_of(categories: tuple[Category, ...] | None) -> str:
    kinds = {type(c) for c in categories or ()}
    return {bool: "boolean", int: "integer"}.get(kinds.pop(), "text") if len(kinds) == 1 else "text"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

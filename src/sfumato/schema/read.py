"""A schema file (TOML, or SmartNoise's YAML) -> Schema. Whatever is wrong in it is said with its place."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn, TypeGuard

from sfumato.errors import PreferenceError, SchemaError
from sfumato.model.budget import MOST_DELTA, MOST_EPSILON, BudgetLimit, limit
from sfumato.model.schema import (
    MOST_LISTED,
    Bounds,
    Category,
    Format,
    PrivacyUnit,
    Relation,
    Schema,
    SchemaColumn,
    Type,
)
from sfumato.schema import smartnoise
from sfumato.schema.write import key, text

_BUDGETS = {"budget": MOST_EPSILON, "budget_delta": MOST_DELTA}
_TABLE = (
    *("name", "population", "looked", "unit", "max_rows", "max_groups", "relation", "null_values", "people_at_least"),
    *(*_BUDGETS, "rule", "columns"),
)
_COLUMN = ("type", "format", "bounds", "categories", "step", "keys")
_KEYED = (Type.TEXT, Type.INTEGER, Type.BOOLEAN)  # what categories are written as
_YAML = (".yaml", ".yml")
_BOUNDS = ("max_rows", "max_groups")  # on what one person contributes
_MOST_ROWS = 10**9
_LONGEST_NAME = 200
_LARGEST_WHOLE = 2**62
_POPULATION = (
    "must be a name of at most 200 characters",
    'write population = "patients", the same in each schema about these people.',
)
_LOOKED = (
    "must be text that says who saw values of the data, and when",
    'keep the line as `sfumato schema draft --values` wrote it: looked = "who, when".',
)
_LARGEST, _CLOSEST = 1e100, 1e-100  # beyond, squares of numbers leave what a float can hold


def load(path: str | Path) -> Schema:
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeError:
        raise SchemaError(f"{path} is not UTF-8 text", hint="save it as UTF-8.") from None
    except (OSError, ValueError):
        hint = "draft one with `sfumato schema draft DATA`."
        raise SchemaError(f"There is no schema file {path}", hint=hint) from None
    read = _smartnoise if file.suffix.lower() in _YAML else _toml
    return read(text, file.name)


def parse_schema(text: str, origin: str = "the schema") -> Schema:
    """A schema from the text of a TOML file."""
    return _toml(text, origin)


def from_dict(mapping: Mapping[str, Any], origin: str = "the schema") -> Schema:
    """A schema from a mapping."""
    return _SchemaReader(origin).schema(mapping)


def _toml(text: str, origin: str) -> Schema:
    try:
        mapping = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(f"{origin} is not valid TOML: {error}") from None
    except ValueError:
        raise SchemaError(f"{origin} is not valid TOML: a number is too long") from None
    except RecursionError:
        raise SchemaError(f"{origin} is not valid TOML: it is nested too deeply") from None
    return from_dict(mapping, origin)


def _smartnoise(text: str, origin: str) -> Schema:
    mapping = smartnoise.schema_mapping(text, origin)
    try:
        return from_dict(mapping, origin)
    except SchemaError as wrong:  # its hint would say how TOML is written
        raise SchemaError(wrong.message, where=wrong.where) from None


class _SchemaReader:
    def __init__(self, origin: str) -> None:
        self.origin = origin

    def schema(self, mapping: Mapping[str, Any]) -> Schema:
        self.only(mapping, _TABLE, "")
        name = mapping.get("name")
        if not isinstance(name, str) or not name:
            self.wrong("The schema has no name", 'add name = "adult", the name that SQL uses.')
        self.ours(name)
        columns = self.columns(mapping.get("columns", {}))
        return Schema(
            name=name,
            columns=columns,
            unit=self.unit(mapping, columns),
            relation=self.relation(mapping.get("relation", Relation.ADD_REMOVE)),
            null_values=self.texts(mapping.get("null_values", []), "null_values"),
            people_at_least=self.people(mapping.get("people_at_least")),
            rule=self.rule(mapping.get("rule")),
            origin=self.origin,
            budget=BudgetLimit(*(self.budget(mapping, name) for name in _BUDGETS)),
            population=self.line(mapping, "population", *_POPULATION),
            looked=self.line(mapping, "looked", *_LOOKED),
        )

    def line(self, mapping: Mapping[str, Any], name: str, message: str, hint: str) -> str:
        """One line of text; the empty one where nothing is stated."""
        value = mapping.get(name, "")
        if not isinstance(value, str) or len(value) > _LONGEST_NAME:
            self.wrong(f"{name} {message}", hint, name)
        return " ".join(value.split())

    def columns(self, tables: Any) -> tuple[SchemaColumn, ...]:
        if not isinstance(tables, Mapping):
            self.wrong("columns must be [columns.NAME] tables", "write [columns.age] and its keys below it.", "columns")
        if not all(isinstance(name, str) and name for name in tables):
            self.wrong("A column has no name", "name it as in the data.", "columns")
        for name in tables:
            self.ours(name)
        read = tuple(self.column(name, facts) for name, facts in tables.items())
        if len({c.name.lower() for c in read}) < len(read):
            self.wrong("Two columns differ only in upper and lower case", "remove one of them.", "columns")
        return read

    def ours(self, name: str) -> None:
        if name.lower().startswith("sfumato "):
            self.wrong("Names that begin with 'sfumato ' are reserved", "rename it.")

    def unit(self, mapping: Mapping[str, Any], columns: tuple[SchemaColumn, ...]) -> PrivacyUnit:
        named, bounds = mapping.get("unit", "row"), {name: mapping[name] for name in _BOUNDS if name in mapping}
        for name, most in bounds.items():
            if not _is_whole(most) or not 1 <= most <= _MOST_ROWS:
                self.wrong(f"{name} must be a whole number from 1 to {_MOST_ROWS:,}", f"write {name} = 10.", name)
        if named == "row":
            for name, most in bounds.items():
                if most > 1:
                    hint = f'name the column of people as unit = "COLUMN", or leave {name} out.'
                    self.wrong(
                        f"{name} applies to people with several rows, and here each row is one person", hint, name
                    )
            return PrivacyUnit()
        if not isinstance(named, str) or named.lower() in ("", "row"):
            self.wrong('unit must be "row" or the column that identifies a person', 'write unit = "row".', "unit")
        column = next((c for c in columns if c.name.lower() == named.lower()), None)
        if column is None:
            hint = f"add [columns.{key(named)}] with its type."
            self.wrong(f"unit names a column '{named}' that the schema does not describe", hint, "unit")
        if column.type is Type.NUMBER:
            hint = f'write type = "text" or "integer" under [columns.{key(column.name)}].'
            self.wrong("A column of numbers with fractions cannot identify people", hint, "unit")
        if "max_rows" not in bounds:
            self.wrong(
                f"The schema does not limit how many rows of one {column.name} count",
                "add max_rows = 10, or the number of rows that most people have; of more rows that many are sampled.",
                "max_rows",
            )
        return PrivacyUnit(column.name, bounds["max_rows"], bounds.get("max_groups"))

    def relation(self, value: Any) -> Relation:
        try:
            return Relation(value)
        except ValueError:
            hint = f"use {Relation.ADD_REMOVE} or {Relation.REPLACE}."
            self.wrong(f"There is no relation {value!r}", hint, "relation")

    def column(self, name: str, mapping: Any) -> SchemaColumn:
        where = f"[columns.{key(name)}]"
        if not isinstance(mapping, Mapping):
            self.wrong(f"Column '{name}' must be a table", f"write {where} on a line of its own.")
        self.only(mapping, _COLUMN, where)
        categories = self.categories(mapping["categories"], where) if "categories" in mapping else None
        type_ = self.type(mapping.get("type", _type_of(categories)), where)
        if categories is not None and any(_type_of((c,)) != type_ for c in categories):
            hint = "" if type_ in _KEYED else 'write type = "text" to group by it.'
            self.wrong(f"Categories must be of type {type_}", hint, where)
        bounds = self.bounds(mapping["bounds"], type_, where) if "bounds" in mapping else None
        step = self.step(mapping["step"], type_, bounds, where) if "step" in mapping else None
        private = "keys" in mapping and self.private(mapping["keys"], type_, categories, where)
        format_ = self.format(mapping["format"], type_, where) if "format" in mapping else None
        return SchemaColumn(name, type_, bounds, categories, step, private, format_)

    def type(self, value: Any, where: str) -> Type:
        try:
            return Type(value)
        except ValueError:
            self.wrong(f"There is no type {value!r}", f"use one of {', '.join(Type)}.", where)

    def format(self, value: Any, type_: Type, where: str) -> Format:
        fitting = [format_ for format_ in Format if format_.fits(type_)]
        if value not in fitting:
            quoted = ", ".join(map(text, fitting))
            hint = f"use one of {quoted}." if fitting else "leave it out."
            self.wrong(f"There is no format {value!r} for a column of type {type_}", hint=hint, where=where)
        return Format(value)

    def bounds(self, pair: Any, type_: Type, where: str) -> Bounds:
        if not type_.numeric:
            self.wrong(f"Bounds need a column of numbers, and this one is {type_}", "leave bounds out.", where)
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(map(_is_number, pair)):
            self.wrong("Bounds must be two numbers", "write bounds = [lowest, highest].", where)
        if not all(abs(bound) <= _LARGEST for bound in pair):
            self.wrong("Bounds must be finite", "state the lowest and highest value that can occur.", where)
        if type_ is Type.INTEGER and any(b != int(b) or abs(b) > _LARGEST_WHOLE for b in pair):
            self.wrong("Bounds of integers must be whole numbers below 2^62", "write bounds = [0, 100].", where)
        lower, upper = (Fraction(str(bound)) for bound in pair)
        if upper - lower < _CLOSEST and lower < upper:
            self.wrong("The bounds are too close together", "use a smaller unit.", where)
        if lower >= upper:
            self.wrong("The lower bound must be below the upper", "write bounds = [lowest, highest].", where)
        return Bounds(lower, upper)

    def step(self, value: Any, type_: Type, bounds: Bounds | None, where: str) -> Fraction:
        if not type_.numeric:
            self.wrong(f"A step needs a column of numbers, and this one is {type_}", "leave step out.", where)
        if not _is_number(value) or not _CLOSEST <= value <= 2 * _LARGEST:
            self.wrong("A step must be a positive number", "write step = 1.", where)
        if bounds is None:
            self.wrong("A step needs bounds", "add bounds = [lowest, highest].", where)
        step = Fraction(str(value))
        if step > bounds.upper - bounds.lower:
            self.wrong("The step is wider than the bounds", "choose a smaller one.", where)
        return step

    def private(self, value: Any, type_: Type, categories: tuple[Category, ...] | None, where: str) -> bool:
        if value != "private":
            hint = 'write keys = "private", or list the public ones as categories.'
            self.wrong('keys must be "private"', hint, where)
        if type_ is Type.BOOLEAN:
            self.wrong("The keys of a boolean column are public (false and true)", "leave keys out.", where)
        if type_ not in (Type.TEXT, Type.INTEGER):
            hint = 'write type = "text" to group by it.'
            self.wrong(f"Private keys must be texts or whole numbers, and this column is {type_}", hint, where)
        if categories is not None:
            hint = "keep one of the two."
            self.wrong("The column has both public categories and private keys", hint, where)
        return True

    def categories(self, values: Any, where: str) -> tuple[Category, ...]:
        if isinstance(values, str):
            return self.code_range(values, where)
        if not isinstance(values, list) or not values or not all(isinstance(c, str | int) for c in values):
            self.wrong("Categories must be a list of texts or whole numbers", 'write categories = ["a", "b"].', where)
        if len(set(values)) < len(values):
            self.wrong("A category is listed twice", "remove one of them.", where)
        if any(_is_whole(c) and not -(2**63) <= c < 2**63 for c in values):
            self.wrong("A category is a whole number beyond 64 bits", "write it as text.", where)
        return tuple(values)

    def code_range(self, text: str, where: str) -> tuple[Category, ...]:
        """Whole numbers from the first to the last: "1..5"."""
        ends = re.fullmatch(r"\s*(-?[0-9]{1,18})\s*\.\.\s*(-?[0-9]{1,18})\s*", text)
        codes = range(int(ends[1]), int(ends[2]) + 1) if ends else range(0)
        if not 1 <= len(codes) <= MOST_LISTED:
            hint = f'write categories = "1..5" for the codes 1 to 5, at most {MOST_LISTED:,} of them.'
            self.wrong("Categories in one text are a range of whole numbers", hint=hint, where=where)
        return tuple(codes)

    def texts(self, values: Any, where: str) -> tuple[str, ...]:
        if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
            self.wrong("null_values must be a list of texts", 'write null_values = ["?"].', where)
        return tuple(values)

    def people(self, value: Any) -> Any:
        if value is not None and (not _is_whole(value) or value < 0):
            self.wrong("people_at_least must be a whole number", "write people_at_least = 1000.", "people_at_least")
        return value

    def budget(self, mapping: Mapping[str, Any], name: str) -> Fraction | None:
        try:
            return limit(name, mapping[name], _BUDGETS[name]) if name in mapping else None
        except PreferenceError as wrong:
            raise SchemaError.in_file(wrong, f"{name} in {self.origin}") from None

    def rule(self, value: Any) -> Any:
        if value is not None and not isinstance(value, Mapping):
            self.wrong("[rule] must be a table", "write [rule], then gap = 1.2 and worst_case = true.", "rule")
        return value

    def only(self, mapping: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
        for name in mapping:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"did you mean '{close[0]}'?" if close else f"use one of {', '.join(known)}."
                self.wrong(f"'{name}' is not a key of a schema here", hint, where)

    def wrong(self, message: str, hint: str = "", where: str = "") -> NoReturn:
        raise SchemaError(message, hint=hint, where=f"{where} in {self.origin}" if where else self.origin)


def _type_of(categories: tuple[Category, ...] | None) -> str:
    kinds = {type(c) for c in categories or ()}
    return {bool: "boolean", int: "integer"}.get(kinds.pop(), "text") if len(kinds) == 1 else "text"


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)

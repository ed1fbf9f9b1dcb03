"""A schema file (TOML, or SmartNoise's YAML) -> Schema. Whatever is wrong in it is said with its place."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn, TypeGuard

from sfumato.errors import PreferenceError, SchemaError
from sfumato.model.budget import MOST_DELTA, BudgetLimit, budget_of, limit
from sfumato.model.person_budget import DELTA_NAME, NAME, PersonBudget, person_budget
from sfumato.model.schema import (
    MOST_LISTED,
    Bounds,
    Category,
    DateBounds,
    Format,
    PrivacyUnit,
    Relation,
    Schema,
    SchemaColumn,
    TableSchema,
    Type,
)
from sfumato.schema import smartnoise
from sfumato.schema.read_tables import TablesReader, all_columns
from sfumato.schema.write import key, text

_TABLE = (
    *("name", "population", "looked", "unit", "max_rows", "max_groups", "relation", "null_values", "people_at_least"),
    *("rows_per_person", "versions", "partition", "budget", "budget_delta", NAME, DELTA_NAME, "rule", "columns"),
    "tables",
)
_COLUMN = ("type", "format", "bounds", "per_person", "categories", "step", "keys", "unit")
_KEYED = (Type.TEXT, Type.INTEGER, Type.BOOLEAN)  # what categories are written as
_YAML = (".yaml", ".yml")
_BOUNDS = ("max_rows", "max_groups")  # on what one person contributes
_MOST_ROWS = 10**9
_LONGEST_NAME = 200
_LONGEST_UNIT = 40
_LARGEST_WHOLE = 2**62
_POPULATION = (
    "must be a name of at most 200 characters",
    'write population = "patients", the same in each schema about these people.',
)
_LOOKED = (
    "must be text that says who saw values of the data, and when",
    'keep the line as `sfumato schema draft --values` wrote it: looked = "who, when".',
)
_SAME, _DISJOINT = "same people", "disjoint people"
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
        tables: tuple[TableSchema, ...] = ()
        if "tables" in mapping:
            reader = TablesReader(self)
            tables = reader.tables(mapping)
            mapping = reader.unit(mapping, tables)
        columns = all_columns(tables) if tables else self.columns(mapping.get("columns", {}))
        return Schema(
            name=name,
            columns=columns,
            unit=self.unit(mapping, columns),
            relation=self.relation(mapping.get("relation", Relation.ADD_REMOVE)),
            null_values=self.texts(mapping.get("null_values", []), "null_values"),
            people_at_least=self.people(mapping.get("people_at_least")),
            rows_per_person=self.own_rows(mapping, columns),
            rule=self.rule(mapping.get("rule")),
            origin=self.origin,
            budget=self.budget(mapping),
            per_person=self.budget_per_person(mapping),
            disjoint_versions=self.versions(mapping.get("versions", _SAME)),
            partition=self.partition(mapping.get("partition", ""), columns),
            population=self.line(mapping, "population", *_POPULATION),
            looked=self.line(mapping, "looked", *_LOOKED),
            tables=tables,
        )

    def line(self, mapping: Mapping[str, Any], name: str, message: str, hint: str) -> str:
        """One line of text; the empty one where nothing is stated."""
        value = mapping.get(name, "")
        if not isinstance(value, str) or len(value) > _LONGEST_NAME:
            self.wrong(f"{name} {message}", hint, name)
        return " ".join(value.split())

    def columns(self, tables: Any, section: str = "columns") -> tuple[SchemaColumn, ...]:
        if not isinstance(tables, Mapping):
            hint = f"write [{section}.age] and its keys below it."
            self.wrong(f"{section} must be [{section}.NAME] tables", hint, section)
        if not all(isinstance(name, str) and name for name in tables):
            self.wrong("A column has no name", "name it as in the data.", section)
        for name in tables:
            self.ours(name)
        read = tuple(self.column(name, facts, f"[{section}.{key(name)}]") for name, facts in tables.items())
        if len({c.name.lower() for c in read}) < len(read):
            self.wrong("Two columns differ only in upper and lower case", "remove one of them.", section)
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
        if column.type in (Type.NUMBER, Type.TIMESTAMP):
            what = "numbers with fractions" if column.type is Type.NUMBER else "timestamps"
            hint = f'write type = "text" or "integer" under [columns.{key(column.name)}].'
            self.wrong(f"A column of {what} cannot identify people", hint, "unit")
        if "max_rows" not in bounds:
            self.wrong(
                f"The schema does not limit how many rows of one {column.name} count",
                "add max_rows = 10, or the number of rows that most people have; of more rows that many are sampled.",
                "max_rows",
            )
        return PrivacyUnit(column.name, bounds["max_rows"], bounds.get("max_groups"))

    def own_rows(self, mapping: Mapping[str, Any], columns: tuple[SchemaColumn, ...]) -> int | None:
        """The most rows that a person's own COUNT counts; it and the bounds of sums need a column of people."""
        bounded = [f"[columns.{key(c.name)}]" for c in columns if c.per_person is not None]
        if mapping.get("unit", "row") == "row" and (bounded or "rows_per_person" in mapping):
            name = "per_person" if bounded else "rows_per_person"
            hint = f'name the column of people as unit = "COLUMN", or leave {name} out.'
            what = f"{name} applies to people with several rows, and here each row is one person"
            self.wrong(what, hint, bounded[0] if bounded else name)
        most = mapping.get("rows_per_person")
        if most is None:
            return None
        if not _is_whole(most) or not 1 <= most <= _MOST_ROWS:
            what = f"rows_per_person must be a whole number from 1 to {_MOST_ROWS:,}"
            self.wrong(what, "write rows_per_person = 10.", "rows_per_person")
        return int(most)

    def relation(self, value: Any) -> Relation:
        try:
            return Relation(value)
        except ValueError:
            hint = f"use {Relation.ADD_REMOVE} or {Relation.REPLACE}."
            self.wrong(f"There is no relation {value!r}", hint, "relation")

    def column(self, name: str, mapping: Any, where: str) -> SchemaColumn:
        if not isinstance(mapping, Mapping):
            self.wrong(f"Column '{name}' must be a table", f"write {where} on a line of its own.")
        self.only(mapping, _COLUMN, where)
        categories = self.categories(mapping["categories"], where) if "categories" in mapping else None
        type_ = self.type(mapping.get("type", _type_of(categories)), where)
        if categories is not None and any(_type_of((c,)) != type_ for c in categories):
            hint = "" if type_ in _KEYED else 'write type = "text" to group by it.'
            self.wrong(f"Categories must be of type {type_}", hint, where)
        pair = mapping.get("bounds")
        span = self.span(pair, type_, where) if pair is not None and type_.temporal else None
        bounds = self.bounds(pair, type_, where) if pair is not None and not type_.temporal else None
        step = self.step(mapping["step"], type_, bounds, where) if "step" in mapping else None
        private = "keys" in mapping and self.private(mapping["keys"], type_, categories, where)
        format_ = self.format(mapping["format"], type_, where) if "format" in mapping else None
        own = self.bounds(mapping["per_person"], type_, where) if "per_person" in mapping else None
        unit = self.unit_of_values(mapping["unit"], type_, where) if "unit" in mapping else ""
        return SchemaColumn(name, type_, bounds, categories, step, private, format_, own, span=span, unit=unit)

    def unit_of_values(self, value: Any, type_: Type, where: str) -> str:
        if not type_.numeric:
            self.wrong(f"A unit needs a column of numbers, and this one is {type_}", "leave unit out.", where)
        if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST_UNIT or not value.isprintable():
            what = f"A unit must be a text of at most {_LONGEST_UNIT} characters"
            self.wrong(what, 'write unit = "days".', where)
        return value.strip()

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
            self.wrong(
                f"Bounds need numbers, dates or timestamps, and this column is {type_}", "leave bounds out.", where
            )
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

    def span(self, pair: Any, type_: Type, where: str) -> DateBounds:
        example = "[2020-01-01, 2029-12-31]" if type_ is Type.DATE else "[2020-01-01T00:00:00, 2029-12-31T23:59:59]"
        hint = f"write bounds = {example}."
        ends = [_day_or_time(end, type_) for end in pair] if isinstance(pair, list | tuple) else []
        if len(ends) != 2 or ends[0] is None or ends[1] is None:
            self.wrong(f"Bounds of a {type_} must be two {type_}s", hint, where)
        if ends[0] >= ends[1]:
            self.wrong("The lower bound must be below the upper", hint, where)
        return DateBounds(ends[0], ends[1])

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

    def budget(self, mapping: Mapping[str, Any]) -> BudgetLimit:
        """A number or a table, and a delta of all releases together beside it."""
        name = "budget"
        try:
            budget = budget_of(mapping.get(name))
            name = "budget_delta"
            delta = limit(name, mapping[name], MOST_DELTA) if name in mapping else None
        except PreferenceError as wrong:
            raise SchemaError.in_file(wrong, f"{name} in {self.origin}") from None
        return budget.strictest(BudgetLimit(delta=delta))

    def budget_per_person(self, mapping: Mapping[str, Any]) -> PersonBudget | None:
        """The most that one person may lose while they are included; a delta allows Gaussian noise too."""
        if DELTA_NAME in mapping and NAME not in mapping:
            self.wrong(f"{DELTA_NAME} needs {NAME}", f"add {NAME} = 1, or leave {DELTA_NAME} out.", DELTA_NAME)
        try:
            return person_budget(mapping.get(NAME), mapping.get(DELTA_NAME))
        except PreferenceError as wrong:
            raise SchemaError.in_file(wrong, f"{NAME} in {self.origin}") from None

    def versions(self, value: Any) -> bool:
        if value not in (_SAME, _DISJOINT):
            self.wrong(
                f"versions must be {text(_SAME)} or {text(_DISJOINT)}",
                f"write versions = {text(_DISJOINT)} only if no person is in two cohorts of the data.",
                "versions",
            )
        return bool(value == _DISJOINT)

    def partition(self, named: Any, columns: tuple[SchemaColumn, ...]) -> str:
        """A column with public values: only a WHERE that names some of them is known to leave people out."""
        if named == "":
            return ""
        column = next((c for c in columns if isinstance(named, str) and c.name.lower() == named.lower()), None)
        if column is None:
            self.wrong("partition must name a column", 'write partition = "ward".', "partition")
        if column.keys is None or column.type not in _KEYED:
            hint = f"list its values: categories = [...] under [columns.{key(column.name)}]."
            self.wrong(f"The column '{column.name}' of the partition has no public values", hint, "partition")
        return column.name

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


def _day_or_time(value: object, type_: Type) -> date | None:
    """A day, or a time in UTC, as TOML has it or as text; None for anything else."""
    try:
        read = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return None
    if isinstance(read, datetime):
        read = read.astimezone(UTC).replace(tzinfo=None) if read.tzinfo is not None else read
        is_day = read.time() == time()
        return read if type_ is Type.TIMESTAMP else read.date() if is_day else None
    if isinstance(read, date):
        return datetime.combine(read, time()) if type_ is Type.TIMESTAMP else read
    return None


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)

"""SmartNoise SQL's metadata (YAML) -> what a schema file would state.

SmartNoise takes a curator's word that a limit holds already (clamp_columns, sample_max_ids, nullable, sensitivity).
Here every limit is enforced, whatever the word: where it is true, that changes nothing. What would give other answers
than SmartNoise's without anyone noticing is refused. Its format: https://docs.smartnoise.org/sql/metadata.html
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from sfumato.errors import SchemaError

_TYPES = {"int": "integer", "float": "number", "string": "text", "boolean": "boolean", "datetime": "date"}
_FLAGS = ("row_privacy", "sample_max_ids", "censor_dims", "clamp_counts", "clamp_columns", "use_dpsu")
_TABLE = (*_FLAGS, "max_ids", "rows", "rows_exact", "rowcount")
_COLUMN_FLAGS = ("private_id", "nullable", "bounded")
_COLUMN = ("type", "name", "lower", "upper", "missing_value", "sensitivity", "cardinality", *_COLUMN_FLAGS)
_LEVELS = 3  # database, schema, table
_QUOTES = {'"': '"', "`": "`", "[": "]"}  # names may stand as SQL would quote them
_SHAPE = "write it as SmartNoise SQL's metadata: database, schema, table, columns."
# What PyYAML raises for values that are not what their tag says.
_UNREADABLE = (ValueError, OverflowError, LookupError, AttributeError, TypeError)


def schema_mapping(text: str, origin: str) -> dict[str, Any]:
    """The one table that the file describes, in the words of a schema file."""
    tables = list(_tables(_parse(text, origin), _LEVELS))
    if not tables:
        raise SchemaError(f"{origin} describes no table", hint=_SHAPE)
    if len(tables) > 1:
        names = ", ".join(str(name) for name, _ in tables)
        hint = "keep only the table that you query in the file."
        raise SchemaError(f"{origin} describes {len(tables)} tables: {names}", hint=hint)
    name, table = tables[0]
    return _MetadataReader(origin).table(name, table)


def _parse(text: str, origin: str) -> object:
    try:
        import yaml
    except ImportError:
        hint = "install it with `pip install 'sfumato[yaml]'`, or write the schema in TOML."
        raise SchemaError("Reading YAML needs the package PyYAML", hint=hint, where=origin) from None

    class Loader(yaml.SafeLoader):
        """Plain values only, and no name twice: of two limits PyYAML would keep the last without a word."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            names = Counter(name.value for name, _ in node.value if isinstance(name, yaml.ScalarNode))
            for name, count in names.items():
                if count > 1:
                    raise yaml.MarkedYAMLError(problem=f"'{name}' occurs twice", problem_mark=node.start_mark)
            return super().construct_mapping(node, deep=deep)

    try:
        return yaml.load(text, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f" (at line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise SchemaError(f"{origin} is not valid YAML: {error.problem}{place}") from None
    except yaml.YAMLError:
        raise SchemaError(f"{origin} is not valid YAML: it has a character that YAML does not allow") from None
    except RecursionError:
        raise SchemaError(f"{origin} is not valid YAML: it is nested too deeply") from None
    except _UNREADABLE:
        raise SchemaError(f"{origin} is not valid YAML: a value does not have the form of its type") from None


def _tables(node: object, levels: int) -> Iterator[tuple[object, Mapping[Any, Any]]]:
    """Every table below, by its name; databases and schemas above it are optional, as SmartNoise has had it."""
    if not isinstance(node, Mapping) or not levels:
        return
    for name, below in node.items():
        if isinstance(below, Mapping) and _is_table(below):
            yield name, below
        else:
            yield from _tables(below, levels - 1)


def _is_table(node: Mapping[Any, Any]) -> bool:
    return any(
        "type" in value and not isinstance(value["type"], Mapping) if isinstance(value, Mapping) else name in _TABLE
        for name, value in node.items()
    )


class _MetadataReader:
    def __init__(self, origin: str) -> None:
        self.origin = origin

    def table(self, name: object, mapping: Mapping[Any, Any]) -> dict[str, Any]:
        table = self.name(name)
        options = {n: value for n, value in mapping.items() if n in _TABLE and not isinstance(value, Mapping)}
        described = {self.name(n): self.facts(n, value) for n, value in mapping.items() if n not in options}
        if len(described) + len(options) < len(mapping):
            self.wrong("Two columns have the same name", "rename one of them.", table)
        for flag in _FLAGS:
            self.flag(options, flag, table)
        named = [column for column, facts in described.items() if facts.get("private_id", False)]
        unit = self.unit(table, self.flag(options, "row_privacy", table), named)
        max_rows = self.number(options.get("max_ids", 1), "max_ids", table)
        if unit == "row" and max_rows != 1:
            self.wrong("With row_privacy each row is one person, so max_ids must be 1", "leave max_ids out.", table)
        columns = {n: self.column(n, facts) for n, facts in described.items() if facts["type"] != "unknown"}
        for facts in (facts for column, facts in columns.items() if column not in named):
            if facts["type"] == "text" or facts == {"type": "integer"}:
                facts["keys"] = "private"  # what SmartNoise may group by, without the keys that are rare
        return {"name": table, "unit": unit, "max_rows": max_rows, "columns": columns}

    def unit(self, table: str, by_row: bool, named: list[str]) -> str:
        if by_row and named:
            message = f"row_privacy makes each row a person, and private_id makes '{named[0]}' identify people"
            self.wrong(message, "keep one of the two.", table)
        if len(named) > 1:
            message = f"People are identified by {len(named)} columns together: {', '.join(named)}"
            self.wrong(message, "combine them into one column, and set private_id there.", table)
        if not by_row and not named:
            hint = "set private_id: True on the column that identifies people, or row_privacy: True if each row is one."
            self.wrong("No privacy unit is stated", hint, table)
        if named and named[0].lower() == "row":
            self.wrong("A column called 'row' cannot identify people here", "rename it.", table)
        return named[0] if named else "row"

    def facts(self, name: object, mapping: object) -> Mapping[Any, Any]:
        """What is said about a column, after its words were checked."""
        where = self.name(name)
        if mapping is not None and not isinstance(mapping, Mapping):
            self.unknown(name, _TABLE, "")
        facts = mapping or {}
        for word in facts:
            if word not in _COLUMN:
                self.unknown(word, _COLUMN, where)
        for flag in _COLUMN_FLAGS:
            self.flag(facts, flag, where)
        if facts.get("type") not in (*_TYPES, "unknown"):
            message = f"There is no type {facts['type']!r}" if "type" in facts else "The column has no type"
            self.wrong(message, f"use one of {', '.join(_TYPES)}.", where)
        if facts.get("missing_value") is not None:
            hint = "remove it, and replace missing values in the query with COALESCE."
            self.wrong("missing_value is not supported", hint, where)
        return facts

    def column(self, name: str, facts: Mapping[Any, Any]) -> dict[str, Any]:
        column: dict[str, Any] = {"type": _TYPES[facts["type"]]}
        if ("lower" in facts) != ("upper" in facts):
            self.wrong("Only one of lower and upper is stated", "state both.", name)
        if "lower" in facts:
            column["bounds"] = [self.number(facts[bound], bound, name) for bound in ("lower", "upper")]
        return column

    def name(self, value: object) -> str:
        if not isinstance(value, str):
            self.wrong(f"YAML does not read the name {value} as text", "put it in quotes.")
        closing = _QUOTES.get(value[:1])
        if closing is None or len(value) < 3 or not value.endswith(closing):
            return value
        return value[1:-1].replace(closing * 2, closing)

    def flag(self, mapping: Mapping[Any, Any], flag: str, where: str) -> bool:
        flag_value = mapping.get(flag, False)
        if not isinstance(flag_value, bool):
            self.wrong(f"{flag} must be True or False, not {flag_value!r}", f"write {flag}: True.", where)
        return flag_value

    def number(self, value: object, what: str, where: str) -> int | float:
        """A number; YAML reads 1e5, which has no point, as a text."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        try:
            return float(value) if isinstance(value, str) else self.wrong(f"{what} is a number", where=where)
        except ValueError:
            self.wrong(f"{what} is a number", where=where)

    def unknown(self, word: object, known: tuple[str, ...], where: str) -> NoReturn:
        close = difflib.get_close_matches(str(word), known, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"use one of {', '.join(known)}."
        self.wrong(f"'{word}' is not a key of SmartNoise metadata", hint, where)

    def wrong(self, message: str, hint: str = "", where: str = "") -> NoReturn:
        raise SchemaError(message, hint=hint, where=f"{where} in {self.origin}" if where else self.origin)

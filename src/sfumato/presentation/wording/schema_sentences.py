"""Schemas in sentences."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence

from sfumato.model.data_quality import DataQuality
from sfumato.model.schema import Bounds, Relation, Schema, SchemaColumn, TableSchema, Type, Uniqueness
from sfumato.presentation.wording.guarantee import rows_that_count

STATED_BY_A_PERSON = (
    "Bounds and categories are public facts that every analyst can read. State them from the codebook and "
    "from what is possible, never by measuring this file: the guarantee holds only if they would be the same "
    "without any one person."
)
NOT_DESCRIBED = (
    "A column that is not described cannot be summed or grouped by. If it is in the file, it can still be "
    "counted and used in conditions, unless the policy lists the columns that may be used."
)
AFTER_LOOK = (
    "The data of this dataset was looked at. A schema that is changed now is changed after a look: releases "
    "that use the change have no guarantee, unless it was preregistered."
)
CHECK_IS_ENTERED = (
    "The check is logged in the ledger with your name before anything is shown. What the policy in force "
    "decides by itself keeps its guarantee. What a person states or decides after the check does not."
)
CHECK_WITHOUT_POLICY = (
    "No policy is in force. Releases under a policy that is signed after this check have no guarantee."
)
CHECK_COSTS: Mapping[str, str] = {
    "by a controller": (
        "Under the policy in force a controller decides each request. An approval after this check has no "
        "guarantee unless it was preregistered, and is refused if the policy requires a guarantee."
    ),
    "automatic": (
        "Under the policy in force requests are decided by the policy itself, and keep their guarantee after this"
        " check. Another policy, another schema or an approval by a person would not."
    ),
    "after the answer": "Under the policy in force releases have no guarantee already.",
}
NULL_VALUES = "Texts that mean a missing value, such as ? or NA, separated by commas. They hold for every column."
USES = {  # of a column, in the form that registers a table
    "sum": "Sum, average",
    "group": "Group by",
    "both": "Sum and group by",
    "span": "Group by day, month or year",
    "condition": "Conditions only",
    "unused": "Not in the schema",
    "identifies": "Identifies a person",
}
COLUMN_STATES = {
    "ready": "Ready",
    "condition": "Counts and conditions",
    "unbounded": "No sums: no bounds",
    "unused": "Not described",
    "bounds": "Set the bounds: needed for sums",
    "span": "Set the first and the last",
    "day": "Write days as 2025-12-31",
    "low": "Set the lowest",
    "high": "Set the highest",
    "order": "Lowest must be below highest",
    "whole": "Bounds must be whole numbers",
    "keys": "List the keys, or write private",
    "many": "List the keys: too many values",
    "numbers": "Keys must be whole numbers",
}
COLUMNS_NEED = "A column needs bounds before it can be summed, and keys before it can be a group."
PEOPLE_AT_LEAST = (
    "The minimum number of people in the data, if it is public knowledge. Dry runs and rehearsals use this "
    "many synthetic rows, and a private selection relies on it."
)
PRIVATE_KEYS = (
    "Groups that are not public ({}) need a delta: the policy needs a budget for delta, and each request "
    "states one, such as 1e-9. Groups with few people are hidden."
)
ROW = "Each row is one person."
TWICE = "Can the same person have several rows? Then choose the other option."
SEVERAL_ROWS = (
    "A person may have several rows: a column identifies the person, and a limited number of their rows count."
)
RELATIONS: Mapping[Relation, str] = {
    Relation.ADD_REMOVE: (
        "Neighbouring tables differ by one person who is added or removed: whether a person is included is protected."
    ),
    Relation.REPLACE: (
        "Neighbouring tables differ by one person who is replaced by another: the values of a person are "
        "protected, not the number of people."
    ),
}
CHECK_READ = "counts are rounded, and a negative count is 0"
CHECK_NOISE = "The counts are noisy, and the size of the noise is withheld."
CHECK_OFF = "Each count is within ±{:,} of the truth with 90% probability."
PEOPLE_ABOVE = "About {:,} people have more rows than max_rows, {:,}; a sample of their rows counts."
UNANSWERED = (
    "Input ended before every question was answered. Types are guesses there, and the rest is not stated. Complete this"
    " file in an editor, and remove these lines. The open questions:"
)
_PLURALS: Mapping[Type, str] = {
    Type.INTEGER: "whole numbers",
    Type.NUMBER: "numbers",
    Type.TEXT: "texts",
    Type.BOOLEAN: "true or false",
    Type.DATE: "dates",
    Type.TIMESTAMP: "timestamps",
}
_MOST_LISTED = 12


def askable(schema: Schema) -> list[str]:
    """What can be queried, and what cannot."""
    others = [column for column in schema.columns if column.name != schema.unit.column]
    added = [column.name for column in others if column.type.numeric and column.bounds is not None]
    grouped = [column.name for column in others if column.keys is not None or column.private_keys]
    private = [column.name for column in others if column.private_keys]
    nothing = "none (no number has bounds)" if not added else ", ".join(added)
    sentences = [f"Rows can be counted. Columns for sums and averages: {nothing}."]
    sentences.append(f"Columns for groups: {', '.join(grouped) or 'none (no column has categories)'}.")
    return sentences + ([PRIVATE_KEYS.format(", ".join(private))] if private else [])


def unanswered(questions: Sequence[str]) -> list[str]:
    """The first lines of a schema file whose questions were not all answered."""
    return [*textwrap.wrap(UNANSWERED, 110), *questions] if questions else []


def check_costs(ways: Sequence[str]) -> str:
    """The effect of a check under a policy that approves in these ways."""
    return " ".join(CHECK_COSTS[way] for way in CHECK_COSTS if way in ways) or CHECK_WITHOUT_POLICY


def quality(counts: DataQuality) -> list[str]:
    """How far private counts of values are off, and how many people have rows that do not count."""
    noise = counts.noise_90
    off = CHECK_NOISE if noise is None else CHECK_OFF.format(math.ceil(noise + 0.5))
    people, most = counts.people_above, counts.certificate.max_rows
    return [off, *([] if people is None else [PEOPLE_ABOVE.format(people, most)])]


def sentences(schema: Schema) -> list[str]:
    """The privacy unit, and the values of each column."""
    lines = [ROW if schema.unit.column is None else _sentence(rows_that_count(schema.unit))]
    lines.append(RELATIONS[schema.relation])
    lines += map(_whose, schema.tables)
    lines += [_column(column) for column in schema.columns if column.name != schema.unit.column]
    if schema.null_values:
        lines.append(f"Missing values are written as {_listed(schema.null_values)}.")
    if schema.people_at_least is not None:
        lines.append(f"It is public knowledge that the data has at least {schema.people_at_least:,} people.")
    return lines


def _whose(table: TableSchema) -> str:
    """Whose the rows of one of several tables are."""
    if table.public:
        return f"Table {table.name}: public; no row of it is about a person."
    if table.parent is None:
        return f"Table {table.name}: each row is about the person in {table.person}."
    parent = table.parent
    known = "checked" if parent.unique is Uniqueness.ENFORCED else "declared"
    above = f"{parent.table} with the same {parent.key}, which is {known} to be unique"
    return f"Table {table.name}: each row is about the person of the row of {above}."


def _column(column: SchemaColumn) -> str:
    kind = _PLURALS[column.type]
    if column.categories is not None:
        return f"{column.name}: one of {_listed(column.categories)}."
    if column.private_keys:
        return f"{column.name}: {kind} that are not public; a release finds the groups with noise and needs a delta."
    if column.span is not None:
        return f"{column.name}: {kind} from {column.span.first} to {column.span.last}."
    if column.bounds is not None:
        return f"{column.name}: {kind} {_between(column.bounds)}; values beyond count as the nearest bound."
    if column.type.numeric:
        return f"{column.name}: {kind} without bounds; it cannot be summed."
    return f"{column.name}: {kind}{'; it cannot be grouped by' if column.type is Type.TEXT else ''}."


def _between(bounds: Bounds) -> str:
    return f"from {float(bounds.lower):,.15g} to {float(bounds.upper):,.15g}"


def _listed(values: tuple[object, ...]) -> str:
    names = ", ".join(f"“{one}”" if isinstance(one, str) else str(one) for one in values[:_MOST_LISTED])
    more = len(values) - _MOST_LISTED
    return f"{names} and {more:,} more" if more > 0 else names


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."

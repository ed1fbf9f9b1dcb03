"""What a schema says, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.model.schema import Bounds, Relation, Schema, SchemaColumn, Type
from sfumato.presentation.wording.guarantee import rows_that_count

STATED_BY_A_PERSON = (
    "Bounds and categories are public facts: everybody who may ask reads them. State them from the codebook and from "
    "what is possible, never by measuring this file: a guarantee holds only if they would be the same without any one "
    "person."
)
NOT_DESCRIBED = (
    "A column that is not described is not added up or grouped by. If it is in the file, it can still be counted and "
    "asked about in conditions, unless the policy names the columns that may be."
)
AFTER_LOOK = (
    "Somebody has looked at the people in this dataset. What is stated otherwise from now on was stated after a look: "
    "a release that reads it carries no guarantee, unless it was fixed beforehand."
)
CHECK_IS_ENTERED = (
    "It is entered into the ledger before anything is shown, with your name, and stays there. What the policy "
    "in force now decides by itself keeps its word; what a person states or decides after this does not."
)
CHECK_WITHOUT_POLICY = (
    "No policy is in force: one that is signed after this check carries no guarantee in what goes by it."
)
CHECK_COSTS: Mapping[str, str] = {
    "by a controller": (
        "Under the policy in force a controller decides each request: an approval after this check carries no "
        "guarantee unless it was fixed beforehand, and where the policy lets nothing leave without one, it is barred."
    ),
    "automatic": (
        "Under the policy in force requests are decided by the policy itself: what it decides keeps its word after "
        "this check. Another policy, another schema or an approval by a person would not."
    ),
    "after the answer": "Under the policy in force what leaves carries no guarantee already.",
}
NULL_VALUES = "Texts that stand for a missing value, such as ? or NA."
PEOPLE_AT_LEAST = (
    "How many people are in the data at least, if that is publicly known. Dry runs and rehearsals invent so many rows, "
    "and a private selection counts on it."
)
PRIVATE_KEYS = (
    "Groups that are not public ({}) take a delta: the policy needs a budget for delta, and whoever asks states one, "
    "such as 1e-9. Groups with few people do not show."
)
ROW = "Each row is one person."
TWICE = "Can the same person be in it twice? Then choose the other."
SEVERAL_ROWS = "A person may have several rows: a column names the person, and so many of their rows count at most."
RELATIONS: Mapping[Relation, str] = {
    Relation.ADD_REMOVE: "A person may join or leave the table: what is protected is whether they are in it at all.",
    Relation.REPLACE: (
        "A person may only be replaced by another: what is protected is whose values they are, and not how many people "
        "there are."
    ),
}
_PLURALS: Mapping[Type, str] = {
    Type.INTEGER: "whole numbers",
    Type.NUMBER: "numbers",
    Type.TEXT: "texts",
    Type.BOOLEAN: "true or false",
    Type.DATE: "dates",
}
_MOST_LISTED = 12


def askable(schema: Schema) -> list[str]:
    """What can be asked of it, and what not."""
    others = [column for column in schema.columns if column.name != schema.unit.column]
    added = [column.name for column in others if column.type.numeric and column.bounds is not None]
    grouped = [column.name for column in others if column.keys is not None or column.private_keys]
    private = [column.name for column in others if column.private_keys]
    nothing = "none: no number has bounds" if not added else ", ".join(added)
    sentences = [f"Rows can be counted. What can be added up and averaged: {nothing}."]
    sentences.append(f"What can be grouped by: {', '.join(grouped) or 'nothing: no column has listed values'}.")
    return sentences + ([PRIVATE_KEYS.format(", ".join(private))] if private else [])


def check_costs(ways: Sequence[str]) -> str:
    """What a check costs under a policy that approves in these ways; several are said one after another."""
    return " ".join(CHECK_COSTS[way] for way in CHECK_COSTS if way in ways) or CHECK_WITHOUT_POLICY


def sentences(schema: Schema) -> list[str]:
    """Who is protected, and what each column may hold."""
    lines = [ROW if schema.unit.column is None else _sentence(rows_that_count(schema.unit))]
    lines.append(RELATIONS[schema.relation])
    lines += [_column(column) for column in schema.columns if column.name != schema.unit.column]
    if schema.null_values:
        lines.append(f"Missing is written as {_listed(schema.null_values)}.")
    if schema.people_at_least is not None:
        lines.append(f"It is publicly known that {schema.people_at_least:,} people or more are in it.")
    return lines


def _column(column: SchemaColumn) -> str:
    kind = _PLURALS[column.type]
    if column.categories is not None:
        return f"{column.name}: one of {_listed(column.categories)}."
    if column.private_keys:
        return f"{column.name}: {kind} that are not public; a release finds the groups itself, at a delta."
    if column.bounds is not None:
        return f"{column.name}: {kind} {_between(column.bounds)}; what lies beyond counts as the nearest bound."
    if column.type.numeric:
        return f"{column.name}: {kind} without bounds; it is not added up."
    return f"{column.name}: {kind}{'; it is not grouped by' if column.type is Type.TEXT else ''}."


def _between(bounds: Bounds) -> str:
    return f"from {float(bounds.lower):,.15g} to {float(bounds.upper):,.15g}"


def _listed(values: tuple[object, ...]) -> str:
    names = ", ".join(f"“{one}”" if isinstance(one, str) else str(one) for one in values[:_MOST_LISTED])
    more = len(values) - _MOST_LISTED
    return f"{names} and {more:,} more" if more > 0 else names


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."

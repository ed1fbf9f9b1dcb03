"""What may come in: texts that a database can keep, numbers that are numbers, names that fit a line."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

_LARGEST = 2**53  # whole numbers that every reader of JSON keeps
_DEEPEST = 8


def storable(text: str) -> str:
    """No NUL and no half of a surrogate pair: PostgreSQL keeps neither."""
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("A text may hold neither NUL nor half a character")
    return text


def _one_line(text: str) -> str:
    if not storable(text).isprintable():
        raise ValueError("This is one line of printable characters")
    return text


def plain(table: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A table of settings as JSON can write it; what the settings mean is for the escrow to say."""
    _walk(table, _DEEPEST)
    return table


def _walk(value: JsonValue, deeper: int) -> None:
    match value:
        case str():
            storable(value)
        case bool() | None:
            pass
        case int() if abs(value) > _LARGEST:
            raise ValueError("A whole number lies within 2 to the power of 53")
        case float() if not isfinite(value):
            raise ValueError("A number is finite")
        case dict() | list() if not deeper:
            raise ValueError(f"Tables are at most {_DEEPEST} deep")
        case dict():
            for name, inner in value.items():
                _one_line(name)
                _walk(inner, deeper - 1)
        case list():
            for inner in value:
                _walk(inner, deeper - 1)


Name: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_one_line)]
Line: TypeAlias = Annotated[str, StringConstraints(max_length=500), AfterValidator(_one_line)]
Search: TypeAlias = Annotated[str, StringConstraints(max_length=200), AfterValidator(_one_line)]
Text: TypeAlias = Annotated[str, StringConstraints(max_length=20_000), AfterValidator(storable)]
Document: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=500_000), AfterValidator(storable)]
Sql: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=100_000), AfterValidator(storable)]
Secret: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=1_000), AfterValidator(storable)]
Number: TypeAlias = Annotated[int, Field(ge=0, lt=2**31)]
Table: TypeAlias = Annotated[dict[str, JsonValue], AfterValidator(plain)]


class Body(BaseModel):
    """What is sent: nothing that is not asked for, and no number that is none."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)

"""Dataclasses as plain values, such as JSON has, and back: the same fields by the same names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
LEFT_OUT = {"left out": True}
"""The metadata of a field that is not among the plain values where it is None."""


def to_plain(value: object, kind: type | None = None) -> Any:
    """Dataclasses become objects, tuples lists, members of an enumeration their values.

    Written as a `kind` that it is of, a value is without what a subclass of that adds.
    """
    if is_dataclass(value):
        named = ((each, getattr(value, each.name)) for each in fields(kind or value))
        return {each.name: to_plain(v) for each, v in named if v is not None or each.metadata != LEFT_OUT}
    if isinstance(value, Mapping):
        return {name: to_plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return list(map(to_plain, value))
    return value.value if isinstance(value, Enum) else value


def from_plain(kind: type[T], plain: Any) -> T:
    """The inverse, by the types of the fields. Names that `kind` does not have are passed over: a newer server may."""
    return cast(T, _read(kind, plain))


def _read(kind: Any, plain: Any) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return None if plain is None else _read(_alternative(inner, plain), plain)
    if origin is tuple and isinstance(plain, list):
        return tuple(map(_read, inner[:1] * len(plain) if inner[-1] is ... else inner, plain))
    if origin is Mapping:
        return {name: _read(inner[1], each) for name, each in plain.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**{name: _read(hint, plain[name]) for name, hint in _hints(kind).items() if name in plain})
    return kind(plain) if isinstance(kind, type) and issubclass(kind, Enum) else plain


def _alternative(kinds: tuple[Any, ...], plain: Any) -> Any:
    """The first type that a value may be of: an object has all fields that must be there, a list is a tuple."""
    for kind in kinds:
        required = [each.name for each in fields(kind) if each.default is MISSING] if is_dataclass(kind) else None
        if required is None and kind is not NoneType and (get_origin(kind) is tuple) == isinstance(plain, list):
            return kind
        if required is not None and isinstance(plain, Mapping) and all(name in plain for name in required):
            return kind
    raise ValueError(f"The value is none of {kinds}")


@lru_cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind) if each.init}

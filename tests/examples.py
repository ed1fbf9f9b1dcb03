"""Plain values of a dataclass, made up from the types of its fields: what a server may answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from sfumato.model.plain import from_plain

T = TypeVar("T")


def made_up(kind: type[T], /, **known: Any) -> T:
    """The same as a value."""
    return from_plain(kind, example(kind, **known))


def example(kind: Any, /, **known: Any) -> Any:
    """With what is `known`; the rest is as empty as its type allows."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return None if NoneType in inner else example(inner[0])
    if origin is tuple:
        return [] if inner[-1] is ... else list(map(example, inner))
    if origin is Mapping:
        return {}
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        required = [each.name for each in fields(kind) if each.default is MISSING]
        return {name: example(hints[name]) for name in required} | known
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind)).value
    return {str: "x", int: 1, float: 1.0, bool: False}.get(kind)
